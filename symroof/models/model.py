"""Models: parameters, bytes that are kept, and graphs of their steps, all from one config."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from sympy import Expr, Integer, expand

from symroof.errors import InputError, UnknownNameError
from symroof.graph import Graph, passes
from symroof.graph.ops.arguments import choice
from symroof.models.assembly.groups import Group
from symroof.models.assembly.network import Built, Plan, build, layer_names
from symroof.models.catalog import find
from symroof.models.config import Mixture, ModelConfig
from symroof.models.hf import from_hf_config
from symroof.models.parallel import Parallel
from symroof.models.parameters import (
    Count,
    active_params,
    cache_bytes,
    looked_up_params,
    params_by_part,
    plain,
)
from symroof.models.phases import (
    Dims,
    check_cut,
    check_lengths,
    check_phase,
    groups_of,
    length,
)
from symroof.models.precision import Precision
from symroof.models.training import Recompute, training_step
from symroof.units import DType, Quantity
from symroof.units import dtype as dtype_of

Precise = str | DType
ONE = Integer(1)
TRAFFIC = ("fused", "unfused", "weights+kv")
PATH = re.compile(r"\.{0,2}/|~")


class Model:
    """A language model, or an encoder, with the graphs of its steps.

    Parameters
    ----------
    config : ModelConfig

    Attributes
    ----------
    config : ModelConfig

    Examples
    --------
    >>> m = model("llama-3-8b")
    >>> m.params, m.params_by_part["head"], str(m.kv_bytes_per_token())
    (8030261248, 525336576, '131072 byte')
    >>> g = m.graph("decode", traffic="weights+kv")
    >>> print(g.flops, "|", g.bytes)
    (524288*B*S + 15009316864*B) FLOP | (131072*B*S + 15009849344) byte
    >>> print(m.graph("decode", tp=8).link_bytes)
    924672*B byte
    """

    def __init__(self, config: ModelConfig) -> None:
        if not isinstance(config, ModelConfig):
            raise InputError(f"expected a ModelConfig, not {type(config).__name__}", where="model")
        self.config = config
        self._bytes: dict[tuple[str, DType], Expr] = {}
        self._firsts: dict[DType, Built] = {}
        self._said: dict[tuple[object, ...], tuple[str, ...]] = {}

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.config.name

    @cached_property
    def params_by_part(self) -> Mapping[str, Count]:
        """Parameters by part of the model; a matrix that is used twice counts once."""
        return {part: plain(count) for part, count in params_by_part(self._whole).items()}

    @cached_property
    def params(self) -> Count:
        """All parameters: a number, or a formula where the config has symbols."""
        return plain(sum(params_by_part(self._whole).values(), Integer(0)))

    @cached_property
    def active_params(self) -> Count:
        """Parameters that one token meets: of routed experts only those it goes to."""
        shares: dict[str, Expr] = {}
        stack = self.config.decoder
        for name, (layer, _) in zip(layer_names(stack), stack.layers, strict=True):
            if isinstance(layer.feed_forward, Mixture):
                shares[name] = layer.feed_forward.top_k / layer.feed_forward.experts
        return plain(active_params(self._whole, shares))

    @cached_property
    def multiplied_params(self) -> Count:
        """Parameters that one token is multiplied with.

        The active ones without tables that rows are only looked up in, such as the embedding where
        the head has a matrix of its own. A token takes 2 FLOPs for each but those of norms, and of
        biases, which are added.

        Examples
        --------
        >>> m = model("llama-3-8b")
        >>> m.active_params - m.multiplied_params == m.params_by_part["embedding"]
        True
        """
        return plain(expand(self.active_params - looked_up_params(self._whole)))

    def kv_bytes_per_token(self, dtype: Precise = "bf16") -> Quantity:
        """Return the bytes of keys and values that all layers keep of one token.

        Layers with a window keep it until it has left the window.

        Parameters
        ----------
        dtype : str or DType
            What they are stored in.
        """
        return Quantity(self._kept("kv", dtype), "byte")

    def state_bytes(self, dtype: Precise = "bf16") -> Quantity:
        """Return the bytes of states that do not grow, of one sequence."""
        return Quantity(self._kept("state", dtype), "byte")

    def precision(
        self, dtype: Precise = "bf16", weights: Precise | None = None, kv: Precise | None = None
    ) -> tuple[Precision, tuple[str, ...]]:
        """Return what a graph stores its tensors in, and the parts whose matrices are as `dtype`.

        Parameters
        ----------
        dtype, weights, kv : str or DType
            As for `graph`.
        """
        if weights is None and self.config.weights is not None:
            return Precision.of(dtype, self.config.weights, kv), self.config.plain_parts
        return Precision.of(dtype, weights, kv), ()

    def graph(
        self,
        phase: str = "decode",
        *,
        dtype: Precise = "bf16",
        weights: Precise | None = None,
        kv: Precise | None = None,
        batch: Any = "B",
        tokens: Any = "T",
        context: Any = None,
        prompts: Any = "R",
        prompt: Any = "P",
        source: Any = "E",
        traffic: str = "fused",
        recompute: str = "none",
        parallel: Parallel | None = None,
        absorbed: bool = True,
        **cut: int,
    ) -> Graph:
        """Return the graph of one step, of one chip.

        It has the weights that the step meets. Keys and values are written into caches and read
        from there; windows keep no more than they see. Experts are read as often as uniform routing
        is expected to reach them. Left out: rotations by position, softmax, sampling.

        Parameters
        ----------
        phase : {"decode", "prefill", "mixed", "steady", "training"}
            decode: one new token for each of `batch` sequences, the last of `context` tokens.
            prefill: `tokens` new tokens of each, after `context` ones that are cached (none by
            default). mixed: `batch` sequences that decode, and one prompt of `tokens` tokens (one
            on each replica). steady: `batch` that decode, and `prompts` prompts of `prompt` tokens.
            training: forward and backward over `tokens` tokens of each.
        dtype : str or DType
            Of activations, norms, biases and routers.
        weights : str or DType, optional
            Of the other weights; by default what the config says they are quantised to, else
            `dtype`.
        kv : str or DType, optional
            Of keys and values that are kept; as `dtype` by default.
        batch, tokens, context, prompts, prompt : int, symbol or text
            Lengths; by default the symbols B, T, S, R and P.
        source : int, symbol or text
            Tokens that an encoder reads, where the config does not say.
        traffic : {"fused", "unfused", "weights+kv"}
            What moves through memory: all that each op reads and writes, with elementwise ops and
            norms joined to what they follow, or on their own; or weights and caches alone.
        recompute : {"none", "selective", "full"}
            What a training step computes again instead of keeping it.
        parallel : Parallel, optional
            How the model is cut over chips; or by its sizes `tp`, `dp`, `ep`, `pp` and `cp`.
        absorbed : bool
            For latent attention, whether keys and values stay compressed.

        Raises
        ------
        InputError
            If a length, a precision or a cut does not fit, or something is said that the step does
            not have; it names which.
        UnknownNameError
            If there is no such phase or dtype.
        """
        parallel = Parallel.of(parallel, cut)
        check_phase(phase, self.config)
        if traffic not in TRAFFIC:
            raise UnknownNameError("traffic", str(traffic), TRAFFIC)
        trains = phase == "training"
        again = choice(Recompute, recompute, "recompute")
        if again is not Recompute.NONE and not trains:
            raise InputError(f"{phase} has nothing to compute again", where="recompute")
        dims = Dims(batch, tokens, context, prompts, prompt, source)
        built = self._built(phase, dims, (dtype, weights, kv), parallel, absorbed=absorbed)
        graph, mesh = built.graph, parallel.mesh
        if mesh is not None:
            graph = passes.shard(graph, mesh, outputs=built.layouts, prefer="work")
        if trains:
            graph = training_step(graph, recompute=again, gradients=parallel.gradients)
        if traffic == "weights+kv":
            return passes.weights_and_caches(graph)
        return passes.fuse_elementwise(graph) if traffic == "fused" else graph

    def said(
        self,
        phase: str = "decode",
        *,
        dtype: Precise = "bf16",
        weights: Precise | None = None,
        kv: Precise | None = None,
        parallel: Parallel | None = None,
        absorbed: bool = True,
        **cut: int,
    ) -> tuple[str, ...]:
        """Return what a step takes for granted or leaves out, in sentences.

        Parameters
        ----------
        phase, dtype, weights, kv, parallel, absorbed
            As for `graph`.

        Examples
        --------
        >>> for sentence in model("mixtral-8x7b").said("decode"):
        ...     print(sentence)
        Of attention its two products are counted, and not the softmax.
        The rotation of queries and keys by their position is not counted.
        Each token goes to 2 of 8 experts, all equally likely and whatever other tokens do.
        Activations within experts are not counted.
        """
        parallel = Parallel.of(parallel, cut)
        check_phase(phase, self.config)
        asked = (phase, dtype, weights, kv, parallel, absorbed)
        if asked not in self._said:
            built = self._built(phase, Dims(), (dtype, weights, kv), parallel, absorbed=absorbed)
            self._said[asked] = (*self._stored(dtype, weights), *built.said)
        return self._said[asked]

    def _stored(self, dtype: Precise, weights: Precise | None) -> tuple[str, ...]:
        """Say where a file stores weights in another number of bits than a step."""
        given, taken = self.config.dtype, dtype_of(dtype)
        if given is None or weights is not None or self.config.weights is not None:
            return ()
        if dtype_of(given).element_bits == taken.element_bits:
            return ()
        return (
            f"The file stores weights in {dtype_of(given).name}; here they are in {taken.name}.",
        )

    def _built(
        self,
        phase: str,
        dims: Dims,
        stored: tuple[Precise, Precise | None, Precise | None],
        parallel: Parallel,
        *,
        absorbed: bool,
    ) -> Built:
        """Return the forward of a step, of whole tensors."""
        if not isinstance(absorbed, bool):
            raise InputError(f"expected True or False, not {absorbed!r:.60}", where="absorbed")
        check_lengths(phase, dims, self.config)
        groups = groups_of(phase, dims, Integer(parallel.replicas))
        check_cut(phase, groups, parallel)
        precision, plain_parts = self.precision(*stored)
        trains = phase == "training"
        plan = Plan(
            groups,
            precision,
            parallel,
            absorbed=absorbed and not trains,
            trains=trains,
            plain_parts=plain_parts,
            source=self._source(dims.source),
        )
        return build(self.config, plan, f"{self.config.name}-{phase}")

    def _source(self, given: Any) -> Expr:
        if self.config.encoder is None:
            return ONE
        fixed = self.config.encoder_tokens
        return length("source", given) if fixed is None else fixed

    @cached_property
    def _whole(self) -> Built:
        """A step in which all weights occur."""
        return self._first(dtype_of("bf16"))

    def _first(self, stored: DType) -> Built:
        """Return the step of a first token of one sequence, with everything in one format."""
        if stored not in self._firsts:
            plan = Plan((Group(ONE, ONE, ONE, encodes=True),), Precision.of(stored))
            self._firsts[stored] = build(self.config, plan, self.config.name)
        return self._firsts[stored]

    def _kept(self, kind: str, dtype: Precise) -> Expr:
        stored = dtype_of(dtype)
        if (kind, stored) not in self._bytes:
            self._bytes[kind, stored] = cache_bytes(self._first(stored), kind)
        return self._bytes[kind, stored]

    def _repr_html_(self) -> str | None:
        from symroof.models.notebook import model_html  # for notebooks alone

        return model_html(self)

    def __repr__(self) -> str:
        return f"<model {self.name!r}>"


def model(source: str | os.PathLike[str] | Mapping[str, Any] | ModelConfig, **fields: Any) -> Model:
    """Return a model.

    Parameters
    ----------
    source : str, PathLike, mapping or ModelConfig
        A name of the built-in set; the path of a Hugging Face ``config.json`` or of a folder that
        has one (always a path: what begins with ``./``, ``../``, ``/`` or ``~``); what is in such a
        file; or a config.
    **fields
        Entries of the file to replace, by numbers, formulas or names: ``hidden_size="D"``.

    Raises
    ------
    UnknownNameError
        If there is no such model; with the nearest.
    InputError
        If a file or a field of it cannot be read; with its place.

    Examples
    --------
    >>> model("llama-3-8b")
    <model 'llama-3-8b'>
    >>> print(model("llama-3-8b", num_hidden_layers="L").params)
    218112000*L + 1050677248
    """
    if isinstance(source, ModelConfig):
        if fields:
            raise InputError(
                f"a ModelConfig has no fields of a file to replace: {', '.join(fields)[:60]}",
                where="model",
            )
        return Model(source)
    if isinstance(source, Mapping):
        return Model(from_hf_config(source, **fields))
    if not isinstance(source, str | os.PathLike):
        raise InputError(
            f"expected a name, a path, a mapping or a ModelConfig, not {type(source).__name__}",
            where="model",
        )
    given = os.fspath(source)
    path = Path(given)
    named = isinstance(source, str) and path.suffix != ".json" and not PATH.match(given)
    if not named or (len(path.parts) > 1 and _exists(path)):
        return Model(from_hf_config(given, **fields))
    try:
        return Model(find(given, **fields))
    except UnknownNameError:
        if given and _exists(path):
            return Model(from_hf_config(given, **fields))
        raise


def _exists(path: Path) -> bool:
    """Return whether there is a file or folder; there is none that the system cannot name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
