"""The catalogue: names, aliases, near matches, and how little of it a look-up reads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from symroof.errors import InputError, UnknownNameError
from symroof.hardware import chip, chips


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("h100-sxm", "h100-sxm"),
        ("H100 SXM", "h100-sxm"),
        ("h100", "h100-sxm"),
        ("h100_sxm", "h100-sxm"),
        ("H100 SXM5 80GB", "h100-sxm"),
        ("NVIDIA H100 SXM", "h100-sxm"),
        ("nvidia h100 sxm5 80 gb", "h100-sxm"),
        ("H100 PCIe", "h100-pcie"),
        ("A100-SXM-80GB", "a100-sxm-80gb"),
        ("a100 40gb", "a100-sxm-40gb"),
        ("RTX 4090", "rtx-4090"),
        ("GeForce RTX 4090", "rtx-4090"),
        ("AMD Instinct MI300X", "mi300x"),
        ("TPU v5e", "tpu-v5e"),
        ("tpuv5e", "tpu-v5e"),
        ("Google TPU v4", "tpu-v4"),
        ("Trillium", "tpu-v6e"),
        ("Ironwood", "tpu7x"),
        ("trn2", "trainium2"),
        ("Gaudi 3", "gaudi3"),
        ("M2 Ultra", "m2-ultra"),
        ("GB200", "gb200-gpu"),
        ("V100", "v100-sxm2-32gb"),
    ],
)
def test_names_as_people_write_them(given, name):
    assert chip(given).name == name


def test_ambiguous_names_list_what_they_fit():
    with pytest.raises(
        InputError, match=r"'A100' fits several chips: a100-sxm-40gb, a100-sxm-80gb"
    ):
        chip("A100")


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("h100-smx", "h100-sxm"),
        ("h100-sx", "h100-sxm"),
        ("mi300", "mi300x"),
        ("tpu-v5", "tpu-v5"),
        ("trainum2", "trainium2"),
        ("epyc-7542", "epyc-7452"),
    ],
)
def test_unknown_names_have_a_near_match(given, near):
    with pytest.raises(UnknownNameError, match=rf"unknown chip '{given}'; did you mean '{near}"):
        chip(given)


@pytest.mark.parametrize("given", ["", "zzz", "x" * 100_000, "__import__('os')", "../h100-sxm"])
def test_hostile_names_are_one_line(given):
    if given == "../h100-sxm":
        assert chip(given).name == "h100-sxm"
        return
    with pytest.raises(UnknownNameError) as caught:
        chip(given)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_other_types_are_refused():
    with pytest.raises(InputError, match=r"a chip is named by a text, not int"):
        chip(100)


def test_missing_files_are_named():
    with pytest.raises(InputError, match=r"no/such.toml: cannot be read"):
        chip("no/such.toml")


def test_names_are_sorted_and_complete():
    names = chips()
    assert list(names) == sorted(names)
    assert len(names) >= 39


def test_one_look_up_reads_one_file():
    code = (
        "import sys\n"
        "opened = []\n"
        "def note(event, args):\n"
        "    if event == 'open' and str(args[0]).endswith('.toml'):\n"
        "        opened.append(args[0])\n"
        "from symroof.hardware import chip\n"
        "sys.addaudithook(note)\n"
        "chip('H100 SXM'); chip('h100-sxm')\n"
        "print(len(opened))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "1"


def test_chips_are_loaded_once():
    assert chip("h100-sxm") is chip("h100")
