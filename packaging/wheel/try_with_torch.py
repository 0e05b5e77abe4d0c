#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether mantissa-lab, mantissa-probe, PySide6 and torch go together in one environment, in both orders of import.

Run it with the Python of an environment that has all four. It exits with 1 and a line where they do not.
"""

import subprocess
import sys

ORDERS = ("import torch, mantissa_probe, mantissa_lab", "import mantissa_lab, mantissa_probe, torch")
TRIAL = """
from PySide6 import QtCore
before = mantissa_lab.run(steps=30)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))
optimizer = torch.optim.AdamW(model.parameters())
with tempfile.TemporaryDirectory() as folder:
    probe = mantissa_probe.watch(model, optimizer, to=folder + "/trial.mprobe")
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(torch.randn(32, 64)), torch.randint(0, 10, (32,)))
        loss.backward()
        optimizer.step()
        probe.step(loss)
    problems = list(probe.problems)
    probe.close()
after = mantissa_lab.run(steps=30)
for name, run in before.items():
    assert (run["loss"] == after[name]["loss"]).all(), name
assert not problems, problems
# The programs are processes of their own: none of their libraries is in this one.
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "mantissa_lab" in line}
assert not mapped, mapped
print(loss.item(), before["bf16"]["loss"][-1])
"""


def main():
    said = []
    for order in ORDERS:
        done = subprocess.run([sys.executable, "-c", f"import tempfile\n{order}\n{TRIAL}"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"wrong: after `{order}`: {done.stderr.strip().splitlines()[-1]}")
        said.append(done.stdout.strip())
    if said[0] != said[1]:
        sys.exit(f"wrong: the order of import changes the losses: {said}")
    print(f"both orders train the same: losses {said[0]}")


if __name__ == "__main__":
    main()
