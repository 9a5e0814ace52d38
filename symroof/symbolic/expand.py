"""Read a sympy expression as a quotient of two sums of integer multiples of monomials."""

from __future__ import annotations

from functools import lru_cache
from math import comb, gcd, lcm
from typing import TypeAlias

from sympy import Expr, Pow, Rational

from symroof.errors import InputError

Exponents: TypeAlias = tuple[int, ...]
Terms: TypeAlias = dict[Exponents, int]

MAX_STEPS = 500_000
MAX_POWER = 10**6

# A monomial is packed in one integer, 64 bits for each signed exponent, so that a product of
# monomials is a sum of integers; `MAX_POWER` and `MAX_STEPS` keep exponents far inside 64 bits.
BITS = 64
FIELD = 1 << BITS
HALF = FIELD >> 1

Packed: TypeAlias = dict[int, int]
Divisors: TypeAlias = dict[frozenset[tuple[int, int]], int]
# terms / (number * product of primitive sums to their powers)
Value: TypeAlias = tuple[Packed, int, Divisors]
NO_DIVISORS: Divisors = {}


def expand(expr: Expr) -> tuple[tuple[Expr, ...], Terms, Terms]:
    """Return (generators, numerator, denominator) of an expression, exactly.

    Monomials in denominators become negative exponents while the sum is read, so they never
    expand anything; equal sums in denominators are shared. The common integer and the common
    monomial of both parts are divided out; nothing else is (no gcd). The denominator's first term
    is positive.

    Parameters
    ----------
    expr : Expr
        Sums, products and powers of symbols, exact numbers and atoms; anything else is an atom.

    Raises
    ------
    InputError
        For infinity, floats, division by zero, and powers of sums too large to write out.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> expand(1 / (1 / M + 1 / N))
    ((M, N), {(1, 1): 1}, {(1, 0): 1, (0, 1): 1})
    """
    roots: dict[Expr, int] = {}
    while True:
        reader = _Reader(roots)
        value = reader.read(expr)
        if not reader.stale:
            return reader.finish(value)


def order_of(atom: Expr) -> tuple[int, str]:
    """Return the key generators are sorted by: symbols by name, then opaque atoms by their text.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> order_of(symbols("M"))
    (0, 'M')
    """
    return (0, atom.name) if atom.is_Symbol else (1, _text(atom))


def check_size(steps: int) -> None:
    """Raise `InputError` when an expansion would take more than `MAX_STEPS` steps.

    Examples
    --------
    >>> check_size(10)
    """
    if steps > MAX_STEPS:
        raise InputError(f"formula too large: expanding it takes more than {MAX_STEPS} steps")


def check_power(terms: int, exponent: int) -> None:
    """Raise `InputError` when a sum of `terms` terms to a power would be too large to write.

    Examples
    --------
    >>> check_power(3, 10)
    """
    if exponent > MAX_POWER:
        raise InputError(f"power {str(exponent)[:20]} is too large (at most {MAX_POWER})")
    if terms > 1 and exponent > 1:
        steps = terms * comb(exponent + terms, exponent) if exponent <= 1000 else MAX_STEPS + 1
        check_size(steps)


@lru_cache(maxsize=4096)
def _text(atom: Expr) -> str:
    if atom.is_Symbol:
        return str(atom.name)
    if not atom.args:
        return str(atom)
    return f"{type(atom).__name__}({', '.join(_text(arg) for arg in atom.args)})"


