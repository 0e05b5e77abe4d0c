# SPDX-License-Identifier: Apache-2.0
"""The tensors that a watch has seen, each with a number and a description."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn

from .counting import DTYPE_NAMES, INF_BITS, Counter

MAX_OUTPUTS = 8  # of one module
_WRAPPERS = ("DistributedDataParallel", "DataParallel", "FullyShardedDataParallel")


def unwrapped(model: nn.Module) -> nn.Module:
    """Returns the user's own module within wrappers of torch.compile and of data parallelism."""
    while True:
        if type(model).__name__ in _WRAPPERS and isinstance(getattr(model, "module", None), nn.Module):
            model = model.module
        elif isinstance(getattr(model, "_orig_mod", None), nn.Module):
            model = model._orig_mod
        else:
            return model


def version_of(tensor: torch.Tensor) -> int:
    """Returns how often the tensor was changed in place; 0 for a tensor of inference mode, which does not say."""
    try:
        return tensor._version
    except RuntimeError:
        return 0


def tensors_in(value: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    """Yields the tensors of a module's output or arguments: tuples, lists, maps and dataclasses, three deep."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth < 3 and isinstance(value, (tuple, list)):
        for element in value:
            yield from tensors_in(element, depth + 1)
    elif depth < 3 and isinstance(value, dict):
        for element in value.values():
            yield from tensors_in(element, depth + 1)
    elif depth < 3 and hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from tensors_in(getattr(value, name, None), depth + 1)


class Tensors:
    """The tensors that were seen so far, each with a number. The sending thread reads descriptions; the training thread adds them."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._ids: Dict[Tuple[Any, ...], int] = {}
        self.descriptions: List[Dict[str, Any]] = []
        self.dtypes: List[torch.dtype] = []  # in whose bits flags are
        self.limits: List[int] = []  # bits from which on a magnitude is not finite

    def id_of(self, key: Tuple[Any, ...]) -> Optional[int]:
        return self._ids.get(key)

    def describe(
        self,
        key: Tuple[Any, ...],
        tensor: torch.Tensor,
        name: str,
        module: str,
        role: str,
        owner: str = "",
        shape: Optional[torch.Size] = None,
    ) -> int:
        """Numbers a tensor. `key` tells it from others; its dtype is part of the key. `shape`: if it is not the tensor's."""
        shape = tensor.shape if shape is None else shape
        tensor_id = len(self.descriptions)
        self.descriptions.append(
            {
                "id": tensor_id,
                "name": name,
                "module": module,
                "class": owner,
                "role": role,
                "dtype": DTYPE_NAMES.get(tensor.dtype, "other"),
                "shape": list(shape),
                "elements": shape.numel(),
            }
        )
        bits_dtype = self._counter.bits_dtype(tensor)
        self.dtypes.append(bits_dtype)
        self.limits.append(INF_BITS[bits_dtype])
        self._ids[key] = tensor_id
        return tensor_id
