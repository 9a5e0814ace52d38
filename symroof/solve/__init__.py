"""Two expressions and an unknown: where one is at least the other, in closed form."""

from __future__ import annotations

from symroof.solve.conditions import Condition
from symroof.solve.crossover import Crossover, solve
from symroof.solve.exact import ExactRegion, exact_region
from symroof.solve.integers import IntegerSet
from symroof.solve.kinds import Kind
from symroof.solve.least import LeastCase, Place
from symroof.solve.limits import limit, limit_all
from symroof.solve.minimise import minimise
from symroof.solve.minimum import Minimum
from symroof.solve.polynomials import Case
from symroof.solve.problem import Problem
from symroof.solve.ranges import SymbolicRegion
from symroof.solve.sentences import Sentence

__all__ = [
    "Case",
    "Condition",
    "Crossover",
    "ExactRegion",
    "IntegerSet",
    "Kind",
    "LeastCase",
    "Minimum",
    "Place",
    "Problem",
    "Sentence",
    "SymbolicRegion",
    "exact_region",
    "limit",
    "limit_all",
    "minimise",
    "solve",
]
