# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors: what is kept of each tensor in a step, and how it is counted.

Tensors on the CPU are counted in C where native.py has found a compiler. Others are counted with torch operations, whose results stay on
the device until the end of the step. The training thread alone uses what is here, but for Results, which it hands over whole.
"""
from __future__ import annotations

import ctypes
import struct
from typing import Any, Dict, List, Optional, Tuple

import torch

from . import deferred, torch_counting
from .cells import RECORD, repeated
from .native import CELL_ROOM, native_counter
from .sketches import SKETCH_SIZE, sketch_of
from .torch_counting import count_row, is_dense, once_each

#: dtypes that are watched, with the name that the lab has for them. Others are whole numbers, complex or packed.
DTYPE_NAMES: Dict[torch.dtype, str] = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64"}
for _name, _code in (("float8_e4m3fn", "e4m3"), ("float8_e5m2", "e5m2")):
    if hasattr(torch, _name):
        DTYPE_NAMES[getattr(torch, _name)] = _code

_KINDS = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}  # of count.c
INF_BITS = {torch.float32: 0x7F800000, torch.float16: 0x7C00, torch.bfloat16: 0x7F80}

#: A tensor with more elements than this is counted in part where the statistics are of blocks.
BLOCK_ELEMENTS = 8192
BLOCK_PERIOD = 8


def float_bits(bits: int, dtype: torch.dtype) -> int:
    """Returns the bits of fp32 of a magnitude that is given in the bits of `dtype`."""
    if dtype == torch.bfloat16:
        return bits << 16
    if dtype == torch.float16:
        value = torch.tensor([bits], dtype=torch.int16).view(torch.float16).to(torch.float32)
        return int(value.view(torch.int32).item()) & 0x7FFFFFFF
    return bits


class Results:
    """The statistics of one step's tensors, in the order in which they were made."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.ids: List[int] = []
        self.elements: List[int] = []
        self._records: List[bytes] = []
        self._cells: List[bytes] = []
        self._rows: Dict[int, torch.Tensor] = {}  # by place, of those that torch operations counted
        self._shapes: Dict[int, Any] = {}  # by place, of those of expanded tensors: without repetitions and with them
        self._sketches: List[Any] = []  # of each tensor or of none: bytes, or a tensor until `finish`

    def add(self, tensor_id: int, elements: int, record: bytes, cells: bytes) -> None:
        self.ids.append(tensor_id)
        self.elements.append(elements)
        self._records.append(record)
        self._cells.append(cells)

    def add_row(self, tensor_id: int, elements: int, row: torch.Tensor, shapes: Any) -> None:
        self._rows[len(self.ids)] = row
        if shapes is not None:
            self._shapes[len(self.ids)] = shapes
        self.add(tensor_id, elements, b"", b"")

    def add_sketch(self, sketch: Any) -> None:
        """Adds the sketch of the tensor that was added last: bytes, or a tensor that may be on a device."""
        self._sketches.append(sketch)

    def rows(self) -> List[torch.Tensor]:
        return list(self._rows.values()) + [sketch for sketch in self._sketches if isinstance(sketch, torch.Tensor)]

    def row_bytes(self) -> int:
        return sum(row.numel() * row.element_size() for row in self.rows()) + sum(len(s) for s in self._sketches if isinstance(s, bytes))

    def finish(self, rows: List[torch.Tensor]) -> None:
        """Takes the rows as they are on the CPU. The sending thread does this."""
        left = iter(rows)
        for place in self._rows:
            record, cells = torch_counting.record_of(next(left).tolist())
            if place in self._shapes:
                record, cells = repeated(record, cells, *self._shapes[place])
            self._records[place], self._cells[place] = record, cells
        self._rows = {}
        for place, sketch in enumerate(self._sketches):
            if isinstance(sketch, torch.Tensor):
                self._sketches[place] = struct.pack(f"<{SKETCH_SIZE}f", *next(left).tolist())

    def body(self) -> Dict[str, Any]:
        """Returns the columns of the message."""
        count = len(self.ids)
        sketches = {"sketches": b"".join(self._sketches)} if self._sketches else {}
        return {
            **sketches,
            "step": self.step,
            "count": count,
            "tensor": struct.pack(f"<{count}I", *self.ids),
            "elements": struct.pack(f"<{count}q", *self.elements),
            "records": b"".join(self._records),
            "cell_bytes": struct.pack(f"<{count}I", *map(len, self._cells)),
            "cells": b"".join(self._cells),
        }


