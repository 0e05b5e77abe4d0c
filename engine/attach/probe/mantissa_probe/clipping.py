# SPDX-License-Identifier: Apache-2.0
"""Sees gradients before they are clipped.

The functions of torch.nn.utils that change gradients are wrapped while a probe watches them, and restored when none does. In torch 2.6 and
newer a function that `clip_grad_norm_` calls is wrapped, so that a script which has imported `clip_grad_norm_` by name is seen as well.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Tuple

import torch
from torch import nn

from . import graph

_module = nn.utils.clip_grad
_by_norm = "_clip_grads_with_norm_"
_has_inner = hasattr(_module, _by_norm) and _by_norm in getattr(getattr(nn.utils.clip_grad_norm_, "__wrapped__", None), "__code__", compile("0", "", "eval")).co_names
_PLACES: List[Tuple[Any, str]] = [(_module, _by_norm)] if _has_inner else [(_module, "clip_grad_norm_"), (nn.utils, "clip_grad_norm_")]
_PLACES += [(_module, "clip_grad_value_"), (nn.utils, "clip_grad_value_")]

_watchers: "List[Callable[[List[Any]], None]]" = []
_patched: Dict[Tuple[int, str], Any] = {}  # the function that was there


def watch(before: Callable[[List[Any]], None]) -> Callable[[], None]:
    """Calls the function, which may not raise, with the parameters whose gradients are about to be clipped. Returns what undoes that."""
    _watchers.append(before)
    for place, name in _PLACES:
        function = getattr(place, name, None)
        if function is not None and (id(place), name) not in _patched:
            _patched[id(place), name] = function
            setattr(place, name, _wrapper(function))

    def remove() -> None:
        if before in _watchers:
            _watchers.remove(before)
        if _watchers:
            return
        for place, name in _PLACES:
            if getattr(getattr(place, name, None), "_mantissa_probe", False):  # else somebody has wrapped it since, and our wrapper stays, idle
                setattr(place, name, _patched.pop((id(place), name)))

    return remove


def _wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if _watchers and not graph.is_compiling():
            parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)  # a generator can be read only once
            for watcher in list(_watchers):
                watcher(parameters)
        return function(parameters, *args, **kwargs)

    wrapped._mantissa_probe = True  # type: ignore[attr-defined]
    return wrapped
