#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the curves on the cards of the gallery: a few points of each run of each bundled experiment, from training it to its end.

  make_curves.py [--program build/release/bin/mantissa] [--csv FOLDER] [NAME...]

Without names it makes those of all experiments, which takes about half an hour on two cores. --csv: a folder with a folder of CSV files for
each experiment, as `mantissa train NAME --csv FOLDER/NAME` writes them; what is not there is trained. The window draws NAME.json in the
theme's colours; numbers that are not finite are the strings "NaN", "Infinity" and "-Infinity".
"""
import argparse
import csv
import glob
import json
import math
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POINTS = 90
# What shows best what an experiment is about; else its loss.
METRICS = {
    "how-the-scaler-breathes": "loss_scale",
    "scale-storm": "loss_scale",
    "scale-collapse": "loss_scale",
    "missing-zero-grad": "loss_scale",
    "one-bad-pixel": "val_loss",
    "heavy-tails": "val_loss",
}


def run_names(experiment):
    (path,) = glob.glob(os.path.join(ROOT, "resources/experiments", f"[0-9][0-9]-{experiment}.json"))
    with open(path) as file:
        return [run["name"] for run in json.load(file)["runs"]]


def points(rows, metric):
    """[steps], [values]: loss averaged over stretches of steps, up to where it is not finite; others as they are."""
    known = [(int(row["step"]), float(row[metric])) for row in rows if row[metric] != ""]
    if metric == "loss_scale":  # the steps at which it changes, and the last one
        known = [each for i, each in enumerate(known) if i in (0, len(known) - 1) or each[1] != known[i - 1][1]]
    stretch = max(1, math.ceil(len(known) / POINTS))
    steps, values = [], []
    for start in range(0, len(known), stretch):
        part = known[start:start + stretch]
        finite = [value for _, value in part if math.isfinite(value)]
        if len(finite) < len(part):
            value = next(value for _, value in part if not math.isfinite(value))
        elif metric == "loss":
            value = sum(finite) / len(finite)
        else:
            value = finite[-1]
        steps.append(part[-1][0] if start else part[0][0])
        values.append(float(f"{value:.4g}") if math.isfinite(value) else
                      "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity")
    return steps, values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/release/bin/mantissa"))
    parser.add_argument("--csv")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    listed = json.loads(subprocess.run([options.program, "experiments", "--json"], check=True, capture_output=True).stdout)
    for name in options.names or [each["name"] for each in listed["experiments"]]:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(options.csv or scratch, name)
            if not os.path.isdir(folder):
                # 3: a run could not go on, which may be what the experiment shows
                code = subprocess.run([options.program, "train", name, "--quiet", "--csv", folder]).returncode
                if code not in (0, 3):
                    raise SystemExit(f"make_curves: {name} was not trained")
            metric = METRICS.get(name, "loss")
            curves = []
            for run in run_names(name):
                with open(os.path.join(folder, re.sub("[^A-Za-z0-9._+-]", "_", run) + ".csv"), newline="") as file:
                    steps, values = points(list(csv.DictReader(file)), metric)
                curves.append({"steps": steps, "values": values})
        with open(os.path.join(HERE, name + ".json"), "w") as out:
            lines = ",\n".join("  " + json.dumps(curve, separators=(",", ":")) for curve in curves)
            out.write(f'{{"metric": "{metric}", "runs": [\n{lines}\n]}}\n')
        print(name)


if __name__ == "__main__":
    main()
