"""What the command line asks: a graph, a machine, what is set, in the library's own terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sympy import Expr

from symroof.cli.inside import InsideArguments
from symroof.cli.models import model_notes, model_setup, names_model
from symroof.cli.options import ModelArguments, SystemArguments
from symroof.errors import InputError, ParseError, SymroofError, UnknownNameError
from symroof.graph import Graph, Mesh
from symroof.graph.passes import shard
from symroof.graph.spec import load
from symroof.graph.work import link_bytes
from symroof.hardware import Chip, System, machine
from symroof.hardware import chip as find_chip
from symroof.hardware import system as find_system
from symroof.roofline import Roofline, analyze
from symroof.roofline.placed import bandwidths
from symroof.symbolic import adopt, to_text
from symroof.symbolic.exact import shown

ON_A_CHIP = SystemArguments()
AS_IT_IS = ModelArguments()
COLD = InsideArguments()
AXIS = "AXIS=LEVEL, as in X=node"
LEVELS = "several levels of one axis are X=node,nodes"


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
    notes : tuple of str
        What a language model takes for granted, for people.
    """

    spec: str
    general: Roofline
    roofline: Roofline
    given: dict[str, str]
    defaults: dict[str, str]
    notes: tuple[str, ...] = ()

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
    system: SystemArguments = ON_A_CHIP,
    settings: tuple[str, ...],
    dtype: str | None,
    model: ModelArguments = AS_IT_IS,
    inside: InsideArguments = COLD,
    unknown: str | None = None,
    tick: Callable[[str], None] = lambda phase: None,
) -> Question:
    """Read the arguments of a command.

    Parameters
    ----------
    spec : str
        An einsum string, a named algorithm, a TOML file or a language model.
    chip : str, optional
        A name or file; the spec may name one.
    system : SystemArguments
        A system instead of a chip, the mesh, and where its axes lie.
    settings : tuple of str
        ``NAME=VALUE`` texts.
    dtype : str, optional
        Instead of the spec's default dtype.
    model : ModelArguments
        Precisions of a language model, and how it is cut.
    inside : InsideArguments
        How the inside of the chip is modelled.
    unknown : str, optional
        The name a crossover asks for: it takes no default.
    tick : callable
        Is told each phase as it begins.
    """
    tick(f"reading {spec}")
    is_model = names_model(spec)
    check_model_options(spec, system, model.options, is_model=is_model)
    notes: tuple[str, ...] = ()
    if is_model:
        setup = model_setup(spec, machine_of(spec, chip, system, None), dtype, model)
        graph, found, notes = setup.graph("decode"), setup.machine, model_notes(setup)
    else:
        graph = load(spec, dtype=dtype)
        found = machine_of(spec, chip, system, graph.about.chip)
    about = graph.about
    given = read_settings(settings)
    tick("costs and values")
    numbers = _numbers({**{n: to_text(v) for n, v in about.defaults.items()}, **given})
    mesh = None if is_model else _mesh(graph, system.mesh)
    roofline = _analyzed(graph, mesh, found, system, numbers, inside.choices())
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
        notes=notes,
    )


def check_model_options(
    spec: str, system: SystemArguments, options: Mapping[str, Any], *, is_model: bool
) -> None:
    """Refuse what goes with language models alone, and what does not go with one.

    Raises
    ------
    InputError
        It names the option.
    """
    if options and not is_model:
        raise InputError(
            f"goes with a language model; {spec[:60]} is none", where=next(iter(options))
        )
    if system.mesh and is_model:
        raise InputError("a language model is cut by --tp, --pp, --ep, --dp", where="--shard")


def machine_of(
    spec: str, chip: str | None, system: SystemArguments, own: str | None
) -> Chip | System:
    """Return the machine: what the line names, or else the spec."""
    if chip is not None and system.name is not None:
        raise InputError("--chip and --system both name the machine; leave one of them out")
    for option, text in (("--chip", chip), ("--system", system.name)):
        if text is not None and not text.strip():
            raise InputError("expected NAME or FILE, got an empty text", where=option)
    name = chip or system.name or own
    if name is None:
        raise InputError("no chip named; expected --chip NAME or FILE (see: symroof chips)")
    if name is own and not Path(name).is_absolute() and name.endswith(".toml"):
        name = str(Path(spec).parent / name)
    if chip is not None:
        return _found(chip, find_chip, find_system, "a system: --system")
    if system.name is not None:
        return _found(name, find_system, find_chip, "one chip: --chip")
    return machine(name)


def _found(
    name: str,
    find: Callable[[str], Chip | System],
    other: Callable[[str], Chip | System],
    what: str,
) -> Chip | System:
    """Return the machine; where it is one of the other option, say which."""
    try:
        return find(name)
    except (InputError, UnknownNameError) as error:
        try:
            other(name)
        except SymroofError:
            raise error from None
        raise InputError(f"{name[:200]} is {what} {name[:200]}") from None


