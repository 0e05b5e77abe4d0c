# SPDX-License-Identifier: Apache-2.0
"""Sees what GradScaler does.

`unscale_`, `step` and `update` of the scaler's class are wrapped while a scaler is watched, and restored when none is. Scalers that are not
watched go through the wrappers untouched, and no scaler object changes, so that copies and pickles are the user's own.
"""
from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Dict, List, Tuple

_NAMES = ("unscale_", "step", "update")
_watchers: "weakref.WeakKeyDictionary[Any, List[ScalerWatch]]" = weakref.WeakKeyDictionary()  # two models may share a scaler
_patched: Dict[Tuple[type, str], Any] = {}  # by class and name: the function that was there


class ScalerWatch:
    """Calls the probe around a scaler's methods. None of the calls raises."""

    def __init__(self, scaler: Any, before: Callable[[str, Any], None], after: Callable[[str, Any], None]) -> None:
        self._scaler = weakref.ref(scaler)
        self.before = before
        self.after = after
        _watchers.setdefault(scaler, []).append(self)
        for name in _NAMES:
            owner = next((c for c in type(scaler).__mro__ if name in c.__dict__), None)
            if owner is not None and (owner, name) not in _patched:
                _patched[owner, name] = owner.__dict__[name]
                setattr(owner, name, _wrapper(owner.__dict__[name], name))

    def close(self) -> None:
        """Stops watching; the last one puts the class's functions back."""
        scaler = self._scaler()
        if scaler is not None and self in _watchers.get(scaler, ()):
            _watchers[scaler].remove(self)
            if not _watchers[scaler]:
                del _watchers[scaler]
        if _watchers:
            return
        for (owner, name), function in list(_patched.items()):
            current = owner.__dict__.get(name)
            if getattr(current, "_mantissa_probe", False):  # else somebody has wrapped it since, and our wrapper stays, idle
                setattr(owner, name, function)
                del _patched[owner, name]


def _wrapper(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        watchers = list(_watchers.get(self, ()))
        if not watchers:
            return function(self, *args, **kwargs)
        optimizer = args[0] if args else kwargs.get("optimizer")
        for watcher in watchers:
            watcher.before(name, optimizer)
        result = function(self, *args, **kwargs)
        for watcher in watchers:
            watcher.after(name, optimizer)
        return result

    wrapped._mantissa_probe = True  # type: ignore[attr-defined]
    return wrapped


def found_inf_of(scaler: Any, optimizer: Any) -> Dict[str, Any]:
    """Returns by device what the scaler has found for an optimizer in this step: tensors, 0 or 1."""
    states = getattr(scaler, "_per_optimizer_states", None)
    if states is None or id(optimizer) not in states:  # asking would add a state
        return {}
    found = states[id(optimizer)].get("found_inf_per_device") or {}
    return {str(device): tensor for device, tensor in found.items()}


def state_of(scaler: Any) -> List[Any]:
    """Returns the scale and the growth tracker as tensors, or as None before the first use."""
    return [getattr(scaler, "_scale", None), getattr(scaler, "_growth_tracker", None)]
