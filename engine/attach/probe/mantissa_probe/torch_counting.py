# SPDX-License-Identifier: Apache-2.0
"""Counting with torch operations: for any device, without reading a result back, so that a GPU is never waited for.

A row of counts is one int32 tensor: the cells, then six classes, the index of the first non-finite element or -1, and the bits of the
absolute maximum and of the smallest magnitude other than 0.
"""
from __future__ import annotations

import struct
from typing import Any, Dict, List, Tuple

import torch

from .cells import CELL_COUNT, PART_COUNT, PART_STARTS, RECORD, pack_cells

ROW_SIZE = CELL_COUNT + 9
_INF_BITS, _IMPLICIT, _NONE = 0x7F800000, 0x00800000, 0x7FFFFFFF
_LARGEST = torch.finfo(torch.float32).max
_TOGETHER = (torch.float32, torch.float16, torch.bfloat16)  # dtypes of which norms are taken together
_BLOCK = 1 << 20  # elements; bounds the memory that counting takes

_starts: Dict[torch.device, torch.Tensor] = {}


def _part_starts(device: torch.device) -> torch.Tensor:
    if device not in _starts:
        _starts[device] = torch.tensor(PART_STARTS, dtype=torch.int32, device=device)
    return _starts[device]


def in_fp32(values: torch.Tensor) -> torch.Tensor:
    """Returns the numbers rounded to fp32. A finite one of fp64 that it cannot hold becomes its largest: only what is infinite stays so."""
    if values.dtype != torch.float64:
        return values.to(torch.float32)
    return torch.where(values.isinf(), values, values.clamp(-_LARGEST, _LARGEST)).to(torch.float32)


def _bits(values: torch.Tensor) -> torch.Tensor:
    return in_fp32(values).view(torch.int32)


def once_each(tensor: torch.Tensor) -> torch.Tensor:
    """Returns a tensor without the repetitions of an expanded one: along dimensions of stride 0 it has one element."""
    for dimension, (stride, size) in enumerate(zip(tensor.stride(), tensor.shape)):
        if stride == 0 and size > 1:
            tensor = tensor.narrow(dimension, 0, 1)
    return tensor


def is_dense(tensor: torch.Tensor) -> bool:
    """Returns whether the elements fill a block of memory, in any order of the dimensions."""
    expected = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def part_of(tensor: torch.Tensor, first: int, count: int) -> torch.Tensor:
    """Returns some elements in the order of the dimensions, without a copy of the others."""
    if tensor.is_contiguous():
        return tensor.reshape(-1)[first : first + count]
    places = torch.arange(first, min(first + count, tensor.numel()), device=tensor.device)
    if tensor.element_size() == 1:  # take() knows no fp8
        return torch.take(tensor.view(torch.uint8), places).view(tensor.dtype)
    return torch.take(tensor, places)


def _add_block(row: torch.Tensor, bits: torch.Tensor, first: int) -> None:
    magnitude = bits & 0x7FFFFFFF
    is_negative = bits < 0
    is_zero, is_nan, is_inf = magnitude == 0, magnitude > _INF_BITS, magnitude == _INF_BITS
    is_finite = magnitude < _INF_BITS
    # a subnormal number is a small whole number of 2^-149: as a float it has the fraction that counts, and no flushing touches it
    small = magnitude < _IMPLICIT
    normalised = torch.where(small, magnitude.to(torch.float32).view(torch.int32), magnitude)
    exponent = (normalised >> 23) - torch.where(small, 127, 127 - 149)
    part = torch.bucketize(normalised & (_IMPLICIT - 1), _part_starts(bits.device), out_int32=True, right=True)
    index = exponent * PART_COUNT + part
    is_counted = is_finite & ~is_zero
    index = torch.where(is_counted, index, torch.zeros_like(index)).to(torch.int64)
    row[:CELL_COUNT].scatter_add_(0, index, is_counted.to(torch.int32))
    classes = (is_inf & is_negative, is_counted & is_negative, is_zero, is_counted & ~is_negative, is_inf & ~is_negative, is_nan)
    for column, members in enumerate(classes, CELL_COUNT):
        row[column] += members.sum(dtype=torch.int32)
    found = torch.where(~is_finite, torch.arange(first, first + bits.numel(), dtype=torch.int32, device=bits.device), _NONE).min()
    row[CELL_COUNT + 6] = torch.minimum(row[CELL_COUNT + 6], found.to(torch.int32))
    row[CELL_COUNT + 7] = torch.maximum(row[CELL_COUNT + 7], torch.where(is_finite, magnitude, 0).max().to(torch.int32))
    row[CELL_COUNT + 8] = torch.minimum(row[CELL_COUNT + 8], torch.where(is_counted, magnitude, _NONE).min().to(torch.int32))


