"""Every system of the catalogue: complete, sane, written as `save` writes it."""

from __future__ import annotations

import re
import tomllib

import pytest
from sympy import Integer

import symroof as sr
from symroof import ops
from symroof.errors import UnknownNameError
from symroof.hardware import System, place, system, systems
from symroof.hardware.rates import CONFIDENCES
from symroof.hardware.system_catalog import FOLDER

each = pytest.mark.parametrize("name", systems())


@each
def test_the_file_is_what_save_writes(name, tmp_path):
    made = System.load(FOLDER / f"{name}.toml")
    assert made.name == name
    made.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_bytes() == (FOLDER / f"{name}.toml").read_bytes()
    assert System.load(tmp_path / "again.toml") == made


@each
def test_the_system_says_what_it_is(name):
    made = system(name)
    assert made.title
    assert made.vendor == made.chip.vendor
    assert made.levels
    assert made.chip == sr.chip(made.chip.name)
    assert made.count.is_Integer
    assert made.count > 1


@each
def test_every_number_has_unit_source_and_confidence(name):
    for level in system(name).levels:
        for rate in (level.per_chip, level.given):
            assert re.fullmatch(r"[\d.]+ [TG]B/s", rate.text), level.name
            assert len(rate.source) > 3, level.name
            assert rate.confidence in CONFIDENCES[:-1], level.name
            assert rate.is_known, level.name
        assert level.kind, level.name


@each
def test_sources_are_public(name):
    text = (FOLDER / f"{name}.toml").read_text("utf-8")
    assert not re.search(r"from memory|session|audit|re-verify|/work/|/home/", text)
    assert next(iter(tomllib.loads(text))) == "schema_version"


@each
def test_levels_get_slower_outwards(name):
    made = system(name)
    rates = [level.per_chip.value.value for level in made.levels]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] <= made.chip.bandwidth().value
    assert made.level(made.levels[0].name).per_chip.value == made.chip.link().resolved()


@each
def test_totals_are_the_count_times_a_chip(name):
    made = system(name)
    dtype = made.chip.default_dtype
    assert made.aggregate.peak(dtype).value == made.count * made.chip.peak(dtype).value
    assert made.aggregate.capacity().value == made.count * made.chip.capacity().value
    facts = made.describe()
    assert [fact.value for fact in facts if fact.quantity == "chips"] == [str(made.count)]


@each
def test_one_axis_of_all_chips_uses_every_level(name):
    made = system(name)
    found = place(made, {"X": made.count})["X"]
    assert [part.level for part in found.parts] == [level.name for level in made.levels]
    assert [part.topology for part in found.parts] == [level.topology for level in made.levels]
    assert found.conditions == ()


@each
@pytest.mark.parametrize("op", ["all_gather", "reduce_scatter", "all_reduce", "all_to_all"])
def test_collectives_over_all_chips_take_their_bytes_at_least(name, op):
    """No chip gets what it has not got faster than its innermost links bring it."""
    made = system(name)
    g = sr.Graph(op)
    n = int(made.count)
    y = getattr(ops, op)(g.input("x", (n * 1000,), "int8"), group=n)
    volume = (y if op == "all_gather" else g.tensor("x")).spec.bytes
    r = sr.analyze(g, made)
    fastest = made.levels[0].per_chip.value.value
    part = volume * (n - 1) / Integer(n) * (2 if op == "all_reduce" else 1)
    assert r.t_network.value >= part / fastest
    assert r.time.overlapped.value <= r.time.per_op.value <= r.time.serial.value


@each
def test_aliases_find_the_system(name):
    for alias in (*system(name).aliases, system(name).title, name.upper(), name.replace("-", " ")):
        assert system(alias).name == name, alias


def test_no_name_is_that_of_a_chip():
    for name in systems():
        for alias in (name, *system(name).aliases):
            with pytest.raises(UnknownNameError):
                sr.chip(alias)


def test_the_all_reduce_bandwidth_of_a_pod_is_what_its_maker_says():
    """Google Cloud documentation, TPU v5e: 51.2 TB/s of all-reduce bandwidth in a pod of 256."""
    pod = system("tpu-v5e-pod")
    assert pod.aggregate.egress("pod") == sr.Quantity("51.2 TB/s")
    g = sr.Graph("sum")
    ops.all_reduce(g.input("x", (256 * 10**6,), "int8"), group=256)
    moved = 2 * 255 * sr.Quantity(256 * 10**6, "byte")
    assert moved / sr.analyze(g, pod).t_network.resolved() == sr.Quantity("51.2 TB/s")


def test_a_node_of_h100_has_the_bandwidth_of_its_switches():
    """3.6 TB/s of 8 chips with 18 links of 25 GB/s; 400 GB/s leave the node."""
    two = system("dgx-h100-2")
    assert two.aggregate.egress("node") == 2 * 8 * 18 * sr.Quantity("25 GB/s")
    assert two.aggregate.egress("nodes") == 2 * 8 * sr.Quantity("400 Gbit/s")
