# SPDX-License-Identifier: Apache-2.0
"""Where frames go: a Unix socket, a TCP socket or a file. The sending thread alone uses what is opened here."""
from __future__ import annotations

import ipaddress
import os
import select
import socket
import struct
import tempfile
import time
from pathlib import Path
from typing import Callable, Optional, Tuple

_STEP_SECONDS = 0.2  # after which a blocked thread asks whether it is to end


def listening_place() -> str:
    """Returns the place that a probe takes by itself: MANTISSA_ATTACH, which may be FILE.mprobe, else a lab's usual socket."""
    configured = os.environ.get("MANTISSA_ATTACH")
    if configured:
        return configured if configured.startswith(("unix:", "tcp:")) or configured.endswith(".mprobe") else "unix:" + configured
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / "mantissa" if runtime else Path(tempfile.gettempdir()) / f"mantissa-{os.getuid()}"
    return f"unix:{folder / 'attach'}"


class Transport:
    """A place that takes frames. Functions raise OSError, and after that the place has to be opened again."""

    name = ""
    is_live = False  # somebody may answer

    def open(self) -> None:
        raise NotImplementedError

    def write(self, data: bytes, is_ending: Callable[[], bool]) -> None:
        raise NotImplementedError

    def read(self) -> bytes:
        """Returns what the other side has sent since, which may be nothing."""
        return b""

    def close(self) -> None:
        pass


class SocketTransport(Transport):
    """A connection to a lab that listens."""

    is_live = True

    def __init__(self, address: object, name: str) -> None:
        self._address = address
        self.name = name
        self._socket: Optional[socket.socket] = None

    def open(self) -> None:
        self.close()
        family = socket.AF_UNIX if isinstance(self._address, str) else socket.AF_INET6 if len(self._address) == 4 else socket.AF_INET  # type: ignore[arg-type]
        new = socket.socket(family, socket.SOCK_STREAM)
        try:
            new.settimeout(1.0)
            new.connect(self._address)  # type: ignore[arg-type]
            if family == socket.AF_UNIX and hasattr(socket, "SO_PEERCRED"):
                _, user, _ = struct.unpack("3i", new.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                if user not in (os.getuid(), 0):
                    raise OSError("the socket belongs to another user")
            new.setblocking(False)
        except BaseException:
            new.close()
            raise
        self._socket = new

    def write(self, data: bytes, is_ending: Callable[[], bool]) -> None:
        if self._socket is None:
            raise OSError("not connected")
        rest = memoryview(data)
        while rest:
            try:
                sent = self._socket.send(rest)
                rest = rest[sent:]
            except (BlockingIOError, InterruptedError):
                if is_ending():
                    raise OSError("the viewer takes nothing") from None
                select.select([], [self._socket], [], _STEP_SECONDS)

    def read(self) -> bytes:
        if self._socket is None:
            return b""
        try:
            data = self._socket.recv(4096)
        except (BlockingIOError, InterruptedError):
            return b""
        if not data:
            raise OSError("the viewer has closed the connection")
        return data

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class FileTransport(Transport):
    """A file that grows by whole frames. One that exists is kept, and a number is added to the new one's name."""

    def __init__(self, path: str) -> None:
        wanted = Path(path)
        wanted.parent.mkdir(parents=True, exist_ok=True)
        for number in range(1, 10000):
            candidate = wanted if number == 1 else wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
            try:
                self._file = os.open(candidate, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
                break
            except FileExistsError:
                continue
        else:
            raise OSError(f"{path} and all its numbered names exist already")
        self.name = str(candidate)
        self._is_used = False

    def open(self) -> None:
        if self._is_used:  # a disk that was full: what follows a torn frame could not be read
            raise OSError("the file cannot be written any more")
        self._is_used = True

    def write(self, data: bytes, is_ending: Callable[[], bool]) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _tcp_address(text: str, allow_remote: bool) -> Tuple[object, ...]:
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f"'tcp:{text}' is no address: write tcp:127.0.0.1:PORT")
    host = "127.0.0.1" if host in ("", "localhost") else host
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback and not allow_remote:
        raise ValueError(f"tcp:{text} is not on this machine: statistics of the training leave it only with allow_remote=True")
    return (host, int(port), 0, 0) if ":" in host else (host, int(port))


def transport_to(to: Optional[str], allow_remote: bool = False, rank: int = 0) -> Transport:
    """Returns the place that `to` names; None: the lab that listens here, else a file in the current folder.

    Raises ValueError with one sentence if `to` names no place, and OSError if a file cannot be made.
    """
    if to is None:
        transport = transport_to(listening_place(), allow_remote, rank)
        try:
            transport.open()
            return transport
        except OSError:
            transport.close()
            to = time.strftime("mantissa-%Y%m%d-%H%M%S.mprobe")
    if to.startswith("unix:") and len(to) > len("unix:"):
        return SocketTransport(os.path.expanduser(to[len("unix:") :]), to)
    if to.startswith("tcp:"):
        return SocketTransport(_tcp_address(to[len("tcp:") :], allow_remote), to)
    if to.endswith(".mprobe"):
        return FileTransport(to if rank == 0 else f"{to[: -len('.mprobe')]}.rank{rank}.mprobe")
    raise ValueError(f"'{to}' is no place for a probe: write unix:PATH, tcp:127.0.0.1:PORT or FILE.mprobe")