def count_row(tensor: torch.Tensor, first: int, count: int) -> torch.Tensor:
    """Returns the row of counts of some of a tensor's elements, on its device. Numbers wider than fp32 are rounded to fp32 first."""
    with torch.no_grad():
        row = torch.zeros(ROW_SIZE, dtype=torch.int32, device=tensor.device)
        row[CELL_COUNT + 6] = _NONE
        row[CELL_COUNT + 8] = _NONE
        tensor = tensor.detach()
        for begin in range(0, count, _BLOCK):
            _add_block(row, _bits(part_of(tensor, first + begin, min(_BLOCK, count - begin))), begin)
        return row


def _foreach_norm() -> Any:
    """Returns the function that takes the norms of many tensors in a few kernels, or None where there is none, as before torch 2.4."""
    function = getattr(getattr(torch, "foreach", None), "norm", None) or getattr(torch, "_foreach_norm", None)
    try:
        function([torch.ones(1, dtype=torch.float16)], ord=float("inf"), dtype=torch.float32)
    except Exception:
        return None
    return function


_norms_together = _foreach_norm()


def norms_of(tensors: List[torch.Tensor], order: float) -> List[torch.Tensor]:
    """Returns a norm of each tensor, largest magnitudes with `order` infinite, on the tensors' devices.

    They are fp32; a 2-norm of an fp64 tensor is fp64. NaN and Inf stay what they are. One operation does it for all tensors of one dtype that
    are dense.
    """
    found: List[Any] = [None] * len(tensors)
    together: Dict[Tuple[torch.device, torch.dtype], List[int]] = {}
    with torch.no_grad():
        if order != 2:
            tensors = [tensor if tensor.is_contiguous() else once_each(tensor) for tensor in tensors]
        for place, tensor in enumerate(tensors):
            if _norms_together is None or tensor.dtype not in _TOGETHER:
                found[place] = _norm_of(tensor, order)
            elif tensor.is_contiguous() or is_dense(tensor):  # one that is not spoils the speed of all
                together.setdefault((tensor.device, tensor.dtype), []).append(place)
            else:
                found[place] = torch.linalg.vector_norm(tensor, ord=order, dtype=torch.float32)
        for places in together.values():
            if len(places) == 1:
                found[places[0]] = torch.linalg.vector_norm(tensors[places[0]], ord=order, dtype=torch.float32)
                continue
            for place, norm in zip(places, _norms_together([tensors[p] for p in places], ord=order, dtype=torch.float32)):
                found[place] = norm
    return found


def _norm_of(tensor: torch.Tensor, order: float) -> torch.Tensor:
    if tensor.dtype == torch.float64:
        norm = torch.linalg.vector_norm(tensor, ord=order)
        return norm if order == 2 else in_fp32(norm)
    if order == 2:
        wide = torch.float64 if tensor.device.type != "mps" else torch.float32  # that device has no double
        return tensor.to(torch.float32).pow(2).sum(dtype=wide).sqrt().to(torch.float32)
    return (_bits(tensor) & 0x7FFFFFFF).max().view(torch.float32)


def bits_of(tensor: torch.Tensor) -> int:
    """Returns the bits of the largest magnitude of a tensor on the CPU, in fp32; Inf and NaN are the largest of all."""
    with torch.no_grad():
        return int((_bits(once_each(tensor.detach())) & 0x7FFFFFFF).max().item())


def record_of(row: List[int]) -> Tuple[bytes, bytes]:
    """Returns the record and the packed cells of a row that was brought to the CPU."""
    cells = pack_cells((index, count) for index, count in enumerate(row[:CELL_COUNT]) if count)
    tail = row[CELL_COUNT:]
    first = -1 if tail[6] == _NONE else tail[6]
    smallest = 0.0 if tail[8] == _NONE else number_of(tail[8])
    return RECORD.pack(*tail[:6], first, number_of(tail[7]), smallest), cells


def number_of(bits: int) -> float:
    """Returns the fp32 number of a magnitude's bits."""
    if bits < _IMPLICIT:  # a thread that flushes subnormal numbers would convert it to 0
        return bits * 2.0**-149
    return struct.unpack("<f", struct.pack("<I", bits))[0]
