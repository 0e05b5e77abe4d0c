# SPDX-License-Identifier: Apache-2.0
"""Begins to watch a training run."""
from __future__ import annotations

import os
import sys
from typing import Any, Callable, Optional, Sequence, Union

import torch
from torch import nn

from .messages import say
from .no_probe import NoProbe
from .probe import PROBES, Probe
from .transports import FileTransport, listening_place, transport_to


def _rank_and_world() -> "tuple[int, int]":
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    try:
        return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    except ValueError:
        return 0, 1


def watch(
    model: nn.Module,
    optimizer: Union[Any, Sequence[Any], None] = None,
    *,
    scaler: Any = None,
    to: Optional[str] = None,
    name: Optional[str] = None,
    budget: float = 0.01,
    every: Optional[int] = None,
    gradients: str = "sampled",
    flags: str = "needed",
    blocks: bool = False,
    sketches: bool = False,
    ranks: str = "0",
    token: Optional[str] = None,
    allow_remote: bool = False,
    include: Optional[Callable[[str, nn.Module], bool]] = None,
    first_step: int = 0,
    quiet: bool = False,
) -> Union[Probe, NoProbe]:
    """Watches a training run.

    Call it once, before the first step and, for torch.compile, before the first call of the model. Then call `probe.step(loss)` at the end
    of each step.

    model         the module that the loop calls; wrappers of torch.compile and of data parallelism are seen through
    optimizer     an optimizer or a list of them
    scaler        the GradScaler, if there is one
    to            "unix:PATH", "tcp:127.0.0.1:PORT" or "FILE.mprobe"; without it a lab that listens on this machine, else a new file here
    name          what the run is called; without it the script's name
    budget        the share of a step's time that the probe may take; 0.01 by default
    every         statistics in each step that is a multiple of this, instead of those that the budget allows; 0: only when asked
    gradients     "sampled": gradients of outputs are measured in steps with statistics; "always": in each step; "never"
    flags         when the largest magnitude of each output is measured. "needed": in steps with statistics, in the hundred steps after a bad
                  one, and where what the model returns is not finite, so that the first module whose output is not finite is named in that
                  step; "always": in each step; "sampled": only in steps with statistics and in the hundred steps after a bad one. Weight
                  gradients name the module of a non-finite step in any case
    blocks        of large tensors, one block is counted in each step with statistics instead of all elements
    sketches      statistics have a sketch of each tensor, by which the lab compares this run with another one, module by module
    ranks         "0": rank 0 sends; "all": each rank sends for itself, and is a run of its own in the lab
    token         what a lab on a TCP port asks for; without it the environment's MANTISSA_TOKEN
    allow_remote  lets the statistics go to another machine
    include       which modules are watched: a function of the path and the module
    first_step    the number of the first step, for a run that goes on from a checkpoint

    Raises ValueError where an argument is wrong. After that nothing raises.
    """
    if not isinstance(model, nn.Module):
        raise ValueError(f"model has type {type(model).__name__}, not torch.nn.Module: write watch(model, optimizer)")
    if gradients not in ("sampled", "always", "never"):
        raise ValueError(f"gradients is '{gradients}', and can be 'sampled', 'always' or 'never'")
    if flags not in ("needed", "always", "sampled"):
        raise ValueError(f"flags is '{flags}', and can be 'needed', 'always' or 'sampled'")
    if ranks not in ("0", "all"):
        raise ValueError(f"ranks is '{ranks}', and can be '0' or 'all'")
    if every is not None and every < 0:
        raise ValueError(f"every is {every}, and can be 0 or more")
    if not 0 <= budget <= 1:
        raise ValueError(f"budget is {budget}, and can be from 0 to 1")
    if first_step < 0:
        raise ValueError(f"first_step is {first_step}, and can be 0 or more")
    rank, world = _rank_and_world()
    if rank != 0 and ranks != "all":
        return NoProbe()
    for earlier in list(PROBES):  # as where a notebook's cell is run again
        if earlier.watches(model, to):
            earlier.close()
    transport = transport_to(to, allow_remote, rank)
    optimizers = [] if optimizer is None else list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
    optimizers = [inner if isinstance(inner := getattr(o, "optimizer", None), torch.optim.Optimizer) else o for o in optimizers]  # accelerate's
    try:
        probe = Probe(
            model,
            optimizers,
            scaler,
            transport,
            to=to,
            is_quiet=quiet,
            name=name or os.path.basename(sys.argv[0] or "") or "training",
            token=token if token is not None else os.environ.get("MANTISSA_TOKEN", ""),
            rank=rank,
            world=world,
            budget=budget,
            every=every,
            gradients=gradients,
            flags=flags,
            blocks=blocks,
            sketches=sketches,
            include=include,
            first_step=first_step,
        )
    except Exception as error:  # the training goes on, whatever its model is
        say(f"this model cannot be watched: {type(error).__name__}: {error}")
        return NoProbe()
    if not quiet:
        is_alone = to is None and isinstance(transport, FileTransport) and not listening_place().endswith(".mprobe")
        words = f"no lab listens at {listening_place()}: writes {transport.name}, which mantissa-lab opens" if is_alone else f"sends to {transport.name}"
        say(f"{'rank ' + str(rank) + ' ' if world > 1 else ''}{words}")
    return probe
