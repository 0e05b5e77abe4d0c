# SPDX-License-Identifier: Apache-2.0
"""The hooks on modules and tensors. They only read: outputs stay the same objects in eager mode, and a compiled graph gets
an identity. Copies and pickles of a module are without them."""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Callable, List, Optional
from weakref import ref

import torch
from torch import nn

from . import graph
from .graph import is_compiling, is_exporting
from .tensors import MAX_OUTPUTS, version_of

if TYPE_CHECKING:
    from .modules import Watch

_Tensor = torch.Tensor
NARROW = (torch.bfloat16, torch.float16)
_PRODUCTS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


def _is_product(kind: type) -> bool:
    """Returns whether a module of this class does nothing but a matrix product or a convolution, as one operation of its own."""
    is_one = any(issubclass(kind, product) and kind.forward is product.forward for product in _PRODUCTS)
    return is_one or (kind.__name__, kind.__module__) == ("Conv1D", "transformers.pytorch_utils")


def _is_autocast_on(device: str) -> bool:
    """Returns whether autocast is on, in code that torch.compile traces."""
    return hasattr(torch, "get_autocast_dtype") and torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)


#: What takes a hook's place in copies of a model: a function of the standard library that takes anything and does nothing.
def _nothing() -> Callable[..., None]:
    return contextlib.nullcontext().__exit__


class _Hook:
    """A hook that is left out of copies and pickles of the module."""

    __slots__ = ()

    def __deepcopy__(self, memo: Any) -> Callable[..., None]:
        return _nothing()

    def __copy__(self) -> Callable[..., None]:
        return _nothing()

    def __reduce__(self) -> Any:
        return getattr, (contextlib.nullcontext(), "__exit__")


class Moment:
    """What the hooks of a watch need to know when they are called."""

    __slots__ = ("waiting", "is_timed")

    def __init__(self) -> None:
        self.waiting: Optional[List[Any]] = None  # where an output goes that waits for the end of the model's call; None: nothing may wait
        self.is_timed = False


class ForwardHook(_Hook):
    __slots__ = ("watch", "moment", "index", "key", "may_wait", "is_leaf", "is_product", "boards", "numbers")

    def __init__(self, watch: "Watch", index: int, module: nn.Module) -> None:
        self.watch = watch
        self.moment = watch.moment
        self.index = index
        self.key = (index, 0, 0)  # of the first tensor of the first call
        self.may_wait = False  # as learned so far: the module is called once in a pass, and its output lives until the model returns
        self.is_leaf = next(module.children(), None) is None
        self.is_product = _is_product(type(module))
        self.boards = watch.boards
        self.numbers = watch.graph_numbers(index)

    def __call__(self, module: nn.Module, args: Any, output: Any) -> Any:
        if is_compiling():
            return self._watched_output(module, output)
        moment = self.moment
        waiting = moment.waiting
        # This runs for each module in each step, and the processor's caches hold the model's data then: each access counts.
        if waiting is not None and self.may_wait and type(output) is _Tensor and len(args) == 1 and type(args[0]) is _Tensor:
            try:
                waiting.append((self.key, ref(output), output._version, ref(args[0]), args[0]._version, None))
            except RuntimeError:  # of inference mode
                waiting.append((self.key, ref(output), version_of(output), ref(args[0]), version_of(args[0]), None))
        elif moment.is_timed:
            self.watch.timed(self.watch.on_forward, self.index, module, args, output)
        else:
            self.watch.on_forward(self.index, module, args, output)
        return None

    def _watched_output(self, module: nn.Module, output: Any) -> Any:
        """Returns the output with watched tensors, where its kind is a plain one.

        Modules with children are left out: to hand over their outputs, which are sums along the residual path mostly, makes the compiler fuse
        the backward pass in another way, and its sums round differently. For the same reason only matrix products and convolutions are watched
        under autocast and of bf16 and fp16 tensors: they hand over their outputs in memory, rounded, and get their gradients so. The output of
        another module is fused with what reads it, and whether a narrow tensor on the way is rounded depends on what is fused.
        """
        if not self.is_leaf or not module.training or not torch.is_grad_enabled() or is_exporting():
            return None
        if isinstance(output, torch.Tensor):
            return self._watched(output, 0)
        if type(output) is tuple:
            return tuple([self._watched(element, i) for i, element in enumerate(output)])
        if type(output) is list:
            return [self._watched(element, i) for i, element in enumerate(output)]
        if type(output) is dict:
            return {key: self._watched(element, i) for i, (key, element) in enumerate(output.items())}
        return None

    def _watched(self, value: Any, position: int) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point() and position < MAX_OUTPUTS:
            if not self.is_product and (value.dtype in NARROW or _is_autocast_on(value.device.type)):
                return value
            return graph.watched(value, self.boards, self.numbers, position)
        return value


class RootBefore(_Hook):
    __slots__ = ("watch",)

    def __init__(self, watch: "Watch") -> None:
        self.watch = watch

    def __call__(self, module: nn.Module, args: Any, kwargs: Any = None) -> None:
        if not is_compiling():
            self.watch.timed(self.watch.on_pass_begin, module, args, kwargs or {})


class RootAfter(_Hook):
    __slots__ = ("watch",)

    def __init__(self, watch: "Watch") -> None:
        self.watch = watch

    def __call__(self, module: nn.Module, args: Any, output: Any) -> None:
        if not is_compiling():
            self.watch.timed(self.watch.on_pass_end, output)


class GradientHook:
    __slots__ = ("watch", "tensor")
    __torch_unserializable__ = True  # torch.save leaves it out without a warning

    def __init__(self, watch: "Watch", tensor: int) -> None:
        self.watch = watch
        self.tensor = tensor

    def __call__(self, gradient: torch.Tensor) -> None:
        self.watch.timed(self.watch.on_gradient, self.tensor, gradient)
