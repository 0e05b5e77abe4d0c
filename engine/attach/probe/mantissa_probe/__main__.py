# SPDX-License-Identifier: Apache-2.0
"""The command line: python -m mantissa_probe."""
from __future__ import annotations

import argparse
import sys

_TEXT = """\
Brings a PyTorch training run into Mantissa's window.

Two lines in the script:

    import mantissa_probe
    probe = mantissa_probe.watch(model, optimizer, scaler=scaler)
    for batch in data:
        ...                    # the loop stays as it is
        probe.step(loss)       # the only line that is added

The probe sends to a lab that listens on this machine; without one it writes FILE.mprobe here. With to= it goes elsewhere: "unix:PATH",
"tcp:127.0.0.1:PORT" or "FILE.mprobe".

Hugging Face:  from mantissa_probe.hugging_face import ProbeCallback; trainer.add_callback(ProbeCallback())
Lightning:     from mantissa_probe.lightning import ProbeCallback; Trainer(callbacks=[ProbeCallback()])

help(mantissa_probe.watch) lists all settings.
"""


def main() -> int:
    """Runs the command line and returns its exit code: 0, 1 where a self-test failed, 2 where the input is wrong."""
    parser = argparse.ArgumentParser(prog="python -m mantissa_probe", description=_TEXT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--selftest", action="store_true", help="trains a small model here, with and without the probe, and says what the probe can do")
    parser.add_argument("--version", action="store_true", help="prints the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    show = commands.add_parser("show", help="prints what a .mprobe file holds")
    show.add_argument("file", metavar="FILE.mprobe")
    show.add_argument("--steps", type=int, default=10, metavar="N", help="prints the last N steps (10 unless told)")
    show.add_argument("--json", action="store_true", help="prints each step as a line of JSON instead")
    arguments = parser.parse_args()
    if arguments.command == "show":
        return _show(arguments)
    if arguments.version:
        from .version import VERSION

        print(VERSION)
        return 0
    if arguments.selftest:
        from .selftest import selftest

        return selftest()
    parser.print_help()
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from .reading import read_file, summary

    try:
        run = read_file(arguments.file)
    except OSError as error:
        print(f"{arguments.file}: {error.strerror}", file=sys.stderr)
        return 2
    if run.hello is None:
        print(f"{arguments.file}: {run.problem or 'the file is empty'}", file=sys.stderr)
        return 2
    if arguments.json:
        import json

        for step in run.steps:
            print(json.dumps({key: value for key, value in step.items() if key != "magnitudes"}))
        if run.problem:
            print(f"{arguments.file}: {run.problem}", file=sys.stderr)
        return 0
    print(summary(run, max(arguments.steps, 0)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(0)
