r"""A document as a LaTeX article that compiles as it stands, by pdfLaTeX and by LuaLaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from symroof.markup import shortened
from symroof.reports.document import Document, Section
from symroof.reports.renderers._latex_blocks import Blocks
from symroof.reports.renderers._latex_text import bookmark, tex

EXTENSIONS = ("tex",)
TITLE = "LaTeX"

LONGEST_TITLE = 200
LEVELS = ("section", "subsection", "subsubsection", "paragraph")

# Only packages that every TeX distribution has. \reportfit shrinks what is wider than its room.
PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\iftutex\else
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\fi
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{textcomp}
\usepackage{amsmath}
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage[margin=25mm]{geometry}
\usepackage{graphicx}
\usepackage{tikz}
\usepackage[hidelinks]{hyperref}

\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt plus 1pt}
\setlength{\emergencystretch}{3em}
\setlength{\tabcolsep}{5pt}
\setlength{\LTleft}{0pt}
\renewcommand{\arraystretch}{1.15}
\allowdisplaybreaks[1]
\AtBeginDocument{\setlength{\jot}{5pt}\setlength{\abovedisplayskip}{5pt plus 2pt}%
  \setlength{\belowdisplayskip}{8pt plus 3pt}}

\definecolor{reportblue}{HTML}{005F95}
\definecolor{reportorange}{HTML}{B97700}
\definecolor{reportgrey}{HTML}{57606A}

\newsavebox{\reportbox}
\newcommand{\reportfit}[2]{\sbox{\reportbox}{$\displaystyle #2$}%
  \ifdim\wd\reportbox>#1\relax\resizebox{#1}{!}{\usebox{\reportbox}}\else\usebox{\reportbox}\fi}
\newenvironment{reportpicture}{\par\addvspace{8pt}\begin{lrbox}{\reportbox}}{\end{lrbox}%
  \noindent\makebox[\linewidth]{\ifdim\wd\reportbox>\linewidth
    \resizebox{\linewidth}{!}{\usebox{\reportbox}}\else\usebox{\reportbox}\fi}\par}
\newcommand{\reportcaption}[1]{{\small\color{reportgrey}#1\par}}
\newcommand{\reportline}[2]{\par\addvspace{4pt}\hspace*{#1}$\displaystyle #2$}
\newcommand{\reportwhy}[1]{\text{\footnotesize\color{reportgrey}#1}}
\newcommand{\reportwhylong}[1]{%
  \parbox{30mm}{\raggedright\footnotesize\color{reportgrey}\setlength{\parskip}{0pt}#1}}
\newenvironment{reportnote}[2]{\par\addvspace{8pt}{\color{#1}\hrule height 0.9pt}\nobreak
  \vskip 2pt{\footnotesize\sffamily\bfseries\noindent\textcolor{#1}{#2}\par}%
  \nobreak\vskip-\parskip}{\par\nobreak\vskip 5pt{\color{reportgrey!40}\hrule height 0.4pt}%
  \addvspace{10pt}}
"""


def render(document: Document) -> str:
    r"""Return a document as a whole article.

    Examples
    --------
    >>> article = render(Document("50 %", "", ()))
    >>> r"\begin{document}" in article, r"50 \%" in article
    (True, True)
    """
    lines = [PREAMBLE]
    title = bookmark(document.title)
    lines += [rf"\hypersetup{{pdftitle={{{title}}}}}", "", r"\begin{document}", ""]
    lines.append(rf"{{\LARGE\bfseries\raggedright {_heading(document.title)}\par}}")
    if document.subtitle.strip():
        subtitle = _heading(document.subtitle)
        lines.append(rf"{{\large\color{{reportgrey}}\raggedright {subtitle}\par}}")
    blocks = Blocks(document.labels)
    for section in document.sections:
        lines += _section(section, 0, blocks)
    lines += ["", r"\end{document}", ""]
    return "\n".join(lines)


def _section(section: Section, level: int, blocks: Blocks) -> Iterator[str]:
    command = LEVELS[min(level, len(LEVELS) - 1)]
    title, plain = _heading(section.title), bookmark(section.title)
    yield ""
    yield rf"\{command}*{{\texorpdfstring{{{title}}}{{{plain}}}}}"
    yield rf"\addcontentsline{{toc}}{{{command}}}{{\texorpdfstring{{{title}}}{{{plain}}}}}"
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _section(block, level + 1, blocks)
        else:
            yield ""
            yield from blocks.block(block)


def _heading(text: str) -> str:
    return tex(shortened(text, LONGEST_TITLE))
