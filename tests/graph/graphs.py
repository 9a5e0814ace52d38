"""Graphs that have everything a graph can have, by what is special about them."""

from __future__ import annotations

from collections.abc import Callable

from symroof import ops
from symroof.graph import About, Graph, Tensor
from symroof.graph.passes import fuse, fuse_elementwise
from symroof.symbolic import symbols
from symroof.units import DType

B, D, F, H, L, S, n = symbols("B D F H L S n")


def about() -> Graph:
    g = Graph("said", flop_weights={"exp": 10, "gelu": "17/2"}, uncosted="symbol")
    x = g.input("x", (B, D), "bf16")
    y = ops.gelu(ops.exp(x), name="y")
    g.output(y)
    g.about = About(
        title='y = gelu("exp x")',
        description="Two lines,\nand a dot." + "." * 400,
        meanings={"D": "model dim"},
        defaults={"B": "1/3", "D": 2**70},
        chip="h100-sxm",
    )
    return g


def elementwise() -> Graph:
    g = Graph("elementwise")
    x, y = g.input("x", (B, D), "fp32"), g.input("y", D, "fp32")
    c = g.input("c", (B, D), "bool")
    ops.where(c, x * 2, "1/2" - x, flop_weight=2)
    ops.fma(x, y, x, out=x)
    ops.pow(2, x, name="two_to_x")
    ops.fill(x, float("inf"), out=x)
    ops.fill(x, -0.5)
    ops.cast(x, DType.block(4, 128, 16))
    return g


def views() -> Graph:
    g = Graph("views")
    kv = g.cache("kv", (2, H, S, 128), "bf16")
    k, last = kv[0], kv[1, :, -1]
    part = kv[:, 2:"H - 1", "S/2":]
    t = ops.transpose(part, (0, 2, 1, 3))
    ops.reshape(t, (-1, 128))
    ops.transpose(k, materialise=True, name="moved")
    ops.neg(last, out=last, name="last")
    ops.relu(k, out=kv[1], name="in_place_of_a_view")
    ops.cache_append(k, g.input("new", (H, 1, 128), "bf16"))
    ops.concat([k, kv[1]], axis=1)
    ops.reshape(g.input("s", (), "fp32"), (1, 1))
    return g


def many_kinds() -> Graph:
    g = Graph("many kinds")
    x = g.input("x", (B, D), "bf16")
    w = g.weight("w", (D, F), "int4")
    h = ops.linear(x, w, g.weight("bias", F, "bf16"), out_dtype="fp32")
    ops.layernorm(h, g.weight("scale", F, "fp32"), g.weight("shift", F, "fp32"), flop_weight="11/2")
    ops.softmax(h, axis=0)
    ops.sum(h, axes=-1, keepdims=True)
    ops.mean(h)
    ops.max(h, axes=(0, 1))
    ops.einsum(
        "ij,jk,kl->il", *(g.input(f"m{i}", (n, n), "fp64") for i in range(3)), path=[(1, 2), (0, 1)]
    )
    table, ids = g.weight("table", ("V", D), "bf16"), g.input("ids", (B,), "int32")
    ops.gather(table, ids, distinct="min(B, V)")
    ops.scatter(x, ids, g.input("updates", (B, D), "bf16"), mode="add")
    picture = g.input("picture", (B, 64, 56, 56), "fp16")
    kernel = g.weight("kernel", (128, 32, 3, 3), "fp16")
    ops.conv(picture, kernel, stride=2, padding=[(1, 0), 1], dilation=(1, 2), groups=2)
    ops.conv(picture, g.weight("same", (8, 64, 3, 3), "fp16"), padding="same", name="kept")
    q, k, v = (g.input(a, (B, 8, S, 64), "bf16") for a in "qkv")
    ops.attention(q, k, v, mask="window", window="W", softmax=True, flop_weight=6)
    ops.attention(
        q, k, v, mask="causal", align="top-left", fused=False, scores_dtype="fp32", name="u"
    )
    up, down = g.weight("up", (8, D, F), "mxfp4"), g.weight("down", (8, F, D), "mxfp4")
    ops.experts(x, up, down, top_k=2, experts="bound", name="bound")
    ops.experts(x, up, down, g.weight("gated", (8, D, F), "mxfp4"), top_k="k", experts="7/2")
    ops.axpy(g.input("a", n, "fp64"), g.input("b", n, "fp64"))
    ops.stencil(g.input("grid", (n, n), "fp64"), points=5, flop_weight=6, write_allocate=True)
    ops.fft(g.input("wave", (n, n, 2), "fp32"), dims=2)
    square = g.input("square", (n, n), "fp64")
    ops.trsm(square, ops.potrf(square), side="right")
    ops.syrk(g.input("tall", (n, 8), "fp64"), square)
    return g


def collectives() -> Graph:
    g = Graph("collectives")
    x = ops.all_gather(g.input("x", (B, "F/n"), "bf16"), group=n, axis=1, name="whole")
    y = ops.all_reduce(x, group=n, link="nvlink")
    ops.all_to_all(y, group="n", split_axis=1, concat_axis=0)
    ops.send(ops.broadcast(y, group=8))
    return g


