// Small formulas of numbers as people type them in a box: 2**10, 4*1024, (3/4)*8192.

const MOST_LETTERS = 300;

// The fraction that a text stands for; null where it stands for none, or has no end of digits.
function evaluate(text) {
  const plain = text.length > MOST_LETTERS ? null : parse(text);
  return plain || orNull(() => new Reader(text).all());
}

class Reader {
  constructor(text) {
    if (text.length > MOST_LETTERS) throw new Inexact("a long formula");
    this.marks = unspaced(text).match(/\*\*|[\d.]+(?:e[+-]?\d+)?|\S/gi) || [];
    this.at = 0;
  }

  all() {
    const found = this.sum();
    if (this.at < this.marks.length) throw new Inexact(this.marks[this.at]);
    return found;
  }

  // Whether one of these marks comes next; it is then passed.
  takes(...marks) {
    const mark = this.marks[this.at];
    if (!marks.includes(mark)) return "";
    this.at++;
    return mark;
  }

  sum() {
    let found = this.product();
    for (let mark; (mark = this.takes("+", "-")); ) found = (mark === "+" ? add : sub)(found, this.product());
    return found;
  }

  product() {
    let found = this.signed();
    for (let mark; (mark = this.takes("*", "/")); ) found = (mark === "*" ? mul : div)(found, this.signed());
    return found;
  }

  signed() {
    return this.takes("-") ? sub(q(0n), this.signed()) : this.power();
  }

  power() {
    const base = this.takes("(") ? this.closed() : this.number();
    return this.takes("**") ? pow(base, this.signed()) : base;
  }

  closed() {
    const found = this.sum();
    if (!this.takes(")")) throw new Inexact("an open bracket");
    return found;
  }

  number() {
    const found = parse(this.marks[this.at++] || "");
    if (!found) throw new Inexact("no number");
    return found;
  }
}
