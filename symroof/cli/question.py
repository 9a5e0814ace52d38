"""What the command line asks: a graph, a machine, what is set, in the library's own terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph
from symroof.graph.spec import load
from symroof.roofline import Roofline, analyze
from symroof.symbolic import adopt, to_text


@dataclass(frozen=True, slots=True)
class Question:
    """A graph on a machine, with what is set.

    Attributes
    ----------
    spec : str
        As it was given.
    general : Roofline
        With nothing set but rates.
    roofline : Roofline
        With all that is set; the spec's defaults included.
    given, defaults : dict of str to str
        What the user set, and what the spec sets for names the user left open, for people.
    """

    spec: str
    general: Roofline
    roofline: Roofline
    given: dict[str, str]
    defaults: dict[str, str]

    @property
    def graph(self) -> Graph:
        """The algorithm."""
        return self.roofline.graph

    @property
    def numbers(self) -> dict[str, str]:
        """What the user set, rates aside."""
        return {name: value for name, value in self.given.items() if name in self.roofline.bindings}


def ask(
    spec: str,
    *,
    chip: str | None,
    settings: tuple[str, ...],
    dtype: str | None,
    unknown: str | None = None,
    tick: Callable[[str], None] = lambda phase: None,
) -> Question:
    """Read the arguments of a command.

    Parameters
    ----------
    spec : str
        An einsum string, a named algorithm or a TOML file.
    chip : str, optional
        A name or file; the spec may name one.
    settings : tuple of str
        ``NAME=VALUE`` texts.
    dtype : str, optional
        Instead of the spec's default dtype.
    unknown : str, optional
        The name a crossover asks for: it takes no default.
    tick : callable
        Is told each phase as it begins.
    """
    tick(f"reading {spec}")
    graph = load(spec, dtype=dtype)
    about = graph.about
    machine = chip or about.chip
    if machine is None:
        raise InputError("no chip named; expected --chip NAME or FILE (see: symroof chips)")
    if chip is None and not Path(machine).is_absolute() and machine.endswith(".toml"):
        machine = str(Path(spec).parent / machine)
    given = dict(_setting(text) for text in settings)
    if len(given) < len(settings):
        names = [_setting(text)[0] for text in settings]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice} is set twice", where="--set")
    tick("costs and values")
    roofline = analyze(graph, machine)
    bound = roofline.at(given)
    _check_values(bound, roofline)
    taken = {*given, *bound.bindings, unknown}
    defaults = {
        name: to_text(value)
        for name, value in about.defaults.items()
        if name not in taken and name in bound.scope.dimensions
    }
    rates = {name: value for name, value in given.items() if name not in bound.bindings}
    return Question(
        spec=spec,
        general=roofline.at(rates),
        roofline=bound.at(defaults),
        given=given,
        defaults=defaults,
    )


def _check_values(bound: Roofline, before: Roofline) -> None:
    """Refuse values in names that the algorithm does not have: at a prompt they are slips."""
    known = before.scope.dimensions
    for name, value in bound.bindings.items():
        for other in sorted(s.name for s in adopt(value).free_symbols):
            if other not in known:
                raise UnknownNameError("symbol", other, sorted(known), hint=f"in {name}={value}")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise InputError(f"expected NAME=VALUE, as in n=4096; got {text[:60]!r}", where="--set")
    return name.strip(), value.strip()
