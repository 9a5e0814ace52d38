"""Functions of the formula language that sympy has no exact counterpart of."""

from __future__ import annotations

from typing import Any

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Expr, Float, Function, Integer, S, log


class log2(Function):  # type: ignore[misc]  # noqa: N801
    """The logarithm to base 2: exact at powers of two, else kept as it stands.

    Parameters
    ----------
    arg : Expr
        A positive expression.

    Examples
    --------
    >>> from sympy import Rational, Symbol
    >>> log2(8), log2(Rational(1, 4)), log2(3), log2(Symbol("x", positive=True))
    (3, -2, log2(3), log2(x))
    """

    nargs = 1
    is_extended_real = True

    @classmethod
    def eval(cls, arg: Expr) -> Expr | None:
        """Return the value where it is exact, else None (called by sympy)."""
        if arg.is_Rational:
            if arg.p == 0:
                return S.ComplexInfinity
            if arg.p < 0:
                return S.NaN
            if arg.p & (arg.p - 1) == 0 and arg.q & (arg.q - 1) == 0:
                return Integer(arg.p.bit_length() - arg.q.bit_length())
        elif arg.is_Pow and arg.base == 2:
            return arg.exp
        elif arg is S.Infinity:
            return arg
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative by the argument."""
        return 1 / (self.args[0] * log(2))

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_positive else None

    def _eval_evalf(self, prec: int) -> Expr | None:
        arg = self.args[0]._eval_evalf(prec + 4)
        if arg is None or not arg.is_Float or not arg > 0:
            return None
        natural = libmp.mpf_log(arg._mpf_, prec + 4)
        return Float._new(libmp.mpf_div(natural, libmp.mpf_ln2(prec + 4), prec), prec)

    def _eval_rewrite_as_log(self, arg: Expr, **_: Any) -> Expr:
        return log(arg) / log(2)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = f"^{{{exp}}}" if exp else ""
        return rf"\log_2{power}\left({printer.doprint(self.args[0])}\right)"
