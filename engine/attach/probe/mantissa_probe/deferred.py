# SPDX-License-Identifier: Apache-2.0
"""Numbers that are on a device when they are wanted, and on the CPU when they are sent.

The copies run on a stream of their own into pinned memory. The sending thread waits for them; the training thread does not.
"""
from __future__ import annotations

from typing import Any, Dict, List

import torch

_streams: Dict[torch.device, Any] = {}


class Later:
    """Stands in a message for a number that is still on a device."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


class Deferred:
    """Collects tensors of one step."""

    def __init__(self) -> None:
        self._tensors: List[torch.Tensor] = []
        self._events: List[Any] = []

    def number(self, value: Any) -> Any:
        """Returns a number, or what stands for it until `fetch` has run."""
        if not isinstance(value, torch.Tensor):
            return value
        if value.numel() != 1:
            value = value.detach().float().mean()
        if value.device.type == "cpu":
            return value.item()
        return self.later(value.detach().clone())

    def later(self, tensor: torch.Tensor) -> Later:
        self._tensors.append(tensor)
        return Later(len(self._tensors) - 1)

    def start(self) -> None:
        """Begins the copies. The training thread calls this at the end of a step."""
        for place, tensor in enumerate(self._tensors):
            if tensor.device.type != "cuda":
                continue
            if tensor.device not in _streams:
                _streams[tensor.device] = torch.cuda.Stream(tensor.device)
            stream = _streams[tensor.device]
            stream.wait_stream(torch.cuda.current_stream(tensor.device))
            with torch.cuda.stream(stream):
                pinned = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
                pinned.copy_(tensor, non_blocking=True)
                tensor.record_stream(stream)
                event = torch.cuda.Event()
                event.record(stream)
            self._tensors[place] = pinned
            self._events.append(event)

    def fetch(self) -> None:
        """Waits until all tensors are on the CPU. The sending thread calls this."""
        for event in self._events:
            event.synchronize()
        self._events = []
        self._tensors = [tensor.cpu() for tensor in self._tensors]

    def tensor(self, later: Later) -> torch.Tensor:
        return self._tensors[later.place]

    def resolve(self, value: Any) -> Any:
        """Returns the message with numbers in the places of what stood for them."""
        if isinstance(value, Later):
            return self._tensors[value.place].item()
        if isinstance(value, dict):
            return {key: self.resolve(element) for key, element in value.items()}
        if isinstance(value, list):
            return [self.resolve(element) for element in value]
        return value
