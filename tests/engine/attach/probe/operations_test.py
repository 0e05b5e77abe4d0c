# SPDX-License-Identifier: Apache-2.0
"""How many operations the probe dispatches in a step on a device, where each is a kernel or a few. Counted on the CPU, which is treated as a
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

    def steps(self, amp, is_watched, steps=3, layers=4, **settings):
        """Trains, and returns the operations of the last step, and the losses."""
        torch.manual_seed(0)
        model = Gpt(context=16, layers=layers, width=32)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10) if amp else None
        probe = self.watch(model, optimizer, scaler=scaler, every=0, **settings) if is_watched else mantissa_probe.NoProbe()
        losses = []
        for _ in range(steps):
            batch = tokens()
            with Operations() as operations:
                with torch.autocast("cpu", torch.float16, enabled=amp):
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
        probe.close()
        return operations, losses

    def added(self, amp, **settings):
        plain, losses = self.steps(amp, False, **settings)
        watched, same = self.steps(amp, True, **settings)
        self.assertEqual(losses, same)
        return watched.kernels() - plain.kernels(), watched.names - plain.names

    def test_a_default_step(self):
        # 37 outputs and 52 weight gradients: each output that dies before the model returns takes one kernel, all others a few together
        for amp, most in ((False, 18), (True, 31)):
            kernels, names = self.added(amp)
            self.assertLessEqual(sum(kernels.values()), most, dict(kernels))
            self.assertLessEqual(sum(names.values()), most + 10, dict(names))
            self.assertEqual(kernels["aten._local_scalar_dense.default"], 0)  # nothing waits
            pathlib.Path(self.path()).unlink()

    def test_the_count_does_not_grow_with_the_layers_but_for_outputs_that_die(self):
        few, _ = self.added(False, layers=1)
        pathlib.Path(self.path()).unlink()
        many, _ = self.added(False, layers=5)
        grown = many - few
        self.assertEqual(set(grown), {"aten.linalg_vector_norm.default"}, dict(grown))
        self.assertEqual(sum(grown.values()), 4 * 3, dict(grown))  # of a block: c_attn, whose parts are copied here, and both c_proj


if __name__ == "__main__":
    main()
