# SPDX-License-Identifier: Apache-2.0
"""Experiments and recordings as arrays."""

import builtins
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Mapping

from .programs import engine_program

_WHOLE = ("step", "samples", "skipped", "skipped_total", "memory_bytes")
_TEXT = ("flags",)


class MantissaError(RuntimeError):
    """The program refused its input, or could not go on. The message is its sentence."""


class Run(Mapping):
    """One training run: a mapping from a column's name to an array with one value for each step.

    The columns are those of the CSV files: `step`, `loss`, `loss_scale`, `skipped`, `grad_norm`, `lr`, `val_loss` and others. A value that
    was not measured in a step is NaN.

    name:     the run's name
    settings: the run's settings, as the experiment file has them; of a watched run name, precision and scaler
    events:   live changes and first non-finite tensors, a list of dicts, as `mantissa export --to jsonl` writes them
    summary:  the run's entry in the output of `mantissa train --json`; empty for a recording
    """

    def __init__(self, name, settings, events, summary, columns):
        self.name, self.settings, self.events, self.summary, self._columns = name, settings, events, summary, columns

    def __getitem__(self, column):
        return self._columns[column]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def __repr__(self):
        return f"<Run {self.name!r}: {len(self._columns['step'])} steps>"


class Results(Mapping):
    """The runs of an experiment: a mapping from a run's name to its `Run`, in the experiment's order.

    summary:   the whole output of `mantissa train --json`; empty for a recording
    recording: the path of the recording that holds them, or None if it was not kept
    """

    def __init__(self, runs, summary, recording=None):
        self._runs, self.summary, self.recording = {run.name: run for run in runs}, summary, recording

    def query(self, sql):
        """Run a SELECT statement over the recording, as the function `query` does."""
        if self.recording is None:
            raise MantissaError("the recording was not kept: run(..., record=PATH) keeps it")
        return query(self.recording, sql)

    def __getitem__(self, name):
        return self._runs[name]

    def __iter__(self):
        return iter(self._runs)

    def __len__(self):
        return len(self._runs)

    def __repr__(self):
        return f"<Results: {', '.join(self._runs)}>"


def run(experiment="four-formats", *, steps=None, seconds=None, device=None, settings=None, record=None):
    """Train an experiment and return its results.

    experiment: the name of a bundled experiment, the path of an experiment file, or an experiment as a dict
    steps:      steps of each run, instead of the experiment's
    seconds:    stop after this many seconds
    device:     "auto", "cpu" or "cuda:0"
    settings:   a dict from JSON pointers to values that replace the experiment's, {"/optimizer/lr": 0.01}
    record:     path of a new recording (.mantissa) that is kept

    A run that its loss scaler ends early is a result: its `summary["stopped"]` has the reason.
    """
    with tempfile.TemporaryDirectory(prefix="mantissa-") as folder:
        if isinstance(experiment, Mapping):
            path = os.path.join(folder, "experiment.json")
            with builtins.open(path, "w", encoding="utf-8") as file:
                json.dump(experiment, file)
            experiment = path
        recording = os.fspath(record) if record is not None else os.path.join(folder, "run.mantissa")
        arguments = ["train", "--json", "--record", recording]
        for option, value in (("--steps", steps), ("--seconds", seconds), ("--device", device)):
            if value is not None:
                arguments += [option, str(value)]
        for pointer, value in (settings or {}).items():
            arguments += ["--set", f"{pointer}={value if isinstance(value, str) else json.dumps(value)}"]
        summary = _call([*arguments, "--", os.fspath(experiment)], accepted=(0, 3))
        return _read(recording, json.loads(summary), recording if record is not None else None)


def open(recording):  # noqa: A001  called as mantissa_lab.open
    """Read a recording (.mantissa) and return its runs as arrays."""
    recording = os.fspath(recording)
    return _read(recording, {}, recording)


def query(recording, sql):
    """Run a SELECT statement over a recording (.mantissa) and return its rows as a list of dicts.

    `mantissa query FILE` lists the tables: `runs`, `steps`, `events`, `changes`, `nonfinite`, `notes` and `facts`. NULL, which NaN is in SQL,
    is None; infinities are the strings "Infinity" and "-Infinity". Of columns with one name, `loss`, the second is `loss:1`. If steps are
    missing from the recording, a warning says so.
    """
    return json.loads(_call(["query", "--json", "--", os.fspath(recording), sql], accepted=(0, 3), warns=True))


def _call(arguments, accepted=(0,), warns=False):
    try:
        done = subprocess.run([engine_program(), *arguments], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    except ValueError as error:  # a character that no argument can hold
        raise MantissaError(str(error)) from None
    # Exit code 3 with output: a run ended early, and the output says so.
    if done.returncode not in accepted or (done.returncode != 0 and not done.stdout):
        lines = done.stderr.strip().splitlines() or [f"mantissa ended with {done.returncode}"]
        raise MantissaError(lines[-1].removeprefix("mantissa: "))
    if warns and done.returncode != 0:
        warnings.warn(done.stderr.strip().removeprefix("mantissa: "), stacklevel=3)
    return done.stdout


def _read(recording, summary, kept):
    try:
        import numpy
    except ImportError as error:
        raise ImportError("mantissa_lab returns NumPy arrays: pip install numpy") from error
    summaries = {entry["name"]: entry for entry in summary.get("runs", [])}
    runs = []
    with tempfile.TemporaryDirectory(prefix="mantissa-") as folder:
        written = _call(["export", "--to", "jsonl", "--out", folder, "--", recording])
        for path in filter(None, written.split("\n")):  # a name may hold what splitlines takes for an end
            with builtins.open(path, encoding="utf-8") as file:
                head, *lines = map(json.loads, file)
            rows = [line for line in lines if "event" not in line]
            columns = {}
            for name in dict.fromkeys(name for row in rows for name in row):
                if name in _TEXT:
                    columns[name] = numpy.array([row.get(name, "") for row in rows], dtype=object)
                elif name in _WHOLE and all(name in row for row in rows):
                    columns[name] = numpy.array([row[name] for row in rows], dtype=numpy.int64)
                else:  # as where a watched run does not know a count; "NaN", "Infinity" and "-Infinity" are strings there; float() reads them
                    columns[name] = numpy.array([float(row.get(name, "nan")) for row in rows])
            columns.setdefault("step", numpy.array([], dtype=numpy.int64))
            for name in ("val_loss", "val_accuracy"):  # where no step was validated
                columns.setdefault(name, numpy.full(len(rows), numpy.nan))
            events = [line for line in lines if "event" in line]
            runs.append(Run(head["run"], head["settings"], events, summaries.get(head["run"], {}), columns))
    return Results(runs, summary, kept)
