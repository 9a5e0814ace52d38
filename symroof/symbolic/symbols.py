"""Symbols: positive, one per name, everywhere."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from sympy import Expr, Symbol

from symroof.errors import InputError

MAX_NAME = 200

# What the names with dots may begin with: they are keys of a chip's rates, never dims.
RATES = ("bw", "latency", "link", "peak", "ridge")
# The other things of a chip: capacities of levels, ceilings, the launch of a kernel.
OTHERS = ("cap", "ceiling", "launch")

# What text of other languages means by these is no symbol; a cost or a dim of them is a slip.
WORDS = ("false", "inf", "infinity", "nan", "none", "true")

_KEY = re.compile(rf"({'|'.join((*RATES, *OTHERS))})(\.[\w:]+)+")


def symbols(names: str) -> Symbol | tuple[Symbol, ...]:
    """Return the positive symbols named in `names`, separated by spaces or commas.

    Parameters
    ----------
    names : str
        One or more names. Any identifier will do, also those that sympy reads as something
        else (N, S, E, I, Q, O, beta, lambda).

    Returns
    -------
    Symbol or tuple of Symbol
        A symbol for one name, a tuple for several. Equal names give the same symbol.

    Raises
    ------
    InputError
        If a name is no identifier.

    Examples
    --------
    >>> M, N = symbols("M N")
    >>> M is symbols("M"), M.is_positive
    (True, True)
    """
    if not isinstance(names, str):
        raise InputError(f"names of symbols are text like 'M N K', not {type(names).__name__}")
    found = [name for name in re.split(r"[\s,]+", names) if name]
    if not found:
        raise InputError("no symbol named; expected something like 'M N K'")
    for name in found:
        if not name.isidentifier():
            raise _not_a_name(name)
    made = tuple(symbol(name) for name in found)
    return made[0] if len(made) == 1 else made


def symbol(name: str) -> Symbol:
    """Return the one positive symbol called `name`; keys of rates such as ``peak.bf16`` included.

    Raises
    ------
    InputError
        If `name` is neither an identifier nor the key of a rate.

    Examples
    --------
    >>> symbol("bw.hbm").is_positive
    True
    """
    return _interned(name)


def check_own(expr: Expr, where: str) -> Expr:
    """Return `expr`, a dim, a count or a cost, if no name in it belongs to something else.

    Parameters
    ----------
    expr : Expr
        An adopted expression.
    where : str
        What it is, for the error.

    Raises
    ------
    InputError
        If it holds a rate of a machine (``peak``, ``bw.hbm``), or a word such as ``nan``.

    Examples
    --------
    >>> check_own(symbol("bw") * symbol("N"), "shape")
    Traceback (most recent call last):
    symroof.errors.InputError: shape: 'bw' is a name of rates of machines; take another
    """
    for atom in expr.free_symbols:
        name = atom.name
        if name in RATES or "." in name:
            reason = "is a rate of a machine" if "." in name else "is a name of rates of machines"
            raise InputError(f"{name[:60]!r} {reason}; take another", where=where)
        if name.lower() in WORDS:
            raise InputError(f"{name!r} is no number and no name of a symbol", where=where)
    return expr


@cache
def _interned(name: str) -> Symbol:
    if len(name) > MAX_NAME or not (name.isidentifier() or _KEY.fullmatch(name)):
        raise _not_a_name(name)
    plain = unicodedata.normalize("NFKC", name)
    return _interned(plain) if plain != name else Symbol(name, positive=True)


def _not_a_name(name: str) -> InputError:
    shown = name if len(name) <= 60 else name[:57] + "..."
    expected = "a letter, then letters or digits"
    if "." in name:
        expected = f"only rates have dots: {', '.join(f'{rate}.…' for rate in RATES)}"
    return InputError(f"{shown!r} is not a symbol name ({expected})")
