"""Reports of odd questions: each is built, and checks."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof import ops
from symroof.errors import InputError

H100 = "h100-sxm"
FORMATS = ("txt", "md", "json", "tex", "html")


def custom(flops: str, moved: str | None = None) -> sr.Roofline:
    g = sr.Graph("custom")
    n = sr.symbols("n")
    x = g.input("x", (n,), "fp32")
    costs = {} if moved is None else {"bytes": moved}
    ops.custom("c", inputs=[x], output_shape=(n,), flops=flops, **costs)
    return sr.analyze(g, H100)


def named(name: str, **values: object) -> sr.Roofline:
    return sr.analyze(sr.load(name), H100).at(values)


def symbolic() -> sr.Roofline:
    peak, bandwidth = sr.Quantity("P", "FLOP/s"), sr.Quantity("W", "byte/s")
    chip = sr.Chip("own", peak={"fp16": peak}, memory={"hbm": bandwidth})
    return sr.analyze(sr.load("mn,nk->mk"), chip)


def odd_names() -> sr.Roofline:
    g = sr.Graph("names")
    x = g.input("x", ("time", "bytes"), "fp16") @ g.weight("w", ("bytes", "part_1"), "fp16")
    ops.gelu(x, name="work")
    return sr.analyze(g, H100).at(bytes=4096, part_1=4096)


CASES = {
    "a ridge is asked for": lambda: sr.report(named("attention-decode"), "ridge"),
    "one chip": lambda: sr.report(named("tensor-parallel-mlp", n=1)),
    "one chip, bound": lambda: sr.report(
        named("tensor-parallel-mlp", n=1, B=64, D=4096, F=14336), "B"
    ),
    "FLOPs that vanish": lambda: sr.report(named("fft", n=1)),
    "nothing computed": lambda: sr.report(custom("0")),
    "nothing moved": lambda: sr.report(custom("n", "0")),
    "nothing known": lambda: sr.report(symbolic()),
    "own rates": lambda: sr.report(symbolic().at(n=4096, k=4096, W="2 TB/s"), "m"),
    "all rates": lambda: sr.report(symbolic().at(n=64, k=64, W="2 TB/s", P="9 TFLOP/s"), "m"),
    "exponential": lambda: sr.report(custom("2**n"), "n"),
    "roots and logs": lambda: sr.report(custom("sqrt(n)*log2(n)**2"), "n"),
    "zero at the number": lambda: sr.report(custom("n*(n-1)/2").at(n=1), "n"),
    "zero work": lambda: sr.report(custom("(n-1000)**2", "0").at(n=1000)),
    "many digits": lambda: sr.report(custom("n**12345").at(n=1000)),
    "huge dims": lambda: sr.report(
        named("attention-decode", B=10**30, H=10**30, Hkv=10**30, S=10**30, d=10**30), "bw"
    ),
    "a mixture": lambda: sr.report(named("moe", D=4096, F=14336, E=8, k=2), "B"),
    "the network": lambda: sr.report(named("tensor-parallel-mlp", B=64, D=4096, F=14336), "n"),
    "another term": lambda: sr.report(named("mlp", D=4096, F=14336), "B", term="network"),
    "formulas": lambda: sr.report(named("mlp", D="4*H", F="16*H"), "B"),
    "odd names": lambda: sr.report(odd_names(), "time"),
}


@pytest.mark.parametrize("name", CASES)
def test_odd_reports_are_written_in_every_format(name: str) -> None:
    report = CASES[name]()
    for extension in FORMATS:
        assert report.render(extension)


def test_the_crossover_must_be_one_of_the_roofline() -> None:
    r = named("mlp")
    with pytest.raises(InputError, match="not one of this roofline"):
        sr.report(r, sr.region("2*B", "10", "B"))
    with pytest.raises(InputError, match="not one of this roofline"):
        sr.report(r, named("mn,nk->mk").crossover("m"))


@pytest.mark.parametrize("odd", [None, 3, "mlp", sr.Graph("g")])
def test_what_is_no_roofline(odd: object) -> None:
    with pytest.raises(InputError, match="expected a Roofline or a Serving"):
        sr.report(odd)  # type: ignore[arg-type]


def test_sections_of_ones_own() -> None:
    from symroof.reports.document import Paragraph, Section, Text

    def greeting(subject: object) -> Section:
        return Section("greeting", "Greeting", (Paragraph((Text("Hello."),)),))

    assert "Hello." in str(sr.report(named("mlp"), sections=[greeting]))
    with pytest.raises(InputError, match="made by a function"):
        sr.report(named("mlp"), sections=["greeting"])  # type: ignore[list-item]


def test_values_of_the_crossover_and_of_the_roofline_go_together() -> None:
    # 345 of the README's question, however the numbers came in
    r = named("mn,nk->mk")
    for report in (
        sr.report(r, r.crossover("m").at(n=4096, k=4096)),
        sr.report(r.at(n=4096), r.crossover("m").at(k=4096)),
        sr.report(r.at(n=4096, k=4096), r.at(n=4096, k=4096).crossover("m")),
        sr.report(r.at(m=64, n=4096, k=4096), "m"),
    ):
        assert "so from m = 345 on" in str(report)
