# SPDX-License-Identifier: Apache-2.0
"""Two ranks: each sends for itself, counts add up to those of all data, and what a scaler finds stays apart."""
import os
import subprocess

from support import *

SCRIPT = f"""
import sys; sys.path.insert(0, {str(ROOT / 'engine/attach/probe')!r}); sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from support import *
import torch.distributed as distributed
rank, folder, ranks = int(sys.argv[1]), sys.argv[2], sys.argv[3]
distributed.init_process_group("gloo", init_method="file://" + folder + "/meet" + ranks, rank=rank, world_size=2)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
parallel = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), 0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10) if HAS_CPU_SCALER else None
probe = mantissa_probe.watch(parallel, optimizer, scaler=scaler, to=folder + f"/{{ranks}}.mprobe", ranks=ranks, every=2, quiet=True)
torch.manual_seed(100 + rank)
for step in range(5):
    x = torch.randn(3 + rank, 4)
    if step == 3: x *= 1e38 if rank == 1 else 1
    loss = parallel(x).square().mean()
    if scaler: scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()
    else: loss.backward(); optimizer.step()
    optimizer.zero_grad()
    probe.step(loss)
probe.close()
distributed.destroy_process_group()
"""


SHARDED = f"""
import sys; sys.path.insert(0, {str(ROOT / 'engine/attach/probe')!r}); sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from support import *
import torch.distributed as distributed
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
rank, folder = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method="file://" + folder + "/meet", rank=rank, world_size=2)
mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2,))
for kind in ("new", "flat", "original"):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    if kind == "new": fully_shard(model, mesh=mesh)
    else: model = FullyShardedDataParallel(model, use_orig_params=kind == "original", device_id=torch.device("cpu"))
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    probe = mantissa_probe.watch(model, optimizer, to=folder + f"/{{kind}}.mprobe", every=2, quiet=True)
    for step in range(4):
        loss = model(torch.randn(3, 4)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        probe.step(loss)
    probe.close()
distributed.destroy_process_group()
"""


class Ranks(ProbeTest):
    def train(self, ranks, script=SCRIPT):
        command = [sys.executable, "-W", "ignore", "-c", script]
        processes = [
            subprocess.Popen([*command, str(rank), str(self.folder), ranks], stderr=subprocess.PIPE, text=True) for rank in range(2)
        ]
        for process in processes:
            _, error = process.communicate(timeout=240)
            self.assertEqual(process.returncode, 0, error)

    def test_all_ranks(self):
        if not torch.distributed.is_available():
            self.skipTest("this torch has no gloo")
        self.train("all")
        runs = [self.read("all.mprobe"), self.read("all.rank1.mprobe")]
        self.assertEqual([(r.hello["rank"], r.hello["world"]) for r in runs], [(0, 2), (1, 2)])
        sums = reading.merged(runs)
        both = sums[0, "0.output"]
        self.assertEqual(sum(both.classes), (3 + 4) * 8)
        parts = [next(s for s in r.statistics if s.step == 0 and r.tensors[s.tensor]["name"] == "0.output") for r in runs]
        self.assertEqual(both.classes, tuple(a + b for a, b in zip(parts[0].classes, parts[1].classes)))
        self.assertEqual(sum(both.counts().values()), both.classes[1] + both.classes[3])
        self.assertEqual(both.abs_max, max(p.abs_max for p in parts))
        # the second rank's forward pass overflowed, and both skipped, as gradients are averaged
        first = [r.steps[3]["first_bad"] for r in runs]
        self.assertIsNotNone(first[1])
        if HAS_CPU_SCALER:
            self.assertEqual([r.steps[3]["optimizers"][0]["found_inf"] for r in runs], [{"cpu": 1.0}] * 2)
            self.assertEqual([r.steps[3]["optimizers"][0]["skipped"] for r in runs], [True] * 2)
        self.assertNotEqual(runs[0].steps[0]["loss"], runs[1].steps[0]["loss"])

    def test_a_norm_of_sharded_gradients_is_not_known(self):
        try:
            from torch.distributed.fsdp import fully_shard  # noqa: F401
        except (ImportError, ValueError):  # ValueError: torch 1.13's dataclasses under Python 3.11
            self.skipTest("this torch is too old")
        self.train("0", SHARDED)
        for kind in ("new", "flat", "original"):
            with self.subTest(kind):
                run = reading.read_file(self.path(f"{kind}.mprobe"))
                self.assertEqual(run.problems, ["RuntimeError: the gradient norm is not known: gradients are sharded over ranks"])
                self.assertEqual([(s["optimizers"][0]["grad_norm"], s["optimizers"][0]["stepped"]) for s in run.steps], [(None, True)] * 4)

    def test_rank_0_alone(self):
        self.train("0")
        self.assertEqual(sorted(p.name for p in self.folder.glob("*.mprobe")), ["0.mprobe"])
        self.assertEqual(len(self.read("0.mprobe").steps), 5)


if __name__ == "__main__":
    main()
