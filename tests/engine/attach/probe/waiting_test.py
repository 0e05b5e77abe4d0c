# SPDX-License-Identifier: Apache-2.0
"""Outputs that wait until the model returns: a bad step reports the same as with flags="always", and an ordinary step
measures few of them and keeps none alive."""
import weakref

from support import *
from mantissa_probe import deferred


class Odd(nn.Module):
    """Calls a module twice, changes outputs in place, returns tuples, and hands tensors over by name."""

    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x, *, scale):
            return self.a(x) * scale, self.b(x)

    def __init__(self):
        super().__init__()
        self.first, self.twice, self.pair, self.last = nn.Linear(4, 4), nn.Linear(4, 4), self.Pair(), nn.Linear(4, 1)
        self.relu, self.drop = nn.ReLU(inplace=True), nn.Dropout(0.1)

    def forward(self, x):
        x = self.relu(self.first(x))
        x = self.twice(self.twice(x))
        left, right = self.pair(x, scale=x.mean())
        left += 1
        return self.last(self.drop(left * right)).square().mean()


class Swallowing(nn.Module):
    """What its first module returns does not reach the loss."""

    def __init__(self):
        super().__init__()
        self.lost, self.kept = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return torch.where(torch.zeros(4, dtype=torch.bool), self.lost(x), self.kept(x)).square().mean()


class Waiting(ProbeTest):
    def run_of(self, make, batch, spoil, steps=6, amp=False, name="run.mprobe", **settings):
        torch.manual_seed(0)
        model = make()
        optimizer = torch.optim.SGD(model.parameters(), 1e-3)
        probe = self.watch(model, optimizer, every=0, to=self.path(name), **settings)
        measured = []
        magnitude = probe._counter.magnitude
        probe._counter.magnitude = lambda tensor: measured.append(tensor.shape) or magnitude(tensor)
        for step in range(steps):
            measured.clear()
            if step == steps - 1:
                spoil(model)
            with torch.autocast("cpu", torch.bfloat16, enabled=amp):
                output = model(*batch())
                loss = output[1] if isinstance(output, tuple) else output
            loss.backward()
            if step == steps - 2:
                self.measured = len(measured)
            optimizer.step()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read(name)
        pathlib.Path(self.path(name)).unlink()
        return run

    def said(self, run, step=-1):
        names, step = (lambda ids: [run.tensors[int(i)]["name"] for i in ids]), run.steps[step]
        ids, bits = (np.frombuffer(step["magnitudes"][key], np.uint32) for key in ("tensor", "bits"))
        values = {n: "nan" if b > 0x7F800000 else int(b) for n, b in zip(names(ids), bits)}
        first = step["first_bad"]
        return first and {key: first[key] for key in ("name", "module", "role", "class", "evidence")}, names(step["bad"]), values, names(ids)

    def compare(self, make, batch, spoil, **settings):
        always = self.said(self.run_of(make, batch, spoil, flags="always", **settings))
        needed = self.said(self.run_of(make, batch, spoil, **settings))
        self.assertEqual(needed, always)
        return always[0]

    def test_a_bad_step_says_the_same(self):
        for make, batch in ((Gpt, tokens), (ResNet, images), (Odd, lambda: (torch.randn(3, 4),))):
            for amp in (False, True):
                for name, _ in make().named_parameters():
                    with self.subTest(model=make.__name__, parameter=name, amp=amp):

                        def spoil(model):
                            with torch.no_grad():
                                dict(model.named_parameters())[name].view(-1)[:2] = float("inf")

                        self.assertIsNotNone(self.compare(make, batch, spoil, amp=amp))

    def test_bad_data_says_the_same(self):
        spoiled = []

        def batch():
            x = images()
            if spoiled:
                x[0][1, 0, 2, 3] = float("nan")
            return x

        for flags in ("always", "needed"):
            spoiled.clear()
            run = self.run_of(ResNet, batch, lambda model: spoiled.append(1), flags=flags)
            self.assertEqual(run.steps[-1]["first_bad"]["name"], "input.0")

    def test_a_device_says_the_same(self):
        def spoil(model):
            with torch.no_grad():
                model.h[1].mlp.c_fc.weight[0, 0] = float("nan")

        always = self.said(self.run_of(Gpt, tokens, spoil, flags="always"))
        is_here, deferred.is_here = deferred.is_here, lambda tensor: False
        try:
            run = self.run_of(Gpt, tokens, spoil)
        finally:
            deferred.is_here = is_here
        first, _, values, order = self.said(run)
        self.assertEqual((first["name"], first["class"]), ("h.1.mlp.c_fc.output", "nan"))
        is_output = lambda name: not name.endswith(".grad")  # weight gradients on a device are not examined
        self.assertEqual(values, {name: value for name, value in always[2].items() if is_output(name)})
        self.assertEqual(order, list(filter(is_output, always[3])))
        for step, expected in enumerate(self.run_of(Gpt, tokens, spoil, flags="always").steps[:-1]):
            self.assertEqual(run.steps[step]["loss"], expected["loss"])
            self.assertAlmostEqual(run.steps[step]["optimizers"][0]["grad_norm"] / expected["optimizers"][0]["grad_norm"], 1, places=5)

    def test_an_ordinary_step_looks_at_few_outputs(self):
        run = self.run_of(lambda: Gpt(layers=4), tokens, lambda model: None)
        outputs = len(self.said(run, 0)[2])
        self.assertGreater(outputs, 35)
        self.assertLessEqual(self.measured, outputs // 2)  # those that die, and what the model returns
        self.assertEqual(len(self.said(run)[2]), self.measured - 2)

    def test_nothing_is_kept_alive(self):
        alive = []
        for is_watched in (False, True):
            torch.manual_seed(0)
            model, seen = Gpt(), []
            def see(name, output):  # and how many of those before are alive still
                alive.append((name, sum(reference() is not None for _, reference in seen)))
                seen.append((name, weakref.ref(output[0] if type(output) is tuple else output)))

            for name, module in model.named_modules():
                module.register_forward_hook(lambda m, a, out, name=name: see(name, out))
            probe = self.watch(model, None, every=0) if is_watched else mantissa_probe.NoProbe()
            for _ in range(5):
                seen.clear()
                output = model(*tokens())
                alive.append([name for name, reference in seen if reference() is not None])
                output[1].backward()
                del output
                self.assertEqual([name for name, reference in seen if reference() is not None], [])
                probe.step()
        self.assertEqual(alive[len(alive) // 2 :], alive[: len(alive) // 2])

    def test_a_module_that_a_bad_step_calls_more_often(self):
        class Repeated(nn.Module):
            def __init__(self):
                super().__init__()
                self.times, self.layer, self.last = 1, nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                for _ in range(self.times):
                    x = self.layer(x)
                return self.last(x).square().mean()

        def spoil(model):
            model.times = 3
            with torch.no_grad():
                model.last.weight[0, 0] = float("nan")

        self.compare(Repeated, lambda: (torch.randn(3, 4),), spoil)

    def test_what_does_not_reach_the_loss_is_found_where_all_is_measured_at(self):
        def spoil(model):
            model.lost.weight.data[0, 0] = float("inf")

        batch = lambda: (torch.randn(3, 4),)
        first = self.said(self.run_of(Swallowing, batch, spoil, flags="always"))[0]
        self.assertEqual(first["name"], "lost.output")
        needed = self.run_of(Swallowing, batch, lambda model: None)  # lost.output waits
        self.assertIsNone(self.said(needed)[0])


if __name__ == "__main__":
    main()
