"""From a graph and a machine to their roofline: the machine is found, the axes are placed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symroof.errors import InputError
from symroof.graph import Graph
from symroof.graph.tile import Tile
from symroof.hardware import Chip, System
from symroof.hardware import machine as find_machine
from symroof.hardware.placing import Where
from symroof.roofline.placed import placed_on_system
from symroof.roofline.read_inside import read_inside
from symroof.roofline.roofline import Roofline


def analyze(
    graph: Graph,
    machine: str | Chip | System,
    *,
    axes: Where | None = None,
    sizes: Mapping[str, object] | None = None,
    pipelined: bool = False,
    latency: bool = False,
    residency: str = "cold",
    ceilings: Iterable[str] = (),
    levels: Mapping[str, object] | None = None,
    numa: str | None = None,
    local: object = None,
    launch: object = None,
    quantise: Tile | str | None = None,
) -> Roofline:
    """Return the roofline of `graph` on `machine`.

    Parameters
    ----------
    graph : Graph
        The algorithm; on a system that of one chip, with its collectives as ops.
    machine : str, Chip or System
        A chip, a name of the catalogue ("h100-sxm"), or the path of a chip file; likewise a system
        ("dgx-h100", "8xh100-sxm"). Everything in the answer is per chip.
    axes : mapping of str to str or sequence of str, optional
        For a system, the level that an axis of the mesh lies on: ``{"X": "node"}``; several for an
        axis that spans them. By default the first axis is the innermost, and each goes to the
        innermost level with room for it.
    sizes : mapping of str to number, optional
        For a system, numbers for symbols, to place the axes by where the symbols leave it open.
        They stay symbols.
    pipelined : bool
        For a system, whether its levels work at the same time, so that the slowest takes the time.
        By default their phases follow each other, and add.
    latency : bool
        For a system that says it, whether hops take time, in terms of their own.
    residency : str
        Where the bytes of an op are charged. ``cold``: all at the main memory. ``cached``: the
        whole working set at the smallest level that holds it. ``partial``: all at the innermost
        level, and further out only what the levels inside do not hold together. Levels that belong
        to one compute unit are left out.
    ceilings : sequence of str
        Ceilings of the chip that lower its roofs. Factors on one roof multiply; a rate is a cap.
    levels : mapping of str to str or Tile, optional
        Levels of memory whose bytes are counted in a way of their own, each with a term: ``once``
        (each tensor once), a ``Tile`` or its text ``128x128x32``, or a formula where the graph is
        one op.
    numa : str, optional
        For memory with a remote part, ``concurrent`` (both at once, the slower takes the time) or
        ``serial`` (one after the other).
    local : number, symbol or text, optional
        The fraction of the bytes that is local, a symbol ``f`` by default.
    launch : text, Quantity or True, optional
        The fixed time of a kernel, a term of its own; True takes the chip's. Every op is a kernel.
    quantise : Tile or str, optional
        Counts the edges of tiles and the last wave of them as work of the engines.

    Returns
    -------
    Roofline
        Time terms, intensity, bounds, verdict and crossovers, in closed form.

    Raises
    ------
    UnknownNameError
        If the catalogue has no such chip or system, the chip no rate that the graph needs, or the
        system no such axis.
    InputError
        If the mesh does not fit the system, the system has no links for its collectives, or the
        chip does not say what a choice needs.

    Examples
    --------
    >>> import symroof as sr
    >>> M, N, K = sr.symbols("M N K")
    >>> g = sr.Graph("matmul")
    >>> y = g.input("x", (M, N), "fp16") @ g.weight("w", (N, K), "fp16")
    >>> r = analyze(g, "h100-sxm")
    >>> str(r.critical_intensity.value), str(r.verdict(M=64, N=4096, K=4096))
    ('19780/67', 'memory')
    >>> h = sr.Graph("sum of 32 GB over two nodes of eight")
    >>> _ = sr.ops.all_reduce(h.input("x", 32 * 10**9, "int8"), group=16, link="X")
    >>> two = analyze(h, "dgx-h100-2")
    >>> print(two.terms["link", "X_node"], "|", two.t_network.resolved())
    56000000000/link.X_node s | 46/225 s
    >>> r = analyze(g, "h100-sxm", residency="cached").at(M=1024, N=1024, K=1024)
    >>> {level: str(time.resolved()) for (_, level), time in r.terms.items() if level == "l2"}
    {'l2': '8/12890625 s'}
    """
    if not isinstance(graph, Graph):
        raise InputError(f"expected a Graph, got {type(graph).__name__} (sr.load reads a spec)")
    found = machine if isinstance(machine, Chip | System) else find_machine(machine)
    choices: dict[str, Any] = {
        "residency": residency,
        "ceilings": ceilings,
        "levels": levels,
        "numa": numa,
        "local": local,
        "launch": launch,
        "quantise": quantise,
    }
    if isinstance(found, System):
        made, one, placed = placed_on_system(
            graph, found, axes, sizes=sizes, pipelined=pipelined, latency=latency
        )
        return Roofline(made, one, placed=placed, inside=read_inside(made, one, **choices))
    for name, given in (("axes", axes), ("pipelined", pipelined), ("latency", latency)):
        if given:
            raise InputError(f"{found.name} is one chip; a system has levels", where=name)
    return Roofline(graph, found, inside=read_inside(graph, found, **choices))
