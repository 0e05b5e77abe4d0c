# SPDX-License-Identifier: Apache-2.0
"""Frames: u32 little-endian length, then one CBOR map {"type", "body"}, as the lab's own. engine/attach/README.md lists the messages."""
from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional, Tuple

from . import cbor

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 16 << 20
_MAX_COMMAND_BYTES = 64 << 10

Message = Dict[str, Any]


def frame(kind: str, body: Message) -> bytes:
    """Returns a whole frame, length included. Raises CborError if it would be over the limit of 16 MiB."""
    payload = cbor.encode({"type": kind, "body": body})
    if len(payload) > MAX_FRAME_BYTES:
        raise cbor.CborError(f"a message of {len(payload)} bytes is over the frame limit of 16 MiB")
    return struct.pack("<I", len(payload)) + payload


def message_of(payload: bytes) -> Tuple[str, Message]:
    """Reads the payload of a frame. Raises CborError."""
    value = cbor.decode(payload)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or not isinstance(value.get("body"), dict):
        raise cbor.CborError("a frame is not a map of a type and a body")
    return value["type"], value["body"]


class CommandReader:
    """Collects the bytes that a viewer sends and hands out its commands. A broken stream is a CborError."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def append(self, data: bytes) -> List[Tuple[str, Message]]:
        """Returns the commands that are whole now."""
        self._bytes += data
        commands = []
        while True:
            payload = self._next()
            if payload is None:
                return commands
            commands.append(message_of(payload))

    def _next(self) -> Optional[bytes]:
        if len(self._bytes) < 4:
            return None
        (length,) = struct.unpack_from("<I", self._bytes)
        if length > _MAX_COMMAND_BYTES:
            raise cbor.CborError(f"a command of {length} bytes")
        if len(self._bytes) < 4 + length:
            return None
        payload = bytes(self._bytes[4 : 4 + length])
        del self._bytes[: 4 + length]
        return payload
