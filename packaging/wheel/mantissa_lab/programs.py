# SPDX-License-Identifier: Apache-2.0
"""Starts the programs of this package in place of Python.

The window needs Qt from the package PySide6-Essentials, which it finds by a relative path, and libraries of the system. What is missing is
said in one sentence.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_EXIT_BAD_USAGE, _EXIT_CANNOT_START = 2, 3

# Debian's and Ubuntu's packages of the libraries that Qt needs from the system.
_DEBIAN = {
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libX11.so.6": "libx11-6", "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3", "libfontconfig.so.1": "libfontconfig1", "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0", "libgthread-2.0.so.0": "libglib2.0-0", "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0", "libxcb.so.1": "libxcb1", "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4", "libxcb-image.so.0": "libxcb-image0", "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0", "libxcb-render.so.0": "libxcb-render0", "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0", "libxcb-shm.so.0": "libxcb-shm0", "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1", "libxcb-xfixes.so.0": "libxcb-xfixes0", "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0", "libwayland-cursor.so.0": "libwayland-cursor0", "libzstd.so.1": "libzstd1",
    "libz.so.1": "zlib1g",
}  # fmt: skip


def engine_program():
    """The path of the program `mantissa`."""
    return os.path.join(_FOLDER, "bin", "mantissa")


def engine():
    """The console script `mantissa`."""
    _replace(engine_program(), os.environ)


def window():
    """The console script `mantissa-lab`."""
    if sys.argv[1:2] in (["--install-desktop"], ["--remove-desktop"]):
        from . import desktop

        if len(sys.argv) > 2:
            _end(f"{sys.argv[1]} takes no arguments", _EXIT_BAD_USAGE)
        (desktop.install if sys.argv[1] == "--install-desktop" else desktop.remove)()
        return
    program = os.path.join(_FOLDER, "bin", "mantissa-lab")
    environment = dict(os.environ)
    qt = _qt_folder()
    if qt is None:
        _end("Qt is missing here: pip install PySide6-Essentials", _EXIT_CANNOT_START)
    # Installed elsewhere than this package; or another Qt may lie on the path, which Qt's own libraries search before their folder.
    if not os.path.samefile(os.path.dirname(os.path.dirname(qt)), os.path.dirname(_FOLDER)) or "LD_LIBRARY_PATH" in environment:
        _put_first(environment, "LD_LIBRARY_PATH", os.path.join(qt, "lib"))
    _provide_libraries(program, qt, environment)
    if not _has_fonts():
        environment.setdefault("FONTCONFIG_FILE", os.path.join(_FOLDER, "fonts", "fonts.conf"))
    if {"--help", "-h", "--version", "-v"} & set(sys.argv[1:]):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")  # they open no window
    if {"--help", "-h"} & set(sys.argv[1:]):
        ended = os.spawnve(os.P_WAIT, program, [program, *sys.argv[1:]], environment)
        print("\nOf the Python package:\n  --install-desktop  Add the menu entry and the file type for this user, and end.\n"
              "  --remove-desktop   Take them away again, and end.")  # fmt: skip
        sys.exit(ended)
    _replace(program, environment)


def _end(sentence, code):
    print(f"mantissa-lab: {sentence}", file=sys.stderr)
    sys.exit(code)


def _replace(program, environment):
    sys.stdout.flush()
    try:
        os.execve(program, [program, *sys.argv[1:]], environment)
    except OSError as error:
        _end(f"{program}: {error.strerror}", _EXIT_CANNOT_START)


def _put_first(environment, variable, folder):
    before = environment.get(variable)
    environment[variable] = f"{folder}:{before}" if before else folder


def _qt_folder():
    for place in [os.path.dirname(_FOLDER), *sys.path]:
        qt = os.path.join(place, "PySide6", "Qt")
        if os.path.exists(os.path.join(qt, "lib", "libQt6Widgets.so.6")):
            return qt
    return None


def _provide_libraries(program, qt, environment):
    """Adds the package's own copies of small X libraries where the system lacks them; ends with a sentence where others are missing."""
    plugin = _display_plugin(qt)
    missing = _missing_libraries(program, plugin, environment)
    copies = os.path.join(_FOLDER, "fallback")
    if any(os.path.exists(os.path.join(copies, name)) for name in missing):
        _put_first(environment, "LD_LIBRARY_PATH", copies)
        missing = _missing_libraries(program, plugin, environment)
    if missing:
        _end(_missing_sentence(missing), _EXIT_CANNOT_START)


def _display_plugin(qt):
    """The plug-in that Qt will open its window with, or None where that needs no library of the system."""
    name = os.environ.get("QT_QPA_PLATFORM", "").split(";")[0].split(":")[0]
    if not name:
        is_wayland = "WAYLAND_DISPLAY" in os.environ and os.environ.get("XDG_SESSION_TYPE") == "wayland"
        name = "wayland" if is_wayland else "xcb" if os.environ.get("DISPLAY") else ""
    path = os.path.join(qt, "plugins", "platforms", f"libq{name}.so")
    return path if name in ("xcb", "wayland") and os.path.exists(path) else None


def _missing_libraries(program, plugin, environment):
    """The libraries that the system's loader does not find for the program; it lists them instead of starting it."""
    environment = dict(environment, LD_TRACE_LOADED_OBJECTS="1")
    if plugin:
        _put_first(environment, "LD_PRELOAD", plugin)
    # Not with `subprocess`, whose import takes as long as Python's own start.
    reading, writing = os.pipe()
    to_null = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    child = os.posix_spawn(program, [program], environment, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), to_null])
    os.close(writing)
    with os.fdopen(reading, errors="replace") as file:
        listed = file.read()
    os.waitpid(child, 0)
    return sorted({line.split()[0] for line in listed.splitlines() if line.endswith("=> not found")})


def _missing_sentence(missing):
    import shutil

    sentence = f"the window needs libraries that this system lacks: {', '.join(missing)}."
    if shutil.which("apt-get") and all(name in _DEBIAN for name in missing):
        sentence += f" Debian and Ubuntu have them: apt install {' '.join(sorted({_DEBIAN[name] for name in missing}))}"
    elif shutil.which("dnf"):
        sentence += " Fedora and RHEL have them: dnf install " + " ".join(f"'{name}()(64bit)'" for name in missing)
    return sentence + " (`mantissa`, the command line, runs without them.)"


def _has_fonts():
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    for folder in ("/usr/share/fonts", "/usr/local/share/fonts", os.path.join(data, "fonts"), os.path.expanduser("~/.fonts")):
        for _, _, files in os.walk(folder):
            if any(name.lower().endswith((".ttf", ".otf", ".ttc")) for name in files):
                return True
    return False
