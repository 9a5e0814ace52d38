"""Every op as a function on tensors: ``ops.matmul(a, b)``, ``ops.softmax(x)``.

The functions are those that the modules of `symroof.graph.ops` register, under the names of
their ops; a new op appears here by itself.

Examples
--------
>>> from symroof import ops
>>> ops.matmul.__name__, "matmul" in dir(ops)
('matmul', True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symroof.graph.registry import functions

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(functions())
__all__ = sorted(functions())