def custom() -> Graph:
    g = Graph("custom", uncosted="symbol")
    x = g.input("x", (B, F), "fp8_e5m2")
    ops.custom(
        "scan", inputs=[x], output_shape=(B, F), flops="5*B*F*log2(F)", bytes="B*F*3", compute="fp8"
    )
    ops.custom("mystery", inputs=[x, x], output_shape="F", dtype="fp32")
    ops.custom("sent", inputs=[x], output_shape=(), flops=0, link_bytes=B * F, link="pcie")
    ops.custom("five", inputs=[x], output_shape=1, flops="1e9", compute=DType.block(5, 32, 16))
    return g


def _layer(g: Graph) -> Callable[[Tensor], Tensor]:
    def layer(x: Tensor) -> Tensor:
        h = ops.rmsnorm(x, g.weight("norm", D, "bf16"))
        up = ops.silu(h @ g.weight("up", (D, F), "bf16"), name="up_out")
        return x + up @ g.weight("down", (F, D), "bf16")

    return layer


def repeated() -> Graph:
    g = Graph("repeated")
    x = g.input("x", (B, D), "bf16")
    y = g.repeat("layer", L, _layer(g), x)
    ops.relu(y, name="up_out")
    g.output(y, x)
    return g


def nested() -> Graph:
    g = Graph("nested")
    x, s = g.input("x", (B, D), "bf16"), g.weight("s", (D, D), "bf16")

    def inner(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        # b is carried, x is taken from two blocks further out, s is shared by all iterations.
        return b, ops.add(a @ s, x, name="x")

    def outer(a: Tensor) -> Tensor:
        scale = ops.mul(a, g.weight("s", (B, D), "bf16"), name="scale")
        left, right = g.repeat("inner", "L/2", inner, (a, scale))
        ops.neg(scale, out=scale)
        return left - right

    g.repeat("outer", 3, outer, x)
    g.repeat("idle", 2, lambda: (), ())
    return g


def same_result_twice() -> Graph:
    g = Graph("twice")
    x = g.input("x", (4, 4), "fp32")
    g.repeat("r", L, lambda a, b: (a + b,) * 2, (x, x))
    g.repeat("swap", L, lambda a, b: (b, a), (x, -x))
    g.repeat("kept", L, lambda a: x, -x)
    return g


def shadowed() -> Graph:
    g = Graph("shadowed")
    h = g.input("h", (B, D), "bf16")
    x = ops.relu(h, name="y")

    def body(a: Tensor) -> Tensor:
        y = ops.add(a, x, name="y")
        w = g.weight("h", (B, D), "bf16")
        return ops.fma(y, w, h, name="h")

    ops.relu(g.repeat("r", L, body, x), name="h")
    return g


def fused_elementwise() -> Graph:
    return fuse_elementwise(repeated())


def fused_region() -> Graph:
    g = many_kinds()
    return fuse(
        g, [op for op in g.ops if op.kind.name in ("linear", "layernorm", "softmax")], "all"
    )


def fused_twice() -> Graph:
    g = fuse(repeated(), ["layer/matmul_1", "layer/up_out"], "first")
    return fuse_elementwise(g)


def fused_in_place() -> Graph:
    g = Graph("fused in place")
    x, c = g.input("x", (B, D), "fp32"), g.cache("c", (2, B, D), "fp32")
    y = ops.neg(ops.exp(x), out=x, name="y")
    z = ops.add(y, x, out=c[1], name="z")
    ops.relu(z, name="last")
    return fuse(fuse(g, ["exp_0", "y"], "first"), ["z", "last"], "second")


def fused_over_a_part() -> Graph:
    g = Graph("fused over a part")
    x, c = g.input("x", (B, D), "fp32"), g.cache("c", (2, D, B), "fp32")
    both = ops.concat([x, x], name="both")
    upper = ops.transpose(ops.reshape(both, (2, B, D))[0])[1:]
    ops.neg(upper, out=upper, name="over")
    ops.relu(c[1], out=c[1], name="shown")
    ops.exp(ops.reshape(both, -1), name="read")
    return fuse(g, ["both", "over"], "first")


def fused_with_unknown_cost() -> Graph:
    g = Graph("fused unknown", uncosted="symbol")
    x = g.input("x", (B, D), "fp32")
    y = ops.custom("mystery", inputs=[x], output_shape=(B, D))
    z = ops.all_reduce(y, group=n, link="nvlink")
    ops.relu(z, name="z")
    return fuse(g, ["mystery", "all_reduce_1", "z"])


ALL: dict[str, Callable[[], Graph]] = {
    made.__name__: made
    for made in (
        about,
        elementwise,
        views,
        many_kinds,
        collectives,
        custom,
        repeated,
        nested,
        same_result_twice,
        shadowed,
        fused_elementwise,
        fused_region,
        fused_twice,
        fused_in_place,
        fused_over_a_part,
        fused_with_unknown_cost,
    )
}
