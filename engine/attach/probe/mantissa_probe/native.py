# SPDX-License-Identifier: Apache-2.0
"""A counter in C for tensors on the CPU, compiled where a C compiler is found.

Counting with torch operations takes about ten times as long. Nothing depends on the compiler: without it, or with
MANTISSA_PROBE_NATIVE=0, torch operations count. The compiled file is kept in the user's cache folder, by source, compiler and processor.
"""
from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Optional

from .cells import PART_COUNT, PART_STARTS

CELL_ROOM = 20480  # bytes of a packed list of all cells


def _source() -> str:
    starts = ", ".join(f"{start}u" for start in PART_STARTS)
    body = (Path(__file__).parent / "count.c").read_text(encoding="utf-8")
    return (
        "#include <stddef.h>\n#include <stdint.h>\n"
        f"enum {{ kParts = {PART_COUNT} }};\nstatic const uint32_t kPartStarts[{len(PART_STARTS)}] = {{{starts}}};\n{body}"
    )


def _processor() -> str:
    """Returns what tells processors apart for which a file compiled here may not run."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    except OSError:
        pass
    return platform.processor() + platform.machine() + platform.node()


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base) / "mantissa_probe"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
        is_safe = status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if is_safe and os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="mantissa_probe_"))


def _compiled(compiler: str) -> Path:
    source = _source()
    key = hashlib.sha256("\n".join((source, compiler, platform.machine(), _processor())).encode()).hexdigest()[:20]
    folder = _cache_folder()
    library = folder / f"count_{key}.so"
    if library.exists():
        return library
    with tempfile.TemporaryDirectory(dir=folder) as work:
        code, built = Path(work) / "count.c", Path(work) / "count.so"
        code.write_text(source, encoding="utf-8")
        common = [compiler, "-O3", "-std=gnu11", "-shared", "-fPIC", "-o", str(built), str(code)]
        for flags in (["-march=native"], []):
            done = subprocess.run(common[:1] + flags + common[1:], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
            if done.returncode == 0:
                os.replace(built, library)
                return library
    raise OSError("the compiler refused the counter")


class NativeCounter:
    """The functions of count.c."""

    def __init__(self, library: Path) -> None:
        code = ctypes.CDLL(str(library))
        pointer, size, kind = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
        self.magnitude = code.mp_magnitude
        self.magnitude.argtypes, self.magnitude.restype = [pointer, size, kind], ctypes.c_uint32
        self.square_sum = code.mp_square_sum
        self.square_sum.argtypes, self.square_sum.restype = [pointer, size, kind], ctypes.c_double
        self.square_sums = code.mp_square_sums
        self.square_sums.argtypes, self.square_sums.restype = [pointer, pointer, size, kind], ctypes.c_double
        self.sketch = code.mp_sketch
        self.sketch.argtypes, self.sketch.restype = [pointer, size, kind, pointer], None
        self.count = code.mp_count
        self.count.argtypes, self.count.restype = [pointer, size, kind, pointer, pointer, size], size


_found: Optional[NativeCounter] = None
_is_tried = False


def native_counter() -> Optional[NativeCounter]:
    """Returns the counter, or None where it cannot be had. Takes a second or less the first time."""
    global _found, _is_tried
    if not _is_tried:
        _is_tried = True
        compiler = next((path for path in map(shutil.which, ("cc", "gcc", "clang")) if path), None)
        if compiler and os.environ.get("MANTISSA_PROBE_NATIVE", "1") != "0":
            try:
                _found = NativeCounter(_compiled(compiler))
            except (OSError, AttributeError, subprocess.SubprocessError):
                _found = None
    return _found
