"""A GPU through a torch that is made up: a clock that moves with every kernel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from symroof.errors import InputError
from symroof.hardware import Chip
from symroof.probes import gpu, measure, validate
from symroof.probes.bench import level_of, ranges
from symroof.probes.benches import bench_of
from symroof.probes.gpu import Gpu, timed_by_events, torch_streams
from symroof.probes.race import Kernel

CALL = 2e-6


class Tensor:
    """As much of a tensor as the kernels use."""

    def __init__(self, torch: Torch, array: Any) -> None:
        self.torch, self.array = torch, array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, part: slice) -> Tensor:
        return Tensor(self.torch, self.array[part])

    @property
    def nbytes(self) -> int:
        return int(self.array.nbytes)

    def expand(self, *shape: int) -> Tensor:
        return Tensor(self.torch, np.broadcast_to(self.array, shape))

    def copy_(self, other: Tensor) -> None:
        self.torch.ran()

    def mul_(self, factor: float) -> None:
        self.torch.ran()


class Torch:
    """As much of torch as the probes use; every kernel takes `CALL` seconds."""

    __version__ = "0"
    float64, float32, float16, bfloat16 = "float64", "float32", "float16", "float16"

    def __init__(self, *, there: bool = True, cache: int = 2**22) -> None:
        self.now = 0.0
        about = SimpleNamespace(
            name="Made Up 100",
            total_memory=2**34,
            multi_processor_count=7,
            **({"L2_cache_size": cache} if cache else {}),
        )
        self.version = SimpleNamespace(cuda="0")
        self.cuda = SimpleNamespace(
            is_available=lambda: there,
            get_device_properties=lambda _: about,
            mem_get_info=lambda: (2**26, 2**34),
            Event=self.event,
        )

    def ran(self) -> None:
        self.now += CALL

    def event(self, *, enable_timing: bool) -> Any:
        event = SimpleNamespace(at=0.0, synchronize=lambda: None)
        event.record = lambda: setattr(event, "at", self.now)
        event.elapsed_time = lambda end: (end.at - event.at) * 1e3
        return event

    def ones(self, shape: Any, *, dtype: str = "float32", device: str) -> Tensor:
        assert device == "cuda"
        return Tensor(self, np.ones(shape, dtype))

    empty = ones

    def sum(self, x: Tensor, *, dim: int, out: Tensor) -> None:
        self.ran()

    def add(self, x: Tensor, y: Tensor, *, alpha: float = 1.0, out: Tensor) -> None:
        self.ran()

    def dot(self, x: Tensor, y: Tensor) -> None:
        self.ran()

    def softmax(self, x: Tensor, *, dim: int) -> None:
        self.ran()

    def mv(self, a: Tensor, x: Tensor, *, out: Tensor) -> None:
        self.ran()

    def complex(self, real: Tensor, imaginary: Tensor) -> Tensor:
        return real

    @property
    def fft(self) -> Any:
        return SimpleNamespace(fft=lambda z: self.ran())

    def matmul(self, a: Tensor, b: Tensor, *, out: Tensor) -> None:
        self.ran()


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Torch:
    return put_in_place(monkeypatch, Torch())


def put_in_place(monkeypatch: pytest.MonkeyPatch, torch: Torch) -> Torch:
    for module in ("gpu", "benches", "plan", "validating"):
        monkeypatch.setattr(f"symroof.probes.{module}.torch_if_there", lambda: torch)
    return torch


def test_the_gpu_is_measured_where_there_is_one(torch: Torch) -> None:
    bench = bench_of(None)
    assert isinstance(bench, Gpu)
    found = measure(bench=bench, quick=True, rounds=1, name="mine")
    assert (found.chip.kind, found.chip.compute_units) == ("gpu", 7)
    assert found.chip.title == "Made Up 100, measured"
    assert {peak.dtype for peak in found.chip.peaks} == {"fp64", "fp32", "fp16", "bf16"}
    assert [level.name for level in found.chip.hierarchy] == ["l2", "dram"]
    assert found.chip.peak("fp32").to("TFLOP/s") == pytest.approx(2 * 512**3 / CALL / 1e12, 1e-4)
    assert found.chip.launch is not None
    assert found.chip.launch.value.to("us") == pytest.approx(2, 1e-4)
    assert found.chip.ceilings == ()


def test_bytes_of_the_kernels(torch: Torch) -> None:
    size = 2**20
    kernels = {kernel.name: kernel for kernel in torch_streams(torch, size, "cuda")}
    assert kernels["read"].amount == gpu.PASSES
    assert kernels["copy"].amount == size
    assert kernels["add"].amount == pytest.approx(size, abs=16)
    assert kernels["update"].amount == 2 * size


def test_events_time_the_calls(torch: Torch) -> None:
    found = timed_by_events(torch, Kernel("ran", [torch.ran], 8), 0.01)
    assert found.best == pytest.approx(CALL)
    assert sum(end - begin for begin, end in found.spans) >= 0.01
    assert found.calls == 512


def test_levels_of_a_gpu(torch: Torch) -> None:
    bench = Gpu()
    inside = ranges(bench.facts.levels, 2**26)
    streams = [point for point in bench.points(quick=False) if point.roof.startswith("bw.")]
    assert {point.roof for point in streams} == {"bw.l2", "bw.dram"}
    assert all(level_of(point.size, inside) == point.roof[3:] for point in streams)


def test_a_torch_that_does_not_say_the_size_of_l2(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_place(monkeypatch, Torch(cache=0))
    assert "L2: torch does not say what it holds" in Gpu().facts.skipped


def test_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_place(monkeypatch, Torch(there=False))
    with pytest.raises(InputError, match=r"^device gpu: torch sees no GPU"):
        measure(device="gpu")


def test_kernels_run_on_the_gpu_that_the_chip_is(torch: Torch) -> None:
    peak = {"fp32": "1 TFLOP/s", "bf16": "2 TFLOP/s"}
    chip = Chip("mine", kind="gpu", peak=peak, memory={"dram": "1 TB/s"})
    found = validate(chip, quick=True, rounds=1)
    assert all(row.measured == pytest.approx(CALL) for row in found.rows)
    assert {row.case.dtype for row in found.rows} == {"fp32", "bf16"}
    assert {row.case.kernel for row in found.rows} > {"gemm", "softmax"}
