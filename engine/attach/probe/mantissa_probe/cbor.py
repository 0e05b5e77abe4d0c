# SPDX-License-Identifier: Apache-2.0
"""The part of CBOR (RFC 8949) that the frames use: null, booleans, whole numbers of 64 bits, doubles, text, bytes, lists and maps."""
from __future__ import annotations

import struct
from typing import Any, Tuple

_MAX_DEPTH = 16


class CborError(ValueError):
    """Says in one sentence why bytes cannot be read."""


def _head(to: bytearray, major: int, value: int) -> None:
    if value < 24:
        to.append(major << 5 | value)
    elif value < 1 << 8:
        to += struct.pack(">BB", major << 5 | 24, value)
    elif value < 1 << 16:
        to += struct.pack(">BH", major << 5 | 25, value)
    elif value < 1 << 32:
        to += struct.pack(">BI", major << 5 | 26, value)
    else:
        to += struct.pack(">BQ", major << 5 | 27, value)


def _put(to: bytearray, value: Any) -> None:
    if value is None:
        to.append(0xF6)
    elif value is True:
        to.append(0xF5)
    elif value is False:
        to.append(0xF4)
    elif isinstance(value, int):
        if value >= 0:
            _head(to, 0, value)
        else:
            _head(to, 1, -1 - value)
    elif isinstance(value, float):
        to += struct.pack(">Bd", 0xFB, value)
    elif isinstance(value, str):
        text = value.encode("utf-8", "replace")
        _head(to, 3, len(text))
        to += text
    elif isinstance(value, (bytes, bytearray, memoryview)):
        _head(to, 2, len(value))
        to += value
    elif isinstance(value, (list, tuple)):
        _head(to, 4, len(value))
        for element in value:
            _put(to, element)
    elif isinstance(value, dict):
        _head(to, 5, len(value))
        for key, element in value.items():
            _put(to, str(key))
            _put(to, element)
    else:
        raise CborError(f"a value of the type {type(value).__name__} has no form in a frame")


def encode(value: Any) -> bytes:
    """Returns the value as CBOR."""
    to = bytearray()
    _put(to, value)
    return bytes(to)


def _take(data: memoryview, at: int, count: int) -> Tuple[memoryview, int]:
    if count > len(data) - at:
        raise CborError(f"the data end at byte {len(data)}, within a value")
    return data[at : at + count], at + count


def _get(data: memoryview, at: int, depth: int) -> Tuple[Any, int]:
    if depth > _MAX_DEPTH:
        raise CborError(f"byte {at}: nested more than {_MAX_DEPTH} deep")
    first, at = _take(data, at, 1)
    major, info = first[0] >> 5, first[0] & 0x1F
    if major == 7:
        if info in (20, 21):
            return info == 21, at
        if info in (22, 23):
            return None, at
        if info in (25, 26, 27):
            number, at = _take(data, at, 1 << (info - 24))
            return struct.unpack({25: ">e", 26: ">f", 27: ">d"}[info], number)[0], at
        raise CborError(f"byte {at - 1}: a value of an unknown kind")
    if info < 24:
        size = info
    elif info < 28:
        number, at = _take(data, at, 1 << (info - 24))
        size = int.from_bytes(number, "big")
    else:
        raise CborError(f"byte {at - 1}: a value without a length")
    if major == 0:
        return size, at
    if major == 1:
        return -1 - size, at
    if major == 2:
        raw, at = _take(data, at, size)
        return bytes(raw), at
    if major == 3:
        raw, at = _take(data, at, size)
        try:
            return bytes(raw).decode("utf-8"), at
        except UnicodeDecodeError:
            raise CborError(f"byte {at}: text that is not UTF-8") from None
    if size > len(data) - at:  # each element takes a byte at least
        raise CborError(f"the data end at byte {len(data)}, within a list")
    if major == 4:
        elements = []
        for _ in range(size):
            element, at = _get(data, at, depth + 1)
            elements.append(element)
        return elements, at
    if major == 5:
        members = {}
        for _ in range(size):
            key, at = _get(data, at, depth + 1)
            if not isinstance(key, str):
                raise CborError(f"byte {at}: a key that is not text")
            members[key], at = _get(data, at, depth + 1)
        return members, at
    raise CborError(f"byte {at}: tags are not used here")


def decode(data: bytes) -> Any:
    """Reads one value that fills the data. Raises CborError."""
    value, end = _get(memoryview(data), 0, 0)
    if end != len(data):
        raise CborError(f"{len(data) - end} bytes follow the value")
    return value
