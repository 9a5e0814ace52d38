"""Operation counts of dense linear algebra: multiplications plus additions, exact, real arithmetic.

The counts are those of LAPACK Working Note 41 (Blackford and Dongarra, "Installation Guide for
LAPACK", appendix C), with the wide cases it leaves out as LAPACK++ and PLASMA state them; a
division or a square root counts as one multiplication.
"""

from __future__ import annotations

from sympy import Expr, Rational

from symroof.symbolic.bounds import least


def getrf_flops(m: Expr, n: Expr) -> Expr:
    """Return the count of an LU factorisation of an m×n matrix with partial pivoting.

    With k = min(m, n): m·n·k − k³/3 − k²/2 + 5k/6, which is both the tall and the wide count
    (LAPACK++ counts a wide matrix as its transpose).

    Examples
    --------
    >>> from sympy import Integer
    >>> getrf_flops(Integer(2000), Integer(1000))
    1666167500
    """
    k = least(m, n)
    return m * n * k - k**3 * Rational(1, 3) - k**2 * Rational(1, 2) + k * Rational(5, 6)


def geqrf_flops(m: Expr, n: Expr) -> Expr:
    """Return the count of a QR factorisation of an m×n matrix by Householder reflections.

    With k = min(m, n): 2·m·n·k − 2k³/3 + m·n + 2·n·k − k² + 14k/3. Tall (m ≥ n) this is
    2mn² − 2n³/3 + mn + n² + 14n/3, wide 2nm² − 2m³/3 + 3mn − m² + 14m/3.

    Examples
    --------
    >>> from sympy import Integer
    >>> geqrf_flops(Integer(2000), Integer(1000))
    3336338000
    """
    k = least(m, n)
    cubic = 2 * m * n * k - k**3 * Rational(2, 3)
    return cubic + m * n + 2 * n * k - k**2 + k * Rational(14, 3)


def potrf_flops(n: Expr) -> Expr:
    """Return the count of a Cholesky factorisation, n³/3 + n²/2 + n/6.

    Examples
    --------
    >>> from sympy import Integer
    >>> potrf_flops(Integer(1000))
    333833500
    """
    return n**3 * Rational(1, 3) + n**2 * Rational(1, 2) + n * Rational(1, 6)


def getri_flops(n: Expr) -> Expr:
    """Return the count of an inverse from an LU factorisation, 4n³/3 − n² + 5n/3.

    Examples
    --------
    >>> from sympy import Integer
    >>> getri_flops(Integer(1000))
    1332335000
    """
    return n**3 * Rational(4, 3) - n**2 + n * Rational(5, 3)


def getrs_flops(n: Expr, right_sides: Expr) -> Expr:
    """Return the count of a solve from an LU factorisation, r·(2n² − n) for r right-hand sides.

    Examples
    --------
    >>> from sympy import Integer
    >>> getrs_flops(Integer(1000), Integer(10))
    19990000
    """
    return right_sides * (2 * n**2 - n)


def potri_flops(n: Expr) -> Expr:
    """Return the count of an inverse from a Cholesky factorisation, 2n³/3 + n²/2 + 5n/6.

    Examples
    --------
    >>> from sympy import Integer
    >>> potri_flops(Integer(1000))
    667167500
    """
    return n**3 * Rational(2, 3) + n**2 * Rational(1, 2) + n * Rational(5, 6)


def syrk_flops(n: Expr, k: Expr) -> Expr:
    """Return the count of a symmetric rank-k update of one triangle, k·n·(n + 1).

    Examples
    --------
    >>> from sympy import Integer
    >>> syrk_flops(Integer(1000), Integer(500))
    500500000
    """
    return k * n * (n + 1)


def triangular_flops(order: Expr, other: Expr) -> Expr:
    """Return the count of a product or solve with a triangular matrix, other·order².

    Examples
    --------
    >>> from sympy import Integer
    >>> triangular_flops(Integer(1000), Integer(500))
    500000000
    """
    return other * order**2
