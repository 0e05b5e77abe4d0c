# SPDX-License-Identifier: Apache-2.0
"""Numbers that are on a device when they are wanted, and on the CPU when they are sent.

At the end of a step all of them are put into one row of 32-bit words, which is copied to pinned memory on a stream of its own. The sending
thread waits for that copy; the training thread does not.
"""
from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, Tuple

import torch

_streams: Dict[torch.device, Any] = {}
_WORD = torch.float32


#: Returns whether a tensor's elements can be read without waiting for a device.
is_here: Callable[[torch.Tensor], bool] = operator.attrgetter("is_cpu")


def widened(value: Any) -> Any:
    """Returns a number that can be added to others: fp16 and bf16 would round each sum, and fp16 overflows."""
    is_narrow = isinstance(value, torch.Tensor) and value.is_floating_point() and value.element_size() < 4
    return value.float() if is_narrow else value


class Later:
    """Stands in a message for a number that is still on a device."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


class Squares:
    """Stands in a message for a sum of squares: a part that is known, and norms of tensors that are still on a device."""

    __slots__ = ("known", "norms")

    def __init__(self, known: float, norms: List[Any]) -> None:
        self.known = known
        self.norms = norms  # tensors, and Later from the end of the step on


class _Words:
    """What is kept of a tensor that has been put into a row."""

    __slots__ = ("count", "dtype", "size")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.count = tensor.numel() * tensor.element_size() // 4
        self.dtype = tensor.dtype
        self.size = tensor.shape


class Deferred:
    """Collects tensors of one step."""

    def __init__(self) -> None:
        self._tensors: List[Any] = []
        self._rows: List[Tuple[torch.Tensor, List[int]]] = []  # words of many tensors, and whose they are
        self._events: List[Any] = []

    def number(self, value: Any, is_final: bool = False) -> Any:
        """Returns a number, or what stands for it until `fetch` has run. `is_final`: nothing writes to the tensor before `start`."""
        if not isinstance(value, torch.Tensor):
            return value
        if value.numel() != 1:
            value = widened(value.detach() if value.is_floating_point() else value.detach().float()).mean()
        if is_here(value):
            return value.item()
        return self.later(value if is_final else value.detach().clone())

    def later(self, tensor: torch.Tensor) -> Later:
        self._tensors.append(tensor)
        return Later(len(self._tensors) - 1)

    def start(self) -> None:
        """Begins the copies. The training thread calls this at the end of a step."""
        places: Dict[torch.device, List[int]] = {}
        for place, tensor in enumerate(self._tensors):
            if not is_here(tensor):
                places.setdefault(tensor.device, []).append(place)
        with torch.no_grad():
            for device, some in places.items():
                row, order = self._row(some)
                self._rows.append((self._begin_copy(device, row), order))

    def _row(self, places: List[int]) -> Tuple[torch.Tensor, List[int]]:
        """Returns the tensors' words one after the other, and the tensors in that order."""
        scalars: List[int] = []
        others: List[int] = []
        for place in places:
            tensor = self._tensors[place]
            if tensor.element_size() < 4:
                self._tensors[place] = tensor = tensor.to(torch.float32)
            (scalars if tensor.dim() == 0 and tensor.element_size() == 4 else others).append(place)
        parts = []
        if scalars:
            parts.append(torch.stack([t if t.dtype == _WORD else t.view(_WORD) for t in map(self._tensors.__getitem__, scalars)]))
        for place in others:
            flat = self._tensors[place].reshape(-1)
            parts.append(flat if flat.dtype == _WORD else flat.view(_WORD))
        order = scalars + others
        for place in order:
            self._tensors[place] = _Words(self._tensors[place])
        return parts[0] if len(parts) == 1 else torch.cat(parts), order

    def _begin_copy(self, device: torch.device, row: torch.Tensor) -> torch.Tensor:
        if device.type != "cuda":
            return row
        if device not in _streams:
            _streams[device] = torch.cuda.Stream(device)
        stream = _streams[device]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            pinned = torch.empty(row.shape, dtype=row.dtype, pin_memory=True)
            pinned.copy_(row, non_blocking=True)
            row.record_stream(stream)
            event = torch.cuda.Event()
            event.record(stream)
        self._events.append(event)
        return pinned

    def fetch(self) -> None:
        """Waits until all tensors are on the CPU. The sending thread calls this."""
        for event in self._events:
            event.synchronize()
        self._events = []
        rows, self._rows = self._rows, []
        for row, order in rows:
            row, first = row.detach().cpu(), 0
            for place in order:
                words = self._tensors[place]
                part = row[first : first + words.count]
                if first % 2:  # a number of 64 bits begins at an even place
                    part = part.clone()
                self._tensors[place] = part.view(words.dtype).reshape(words.size)
                first += words.count

    def tensor(self, later: Later) -> torch.Tensor:
        return self._tensors[later.place]

    def resolve(self, value: Any) -> Any:
        """Returns the message with numbers in the places of what stood for them."""
        return self._resolved(value) if self._tensors else value

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, Later):
            return self._tensors[value.place].item()
        if isinstance(value, Squares):
            norms = [self._tensors[norm.place].item() for norm in value.norms]
            return float(value.known) + sum(norm * norm for norm in norms)
        if isinstance(value, dict):
            return {key: self._resolved(element) for key, element in value.items()}
        if isinstance(value, list):
            return [self._resolved(element) for element in value]
        return value
