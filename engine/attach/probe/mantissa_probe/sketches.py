# SPDX-License-Identifier: Apache-2.0
"""Sketches of tensors with torch operations, on any device: 64 sums by which two runs' tensors are compared without their elements.

Element 64 r + c of the flattened tensor is added to sum c ^ x(r) with the sign of bit c of s(r), where s(r) and x(r) are SplitMix64 hashes of
2 r and 2 r + 1. Elements that are not finite count as 0. count.c and the lab make the same sums.
"""
from __future__ import annotations

from typing import Dict

import torch

from .torch_counting import part_of

SKETCH_SIZE = 64
_BLOCK_ROWS = 1 << 14  # bounds the memory that a sketch takes

_columns: Dict[torch.device, torch.Tensor] = {}


def _column_numbers(device: torch.device) -> torch.Tensor:
    if device not in _columns:
        _columns[device] = torch.arange(SKETCH_SIZE, device=device)
    return _columns[device]


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _shifted(value: torch.Tensor, bits: int) -> torch.Tensor:
    """Returns the 64 bits of each number, moved right with zeros."""
    return (value >> bits) & ((1 << (64 - bits)) - 1)


def _hashed(value: torch.Tensor) -> torch.Tensor:
    value = value + _signed(0x9E3779B97F4A7C15)
    value = (value ^ _shifted(value, 30)) * _signed(0xBF58476D1CE4E5B9)
    value = (value ^ _shifted(value, 27)) * _signed(0x94D049BB133111EB)
    return value ^ _shifted(value, 31)


def sketch_of(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the sums as fp32, on the tensor's device. A sum beyond fp32 is infinite."""
    with torch.no_grad():
        flat = tensor.detach()
        columns = _column_numbers(flat.device)
        wide = torch.float32 if flat.device.type == "mps" else torch.float64  # that device has no double
        sums = torch.zeros(SKETCH_SIZE, dtype=wide, device=flat.device)
        for first in range(0, flat.numel(), _BLOCK_ROWS * SKETCH_SIZE):
            values = part_of(flat, first, _BLOCK_ROWS * SKETCH_SIZE).to(torch.float32).to(wide)
            values = torch.nn.functional.pad(values, (0, -values.numel() % SKETCH_SIZE)).reshape(-1, SKETCH_SIZE)
            values = torch.where(torch.isfinite(values), values, torch.zeros_like(values))
            rows = torch.arange(values.shape[0], device=flat.device) + first // SKETCH_SIZE
            signs = (_hashed(2 * rows)[:, None] >> columns) & 1
            turns = (_hashed(2 * rows + 1) & (SKETCH_SIZE - 1))[:, None] ^ columns
            sums += torch.where(signs == 1, -values, values).gather(1, turns).sum(0)
        return sums.to(torch.float32)
