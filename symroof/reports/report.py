"""A report of a roofline: the document, its check, and its formats."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from symroof.errors import InputError, SymroofError
from symroof.files import write_bytes_atomically, write_text_atomically
from symroof.reports.claims import Fault, check
from symroof.reports.document import Document, Section, claims_of
from symroof.reports.plots.roofs import bare
from symroof.reports.renderers import renderer
from symroof.reports.sections import SECTIONS
from symroof.reports.subject import Subject, with_units
from symroof.reports.verify import verify
from symroof.roofline import Roofline
from symroof.solve import Crossover
from symroof.units import human

if TYPE_CHECKING:
    from symroof.serving.serving import Serving

Builder: TypeAlias = Callable[[Subject], Section | None]
CHECKED = ("json", "md", "txt")


class ReportError(SymroofError):
    """A number of a report does not follow from its formula: a fault of the library."""


def report(
    roofline: Roofline | Serving,
    crossover: Crossover | str | None = None,
    *,
    term: str = "compute",
    title: str = "",
    sections: Iterable[Builder] | None = None,
    defaults: Iterable[str] = (),
) -> Report:
    """Write a report: closed forms, their numbers, the verdict, and how all of it is checked.

    Parameters
    ----------
    roofline : Roofline or Serving
        The algorithm on the machine; what is bound in it is put into all formulas. A model on a
        machine (``sr.serve``) has sections of its own; only `title` goes with it.
    crossover : Crossover or str, optional
        An answer of ``roofline.crossover``, bound further or not; or the symbol to ask for, which
        may have a number in the roofline.
    term : str
        The time term that is to be the largest, where a symbol is given.
    title : str
        Instead of the title of the algorithm.
    sections : iterable of callable, optional
        Builders of sections, instead of the usual ones: each takes a `Subject` and returns a
        `Section` or None.
    defaults : iterable of str
        Names whose values are defaults, which the report says.

    Returns
    -------
    Report
        With every number recomputed from its formula.

    Raises
    ------
    InputError
        If the crossover is not one of this roofline.
    ReportError
        If a number does not follow from its formula.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=4096, k=4096)
    >>> found = report(r, r.crossover("m"))
    >>> "m ≥ 344.949, so from m = 345 on" in found.render("txt")
    True
    """
    if not isinstance(roofline, Roofline):
        served = _served(roofline, title)
        if served is not None:
            return served
        kind = type(roofline).__name__
        raise InputError(
            f"expected a Roofline or a Serving, got {kind}: sr.report(sr.analyze(graph, chip)),"
            " or of a language model sr.report(sr.serve(model, chip, context=1024))"
        )
    if isinstance(crossover, str):
        others = {key: value for key, value in roofline.bindings.items() if key != crossover}
        crossover = with_units(roofline.unbound, others).crossover(crossover, term)
    subject = Subject(roofline, crossover, defaults=defaults)
    builders = SECTIONS if sections is None else tuple(sections)
    for build in builders:
        if not callable(build):
            raise InputError(f"a section is made by a function of a subject, not by {build!r:.60}")
    built = [build(subject) for build in builders]
    general = subject.general
    machine = general.chip.title or general.chip.name
    document = Document(
        title=title or f"{general.graph.about.title or general.graph.name} on {machine}",
        subtitle=_subtitle(general),
        sections=tuple(section for section in built if section is not None),
        values=subject.values,
        units=subject.units,
        labels=subject.labels,
    )
    _refuse(check(claims_of(document), document.values))
    return Report(document)


def _served(subject: object, title: str) -> Report | None:
    """Return the report of a model on a machine under a load; None for anything else."""
    from symroof.reports.serving import serving_document  # models are for those who ask for them
    from symroof.serving.serving import Serving

    if not isinstance(subject, Serving):
        return None
    document = serving_document(subject, title)
    _refuse(check(claims_of(document), document.values))
    return Report(document)


class Report:
    """A document that can be written in every format. Made by :func:`report`.

    Attributes
    ----------
    document : Document
        The format-neutral tree.
    """

    def __init__(self, document: Document) -> None:
        self.document = document

    def render(self, format: str) -> str | bytes:  # noqa: A002
        """Return the report in a format: ``txt``, ``md``, ``tex``, ``html``, ``json`` or ``pdf``.

        Formats that carry exact expressions are read back and checked.

        Raises
        ------
        UnknownNameError
            If there is no such format; with a near match.
        """
        chosen = renderer(format)
        found = chosen.render(self.document)
        if chosen.EXTENSIONS[0] in CHECKED and isinstance(found, str):
            _refuse(verify(found, chosen.EXTENSIONS[0]).faults)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file; its extension says in which format.

        Raises
        ------
        UnknownNameError
            If the extension is that of no format; with a near match.
        InputError
            If the file cannot be written, or the format needs a program that is not installed.
        """
        target = Path(path)
        found = self.render(_extension(target))
        if isinstance(found, str):
            write_text_atomically(target, found)
        else:
            write_bytes_atomically(target, found)

    def _repr_html_(self) -> str:
        from symroof.reports.renderers.html import fragment  # where a notebook asks

        return fragment(self.document)

    def __str__(self) -> str:
        return str(self.render("txt"))

    def __repr__(self) -> str:
        return f"<Report {self.document.title!r}>"


def _extension(path: Path) -> str:
    if not path.suffix:
        raise InputError("the extension says the format, as in report.html", where=str(path))
    return path.suffix.removeprefix(".")


def _subtitle(roofline: Roofline) -> str:
    dense = "dense " if any(kind == "flop" for kind, _ in roofline.work) else ""
    rates = f"{dense}{_rates(bare(roofline))}"
    if roofline.inside.ceilings:
        rates += f", under ceilings {_rates(roofline)}"
    return f"{rates}; traffic {roofline.traffic}, residency {roofline.inside.residency}"


def _rates(roofline: Roofline) -> str:
    """Return the peaks of the dtypes and the bandwidth of the main memory."""
    dtypes = [name for kind, name in roofline.work if kind == "flop"]
    peaks = [f"{human(roofline.rate(('flop', name)).resolved(), 4)} {name}" for name in dtypes]
    return ", ".join([*peaks, human(roofline.bandwidth.resolved(), 4)])


def _refuse(faults: list[Fault]) -> None:
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ReportError(f"the report does not check: {faults[0]}{more}")
