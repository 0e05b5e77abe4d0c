# SPDX-License-Identifier: Apache-2.0
"""One step under a dispatch mode, which names the operation that made the first non-finite number.

In eager mode it is the step itself that runs under the mode. A compiled model has no operations to see: there the forward pass is repeated in
eager mode before the step, without gradients and on copies of buffers and of the random state.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional

import torch
from torch import nn

from .counting import DTYPE_NAMES
from .tensors import tensors_in, unwrapped
from .torch_counting import in_fp32

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # not in this torch: there is no capture
    TorchDispatchMode = None  # type: ignore[assignment,misc]

_MAX_OPERATIONS = 20000


def _largest(tensor: torch.Tensor) -> Optional[float]:
    """Returns the largest magnitude, which is NaN or Inf if the tensor has one."""
    if type(tensor) not in (torch.Tensor, nn.Parameter) or tensor.dtype not in DTYPE_NAMES or tensor.numel() == 0 or tensor.is_meta:
        return None
    magnitude = in_fp32(tensor.detach()).abs()
    return float("nan") if bool(torch.isnan(magnitude).any()) else float(magnitude.max())


class _Recorder:
    """Keeps what the mode has seen; may outlive it."""

    def __init__(self) -> None:
        self.operations: List[Dict[str, Any]] = []
        self.left_out = 0
        self.modules: List[str] = []  # that are running, the innermost last
        self.is_on = True

    def add(self, function: Any, args: Any, kwargs: Any, result: Any) -> None:
        if not self.is_on:
            return
        if len(self.operations) >= _MAX_OPERATIONS:
            self.left_out += 1
            return
        results = list(tensors_in(result))
        if not results:
            return
        node = getattr(torch._C, "_current_autograd_node", lambda: None)()
        largest = [value for value in map(_largest, results) if value is not None]
        if not largest:
            return
        inputs = [value for value in map(_largest, [*tensors_in(args), *tensors_in(kwargs)]) if value is not None]
        self.operations.append(
            {
                "operation": str(function),
                "module": "" if node is not None else self.modules[-1] if self.modules else "",
                "node": node.name() if node is not None else "",
                "phase": "backward" if node is not None else "forward",
                "dtype": DTYPE_NAMES.get(results[0].dtype, "other"),
                "shape": list(results[0].shape),
                "abs_max": max(largest) if all(v == v for v in largest) else float("nan"),
                "input_abs_max": (max(inputs) if all(v == v for v in inputs) else float("nan")) if inputs else None,
            }
        )


if TorchDispatchMode is not None:

    class _Mode(TorchDispatchMode):
        def __init__(self, recorder: _Recorder) -> None:
            super().__init__()
            self._recorder = recorder

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            result = function(*args, **kwargs)
            try:
                self._recorder.add(function, args, kwargs, result)
            except Exception:  # the step goes on
                self._recorder.left_out += 1
            return result


class Capture:
    """The capture of one step: begin() before its forward pass, end() after it."""

    def __init__(self, root: nn.Module, step: int) -> None:
        self._root = root
        self._step = step
        self._recorder = _Recorder()
        self._mode: Any = None
        self._handles: List[Any] = []
        self._is_compiled = any(hasattr(m, "_orig_mod") or getattr(m, "_compiled_call_impl", None) is not None for m in root.modules())
        self._problem = ""

    def begin(self, args: Any) -> None:
        if TorchDispatchMode is None:
            self._problem = "this version of torch has no dispatch mode"
            return
        if _is_mode_active():  # at its end it would remove ours
            self._problem = "another dispatch mode is active"
            return
        inner = unwrapped(self._root)
        recorder = self._recorder
        for name, module in inner.named_modules():

            def enter(module: nn.Module, args: Any, name: str = name) -> None:
                recorder.modules.append(name)

            def leave(module: nn.Module, args: Any, output: Any) -> None:
                if recorder.modules:
                    recorder.modules.pop()

            if not self._is_compiled:
                self._handles += [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
        if self._is_compiled:
            self._problem = "operations of a compiled model are not captured"
            return
        self._mode = _Mode(recorder)
        self._mode.__enter__()

    def end(self) -> None:
        """Leaves the mode and removes the hooks."""
        self._recorder.is_on = False
        for handle in self._handles:
            handle.remove()
        self._handles = []
        mode, self._mode = self._mode, None
        if mode is not None:
            if _is_innermost(mode):
                mode.__exit__(None, None, None)
            else:  # somebody else's mode is above: ours stays and does nothing
                self._problem = "another dispatch mode was begun within the step"

    def size(self) -> int:
        return 200 * len(self._recorder.operations) + 200

    def body(self) -> Dict[str, Any]:
        operations = self._recorder.operations
        bad = next((i for i, o in enumerate(operations) if not abs(o["abs_max"]) < float("inf")), None)
        return {
            "step": self._step,
            "operations": operations,
            "left_out": self._recorder.left_out,
            "first_bad": bad,
            "problem": self._problem,
        }


def _is_innermost(mode: Any) -> bool:
    try:
        from torch.utils._python_dispatch import _get_current_dispatch_mode

        return _get_current_dispatch_mode() is mode
    except ImportError:
        return True


def _is_mode_active() -> bool:
    return not _is_innermost(None)