def _has_memory(tensor: torch.Tensor) -> bool:
    """Returns whether a tensor on the CPU has memory: not one that was freed, nor one that stands for others within torch.func."""
    try:
        return not tensor.is_cpu or tensor.data_ptr() != 0
    except RuntimeError:
        return False


def plain(tensor: Any) -> Optional[torch.Tensor]:
    """Returns the tensor if its elements can be counted: strided, of a watched dtype, neither empty nor with its memory freed."""
    kind = type(tensor)
    if kind is not torch.Tensor and kind is not torch.nn.Parameter:  # subclasses keep their elements elsewhere
        return None
    if tensor.dtype in DTYPE_NAMES and tensor.layout is torch.strided and tensor.numel() and not tensor.is_meta and _has_memory(tensor):
        return tensor
    return None


def elements_of(tensor: torch.Tensor) -> Optional[torch.Tensor]:
    """Returns a tensor's numbers where their order does not matter: also those of a sparse or complex tensor, and of this rank's part of one
    that is spread over ranks. There may be none of them. Returns None where they cannot be read.
    """
    if plain(tensor) is not None:
        return tensor
    part = getattr(tensor, "_local_tensor", None)
    if part is None and type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
        return None
    tensor = (tensor if part is None else part).detach()
    if tensor.layout is torch.sparse_coo:
        if not tensor.is_coalesced() and not deferred.is_here(tensor):  # to add up what it holds of one place would wait for the device
            return None
        tensor = tensor.coalesce().values()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor if tensor.numel() == 0 else plain(tensor)


def _in_some_order(tensor: torch.Tensor) -> torch.Tensor:
    """Returns a tensor whose elements fill a block of memory: a copy where they do not yet."""
    return tensor if tensor.is_contiguous() or is_dense(tensor) else tensor.contiguous()


