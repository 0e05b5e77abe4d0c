# SPDX-License-Identifier: Apache-2.0
"""The part of CBOR (RFC 8949) that the frames use: null, booleans, whole numbers of 64 bits, doubles, text, bytes, lists and maps."""
from __future__ import annotations

import struct
from typing import Any, Callable, Dict, Tuple

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


def _put_whole(to: bytearray, value: int) -> None:
    if value >= 0:
        _head(to, 0, value)
    else:
        _head(to, 1, -1 - value)


_DOUBLE = struct.Struct(">Bd")
_texts: Dict[str, bytes] = {}  # of keys and names, which come again in each message
_MOST_TEXTS = 4096


def _put_text(to: bytearray, value: str) -> None:
    whole = _texts.get(value)
    if whole is None:
        text, head = value.encode("utf-8", "replace"), bytearray()
        _head(head, 3, len(text))
        whole = bytes(head + text)
        if len(_texts) < _MOST_TEXTS:
            _texts[value] = whole
    to += whole


def _put_bytes(to: bytearray, value: Any) -> None:
    _head(to, 2, len(value))
    to += value


def _put_list(to: bytearray, value: Any) -> None:
    _head(to, 4, len(value))
    for element in value:
        _put(to, element)


def _put_map(to: bytearray, value: Any) -> None:
    _head(to, 5, len(value))
    for key, element in value.items():
        _put_text(to, key if type(key) is str else str(key))
        _put(to, element)


_FORMS: Dict[type, Callable[[bytearray, Any], None]] = {
    type(None): lambda to, value: to.append(0xF6),
    bool: lambda to, value: to.append(0xF5 if value else 0xF4),
    int: _put_whole,
    float: lambda to, value: to.extend(_DOUBLE.pack(0xFB, value)),
    str: _put_text,
    bytes: _put_bytes,
    bytearray: _put_bytes,
    memoryview: _put_bytes,
    list: _put_list,
    tuple: _put_list,
    dict: _put_map,
}


def _put(to: bytearray, value: Any) -> None:
    put = _FORMS.get(type(value))
    if put is None:  # a subclass, as the numbers of numpy
        put = next((form for kind, form in _FORMS.items() if isinstance(value, kind)), None)
        if put is None:
            raise CborError(f"a value of the type {type(value).__name__} has no form in a frame")
    put(to, value)


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
