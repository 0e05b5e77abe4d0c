#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes logs.wandb, logs-trackio.db, logs.tfevents and nvdlfw_inspect_globalrank-0.log: what the real programs write of the same small training.

    python tests/golden/make_logs.py FOLDER

Needs wandb, trackio, tensorboard, numpy and nvdlfw-inspect. Made with wandb 0.31.0, trackio 0.43.0, tensorboard 2.21.0 and
nvdlfw-inspect 0.2.2.
"""
import glob
import math
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile

import numpy as np

STEPS = 12


def values(step):
    """Values of a step: every kind that a run may have."""
    loss = math.nan if step == 4 else math.inf if step == 5 else 3.0 / (1 + step)
    return {"train/loss": loss, "lr": 1e-3 * (1 + step), "loss_scale": 65536 if step < 5 else 32768, "perplexity": 20 - step}


def make_wandb(target):
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=tempfile.mkdtemp())
    import wandb
    with wandb.init(project="lab", name="small-gpt", config={"depth": 2}, settings=wandb.Settings(x_disable_stats=True, x_disable_meta=True,
                    console="off", disable_git=True, save_code=False, host="host", root_dir=os.environ["WANDB_DIR"])) as run:
        for step in range(STEPS):
            row = values(step) | {"eval": {"loss": 4.0 - step}} if step % 4 == 0 else values(step)
            run.log(row | {"weights": wandb.Histogram([1.0, 2.0, 3.0]), "note": "text", "flag": True})
        run.log({"blob": "x" * 33000, "train/loss": 0.125})  # a record longer than a block
    shutil.copy(glob.glob(os.environ["WANDB_DIR"] + "/wandb/offline-run-*/run-*.wandb")[0], target)


def make_trackio(target):
    folder = tempfile.mkdtemp()
    os.environ["TRACKIO_DIR"] = folder
    import trackio
    for name, scale in (("first", 1.0), ("second", 2.0)):
        trackio.init(project="lab", name=name, config={"depth": 2}, embed=False)
        for step in range(STEPS):
            row = values(step)
            trackio.log(row | {"train/loss": row["train/loss"] * scale, "eval": {"loss": 4.0 - step}})
        trackio.finish()
    found = glob.glob(folder + "/**/lab.db", recursive=True)
    small = sqlite3.connect(found[0])
    small.execute("PRAGMA journal_mode = DELETE")
    small.execute("PRAGMA page_size = 512")  # a file of 30 KB instead of 200
    small.execute("VACUUM")
    small.close()
    shutil.copy(found[0], target)


def make_events(target):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
    from tensorboard.plugins.histogram.summary import histogram_pb
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    folder = tempfile.mkdtemp()
    writer = EventFileWriter(folder)
    generator = np.random.default_rng(1)
    for step in range(STEPS):
        sample = generator.standard_normal(1000)
        old = HistogramProto(min=float(sample.min()), max=float(sample.max()), num=1000, sum=float(sample.sum()),
                             sum_squares=float(np.square(sample).sum()), bucket_limit=[0, 10], bucket=[500, 500])
        summary = Summary(value=[Summary.Value(tag="train/loss", simple_value=values(step)["train/loss"]),
                                 Summary.Value(tag="weights", histo=old)])
        writer.add_event(Event(step=step, wall_time=step, summary=summary))
        writer.add_event(Event(step=step, wall_time=step, summary=histogram_pb("gradients", sample, buckets=8)))
    writer.close()
    shutil.copy(glob.glob(folder + "/*tfevents*")[0], target)


def make_inspect(target):
    import logging
    import types
    try:
        import torch.distributed  # noqa: F401
    except ImportError:  # it asks for the rank alone
        torch = types.ModuleType("torch")
        torch.distributed = types.SimpleNamespace(is_initialized=lambda: False)
        sys.modules |= {"torch": torch, "torch.distributed": torch.distributed}
    import importlib.util
    import sysconfig
    spec = importlib.util.spec_from_file_location("inspect_logging", sysconfig.get_paths()["purelib"] + "/nvdlfw_inspect/logging.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tempfile.mkdtemp()
    logger = module.FileLogger("nvdlfw_inspect", folder)
    logger._initialize_stats_logger("nvdlfw_inspect_statistics_logs")
    for step in range(STEPS):
        logger.log_scalar("decoder.1.fc1_activation_fp8_underflows%", 0.25 * step, step)
        logger.log_scalar("decoder.1.fc1_activation_amax", 4.3188 + step, step)
    logging.shutdown()
    shutil.copy(folder + "/nvdlfw_inspect_statistics_logs/nvdlfw_inspect_globalrank-0.log", target)


def main():
    folder = pathlib.Path(sys.argv[1])
    make_wandb(folder / "logs.wandb")
    make_trackio(folder / "logs-trackio.db")
    make_events(folder / "logs.tfevents")
    make_inspect(folder / "nvdlfw_inspect_globalrank-0.log")


main()