class Counter:
    """Counts tensors on whichever device they are."""

    def __init__(self, sketches: bool = False) -> None:
        self._native = native_counter()
        self._has_sketches = sketches
        self._sketch = (ctypes.c_float * SKETCH_SIZE)()
        self._record = ctypes.create_string_buffer(RECORD.size)
        self._cells = ctypes.create_string_buffer(CELL_ROOM)
        self._record_at, self._cells_at = ctypes.addressof(self._record), ctypes.addressof(self._cells)

    @property
    def is_native(self) -> bool:
        return self._native is not None

    def _kind(self, tensor: torch.Tensor) -> int:
        """Returns count.c's number of the dtype, or -1 where torch operations have to count."""
        if self._native is None or not deferred.is_here(tensor):
            return -1
        return _KINDS.get(tensor.dtype, -1)

    def bits_dtype(self, tensor: torch.Tensor) -> torch.dtype:
        """Returns the dtype in whose bits `magnitude` answers."""
        return torch.float32 if self._kind(tensor) < 0 else tensor.dtype

    def magnitude(self, tensor: torch.Tensor) -> Any:
        """Returns the bits of the largest magnitude, which order Inf and NaN above all finite numbers.

        A number for a tensor on the CPU; else an fp32 tensor on the same device, whose bits they are, so that nobody waits.
        """
        kind = self._kind(tensor)
        if kind < 0:
            return torch_counting.bits_of(tensor) if deferred.is_here(tensor) else torch_counting.norms_of([tensor], float("inf"))[0]
        if not tensor.is_contiguous():
            tensor = _in_some_order(once_each(tensor.detach()))
        return self._native.magnitude(tensor.data_ptr(), tensor.numel(), kind)

    def magnitudes(self, tensors: List[torch.Tensor]) -> List[Any]:
        """Returns the same of many tensors; those on a device are measured together."""
        found: List[Any] = [self.magnitude(tensor) if deferred.is_here(tensor) else None for tensor in tensors]
        places = [place for place, bits in enumerate(found) if bits is None]
        for place, magnitude in zip(places, torch_counting.norms_of([tensors[p] for p in places], float("inf"))):
            found[place] = magnitude
        return found

    def count(self, results: Results, tensor_id: int, tensor: torch.Tensor, in_blocks: bool = False) -> None:
        """Adds the tensor's statistics; in blocks: of one block of a large tensor, which moves from step to step."""
        whole, elements = tensor, tensor.numel()
        kind = self._kind(tensor)
        if not tensor.is_contiguous():
            tensor = once_each(tensor.detach())
        first, seen = 0, tensor.numel()
        shapes = None if seen == elements else (tensor.shape, whole.shape)
        if in_blocks and shapes is None and elements > BLOCK_ELEMENTS:
            seen = max(BLOCK_ELEMENTS, elements // BLOCK_PERIOD)
            first = results.step * seen % (elements - seen + 1)
        if kind < 0:
            results.add_row(tensor_id, elements, count_row(tensor, first, seen), shapes)
        else:
            record, cells = self._count_here(_in_some_order(tensor), first, seen, kind)
            results.add(tensor_id, elements, *(repeated(record, cells, *shapes) if shapes is not None else (record, cells)))
        if not self._has_sketches:
            return
        if kind < 0 or shapes is not None:
            results.add_sketch(sketch_of(whole))
            return
        if not tensor.is_contiguous():
            tensor = tensor.contiguous()
        self._native.sketch(tensor.data_ptr(), elements, kind, self._sketch)
        results.add_sketch(bytes(self._sketch))

    def _count_here(self, tensor: torch.Tensor, first: int, seen: int, kind: int) -> Tuple[bytes, bytes]:
        at = tensor.data_ptr() + first * tensor.element_size()
        used = self._native.count(at, seen, kind, self._record_at, self._cells_at, CELL_ROOM)
        if not tensor.is_contiguous() and RECORD.unpack(self._record.raw)[6] >= 0:
            return self._count_here(tensor.contiguous(), first, seen, kind)  # which element is first depends on the order
        return self._record.raw, self._cells[:used]

    def square_sum(self, tensors: List[torch.Tensor]) -> Any:
        """Returns the sum of all squares, in double: a number, or what stands for it until the end of the step."""
        pointers: Dict[int, List[int]] = {}  # by kind, of those that are counted in C
        sizes: Dict[int, List[int]] = {}
        others = []
        kept = []  # copies, until the sum is done
        for tensor in tensors:
            kind = self._kind(tensor)
            if kind < 0:
                others.append(tensor)
                continue
            if not tensor.is_contiguous():
                tensor = _in_some_order(tensor.detach())
                kept.append(tensor)
            if kind not in pointers:
                pointers[kind], sizes[kind] = [], []
            pointers[kind].append(tensor.data_ptr())
            sizes[kind].append(tensor.numel())
        total = 0.0
        for kind, addresses in pointers.items():
            count = len(addresses)
            total += self._native.square_sums((ctypes.c_void_p * count)(*addresses), (ctypes.c_int64 * count)(*sizes[kind]), count, kind)
        norms = []
        for tensor, norm in zip(others, torch_counting.norms_of(others, 2)):
            if deferred.is_here(tensor):
                total += norm.item() * norm.item()
            else:
                norms.append(norm)
        return deferred.Squares(total, norms) if norms else total