def _analyzed(
    graph: Graph,
    mesh: Mesh | None,
    found: Chip | System,
    given: SystemArguments,
    numbers: dict[str, Expr],
    inside: dict[str, Any],
) -> Roofline:
    """Return the roofline of the graph, sharded over a mesh where there is one."""
    if isinstance(found, Chip) and given.options:
        option = next(iter(given.options))
        raise InputError(f"{option} goes with --system; {found.name} is one chip")
    axes = _axes(given.axes)
    if mesh is not None:
        rates = None
        if isinstance(found, System) and found.levels:
            rates = bandwidths(found, mesh.axes, axes, numbers)
        graph = shard(graph, mesh, bandwidth=rates, sizes=numbers)
    if isinstance(found, Chip):
        if mesh is not None:
            _check_links(graph, mesh, found)
        return analyze(graph, found, **inside)
    return analyze(
        graph,
        found,
        axes=axes,
        sizes=numbers,
        pipelined=given.pipelined,
        latency=given.latency,
        **inside,
    )


def _check_links(graph: Graph, mesh: Mesh, chip: Chip) -> None:
    """Refuse axes that a lone chip has no link for."""
    known = [link.name for link in chip.links]
    sent = link_bytes(graph)
    missing = [axis for axis in mesh.axes if axis in sent and axis not in known]
    if missing:
        number = shown(mesh.size) if mesh.size.is_number else "8"
        raise InputError(
            f"{chip.name} is one chip, without a link {missing[0]!r}; name the system that the mesh"
            f" lies on, as in --system {number}x{chip.name}",
            where=f"axis {missing[0]}",
        )


def _mesh(graph: Graph, given: tuple[str, ...]) -> Mesh | None:
    """Return the mesh of the spec, with the sizes that the line gives."""
    sizes = {} if graph.mesh is None else dict(graph.mesh.axes)
    texts = [part for text in given for part in text.split(",")]
    axes = {
        axis
        for block in graph.blocks()
        for leaf in block.leaves.values()
        for over in leaf.sharding or ()
        for axis in ((over,) if isinstance(over, str) else over or ())
    }
    said: set[str] = set()
    for name, value in map(_size, texts):
        if name in said:
            raise InputError(f"{name} is given twice", where="--shard")
        if axes and name not in sizes and name not in axes:
            raise UnknownNameError("axis", name, sorted({*axes, *sizes}))
        said.add(name)
        sizes[name] = value
    if texts and not any(
        leaf.sharding is not None for block in graph.blocks() for leaf in block.leaves.values()
    ):
        raise InputError(
            f"no tensor of {graph.name!r} says how it is sharded; write sharding = [...] in a file",
            where="--shard",
        )
    return Mesh(**sizes) if sizes else None


def _numbers(values: dict[str, str]) -> dict[str, Expr]:
    """Return what is set to plain numbers."""
    found = {}
    for name, text in values.items():
        try:
            value = adopt(text)
        except ParseError:
            continue  # a rate has a unit
        if value.is_number:
            found[name] = value
    return found


def _axes(given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the levels of each axis that the line places."""
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, levels = _pair(text, "--axis", AXIS)
        if name in found:
            raise InputError(f"{name} is given twice; {LEVELS}", where="--axis")
        found[name] = tuple(level.strip() for level in levels.split(","))
        if not all(found[name]):
            raise InputError(f"expected {AXIS}; got {text[:60]!r}", where="--axis")
    return found


def _size(text: str) -> tuple[str, str]:
    return _pair(text, "--shard", "AXIS=SIZE, as in X=4")


def _check_values(bound: Roofline, before: Roofline) -> None:
    """Refuse values in names that the algorithm does not have: at a prompt they are slips."""
    known = before.scope.dimensions
    for name, value in bound.bindings.items():
        for other in sorted(s.name for s in adopt(value).free_symbols):
            if other not in known:
                raise UnknownNameError("symbol", other, sorted(known), hint=f"in {name}={value}")


def read_settings(settings: tuple[str, ...]) -> dict[str, str]:
    """Return ``NAME=VALUE`` texts by name.

    Examples
    --------
    >>> read_settings(("n=4096", "B = 8"))
    {'n': '4096', 'B': '8'}
    """
    given = dict(_setting(text) for text in settings)
    if len(given) < len(settings):
        names = [_setting(text)[0] for text in settings]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice} is set twice", where="--set")
    return given


def _setting(text: str) -> tuple[str, str]:
    return _pair(text, "--set", "NAME=VALUE, as in n=4096")


def _pair(text: str, where: str, expected: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise InputError(f"expected {expected}; got {text[:60]!r}", where=where)
    return name.strip(), value.strip()
