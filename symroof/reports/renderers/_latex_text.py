r"""Plain text as LaTeX that pdfLaTeX and LuaLaTeX both set, and in which nothing is a command."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import quote

from symroof.reports.diagram_layout import width_of

LONGEST_WORD = 24
"""Words with more letters may be broken anywhere."""

LINE_WORDS, LINE_LETTERS = 40, 120

_SPECIAL: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}",
    "*": "{*}",
}  # fmt: skip
_SIGNS: Mapping[str, str] = {
    "\u00a0": "~", "\u2009": r"\,", "\u202f": r"\,", "–": "--", "—": "---", "‘": "`", "’": "'",
    "“": "``", "”": "''", "…": r"\ldots{}", "•": r"\textbullet{}", "°": r"\textdegree{}",
    "µ": r"\textmu{}", "€": r"\texteuro{}", "£": r"\pounds{}", "§": r"\S{}", "©": r"\copyright{}",
    "†": r"\dag{}", "‡": r"\ddag{}",
}  # fmt: skip
_MATHS: Mapping[str, str] = {
    "·": r"\cdot", "⋅": r"\cdot", "×": r"\times", "÷": r"\div", "±": r"\pm", "−": "-", "≥": r"\ge",
    "≤": r"\le", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "∝": r"\propto",
    "≪": r"\ll", "≫": r"\gg", "∞": r"\infty", "→": r"\to", "←": r"\leftarrow", "↔":
    r"\leftrightarrow", "⇒": r"\Rightarrow", "↑": r"\uparrow", "↓": r"\downarrow", "√": r"\surd",
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∂": r"\partial", "∇": r"\nabla", "∈": r"\in",
    "∉": r"\notin", "∪": r"\cup", "∩": r"\cap", "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg",
    "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "ℓ": r"\ell",
    "⊕": r"\oplus", "⊗": r"\otimes", "½": r"\frac{1}{2}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}",
}  # fmt: skip
_GREEK: Mapping[str, str] = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ":
    r"\zeta", "η": r"\eta", "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ":
    r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau",
    "υ": r"\upsilon", "φ": r"\varphi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma",
    "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma",
    "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "ϵ": r"\epsilon", "ϕ": r"\phi",
}  # fmt: skip
_RAISED: Mapping[str, str] = {
    **{char: f"^{{{at}}}" for at, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{char: f"_{{{at}}}" for at, char in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}
# What T1 has a letter for, beside ASCII.
_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž¿¡"
)
_CHARACTERS: Mapping[str, str] = {
    **_SPECIAL,
    **_SIGNS,
    **{char: rf"\ensuremath{{{text}}}" for char, text in {**_MATHS, **_GREEK, **_RAISED}.items()},
}
_PAIRED = frozenset("-',")
_URL_SAFE = ":/?=.-,;+@!*()&#%"


def tex(text: str, longest: int = LONGEST_WORD) -> str:
    r"""Return plain text as LaTeX; characters that are not set are written by code point.

    Parameters
    ----------
    text : str
        Any text, also one of users. Runs of blanks become one.
    longest : int
        How many letters a word may have that is not broken.

    Examples
    --------
    >>> print(tex(r"50 % of \input{x} ≥ 2"))
    50 \% of \textbackslash{}input\{x\} \ensuremath{\ge} 2
    >>> print(tex("🔥"))
    {[}U+1F525{]}\allowbreak{}
    """
    text = unicodedata.normalize("NFC", text)
    blank = (" " if text[:1].isspace() else "", " " if text[-1:].isspace() else "")
    words = [_word(word, longest) for word in _SPACES.split(text) if word]
    # TeX reads lines of a bounded length; to it the end of one is a blank
    lines = [" ".join(words[at : at + LINE_WORDS]) for at in range(0, len(words), LINE_WORDS)]
    return blank[0] + "\n".join(lines) + (blank[1] if words else "")


def letters(text: str) -> float:
    """Return about how wide a text is, in letters of the common width.

    Examples
    --------
    >>> letters("ill") < letters("abc") < letters("🔥")
    True
    """
    codes = sum(_character(char).endswith(r"\allowbreak{}") for char in text[:1000])
    return width_of(text[:1000], 1.0) / 0.56 + 7.5 * codes


def comment(text: str) -> str:
    """Return a text as a comment of one line.

    Examples
    --------
    >>> comment("a" + chr(10) + "b")
    '% a b'
    """
    return "% " + "".join(char if char.isprintable() else " " for char in text)


def address(url: str) -> str:
    r"""Return an address for ``\href``.

    Examples
    --------
    >>> print(address("https://a.test/x_y?z=50%25#{1}"))
    https://a.test/x\%5Fy?z=50\%25\#\%7B1\%7D
    """
    quoted = quote(url, safe=_URL_SAFE).replace("_", "%5F").replace("~", "%7E")
    return re.sub(r"[#%&]", lambda found: "\\" + found[0], quoted)


def bookmark(text: str) -> str:
    """Return a text for an outline: letters, digits and a few signs.

    Examples
    --------
    >>> bookmark("a & b")
    'a b'
    """
    kept = "".join(char if char.isascii() and char.isalnum() else _plain(char) for char in text)
    return " ".join(kept.split())[:120]


_SPACES = re.compile(r"[ \t\n\r\f\v]+")


def _plain(char: str) -> str:
    return char if char in ".,:+-/=()" else " "


def _word(word: str, longest: int) -> str:
    long, every = len(word) > longest, max(longest // 4, 1)
    made, last = [], ""
    for at, char in enumerate(word):
        if long and at and (at % every == 0 or last in "/_.-:"):
            made.append("\\allowbreak{}" + ("" if at % LINE_LETTERS else "%\n"))
        elif char == last and char in _PAIRED:
            made.append("{}")
        made.append(_character(char))
        last = char
    return "".join(made)


def _character(char: str) -> str:
    found = _CHARACTERS.get(char)
    if found is not None:
        return found
    if (char.isascii() and char.isprintable()) or char in _LETTERS:
        return char
    return rf"{{[}}U+{ord(char):04X}{{]}}\allowbreak{{}}"
