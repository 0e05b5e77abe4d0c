# SPDX-License-Identifier: Apache-2.0
"""How a tensor is watched inside a compiled graph.

An identity autograd function calls the operation mantissa_probe::observe on the tensor and on its gradient. The operation says that it
writes to a buffer, so that no compiler leaves it out, and what it does is an ordinary function of the probe. The buffer of the backward
pass is another one: the forward pass may not write what the backward pass keeps.

The module's index travels as a tensor. A number would be a constant of the graph, and blocks compiled one by one could not share that.

What is observed of a narrow tensor is its conversion to fp32. A compiler leaves out the rounding to bf16 or fp16 between two operations that
it fuses; to hand over the narrow tensor itself would bring that rounding back, and change the losses.
"""
from __future__ import annotations

from typing import Any, Callable, Dict

import torch

#: By number of the watch: what is called with (tensor, its dtype in the graph, module index, position in the output, whether it is a gradient).
observers: Dict[int, Callable[[torch.Tensor, torch.dtype, int, int, bool], None]] = {}

#: dtypes that a graph may hold, by the number that travels with the operation.
_DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64]

_compiler = getattr(torch, "compiler", None)
_has_is_compiling = hasattr(_compiler, "is_compiling")
can_compile = _has_is_compiling and hasattr(torch, "library") and hasattr(torch.library, "Library")


#: Returns whether this code is being traced by torch.compile or by torch.export.
is_compiling: Callable[[], bool] = torch.compiler.is_compiling if _has_is_compiling else lambda: False

#: Returns whether this code is being traced by torch.export, whose program must not hold the probe.
is_exporting: Callable[[], bool] = getattr(_compiler, "is_exporting", lambda: False)


def _observe(
    tensor: torch.Tensor, board: torch.Tensor, watch: int, module: torch.Tensor, position: int, dtype: int, is_gradient: bool
) -> None:
    observer = observers.get(watch)
    if observer is not None:
        observer(tensor, _DTYPES[dtype], module.item(), position, is_gradient)


def _observe_shapes(
    tensor: torch.Tensor, board: torch.Tensor, watch: int, module: torch.Tensor, position: int, dtype: int, is_gradient: bool
) -> None:
    return None


if can_compile:
    _library = torch.library.Library("mantissa_probe", "DEF")
    _tags = (torch.Tag.pt2_compliant_tag,) if hasattr(torch.Tag, "pt2_compliant_tag") else ()
    _arguments = "Tensor tensor, Tensor(a!) board, int watch, Tensor module, int position, int dtype, bool is_gradient"
    _library.define(f"observe({_arguments}) -> ()", tags=_tags)
    _library.impl("observe", _observe, "CompositeExplicitAutograd")
    _library.impl("observe", _observe_shapes, "Meta")


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.dtype == torch.float32 else tensor.to(torch.float32)


class _Watched(torch.autograd.Function):
    """The identity, which is observed in both directions."""

    @staticmethod
    def forward(
        ctx: Any,
        tensor: torch.Tensor,
        board: torch.Tensor,
        back_board: torch.Tensor,
        watch: int,
        module: torch.Tensor,
        position: int,
        dtype: int,
    ) -> torch.Tensor:
        # Made before the operation, so that what comes after it reads the fused value, and not the tensor that is stored for the operation, which
        # is rounded. The compiler removes a plain view.
        same = tensor.unsqueeze(0).squeeze(0)
        torch.ops.mantissa_probe.observe(_wide(tensor), board, watch, module, position, dtype, False)
        ctx.back_board, ctx.watch, ctx.module, ctx.position, ctx.dtype = back_board, watch, module, position, dtype
        return same

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        torch.ops.mantissa_probe.observe(_wide(gradient), ctx.back_board, ctx.watch, ctx.module, ctx.position, ctx.dtype, True)
        return gradient, None, None, None, None, None, None


def watched(tensor: torch.Tensor, boards: Any, watch: int, module: torch.Tensor, position: int) -> torch.Tensor:
    """Returns the tensor itself, to take its place in the graph that is being traced."""
    if tensor.dtype not in _DTYPES:
        return tensor
    return _Watched.apply(tensor, boards[0], boards[1], watch, module, position, _DTYPES.index(tensor.dtype))
