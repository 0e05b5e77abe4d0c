# SPDX-License-Identifier: Apache-2.0
"""The cells in which magnitudes are counted.

A cell is a binary exponent and a part of the range between two powers of two, as in kernels/dtype/magnitude_cells.h. A test compares the
numbers here with that header. Plain numbers and functions, without torch.
"""
from __future__ import annotations

import math
import struct
from typing import Dict, Iterable, List, Sequence, Tuple

#: The smallest fraction field of parts 1, 2, ...; part 0 is the power of two itself.
PART_STARTS = (1, 0x600000, 0x680001, 0x700000, 0x7F0000, 0x7F8000, 0x7FE000, 0x7FF000, 0x7FFFFF)
PART_COUNT = len(PART_STARTS) + 1
LEAST_EXPONENT, MOST_EXPONENT = -149, 127
CELL_COUNT = (MOST_EXPONENT - LEAST_EXPONENT + 1) * PART_COUNT


def cell_of(value: float) -> int:
    """Returns the cell of a finite number other than 0, which fp32 can hold."""
    mantissa, exponent = math.frexp(abs(value))  # 0.5 <= mantissa < 1
    fraction = int((mantissa * 2 - 1) * 2**23)
    return (exponent - 1 - LEAST_EXPONENT) * PART_COUNT + sum(fraction >= start for start in PART_STARTS)


def repeated(record: bytes, packed: bytes, shape: Sequence[int], whole: Sequence[int]) -> Tuple[bytes, bytes]:
    """Returns the record and the cells of an expanded tensor. `shape`: without the repetitions; `whole`: with them."""
    *classes, first, largest, smallest = RECORD.unpack(record)
    times = math.prod(whole) // math.prod(shape)
    rest, first, step = first, min(first, 0), 1
    if rest >= 0:
        for size, whole_size in zip(reversed(shape), reversed(whole)):
            rest, place = divmod(rest, size)
            first += place * step
            step *= whole_size
    cells = pack_cells((cell, count * times) for cell, count in unpack_cells(packed).items())
    return RECORD.pack(*(count * times for count in classes), first, largest, smallest), cells


def exponent_of(cell: int) -> int:
    """Returns the binary exponent of a cell."""
    return cell // PART_COUNT + LEAST_EXPONENT


def _put_varint(to: bytearray, value: int) -> None:
    while value > 0x7F:
        to.append(value & 0x7F | 0x80)
        value >>= 7
    to.append(value)


def pack_cells(cells: Iterable[Tuple[int, int]]) -> bytes:
    """Packs (index, count) pairs in ascending order: the distance to the cell before, then the count, each as LEB128."""
    packed, before = bytearray(), -1
    for index, count in cells:
        _put_varint(packed, index - before)
        _put_varint(packed, count)
        before = index
    return bytes(packed)


def unpack_cells(packed: bytes) -> Dict[int, int]:
    """Reads what pack_cells wrote. Raises ValueError if it is no list of cells."""
    numbers: List[int] = []
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
        elif shift > 63:
            raise ValueError("a number in a list of cells is too long")
    if shift or len(numbers) % 2:
        raise ValueError("a list of cells ends within a number")
    cells: Dict[int, int] = {}
    index = -1
    for distance, count in zip(numbers[::2], numbers[1::2]):
        index += distance
        if distance == 0 or count == 0 or index >= CELL_COUNT:
            raise ValueError("a list of cells is not in order")
        cells[index] = count
    return cells


#: One tensor's counts: -Inf, negative, zero, positive, +Inf, NaN, index of the first non-finite element or -1; absolute maximum and smallest
#: magnitude other than 0, of the finite elements (0: there is none). Little-endian.
RECORD = struct.Struct("<7q2d")
CLASS_NAMES = ("negative_inf", "negative", "zero", "positive", "positive_inf", "nan")
