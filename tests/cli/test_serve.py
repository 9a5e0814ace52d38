"""``symroof serve`` and ``symroof model`` at the prompt."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from symroof.cli.main import run

ONE = ["serve", "llama-3-8b", "--chip", "h100-sxm", "--context", "1024"]
EIGHT = ["serve", "llama-2-70b", "--chip", "a100-sxm-80gb", "--count", "8"]
REQUESTS = ["--prefill", "512", "--decode", "1024"]
RIDGE = Fraction(989_000, 3_350)  # FLOP/byte of an H100 in bf16

# Llama 3 8B: multiply-adds of a token outside attention, and elements of norms, from its config.
PRODUCTS = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336) + 4096 * 128256
NORMS = (2 * 32 + 1) * 4096
CACHED = 32 * 2 * 8 * 128  # elements for a token
ATTENTION = 4 * 32 * 32 * 128  # FLOPs for a token of context


def card(capsys: pytest.CaptureFixture[str], line: list[str], code: int = 0) -> str:
    assert run(line) == code
    return " ".join(capsys.readouterr().out.split())


def data(capsys: pytest.CaptureFixture[str], line: list[str], code: int = 0) -> dict:
    assert run([*line, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


def test_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(ONE) == 0
    out = capsys.readouterr().out
    assert "at most 476 sequences" in out
    assert "never" in out
    assert "beyond a context of 393" in out
    assert "14.7 ms" in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ONE, "--format", "json", "--batch", "1,256"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema_version"] == 1
    assert found["fits"] is True
    assert found["params"] == found["active_params"] == 8030261248
    assert found["kv_bytes_per_token"]["value"] == 131072
    assert [each["bound"] for each in found["batches"]] == ["memory", "memory"]
    assert found["context_limit"]["value"] == pytest.approx(393.2, abs=0.1)
    assert found["max_batch"] == 476
    assert found["assumptions"]


def test_a_model_that_does_not_fit_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "llama-2-70b", "--chip", "h100-sxm", "--context", "1024"]) == 3
    out = capsys.readouterr().out
    assert "it takes 2 chips" in out
    assert "nan" not in out.lower()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "lama-3-8b", "--chip", "h100-sxm"], "did you mean 'llama-3-8b'"),
        (["serve", "llama-3-8b"], "--chip"),
        ([*ONE, "--count", "0"], "--count"),
        ([*ONE, "--tp", "7"], "tp"),
        ([*ONE, "--tp", "64"], "64"),
        ([*ONE, "--prefill", "5"], "context"),
        ([*ONE, "--batch", "1,x"], "--batch"),
        ([*ONE, "--tpot", "50"], "--tpot"),
        ([*ONE, "--price", "2"], "--price"),
        ([*ONE, "--rate", "5"], "--prefill"),
        ([*ONE, "--tpot", "20"], "--tpot: expected an amount in s, as in '20 ms'; got 20"),
        ([*ONE, "--memory", "full", "--for", "p"], "unknown symbol 'p'"),
        ([*EIGHT, *REQUESTS, "--rate", "100 Hz"], "--rate: expected a number of requests"),
        ([*EIGHT, *REQUESTS, "--rate", "abc"], "'abc'"),
        ([*EIGHT, *REQUESTS, "--rate", "0"], "above 0"),
        ([*EIGHT, *REQUESTS, "--rate", "1/0"], "above 0"),
        ([*ONE[:-1], "S"], "in numbers"),
        (["serve", "t5-small", *ONE[2:]], "source"),
        (["serve", "llama-3-8b", "--chip", "h100-sxm", "--context", "-5"], "context"),
        (["serve", "llama-3-8b", "--chip", "h100-sxm", "--prefill", "5"], "decode"),
        (["report", "llama-3-8b", "--chip", "h100-sxm"], "--set S=1024"),
        (["report", "llama-3-8b", "--chip", "h100-sxm", "--set", "bw=3 TB/s"], "'bw'"),
        (
            ["report", "llama-3-8b", "--system", "8xh100-sxm", "--set", "S=9", "--latency"],
            "--laten",
        ),
        (["report", "mlp", "--chip", "h100-sxm", "--memory", "full"], "mlp is none"),
        (["crossover", "mlp", "--for", "B", "--chip", "h100-sxm", "--tp", "4"], "--tp: goes with"),
        (["analyze", "mlp", "--chip", "h100-sxm", "--kv", "fp8"], "--kv: goes with"),
        (["analyze", "llama-3-8b", "--system", "8xh100-sxm", "--shard", "X=8"], "--tp"),
        (["analyze", "llama-3-8b", "--system", "8xh100-sxm", "--tp", "4"], "dp makes copies"),
        (["model", "no-such-model-at-all"], "unknown model"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert said in captured.err


@pytest.mark.parametrize(
    ("text", "said"),
    [("[]", "list"), ("{", ""), ('{"model_type": "llama"}', ""), ('{"model_type": "x"}', "x")],
)
def test_bad_configs_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    assert run(["model", str(path)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert said in err


def test_models_are_algorithms_too(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["crossover", "llama-2-70b", "--for", "B", "--chip", "a100-sxm-80gb", "--set", "S=1024"]
    assert run(line) == 0
    assert "from B = 237 on" in capsys.readouterr().out


def test_model_lists_and_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model"]) == 0
    assert "deepseek-v3" in capsys.readouterr().out
    assert run(["model", "llama-3-8b"]) == 0
    assert "8,030,261,248" in capsys.readouterr().out
    assert run(["model", "llama-3-8b", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["params"] == 8030261248


def test_a_model_says_what_its_file_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    out = card(capsys, ["model", "olmo-2-7b"])
    assert "Not in the file, and taken: head_dim = 4096/32 = 128." in out
    assert "the file is in fp32" in out
    found = data(capsys, ["model", "olmo-2-7b"])["model"]
    assert found["defaults"] == ["head_dim = 4096/32 = 128"]
    assert found["dtype"] == "fp32"


def test_a_model_says_what_its_weights_are_stored_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    config = {
        "model_type": "llama",
        "vocab_size": 1000,
        "hidden_size": 512,
        "num_hidden_layers": 2,
        "num_attention_heads": 8,
        "intermediate_size": 1024,
        "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128},
    }
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    assert "weights stored in block(4,128,16" in card(capsys, ["model", str(path)])
    assert data(capsys, ["model", str(path)])["model"]["weights"].startswith("block(4,128,16")
    assert data(capsys, ["model", "llama-3-8b"])["model"]["weights"] is None


# --- formulas of the card ------------------------------------------------------------------------


def test_rates_have_letters_and_each_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    out = card(capsys, ONE)
    assert "if and only if B ≥ 1832257·I / (16·(4·(S + 28628) − I·S))" in out
    assert "given 4·(S + 28628) > I·S, else never" in out
    assert "I ridge point, bf16 peak ÷ memory bandwidth = 295.22 FLOP/byte" in out
    assert "S tokens in the context of a sequence, the new one included = 1024" in out


@pytest.mark.parametrize(
    "line",
    [
        [*EIGHT, *REQUESTS],
        [*EIGHT, *REQUESTS, "--memory", "full"],
        [*EIGHT, *REQUESTS, "--for", "bw"],
        [*EIGHT, "--trace", "sharegpt", "--tp", "4", "--pp", "2"],
        ["serve", "mixtral-8x7b", "--system", "8xh100-sxm", "--ep", "8", "--context", "512"],
        ["serve", "whisper-large-v3", "--chip", "h100-sxm", "--context", "448"],
    ],
)
def test_no_key_of_a_rate_is_printed(capsys: pytest.CaptureFixture[str], line: list[str]) -> None:
    assert not re.findall(r"\b(?:ridge|peak|bw|link)\.\w+", card(capsys, line))


def test_a_rate_is_called_alike_in_both_modes(capsys: pytest.CaptureFixture[str]) -> None:
    out = card(capsys, [*ONE, "--memory", "full", "--for", "bw"])
    # 80 GB in the time of 2·8030261248 FLOPs for each of 476 sequences
    rate = 80e9 * 989e12 / (2 * 8030261248 * 476)
    assert f"MemBW_per_gpu ≥ {rate / 1e12:.6g} TB/s" in out


def test_hardly_any_new_tokens_do_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["serve", "llama-3-8b", "--chip", "h100-sxm", "--prefill", "1e30", "--decode", "1"]
    assert "fits no:" in card(capsys, [*line, "--memory", "full"], 3)


def test_names_of_mode_full_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    out = card(capsys, [*EIGHT, *REQUESTS, "--memory", "full"])
    assert "B_dense ≥ GPU_mem·compute / (2·P_model·MemBW) = 709.881 → B_dense ≥ 710" in out
    assert "MemBW memory bandwidth of all GPUs = 16.312 TB/s" in out  # 8 · 2.039


def test_a_time_that_is_no_line_in_the_batch_is_a_formula(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = card(capsys, ["serve", "mixtral-8x7b", "--chip", "h200-sxm", "--context", "512"])
    assert "(3/4)^B)/β" in out  # 1 − 2/8 of the batch misses an expert
    assert "β hbm bandwidth = 4.8 TB/s" in out


def test_the_network_of_another_cut_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["serve", "mixtral-8x7b", "--system", "8xh100-sxm", "--context", "512"]
    assert "cut by tensors alone" in card(capsys, [*line, "--ep", "8"])
    assert "cut by tensors alone" not in card(capsys, line)


# --- what is asked beside the batch --------------------------------------------------------------


def test_another_name_is_solved_for_at_the_last_batch(capsys: pytest.CaptureFixture[str]) -> None:
    batch = 400
    spare = 2 * PRODUCTS * batch - RIDGE * 2 * (PRODUCTS + NORMS)
    limit = spare / (batch * (RIDGE * 2 * CACHED - ATTENTION))
    line = [*ONE, "--for", "S", "--batch", f"8,{batch}"]
    assert f"so up to S = {math.floor(limit)}" in card(capsys, line)
    found = data(capsys, line)["crossover"]
    assert (found["unknown"], found["at"], found["last"]) == ("S", {"B": 400}, math.floor(limit))


def test_a_rate_of_requests(capsys: pytest.CaptureFixture[str]) -> None:
    line = [*EIGHT, *REQUESTS, "--rate"]
    # 17,923 tokens/s are 11.67 requests/s of 1536 tokens
    assert "11 requests/s 8 chips" in card(capsys, [*line, "11"])
    assert "12 requests/s 16 chips" in card(capsys, [*line, "12"])
    assert data(capsys, [*line, "12"])["chips_for"] == 16
    late = [*line, "1", "--tpot", "1 us"]
    assert "1 request/s no batch fits or is fast enough" in card(capsys, late)
    assert data(capsys, late)["chips_for"] is None


def test_one_chip_is_not_several(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["serve", "llama-3-8b", "--chip", "h100-sxm", *REQUESTS, "--rate", "1"]
    assert card(capsys, line).count("1 request/s 1 chip ") == 1


def test_batches_that_do_not_fit_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not fit B = 500, 1,000" in card(capsys, [*ONE, "--batch", "476,500,1000"])
    assert "does not fit" not in card(capsys, [*ONE, "--batch", "476"])


def test_the_first_token_waits_for_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    # Products of 1024 tokens, of the head for the last alone, and attention to those before.
    head = 4096 * 128256
    flops = 2 * ((PRODUCTS - head) * 1024 + head) + ATTENTION * 1024 * 1025 // 2
    assert flops / 989e12 == pytest.approx(14.7e-3, rel=0.005)
    assert "first token 14.7 ms for a prompt of 1024 tokens alone" in card(capsys, ONE)


def test_a_trace_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("input_tokens,output_tokens\n100,200\n300,50\n")
    out = card(capsys, [*EIGHT, "--trace", str(path)])
    assert "200 prompt + 125 new tokens on average (two.csv)" in out


def test_an_encoder_reads_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert "at most" in card(capsys, ["serve", "t5-small", *ONE[2:], "--source", "512"])


# --- models where an algorithm is named ----------------------------------------------------------


def test_precisions_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    context = 256
    moved = PRODUCTS + 2 * NORMS  # norms stay in bf16
    spare = 2 * PRODUCTS + ATTENTION * context - RIDGE * CACHED * context
    first = math.ceil(RIDGE * moved / spare)
    line = ["crossover", "llama-3-8b", "--for", "B", "--chip", "h100-sxm", "--set", f"S={context}"]
    out = card(capsys, [*line, "--weights", "fp8", "--kv", "fp8"])
    assert f"so from B = {first} on" in out
    assert "weights in fp8_e4m3, cache in fp8_e4m3, activations in bf16" in out


def test_a_cut_is_that_of_serve(capsys: pytest.CaptureFixture[str]) -> None:
    cut = ["--system", "8xh100-sxm", "--tp", "4", "--dp", "2", "--weights", "fp8"]
    terms = data(capsys, ["analyze", "llama-3-8b", *cut, "--set", "S=1024", "--set", "B=64"])
    served = data(capsys, ["serve", "llama-3-8b", *cut, "--context", "1024", "--batch", "64"])
    for name, term in served["batches"][0]["terms"].items():
        assert terms["terms"][name]["value"] == pytest.approx(term["value"])


def test_a_chip_is_as_many_as_it_is_cut_over(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["crossover", "llama-3-8b", "--for", "B", "--set", "S=256"]
    one = data(capsys, [*line, "--chip", "h100-sxm", "--tp", "8"])
    many = data(capsys, [*line, "--system", "8xh100-sxm"])
    assert one["answer"] == many["answer"]


@pytest.mark.parametrize("name", ["p.svg", "e.html", "r.txt"])
def test_every_command_takes_them(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = {"p": "plot", "e": "explore", "r": "report"}[name[0]]
    path = tmp_path / name
    bound = ["--set", "S=512"] + (["--set", "B=8"] if command != "report" else [])
    given = ["--chip", "h100-sxm", "--tp", "2", "--weights", "fp8", "--kv", "fp8"]
    assert run([command, "llama-3-8b", *given, *bound, "-o", str(path)]) == 0
    assert path.stat().st_size > 1000
