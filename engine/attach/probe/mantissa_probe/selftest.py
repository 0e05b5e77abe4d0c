# SPDX-License-Identifier: Apache-2.0
"""The self-test: a small model, trained here with and without the probe."""
from __future__ import annotations

import os
import tempfile
import time
from typing import Any, List, Tuple

import torch
from torch import nn

from . import graph
from .native import native_counter
from .watching import watch
from .reading import read_file

_STEPS = 30


def _train(model: nn.Module, path: str, is_compiled: bool) -> Tuple[List[float], float, List[str]]:
    torch.manual_seed(1)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    called: Any = torch.compile(model, fullgraph=True) if is_compiled else model
    probe = watch(called, optimizer, to=path, every=4, quiet=True) if path else None
    losses = []
    began = time.process_time()
    for _ in range(_STEPS):
        x = torch.randn(64, 64)
        loss = (called(x) - x.sin()).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        if probe is not None:
            probe.step(loss)
    seconds = time.process_time() - began
    if probe is not None:
        probe.close()
    return losses, seconds, probe.problems if probe is not None else []


def _case(name: str, is_compiled: bool, folder: str) -> bool:
    def model() -> nn.Module:
        return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))

    path = os.path.join(folder, f"{name}.mprobe")
    plain_losses, _, _ = _train(model(), "", is_compiled)
    watched_losses, _, problems = _train(model(), path, is_compiled)
    run = read_file(path)
    sent = [step["loss"] for step in run.steps]
    is_good = watched_losses == plain_losses and sent == watched_losses and not problems and not run.problem and bool(run.statistics)
    same = "the same losses with and without the probe" if watched_losses == plain_losses else "OTHER LOSSES WITH THE PROBE"
    print(f"{name}: {same}; {len(run.steps)} of {_STEPS} steps sent, statistics of {len(run.statistics_info)} steps")
    for problem in problems + ([run.problem] if run.problem else []):
        print(f"  {problem}")
    return is_good


def selftest() -> int:
    """Returns 0 if all is well, else 1."""
    print(f"torch {torch.__version__}")
    if native_counter() is not None:
        print("tensors on the CPU are counted in C")
    else:
        print("no C compiler was found: tensors on the CPU are counted with torch operations, which takes longer")
    with tempfile.TemporaryDirectory() as folder:
        is_good = _case("eager", False, folder)
        if graph.can_compile:
            try:
                is_good = _case("compiled", True, folder) and is_good
            except Exception as error:  # torch.compile itself needs what may be missing here
                print(f"compiled: not tried, as torch.compile does not work here ({type(error).__name__})")
        else:
            print("compiled: not tried, as this torch is too old")
    print("all is well" if is_good else "the self-test FAILED")
    return 0 if is_good else 1
