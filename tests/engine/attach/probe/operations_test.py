# SPDX-License-Identifier: Apache-2.0
"""How many operations the probe dispatches in a step on a device, where each is a kernel or a few. Counted on the CPU, which is told apart as a
device would be, so that nothing is counted in C and no number is read back."""
import collections

from support import *
from mantissa_probe import deferred

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:
    TorchDispatchMode = object

#: Views and what only changes how a tensor is seen: they start no kernel.
VIEWS = ("aten.view.", "aten.detach.", "aten.reshape", "aten._unsafe_view", "aten.slice.", "aten.select.", "aten.alias.", "aten._reshape_alias.")


class Operations(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names[str(function)] += 1
        return function(*args, **(kwargs or {}))

    def kernels(self):
        return collections.Counter({name: count for name, count in self.names.items() if not name.startswith(VIEWS)})


class OperationsOfAStep(ProbeTest):
    def setUp(self):
        super().setUp()
        if TorchDispatchMode is object or not HAS_CPU_SCALER:
            self.skipTest("this torch is too old")
        self._is_here, deferred.is_here = deferred.is_here, lambda tensor: False

    def tearDown(self):
        super().tearDown()
        deferred.is_here = self._is_here

    def steps(self, amp, is_watched, steps=3, spoil=None, layers=4, **settings):
        """Trains, and returns the operations of the last step, the losses, and how often a number was read back."""
        torch.manual_seed(0)
        model = Gpt(context=16, layers=layers, width=32)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10) if amp else None
        probe = self.watch(model, optimizer, scaler=scaler, every=0, **settings) if is_watched else mantissa_probe.NoProbe()
        losses = []
        for step in range(steps):
            batch = tokens()
            if spoil and step == steps - 1:
                spoil(model)
            with Operations() as operations:
                with torch.autocast("cpu", torch.bfloat16, enabled=amp):
                    loss = model(*batch)[1]
                if scaler:
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    loss.backward()
                    optimizer.step()
                optimizer.zero_grad()
                probe.step(loss)
            losses.append(loss.item())
        if is_watched:
            self.assertEqual(probe.problems, [])
            self.seen = len(probe._watch._lives)
        probe.close()
        return operations, losses

    def added(self, amp, **settings):
        plain, losses = self.steps(amp, False, **settings)
        watched, same = self.steps(amp, True, **settings)
        self.assertEqual(losses, same)
        return watched.kernels() - plain.kernels(), watched.names - plain.names

    def test_a_default_step(self):
        for amp, most in ((False, 20), (True, 36)):
            kernels, names = self.added(amp)
            print(amp, sum(kernels.values()), dict(kernels), sum(names.values()), dict(names))
            self.assertLessEqual(sum(kernels.values()), most, dict(kernels))
            self.assertEqual(kernels["aten._local_scalar_dense.default"], 0)
            pathlib.Path(self.path()).unlink()


if __name__ == "__main__":
    main()
