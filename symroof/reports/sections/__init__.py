"""The sections of a report, in order; a new one is a file and a line here."""

from __future__ import annotations

from symroof.reports.sections.algorithm import algorithm
from symroof.reports.sections.answer import answer
from symroof.reports.sections.ceilings import ceilings
from symroof.reports.sections.conventions import conventions
from symroof.reports.sections.crossover import crossover
from symroof.reports.sections.intensity import intensity
from symroof.reports.sections.levels import levels
from symroof.reports.sections.machine import machine
from symroof.reports.sections.memory import memory
from symroof.reports.sections.network import network
from symroof.reports.sections.sensitivity import sensitivity
from symroof.reports.sections.symbols import symbols
from symroof.reports.sections.times import times
from symroof.reports.sections.verdict import verdict
from symroof.reports.sections.work import work

SECTIONS = (
    answer,
    algorithm,
    conventions,
    symbols,
    work,
    times,
    network,
    intensity,
    levels,
    ceilings,
    verdict,
    crossover,
    memory,
    sensitivity,
    machine,
)

__all__ = ["SECTIONS"]
