# SPDX-License-Identifier: Apache-2.0
"""How a tensor is watched inside a compiled graph.

An identity autograd function calls the operation mantissa_probe::observe on the tensor and on its gradient. The operation says that it
writes to a buffer, so that no compiler leaves it out, and what it does is an ordinary function of the probe. The buffer of the backward
pass is another one: the forward pass may not write what the backward pass keeps.

The observer's number travels as a tensor. A number would be a constant of the graph, and blocks compiled one by one could not share that.
"""
from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, Tuple

import torch

#: What is called with a tensor and its position in the module's output, by the observer's number.
_observers: Dict[int, Callable[[torch.Tensor, int], None]] = {}
_numbers = itertools.count(1)

#: dtypes that are watched in a graph.
_DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)

_compiler = getattr(torch, "compiler", None)
_has_is_compiling = hasattr(_compiler, "is_compiling")
can_compile = _has_is_compiling and hasattr(torch, "library") and hasattr(torch.library, "Library")


#: Returns whether this code is being traced by torch.compile or by torch.export.
is_compiling: Callable[[], bool] = torch.compiler.is_compiling if _has_is_compiling else lambda: False

#: Returns whether this code is being traced by torch.export, whose program must not hold the probe.
is_exporting: Callable[[], bool] = getattr(_compiler, "is_exporting", lambda: False)


def add_observer(observer: Callable[[torch.Tensor, int], None]) -> torch.Tensor:
    """Returns the number by which a graph calls the observer, until `remove_observer`."""
    number = next(_numbers)
    _observers[number] = observer
    return torch.tensor(number, device="cpu")


def remove_observer(number: torch.Tensor) -> None:
    _observers.pop(int(number), None)


# Each argument of the operation costs about a microsecond in each call.
def _observe(tensor: torch.Tensor, board: torch.Tensor, number: torch.Tensor, position: int) -> None:
    observer = _observers.get(number.item())
    if observer is not None:
        observer(tensor, position)


def _observe_shapes(tensor: torch.Tensor, board: torch.Tensor, number: torch.Tensor, position: int) -> None:
    return None


if can_compile:
    _library = torch.library.Library("mantissa_probe", "DEF")
    #: flexible_layout: or the compiler stores some outputs twice, for the operation and for what reads them after it.
    _tags = tuple(getattr(torch.Tag, name) for name in ("pt2_compliant_tag", "flexible_layout") if hasattr(torch.Tag, name))
    _library.define("observe(Tensor tensor, Tensor(a!) board, Tensor number, int position) -> ()", tags=_tags)
    _library.impl("observe", _observe, "CompositeExplicitAutograd")
    _library.impl("observe", _observe_shapes, "Meta")


class _Watched(torch.autograd.Function):
    """The identity, which is observed in both directions."""

    @staticmethod
    def forward(
        ctx: Any, tensor: torch.Tensor, board: torch.Tensor, back_board: torch.Tensor, number: torch.Tensor, back_number: torch.Tensor, position: int
    ) -> torch.Tensor:
        torch.ops.mantissa_probe.observe(tensor, board, number, position)
        ctx.back_board, ctx.back_number, ctx.position = back_board, back_number, position
        # Not a plain view, which the compiler removes: it would then divide the work between the two passes in another way.
        return tensor.unsqueeze(0).squeeze(0)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        torch.ops.mantissa_probe.observe(gradient, ctx.back_board, ctx.back_number, ctx.position)
        return gradient, None, None, None, None, None


def watched(tensor: torch.Tensor, boards: Tuple[torch.Tensor, ...], numbers: Tuple[torch.Tensor, ...], position: int) -> torch.Tensor:
    """Returns the tensor itself, to take its place in the graph that is being traced. `boards`, `numbers`: of the forward and the backward pass."""
    if tensor.dtype not in _DTYPES:
        return tensor
    return _Watched.apply(tensor, *boards, *numbers, position)
