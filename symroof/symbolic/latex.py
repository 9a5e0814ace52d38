r"""Formulas as LaTeX that amsmath, KaTeX, MathJax and `latex2mathml` all take.

Names come from users. Only letters, digits and a few signs are written as they are, other
characters by their code points, so that no name can end a group or call a command.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from symroof.symbolic.forms import (
    ATOM,
    NO_LABELS,
    POWER,
    PRODUCT,
    Form,
    Name,
    Named,
    Number,
    PlainText,
    Power,
    Product,
    Quotient,
    Relation,
)
from symroof.symbolic.printer import split_whole


def latex(form: Form, labels: Mapping[str, str] = NO_LABELS) -> str:
    r"""Return a formula as LaTeX, without dollars around it.

    Parameters
    ----------
    form : Form
        What `readable` gives, or a comparison of such.
    labels : mapping of str to str
        How names are shown, in the words of `Form.unicode` (``ridge.fp16``: I, ``bw.hbm``: β).

    Examples
    --------
    >>> from symroof.symbolic.forms import Comparison, Sum
    >>> m, n, ridge = Name("m"), Name("n"), Name("ridge.fp16")
    >>> right = Quotient(Product((ridge, n)), Sum((n,), (ridge,)))
    >>> print(latex(Comparison(m, Relation.AT_LEAST, right), {"ridge.fp16": "I"}))
    m \ge \frac{I\,n}{n - I}
    >>> print(latex(Product((Number(Fraction(2)), Name("B_kv"), Name("seq")))))
    2\,B_{kv} \cdot \mathrm{seq}
    """
    return _Latex(labels).text(form, 0)


def upright(text: str) -> str:
    r"""Return any text (a word, a unit) in upright letters, for use in a formula; inert.

    Examples
    --------
    >>> print(upright("FLOP/byte"), upright("t_memory"), upright("}$"))
    \mathrm{FLOP/byte} \mathrm{t\_memory} \mathrm{[U{+}007D][U{+}0024]}
    """
    return rf"\mathrm{{{_letters(_shortened(text))}}}"


def name_latex(name: str) -> str:
    r"""Return a name or a label: a letter, Latin or Greek, or a word, perhaps with a subscript.

    Examples
    --------
    >>> print(*map(name_latex, ["M", "β", "lambda", "I*", "D_model", "peak.fp16"]))
    M \beta \lambda I^{*} D_{\mathrm{model}} \mathrm{peak}_{\mathrm{fp16}}
    """
    plain = unicodedata.normalize("NFKC", name)
    if plain == "∞":
        return r"\infty"
    if plain.endswith("*") and len(plain) > 1:
        return rf"{name_latex(plain[:-1])}^{{*}}" if plain.count("*") == 1 else upright(plain)
    head, mark, tail = _parts(plain)
    if not mark:
        return _letter(head) or upright(head)
    below = _letter(tail) or (tail if _SHORT.fullmatch(tail) else upright(tail))
    return f"{_letter(head) or upright(head)}_{{{below}}}"


class _Latex(PlainText):
    """Text as LaTeX; fractions two deep, and slashes in exponents and deeper."""

    minus = "-"
    relations: Mapping[Relation, str] = {
        **PlainText.relations,
        Relation.AT_LEAST: r"\ge",
        Relation.AT_MOST: r"\le",
        Relation.UNEQUAL: r"\ne",
    }
    brackets: Mapping[str, tuple[str, str]] = {
        "ceil": (r"\left\lceil ", r" \right\rceil"),
        "floor": (r"\left\lfloor ", r" \right\rfloor"),
    }

    def __init__(self, labels: Mapping[str, str]) -> None:
        super().__init__(labels)
        self.depth = 0
        self.taken = {name_latex(label) for label in labels.values()}

    def text(self, form: Form, tight: int) -> str:
        if tight and isinstance(form, Named):
            form = form.inline()
        written, own = self.written(form)
        return _parenthesised(written) if own < tight else written

    def written(self, form: Form) -> tuple[str, int]:
        match form:
            case Name(name):
                return self.name(name), ATOM
            case Product(factors):
                return self.product(factors), PRODUCT
            case Quotient(over, under):
                return self.fraction(over, under)
            case _:
                return super().written(form)

    def name(self, name: str) -> str:
        if name in self.labels:
            return name_latex(self.labels[name])
        written = name_latex(name)
        # a dim called beta is not the bandwidth β
        return upright(name) if written in self.taken else written

    def number(self, value: Fraction) -> tuple[str, int]:
        above, below = value.as_integer_ratio()
        if below == 1:
            return self.whole(above)
        over, under = Number(Fraction(abs(above))), Number(Fraction(below))
        text, tight = self.fraction(over, under)
        return (f"-{text}", PRODUCT) if above < 0 else (text, tight)

    def whole(self, value: int) -> tuple[str, int]:
        head, zeros = split_whole(value)
        digits = _grouped(head)
        if not zeros:
            return digits, ATOM if value >= 0 else PRODUCT
        tens = f"10^{{{zeros}}}"
        if head in ("1", "-1"):
            return (tens, POWER) if value > 0 else (f"-{tens}", PRODUCT)
        return rf"{digits} \cdot {tens}", PRODUCT

    def product(self, factors: tuple[Form, ...]) -> str:
        texts = [self.text(factor, POWER) for factor in factors]
        written = texts[0]
        for (left, right), text in zip(pairwise(factors), texts[1:], strict=True):
            close = self.is_short(left) and self.is_short(right) and not text[0].isdigit()
            written += (r"\," if close else r" \cdot ") + text
        return written

    def is_short(self, form: Form) -> bool:
        """Return whether a thin space is enough beside a factor: no words, no powers of numbers."""
        match form:
            case Name(name):
                return not self.name(name).startswith(r"\mathrm")
            case Power(Number(), _):
                return False
            case Power(base, _):
                return self.is_short(base)
            case _:
                return True

    def fraction(self, over: Form, under: Form) -> tuple[str, int]:
        if self.depth > 1:
            return f"{self.text(over, PRODUCT)} / {self.text(under, POWER)}", PRODUCT
        return rf"\frac{{{self.inside(over)}}}{{{self.inside(under)}}}", POWER

    def power(self, base: Form, exponent: Form) -> tuple[str, int]:
        raised = self.text(base, ATOM)
        if "^" in raised or (isinstance(base, Number) and not raised.isdigit()):
            raised = raised if raised.endswith(")") else f"{{{raised}}}"
        return f"{raised}^{{{self.inside(exponent, 2)}}}", POWER

    def call(self, function: str, args: tuple[Form, ...]) -> tuple[str, int]:
        if function == "sqrt":
            return rf"\sqrt{{{self.inside(args[0], 0)}}}", POWER
        inner = ", ".join([self.inside(arg, 0) for arg in args])
        if function in self.brackets:
            left, right = self.brackets[function]
            return left + inner + right, ATOM
        name = _FUNCTIONS.get(function) or upright(function)
        return name + _parenthesised(inner), ATOM

    def inside(self, form: Form, deeper: int = 1) -> str:
        """Return the text of a form in a group of its own, so many levels of fractions deeper."""
        self.depth += deeper
        try:
            return self.text(form.inline() if isinstance(form, Named) else form, 0)
        finally:
            self.depth -= deeper

    def named(self, form: Named) -> tuple[str, int]:
        meanings = ", ".join(
            f"{self.name(name)} = {self.text(value, 0)}" for name, value in form.names
        )
        return rf"{self.text(form.body, 0)}, \quad\text{{where }} {meanings}", 0


_FUNCTIONS = {"min": r"\min", "max": r"\max", "log2": r"\log_{2}"}
_TALL = re.compile(r"\\frac|\\left|\\sqrt")


def _parenthesised(text: str) -> str:
    return rf"\left({text}\right)" if _TALL.search(text) else f"({text})"


def _grouped(digits: str) -> str:
    r"""Return digits in threes, from five on: ``10\,127\,360``."""
    whole = digits.lstrip("-")
    if len(whole) < 5:
        return digits
    first = len(whole) % 3
    groups = [whole[:first]] * bool(first) + [whole[i : i + 3] for i in range(first, len(whole), 3)]
    return "-" * digits.startswith("-") + r"\,".join(groups)


# --- names ---------------------------------------------------------------------------------------

_LETTERS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon",
    "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
# NFKC makes these letters of ϵ and ϕ, so that the words alone stand for them.
_COMMANDS = {word: f"\\{word}" for word in (*_LETTERS.values(), "epsilon", "phi")}

_ACCENTS = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar",
    "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot", "\u030c": "check",
}  # fmt: skip
_SIGNS = {
    "_": r"\_", " ": r"\ ", ".": "{.}", ":": "{:}", "-": "{-}", "+": "{+}", ",": "{,}",
    "/": "/", "(": "(", ")": ")", "*": "{*}",
}  # fmt: skip
_SHORT = re.compile("[A-Za-z]{1,2}|[0-9]+")
_LONGEST = 60


def _parts(name: str) -> tuple[str, str, str]:
    """Split a name before its subscript: at the first dot, or at a _ with something around it."""
    mark = "." if "." in name else "_"
    head, found, tail = name.partition(mark)
    return (head, found, tail) if head and tail.strip("_") else (name, "", "")


def _letter(text: str) -> str:
    """Return one letter, Latin or Greek, as it stands in formulas; nothing for other text."""
    if len(text) == 1 and text.isascii() and text.isalpha():
        return text
    return _COMMANDS.get(_LETTERS.get(text, text), "")


def _letters(text: str) -> str:
    return "".join(map(_character, unicodedata.normalize("NFKC", text)))


def _character(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    if character in _SIGNS:
        return _SIGNS[character]
    if character in _LETTERS:
        return f"{{\\{_LETTERS[character]}}}"
    parts = unicodedata.normalize("NFD", character)
    base, mark = parts[0], parts[1:]
    if mark in _ACCENTS and base.isascii() and base.isalpha():
        return rf"\{_ACCENTS[mark]}{{{base}}}"
    return f"[U{{+}}{ord(character):04X}]"


def _shortened(text: str) -> str:
    """Return a text with the middle left out where it is long."""
    return text if len(text) <= _LONGEST else f"{text[:40]}...{text[-16:]}"
