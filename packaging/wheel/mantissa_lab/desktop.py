# SPDX-License-Identifier: Apache-2.0
"""The menu entry, the type of recordings and their icons, for one user: under XDG_DATA_HOME, ~/.local/share without it."""

import os
import shutil
import subprocess
import sys

_SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "share")
_FILES = (
    "applications/mantissa-lab.desktop",
    "mime/packages/mantissa-lab.xml",
    "icons/hicolor/scalable/apps/mantissa-lab.svg",
    "icons/hicolor/scalable/mimetypes/application-x-mantissa-recording.svg",
)
# What update-mime-database and update-desktop-database write.
_GENERATED = {
    "mime": ("XMLnamespaces", "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache", "subclasses", "treemagic",
             "types", "version"),
    "applications": ("mimeinfo.cache",),
}  # fmt: skip


def install():
    home = _data_home()
    try:
        for name in _FILES:
            with open(os.path.join(_SHARE, name), encoding="utf-8") as file:
                text = file.read()
            if name.endswith(".desktop"):
                text = _with_program(text)
            path = os.path.join(home, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        sys.exit(f"mantissa-lab: {error.filename}: {error.strerror}")
    _update(home)
    print(f"The menu entry and the type of recordings are in {home}. `mantissa-lab --remove-desktop` takes them away.")


def remove():
    home = _data_home()
    try:
        for name in _FILES:
            if os.path.exists(os.path.join(home, name)):
                os.remove(os.path.join(home, name))
        _update(home)
        # Where nobody else has an entry, the databases have nothing to say.
        for folder, entries in (("mime", "mime/packages"), ("applications", "applications")):
            others = set(_listed(os.path.join(home, entries))) - set(_GENERATED["applications"])
            for name in _GENERATED[folder] if not others else ():
                path = os.path.join(home, folder, name)
                if os.path.isfile(path):
                    os.remove(path)
    except OSError as error:
        sys.exit(f"mantissa-lab: {error.filename}: {error.strerror}")
    for folder in ("applications", "mime/application", "mime/packages", "mime", "icons/hicolor/scalable/apps",
                   "icons/hicolor/scalable/mimetypes", "icons/hicolor/scalable", "icons/hicolor", "icons"):  # fmt: skip
        if os.path.isdir(os.path.join(home, folder)) and not _listed(os.path.join(home, folder)):
            os.rmdir(os.path.join(home, folder))
    print(f"The menu entry and the type of recordings are no longer in {home}.")


def _data_home():
    return os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")


def _listed(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def _with_program(entry):
    """The desktop entry with the full path of this program, which need not be on the desktop's PATH."""
    script = os.path.abspath(sys.argv[0])
    command = [sys.executable, "-m", "mantissa_lab"] if os.path.basename(script) == "__main__.py" else [script]
    lines = []
    for line in entry.splitlines():
        if line.startswith("Exec="):
            lines.append(f"TryExec={command[0]}")
            line = f"Exec={' '.join(map(_quoted, command))} %f"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _quoted(argument):
    """As the desktop entry specification quotes: first for the command, then once more for a value of the file."""
    for sign in '\\"`$':
        argument = argument.replace(sign, "\\" + sign)
    return '"' + argument.replace("\\", "\\\\").replace("%", "%%") + '"'


def _update(home):
    for program, folder in (("update-mime-database", "mime"), ("update-desktop-database", "applications")):
        if shutil.which(program) and os.path.isdir(os.path.join(home, folder)):
            subprocess.run([program, os.path.join(home, folder)], check=False, capture_output=True)
