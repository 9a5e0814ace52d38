"""A feed-forward network sharded in four ways: only the shardings differ, the rest follows.

What each chip sends is derived from the shardings: nothing for data parallelism going forward,
all-reduced gradients going back; gathered weights and scattered gradients when weights are sharded
like the batch (fully-sharded data parallelism); gathered and scattered activations when the hidden
dim is sharded (tensor parallelism); both at once.
"""

import symroof as sr
from symroof import ops, passes

B, D, F, X, Y = sr.symbols("B D F X Y")
MESH = sr.Mesh(X=X, Y=Y)
FORMS = {  # shardings of activations [B, D], w_in [D, F], w_out [F, D]
    "data": (("X", None), (None, None), (None, None)),
    "fully sharded": (("X", None), ("X", None), (None, "X")),
    "tensor": ((None, "Y"), (None, "Y"), ("Y", None)),
    "mixed": (("X", "Y"), ("X", "Y"), ("Y", "X")),
}
# What one chip can send along each axis of its torus, over both of its ports there together.
CHIP = sr.Chip(
    name="pod-chip",
    peak={"bf16": "459 TFLOP/s"},
    memory={"hbm": "2765 GB/s"},
    link={"X": "90 GB/s", "Y": "90 GB/s"},
)


def forward(form):
    """Return the graph of one chip, going forward."""
    activations, w_in, w_out = FORMS[form]
    g = sr.Graph(f"{form} forward")
    x = g.input("x", (B, D), "bf16", sharding=activations)
    hidden = ops.matmul(x, g.weight("w_in", (D, F), "bf16", sharding=w_in), name="hidden")
    w = g.weight("w_out", (F, D), "bf16", sharding=w_out)
    g.output(ops.matmul(hidden, w, name="out"))
    return passes.shard(g, MESH, outputs={"out": activations})


def backward(form, reuse=True):
    """Return the graph of one chip, forward and back: gradients are sharded like what they are of.

    Without `reuse`, weights that were gathered going forward are gathered again.
    """
    activations, w_in, w_out = FORMS[form]
    g = sr.Graph(f"{form} training")
    x = g.input("x", (B, D), "bf16", sharding=activations)
    win = g.weight("w_in", (D, F), "bf16", sharding=w_in)
    wout = g.weight("w_out", (F, D), "bf16", sharding=w_out)
    hidden = ops.matmul(x, win, name="hidden")
    g.output(ops.matmul(hidden, wout, name="out"))
    d_out = g.input("d_out", (B, D), "bf16", sharding=activations)
    g.output(ops.einsum("bf,bd->fd", hidden, d_out, name="d_w_out"))
    d_hidden = ops.einsum("bd,fd->bf", d_out, wout, name="d_hidden")
    g.output(ops.einsum("bd,bf->df", x, d_hidden, name="d_w_in"))
    g.output(ops.einsum("bf,df->bd", d_hidden, win, name="d_x"))
    wanted = {"out": activations, "d_x": activations, "d_w_in": w_in, "d_w_out": w_out}
    return passes.shard(g, MESH, outputs=wanted, reuse=reuse)


def main():
    for form in FORMS:
        for graph in (forward(form), backward(form)):
            r = sr.analyze(graph, CHIP)
            print(f"{graph.name}: t_compute {r.t_compute}")
            for (kind, axis), time in r.terms.items():
                if kind == "link":
                    print(f"    on {axis}: {time}")
                    found = sr.region(r.t_compute, time, "B")
                    print(f"        hidden behind compute: {found.sentence()}")
    print(forward("mixed").plan)

    # The best split of 64 chips: weights sent over X, activations over Y.
    r = sr.analyze(forward("mixed"), CHIP).at(B=48000, D=8192, F=32768)
    splits = [x for x in range(1, 65) if 64 % x == 0]
    times = {x: r.at(X=x, Y=64 // x).t_network.to("us") for x in splits}
    best = min(times, key=times.get)
    print(f"48,000 tokens on 64 chips: X = {best}, Y = {64 // best}, {times[best]:.0f} µs on links")


if __name__ == "__main__":
    main()
