# SPDX-License-Identifier: Apache-2.0
"""The thread that sends: a bounded ring of messages, of which the oldest are dropped and counted.

The training thread only appends to the ring. Messages are put into their form by the sending thread, and only while somebody takes them.
"""
from __future__ import annotations

import collections
import os
import threading
import time
import weakref
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from . import cbor
from .frames import CommandReader, Message, frame
from .messages import say
from .transports import Transport

RING_MESSAGES = 1024
RING_BYTES = 64 << 20
_RETRY_SECONDS = 1.0
_IDLE_SECONDS = 0.25
_DESCRIPTIONS_A_FRAME = 2000
_LONGEST_CLOSE_SECONDS = 20.0  # of a file that still takes what is left

#: Makes a message's body; called by the sending thread.
Maker = Callable[[], Message]

_senders: "weakref.WeakSet[Sender]" = weakref.WeakSet()


class Sender:
    """Sends messages to one place. push() may be called from any thread, never blocks and never raises."""

    def __init__(self, transport: Transport, hello: Maker, descriptions: List[Dict[str, Any]], on_command: Callable[[str, Message], None]) -> None:
        self._transport = transport
        self._hello = hello
        self._descriptions = descriptions
        self._on_command = on_command
        self._ring: Deque[Tuple[str, Maker, int]] = collections.deque()
        self._ring_bytes = 0
        self._lock = threading.RLock()  # a model that is freed while it is held ends its watch, on the same thread
        self._wake = threading.Event()
        self._ends_at: Optional[float] = None
        self._is_dead = False  # in a forked child
        self._is_open = False
        self._described = 0
        self._commands = CommandReader()
        self.dropped = 0
        self.sent = 0
        self.seconds: Dict[str, float] = {}  # of this thread's time, that the last message of a kind took
        self.problem = ""
        self.tells_absence = False  # says once, on standard error, that the place cannot be reached
        self._thread = threading.Thread(target=self._run, name="mantissa_probe", daemon=True)
        _senders.add(self)
        self._thread.start()

    @property
    def name(self) -> str:
        return self._transport.name

    @property
    def is_connected(self) -> bool:
        return self._is_open

    def push(self, kind: str, make: Maker, size: int) -> None:
        """Adds a message of about `size` bytes; drops the oldest where the ring is full."""
        if self._is_dead or self._ends_at is not None:
            return
        with self._lock:
            self._ring.append((kind, make, size))
            self._ring_bytes += size
            while len(self._ring) > 1 and (len(self._ring) > RING_MESSAGES or self._ring_bytes > RING_BYTES):
                _, _, oldest = self._ring.popleft()
                self._ring_bytes -= oldest
                self.dropped += 1
        self._wake.set()

    def end(self, seconds: float = 2.0) -> None:
        """Lets the thread send what is left and end. A viewer has so many seconds for that, a file as long as close() would wait."""
        if self._is_dead or self._ends_at is not None:
            return
        self._ends_at = time.monotonic() + (seconds if self._transport.is_live else _LONGEST_CLOSE_SECONDS)
        self._wake.set()

    def close(self, seconds: float = 2.0) -> None:
        """Ends, and waits until the thread has. For a file it waits longer while messages go on being written, as on a machine that is busy."""
        self.end(seconds)
        if self._is_dead or self._ends_at is None:
            return
        latest = self._ends_at
        while self._thread.is_alive() and time.monotonic() < latest:
            sent = self.sent
            self._thread.join(seconds / 2)
            if self.sent == sent:  # a disk that hangs
                latest = min(latest, time.monotonic() + seconds / 2)
        self._ends_at = min(self._ends_at, time.monotonic())
        self._thread.join(1.0)

    def after_fork(self) -> None:
        """In a forked child the thread is gone, and the connection is the parent's."""
        self._is_dead = True
        self._ring.clear()
        self._lock = threading.RLock()

    # ---- The thread ----

    def _is_ending(self) -> bool:
        return self._ends_at is not None and time.monotonic() > self._ends_at

    def _run(self) -> None:
        next_try = 0.0
        while True:
            try:
                self._wake.wait(_IDLE_SECONDS)
                self._wake.clear()
                if not self._is_open and time.monotonic() >= next_try:
                    next_try = time.monotonic() + _RETRY_SECONDS
                    self._open()
                if self._is_open:
                    self._send_all()
                    self._receive()
            except (OSError, cbor.CborError) as error:
                if self._transport.is_live or not self.problem:  # of a file the first reason is the one that counts
                    self.problem = str(error)
                self._is_open = False
                if self._transport.is_live:
                    self._transport.close()
                    self._tell_absence(error)
            except Exception as error:  # a message that cannot be made is left out; the thread lives on
                self.problem = f"{type(error).__name__}: {error}"
            if self._ends_at is not None and (not self._ring or not self._is_open or self._is_ending()):
                self._transport.close()
                return

    def _tell_absence(self, error: Exception) -> None:
        if not self.tells_absence or self.sent > 0:
            return
        self.tells_absence = False
        say(f"{self.name} cannot be reached yet ({error}); it is tried again each second")

    def _open(self) -> None:
        self._transport.open()
        self._commands = CommandReader()
        self._described = 0
        self._write("probe_hello", self._hello())
        self._is_open = True

    def _write(self, kind: str, body: Message) -> None:
        self._transport.write(frame(kind, body), self._is_ending)
        self.sent += 1

    def _send_all(self) -> None:
        while not self._is_ending():
            with self._lock:
                if not self._ring:
                    return
                kind, make, size = self._ring.popleft()
                self._ring_bytes -= size
            began = time.thread_time()
            body = make()
            while self._described < len(self._descriptions):
                some = self._descriptions[self._described : self._described + _DESCRIPTIONS_A_FRAME]
                self._write("tensors_described", {"tensors": some})
                self._described += len(some)
            try:
                self._write(kind, body)
                self.seconds[kind] = time.thread_time() - began
            except cbor.CborError as error:  # too large: left out
                self.problem = str(error)
                self.dropped += 1
            except OSError:
                self.dropped += 1
                raise
            self._receive()

    def _receive(self) -> None:
        for kind, body in self._commands.append(self._transport.read()):
            self._on_command(kind, body)


def _after_fork() -> None:
    for sender in list(_senders):
        sender.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
