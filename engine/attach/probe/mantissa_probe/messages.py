# SPDX-License-Identifier: Apache-2.0
"""The bodies of the messages. engine/attach/README.md says what each key means.

Those of a step and of its statistics are completed by the sending thread, which waits for what is still on a device.
"""
from __future__ import annotations

import math
import os
import platform
import struct
import sys
import time
import uuid
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn

from .counting import DTYPE_NAMES, Results
from .deferred import Deferred, Later
from .frames import PROTOCOL_VERSION, Message
from .tensors import unwrapped
from .version import VERSION

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
INF = 0x7F800000  # as the bits of fp32; those of NaN are larger


def say(sentence: str) -> None:
    """Prints a sentence on standard error, where that is open."""
    try:
        if sys.stderr is not None:
            print(f"mantissa_probe: {sentence}", file=sys.stderr)
    except Exception:  # whatever stands in its place
        pass


def is_finite(number: Any, otherwise: bool = False) -> bool:
    """Returns whether the number is finite; `otherwise` where it is not known, or not yet."""
    return math.isfinite(number) if isinstance(number, (int, float)) else otherwise


def did_no_harm(loss: Any, steps: List[Tuple[bool, Any]], are_values: bool) -> bool:
    """Returns whether tensors that are not finite did no harm in a step: what is known of its loss and gradient norms is finite.

    `steps`: of each optimizer, whether it has stepped, and its norm. `are_values`: the tensors are outputs, none is a gradient, which does
    harm unless an optimizer has stepped with a finite norm. The lab has the same rule.
    """
    known = [number for number in [loss, *(norm for _, norm in steps)] if isinstance(number, (int, float))]
    has_stepped = not steps or any(is_stepped for is_stepped, _ in steps)
    return bool(known) and all(map(math.isfinite, known)) and (are_values or has_stepped)


def hello_body(model: nn.Module, watch: Any, weights: Any, scaler: Any, is_native: bool, name: str, token: str, rank: int, world: int) -> Message:
    inner = unwrapped(model)
    return {
        "protocol": PROTOCOL_VERSION,
        "probe": VERSION,
        "run": uuid.uuid4().hex,
        "name": name,
        "token": token,
        "pid": os.getpid(),
        "host": platform.node(),
        "started": time.time(),
        "rank": rank,
        "world": world,
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda if torch.cuda.is_available() else None,
        "python": platform.python_version(),
        "device": str(watch.device),
        "model": type(inner).__name__,
        "parameters": sum(p.numel() for p in inner.parameters() if not is_lazy(p)),
        "modules": [{"path": path, "class": cls} for path, cls in zip(watch.names, watch.classes)][:20000],
        "tied": weights.tied,
        "optimizers": [type(o).__name__ for o in weights.optimizers],
        "scaler": _scaler_body(scaler),
        "native": is_native,
    }


def is_lazy(parameter: torch.Tensor) -> bool:
    """Returns whether the parameter gets its shape in the first forward pass."""
    return hasattr(parameter, "materialize")


def complete_step(body: Message, deferred: Deferred, seen: Dict[str, Any], watch: Any, descriptions: List[Dict[str, Any]]) -> Message:
    """Completes the message of a step. `seen`: what the watch has seen in it."""
    deferred.fetch()
    body = deferred.resolve(body)
    for o in body["optimizers"]:
        scale = body["loss_scale"] if o.pop("is_scaled") and body["loss_scale"] else 1.0
        for key, square in (("grad_norm", "square_sum"), ("grad_norm_before_clip", "square_sum_before_clip")):
            value = o.pop(square)
            o[key] = None if value is None else (math.sqrt(value) if value >= 0 else value) / scale
        if o["skipped"] is False and any(o["found_inf"].values()):
            o["stepped"], o["skipped"] = False, True  # a fused optimizer that was called and did nothing
    flags = watch.float_flags(seen["flags"])
    for ids, later in seen["far"]:  # magnitudes that were on a device until now
        for tensor_id, magnitude in zip(ids, deferred.tensor(later).reshape(-1).view(torch.int32).tolist()):
            flags[tensor_id] = max(flags.get(tensor_id, 0), magnitude & 0x7FFFFFFF)
            if flags[tensor_id] < INF:
                watch.harmless.pop(tensor_id, None)
    first_bad, bad = seen["first_bad"], seen["bad"]
    if first_bad is None:
        bad = [i for i, bits in flags.items() if bits >= INF and not watch.is_harmless(i, bits > INF)]
        first_bad = bad[0] if bad else None
    seen["has_nan"] = {i: flags.get(i, 0) > INF for i in bad}
    body["magnitudes"] = {"tensor": _u32(flags.keys()), "bits": _u32(flags.values())}
    body["first_bad"] = None if first_bad is None else _bad_body(descriptions[first_bad], flags.get(first_bad), seen["evidence"])
    body["bad"] = bad[:256]
    body["bad_weights"] = seen["bad_weights"]
    body["resident_bytes"] = _resident_bytes()
    return body


def _bad_body(description: Dict[str, Any], bits: Optional[int], evidence: Dict[str, Any]) -> Message:
    return {
        "tensor": description["id"],
        "name": description["name"],
        "module": description["module"],
        "role": description["role"],
        "class": None if bits is None else "nan" if bits > INF else "inf",
        "evidence": evidence if description["role"] == "value" else {},
    }


def statistics_body(results: Results, rows: List[Later], info: Message, deferred: Deferred) -> Message:
    deferred.fetch()
    results.finish([deferred.tensor(row) for row in rows])
    return {**results.body(), **deferred.resolve(info)}


def _u32(values: Any) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def _scaler_body(scaler: Any) -> Optional[Message]:
    if scaler is None:
        return None
    keys = (("init_scale", "_init_scale"), ("growth_factor", "_growth_factor"), ("backoff_factor", "_backoff_factor"), ("growth_interval", "_growth_interval"))
    return {key: getattr(scaler, attribute, None) for key, attribute in keys}


def autocast_dtype(device: str) -> Optional[str]:
    """Returns the dtype of autocast on the device, "f16" or "bf16", or None where it is off."""
    if hasattr(torch, "get_autocast_dtype"):
        return DTYPE_NAMES.get(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else None
    if device == "cpu":
        return DTYPE_NAMES.get(torch.get_autocast_cpu_dtype()) if torch.is_autocast_cpu_enabled() else None
    return DTYPE_NAMES.get(torch.get_autocast_gpu_dtype()) if torch.is_autocast_enabled() else None


def cuda_bytes(device: Optional[torch.device]) -> Tuple[Optional[int], Optional[int]]:
    """Returns what the CUDA allocator has handed out and what it has reserved. Asking for all its counters once is cheaper than for each alone."""
    if device is None:
        return None, None
    counters = torch.cuda.memory_stats_as_nested_dict(device)
    return tuple(counters[key]["all"]["current"] if key in counters else 0 for key in ("allocated_bytes", "reserved_bytes"))


def _resident_bytes() -> Optional[int]:
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        try:
            return int(os.read(file, 200).split()[1]) * _PAGE_BYTES
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError):
        return None