class _Reader:
    """Reads one expression; `roots` says of which root of an atom the generator is."""

    __slots__ = ("places", "radicals", "roots", "stale", "steps")

    def __init__(self, roots: dict[Expr, int]) -> None:
        self.roots = roots
        self.stale = False
        self.steps = 0
        self.places: dict[Expr, int] = {}
        self.radicals: dict[Expr, Value] = {}

    def read(self, expr: Expr) -> Value:
        if expr.is_Symbol:
            return {self.power_of(expr, 1): 1}, 1, NO_DIVISORS
        if expr.is_Mul:
            return self.read_product(expr)
        if expr.is_Add:
            return self.sum([self.read(arg) for arg in expr.args])
        if expr.is_Rational:
            return ({0: expr.p} if expr.p else {}), expr.q, NO_DIVISORS
        if expr.is_Pow:
            return self.read_power(expr)
        if not expr.args and not (expr.is_NumberSymbol and expr.is_positive):
            raise InputError(f"{str(expr)[:40]} is not an exact finite number")
        return {self.power_of(expr, 1): 1}, 1, NO_DIVISORS

    def read_product(self, expr: Expr) -> Value:
        number, divisor, monomial = 1, 1, 0
        others: list[Value] = []
        for arg in expr.args:
            if arg.is_Symbol:
                monomial += self.power_of(arg, 1)
            elif arg.is_Rational:
                number *= arg.p
                divisor *= arg.q
            else:
                if arg.is_Pow:
                    base, exponent = arg.args
                    if base.is_Symbol and exponent.is_Integer:
                        monomial += self.power_of(base, exponent.p)
                        continue
                others.append(self.read(arg))
        common = gcd(number, divisor)
        value: Value = {monomial: number // common}, divisor // common, NO_DIVISORS
        for other in others:
            value = self.product(value, other)
        return value

    def read_power(self, expr: Expr) -> Value:
        base, exponent = expr.args
        if exponent.is_Rational:
            if exponent.q == 1:
                if base.is_Symbol:
                    return {self.power_of(base, exponent.p): 1}, 1, NO_DIVISORS
                return self.power(self.read(base), exponent.p)
            if base.is_Pow and not base.exp.is_Rational and base.base.is_positive:
                return self.read_factor(base.base, exponent * base.exp)
            if base not in self.radicals and (base.is_Add or base.is_Mul or base.is_Rational):
                self.radicals[base] = self.read(base)
            return {self.power_of(base, exponent.p, exponent.q): 1}, 1, NO_DIVISORS
        value: Value = {0: 1}, 1, NO_DIVISORS
        for part in exponent.args if exponent.is_Add else (exponent,):
            value = self.product(value, self.read_factor(base, part))
        return value

    def read_factor(self, base: Expr, exponent: Expr) -> Value:
        """Read base**exponent for one term of an exponent."""
        if exponent.is_Rational:
            return self.read_power(Pow(base, exponent, evaluate=False))
        number, rest = exponent.as_coeff_Mul()
        p, q = int(number.p), int(number.q)
        if base.is_Rational and base.p > base.q > 1:
            base, p = Rational(base.q, base.p), -p
        if q != 1 and not base.is_positive:
            rest, q = rest / q, 1
        return {self.power_of(Pow(base, rest), p, q): 1}, 1, NO_DIVISORS

    def power_of(self, atom: Expr, p: int, q: int = 1) -> int:
        """Return the packed monomial atom**(p/q)."""
        if p > MAX_POWER or p < -MAX_POWER:
            raise InputError(f"power {str(p)[:20]} is too large (at most {MAX_POWER})")
        if self.roots or q != 1:
            root = self.roots.get(atom, 1)
            if root % q:
                root = self.roots[atom] = lcm(root, q)
                self.stale = True
            p *= root // q
        place = self.places.get(atom)
        if place is None:
            place = self.places[atom] = BITS * len(self.places)
        return p << place

    def power(self, value: Value, exponent: int) -> Value:
        if exponent < 0:
            value = self.inverse(value)
            exponent = -exponent
        terms, number, divisors = value
        check_power(len(terms), exponent)
        if len(terms) == 1:
            ((monomial, coefficient),) = terms.items()
            powered = {monomial * exponent: coefficient**exponent}
        else:
            powered = {0: 1}
            for _ in range(exponent):
                powered = self.times(powered, terms)
        return (
            powered,
            number**exponent,
            {key: power * exponent for key, power in divisors.items()},
        )

    def inverse(self, value: Value) -> Value:
        terms, number, divisors = value
        if not terms:
            raise InputError("division by zero in a formula")
        over: Packed = {0: number}
        for key, power in divisors.items():
            for _ in range(power):
                over = self.times(over, dict(key))
        if len(terms) == 1:
            ((monomial, coefficient),) = terms.items()
            keyed = NO_DIVISORS
        else:
            coefficient = gcd(*terms.values())
            if terms[max(terms)] < 0:
                coefficient = -coefficient
            monomial = self.common(terms)
            keyed = {frozenset((m - monomial, c // coefficient) for m, c in terms.items()): 1}
        sign = 1 if coefficient > 0 else -1
        return {m - monomial: c * sign for m, c in over.items()}, abs(coefficient), keyed

    def spend(self, steps: int) -> None:
        self.steps += steps
        check_size(self.steps)

    def common(self, terms: Packed) -> int:
        """Return the packed monomial of the least exponent of each generator."""
        lowest = map(min, zip(*[self.unpack(m) for m in terms], strict=True))
        return sum(e << (BITS * at) for at, e in enumerate(lowest))

    def unpack(self, monomial: int) -> list[int]:
        found = []
        for _ in self.places:
            exponent = monomial & (FIELD - 1)
            if exponent >= HALF:
                exponent -= FIELD
            found.append(exponent)
            monomial = (monomial - exponent) >> BITS
        return found

    def finish(self, value: Value) -> tuple[tuple[Expr, ...], Terms, Terms]:
        if self.radicals:
            value = self.without_radicals(value)
        terms, number, divisors = value
        under: Packed = {0: 1}
        for key, power in divisors.items():
            for _ in range(power):
                under = self.times(under, dict(key))
        above = [(self.unpack(m), c) for m, c in terms.items()]
        below = [(self.unpack(m), c) for m, c in under.items()]
        if not above:
            below = [([0] * len(self.places), 1)]
            number = 1
        atoms = list(self.places)
        lowest = [0] * len(atoms)
        if above:
            lowest = [min(column) for column in zip(*[powers for powers, _ in above], strict=True)]
        shift = [min(e, 0) for e in lowest]
        order = [
            at
            for at in sorted(range(len(atoms)), key=lambda at: order_of(atoms[at]))
            if any(powers[at] != shift[at] for powers, _ in above)
            or shift[at]
            or any(powers[at] for powers, _ in below)
        ]
        common = gcd(number, *terms.values())
        num = {tuple([p[at] - shift[at] for at in order]): c // common for p, c in above}
        den = {tuple([p[at] - shift[at] for at in order]): c * number // common for p, c in below}
        if den[max(den)] < 0:
            num = {powers: -c for powers, c in num.items()}
            den = {powers: -c for powers, c in den.items()}
        gens = tuple([self.named(atoms[at]) for at in order])
        return gens, num, den

    def named(self, atom: Expr) -> Expr:
        root = self.roots.get(atom, 1)
        return atom if root == 1 else Pow(atom, Rational(1, root))

    def without_radicals(self, value: Value) -> Value:
        """Put the sum or number under a root for that root's full powers."""
        terms, number, divisors = value
        over = self.lowered(terms)
        under: Packed = {0: number}
        for key, power in divisors.items():
            for _ in range(power):
                under = self.times(under, dict(key))
        return self.product(over, self.inverse(self.lowered(under)))

    def lowered(self, terms: Packed) -> Value:
        value: Value = terms, 1, NO_DIVISORS
        for base in reversed(self.radicals):  # an outer root before the roots inside it
            place, root, inner = self.places[base], self.roots[base], self.radicals[base]
            parts: dict[int, Packed] = {}
            for monomial, coefficient in value[0].items():
                whole = self.unpack(monomial)[place // BITS] // root
                part = parts.setdefault(whole, {})
                part[monomial - ((whole * root) << place)] = coefficient
            if parts.keys() - {0}:
                summed = self.sum(
                    [
                        self.product((part, 1, NO_DIVISORS), self.power(inner, whole))
                        for whole, part in parts.items()
                    ]
                )
                value = self.product(summed, ({0: 1}, value[1], value[2]))
        return value

    def times(self, left: Packed, right: Packed) -> Packed:
        if len(left) > len(right):
            left, right = right, left
        if len(left) == 1:
            ((m, c),) = left.items()
            return {m + n: c * d for n, d in right.items()} if c else {}
        self.spend(len(left) * len(right))
        result: Packed = {}
        get = result.get
        for m, c in left.items():
            for n, d in right.items():
                result[m + n] = get(m + n, 0) + c * d
        return {m: c for m, c in result.items() if c}

    def product(self, left: Value, right: Value) -> Value:
        divisors = left[2] or right[2]
        if left[2] and right[2]:
            divisors = dict(left[2])
            for key, power in right[2].items():
                divisors[key] = divisors.get(key, 0) + power
        return self.times(left[0], right[0]), left[1] * right[1], divisors

    def sum(self, values: list[Value]) -> Value:
        number = lcm(*[value[1] for value in values])
        divisors: Divisors = NO_DIVISORS
        for value in values:
            if value[2]:
                if divisors is NO_DIVISORS:
                    divisors = {}
                for key, power in value[2].items():
                    if divisors.get(key, 0) < power:
                        divisors[key] = power
        result: Packed = {}
        get = result.get
        for terms, own, has in values:
            for key, power in divisors.items():
                for _ in range(power - has.get(key, 0)):
                    terms = self.times(terms, dict(key))
            scale = number // own
            for monomial, coefficient in terms.items():
                result[monomial] = get(monomial, 0) + coefficient * scale
        if 0 in result.values():
            result = {m: c for m, c in result.items() if c}
        return result, number, divisors
