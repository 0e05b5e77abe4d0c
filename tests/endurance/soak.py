#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the memory of train, serve and the window over hours of training at full speed.

The programs train side by side for --hours; once a minute their resident memory is read from /proc. The last lines say, for each program,
its memory at the end, its growth by steps (least squares over the second half, with the standard error), and what that makes of 24 hours at
the highest rate that was seen. Each records what it trains. Needs Xvfb where there is no display. Example: tests/endurance/soak.py build/release/bin --hours 2 --samples soak.csv
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

LIMITS_MB = {"train": 300, "window": 1000, "serve": 300}  # after 24 hours; serve is the window's engine, and counts with the window too
EXPERIMENT = {
    "title": "Soak", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [16]},
    "optimizer": {"kind": "adamw", "lr": 0.001}, "steps": 1_000_000_000, "validation_interval": 1000,
    "runs": [{"name": "fp32", "precision": "fp32"}, {"name": "fp16", "precision": "fp16", "scaler": {"preset": "pytorch", "growth_interval": 200}}]}


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def child_of(pid, name):
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text()
        except OSError:
            continue
        command, rest = fields[fields.index("(") + 1:fields.rindex(")")], fields[fields.rindex(")") + 2:].split()
        if int(rest[1]) == pid and command == name:
            return int(entry.name)
    raise SystemExit(f"no {name} below process {pid}")


def growth(samples):
    """MB a million steps and its standard error, by least squares over the second half of (hours, steps, MB)."""
    half = samples[len(samples) // 2:]
    steps = sum(s for _, s, _ in half) / len(half)
    mean = sum(mb for _, _, mb in half) / len(half)
    spread = sum((s - steps) ** 2 for _, s, _ in half)
    if spread == 0 or len(half) < 3:
        return 0.0, 0.0
    slope = sum((s - steps) * (mb - mean) for _, s, mb in half) / spread
    rest = sum((mb - mean - slope * (s - steps)) ** 2 for _, s, mb in half) / (len(half) - 2)
    return 1e6 * slope, 1e6 * (rest / spread) ** 0.5


def highest_rate(samples):
    """Steps a second over ten samples, or over all of fewer: of the time when nothing else ran on the machine, if there was any."""
    apart = min(10, len(samples) - 1)
    return max((later[1] - earlier[1]) / (3600 * (later[0] - earlier[0])) for earlier, later in zip(samples, samples[apart:]))


def recorded_steps(folder):
    """Rows of the recordings below the folder, read without the programs under test."""
    steps = 0
    for file in folder.rglob("*.mantissa"):
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            steps += database.execute("SELECT coalesce(max(seq), 0) FROM steps").fetchone()[0]
    return steps


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("programs", type=pathlib.Path, help="the folder with mantissa and mantissa-lab")
    options.add_argument("--only", choices=["train", "window"], help="train, or the window with its engine, alone")
    options.add_argument("--hours", type=float, default=2)
    options.add_argument("--samples", type=pathlib.Path, help="a CSV file for what was read")
    options.add_argument("--seconds", type=float, default=60, help="between two samples")
    options = options.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="mantissa-soak-"))
    experiment = folder / "soak.json"
    experiment.write_text(json.dumps(EXPERIMENT))
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder)}
    window = [str(options.programs / "mantissa-lab"), "--pace", "0", str(experiment)]
    if "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
        window = ["xvfb-run", "-a", "-s", "-screen 0 1920x1080x24"] + window
    (folder / "train").mkdir()
    started, pids = {}, {}
    if options.only != "window":
        started["train"] = subprocess.Popen([options.programs / "mantissa", "train", experiment, "--quiet", "--record", folder / "train/soak.mantissa"])
        pids["train"] = [started["train"].pid]
    if options.only != "train":
        started["window"] = subprocess.Popen(window, env=environment, start_new_session=True)
        time.sleep(15)  # Xvfb, the window and its engine are up by then
        lab = started["window"].pid if window[0] != "xvfb-run" else child_of(started["window"].pid, "mantissa-lab")
        pids["window"] = [lab, child_of(lab, "mantissa")]
        pids["serve"] = pids["window"][1:]
    recordings = {"train": folder / "train", "window": folder / "data", "serve": folder / "data"}

    begin, samples, rows = time.monotonic(), {name: [] for name in pids}, ["program,hours,steps,mb"]
    try:
        while (hours := (time.monotonic() - begin) / 3600) < options.hours:
            for name in pids:
                samples[name].append((hours, recorded_steps(recordings[name]), sum(resident_mb(pid) for pid in pids[name])))
                rows.append(f"{name},{hours:.4f},{samples[name][-1][1]},{samples[name][-1][2]:.1f}")
            if options.samples:
                options.samples.write_text("\n".join(rows) + "\n")
            time.sleep(options.seconds)
    finally:
        for name in started:
            os.kill(pids[name][0], signal.SIGTERM)
        failed = any([program.wait(60) != 128 + signal.SIGTERM for program in started.values()])

    for name in pids:
        limit = LIMITS_MB[name]
        (slope, error), rate = growth(samples[name]), highest_rate(samples[name])
        hours, steps, resident = samples[name][-1]
        highest = max(mb for _, _, mb in samples[name])
        # A slope within twice its error is none: what is kept of old steps is thinned from time to time, so that memory is a sawtooth.
        day = highest + (max(slope, 0) * max(rate * 86400 - steps, 0) / 1e6 if slope > 2 * error else 0)
        failed |= day > limit
        print(f"{name}: {hours:.2f} hours, {steps} steps, {resident:.0f} MB, highest {highest:.0f} MB; {slope:+.3f} (error {error:.3f}) MB "
              f"a million steps; 24 hours at {rate:.0f} steps a second: {day:.0f} MB (limit {limit})")
    shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
