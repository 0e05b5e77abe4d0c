# SPDX-License-Identifier: Apache-2.0
"""How a tensor is watched inside a compiled graph.

An identity autograd function calls the operation mantissa_probe::observe on the tensor and on its gradient. The operation says that it
writes to a buffer, so that no compiler leaves it out, and what it does is an ordinary function of the probe. The buffer of the backward
pass is another one: the forward pass may not write what the backward pass keeps.
"""
from __future__ import annotations

from typing import Any, Callable, Dict

import torch

#: By number of the watch: what is called with (tensor, module index, position in the output, whether it is a gradient).
observers: Dict[int, Callable[[torch.Tensor, int, int, bool], None]] = {}

_compiler = getattr(torch, "compiler", None)
_has_is_compiling = hasattr(_compiler, "is_compiling")
can_compile = _has_is_compiling and hasattr(torch, "library") and hasattr(torch.library, "Library")


def is_compiling() -> bool:
    """Returns whether this code is being traced by torch.compile."""
    return torch.compiler.is_compiling() if _has_is_compiling else False


def _observe(tensor: torch.Tensor, board: torch.Tensor, watch: int, module: int, position: int, is_gradient: bool) -> None:
    observer = observers.get(watch)
    if observer is not None:
        observer(tensor, module, position, is_gradient)


def _observe_shapes(tensor: torch.Tensor, board: torch.Tensor, watch: int, module: int, position: int, is_gradient: bool) -> None:
    return None


if can_compile:
    _library = torch.library.Library("mantissa_probe", "DEF")
    _tags = (torch.Tag.pt2_compliant_tag,) if hasattr(torch.Tag, "pt2_compliant_tag") else ()
    _library.define("observe(Tensor tensor, Tensor(a!) board, int watch, int module, int position, bool is_gradient) -> ()", tags=_tags)
    _library.impl("observe", _observe, "CompositeExplicitAutograd")
    _library.impl("observe", _observe_shapes, "Meta")


class _Watched(torch.autograd.Function):
    """The identity, which is observed in both directions."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, board: torch.Tensor, back_board: torch.Tensor, watch: int, module: int, position: int) -> torch.Tensor:
        torch.ops.mantissa_probe.observe(tensor, board, watch, module, position, False)
        ctx.back_board, ctx.watch, ctx.module, ctx.position = back_board, watch, module, position
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        torch.ops.mantissa_probe.observe(gradient, ctx.back_board, ctx.watch, ctx.module, ctx.position, True)
        return gradient, None, None, None, None, None


def watched(tensor: torch.Tensor, boards: Any, watch: int, module: int, position: int) -> torch.Tensor:
    """Returns the tensor itself, to take its place in the graph that is being traced."""
    return _Watched.apply(tensor, boards[0], boards[1], watch, module, position)
