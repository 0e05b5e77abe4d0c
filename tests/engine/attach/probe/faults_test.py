# SPDX-License-Identifier: Apache-2.0
"""Ten faults in PyTorch scripts: which module the probe names first, and what it says around it."""
from support import *


class SwiGlu(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Faults(ProbeTest):
    def run_of(self, model, batch=tokens, steps=6, amp=None, scale=None, lr=1e-3, optimizer=None, before=lambda step, model, optimizer: None, data=lambda step, b: b, **settings):
        optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale) if scale else None
        settings.setdefault("every", 0)
        probe = self.watch(model, optimizer, scaler=scaler, **settings)
        for step in range(steps):
            before(step, model, optimizer)
            with torch.autocast("cpu", amp or torch.bfloat16, enabled=amp is not None):
                output = model(*data(step, batch()))
                loss = output[1] if isinstance(output, tuple) else output
            if scaler:
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            else:
                loss.backward()
                optimizer.step()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        return self.read()

    def first(self, run):
        step = next(s for s in run.steps if s["first_bad"])
        return step, step["first_bad"]

    def needs_scaler(self):
        if not HAS_CPU_SCALER:
            self.skipTest("this torch has no GradScaler on the CPU")

    def test_scale_too_high(self):
        self.needs_scaler()
        run = self.run_of(Gpt(), amp=torch.float16, scale=2.0**30, gradients="always")
        step, bad = self.first(run)
        self.assertEqual(step["step"], 0)
        self.assertTrue(step["optimizers"][0]["skipped"])
        self.assertEqual(step["loss_scale"], 2.0**30)
        # the first in the backward pass: the loss's own gradient, which is finite in fp32, becomes fp16 at the head
        self.assertEqual((bad["role"], bad["module"]), ("gradient", "lm_head"))
        self.assertEqual(step["bad_weights"], [])
        self.assertTrue(np.isfinite(step["loss"]))

    def test_scale_too_high_with_the_default_settings(self):
        self.needs_scaler()
        run = self.run_of(Gpt(), amp=torch.float16, scale=2.0**30)
        step, bad = self.first(run)
        self.assertEqual((step["step"], bad["role"], bad["module"]), (0, "weight gradient", "ln_f"))
        bad = run.steps[1]["first_bad"]
        self.assertEqual((bad["role"], bad["module"]), ("gradient", "lm_head"))  # gradients are looked at after the first bad step

    def test_a_weights_gradient_before_other_outputs(self):
        self.needs_scaler()

        class Boosted(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.head = nn.Linear(16, 16), nn.Linear(16, 4)

            def forward(self, x):
                return self.head(self.inner(x) * 30000).float().square().mean()

        run = self.run_of(Boosted(), batch=lambda: (torch.ones(8, 16) * 0.05,), amp=torch.float16, scale=16.0, steps=1, gradients="always")
        step, bad = self.first(run)
        names = [run.tensors[i]["name"] for i in step["bad"]]
        self.assertIn("inner.output.grad", names)
        self.assertIn("head.weight.grad", names)
        # head's weight has its gradient before the one of its input, which is where inner's output has its own
        self.assertEqual(bad["name"], "head.weight.grad", names)

    def test_a_weight_of_a_module_with_children_is_no_place(self):
        self.needs_scaler()

        class Embedded(nn.Module):
            def __init__(self):
                super().__init__()
                self.position, self.inner, self.head = nn.Parameter(torch.zeros(16)), nn.Linear(16, 16), nn.Linear(16, 4)

            def forward(self, x):
                return self.head(self.inner(x + self.position) * 30000 * 1e-4).float().square().mean()

        run = self.run_of(Embedded(), batch=lambda: (torch.ones(8, 16) * 0.05,), amp=torch.float16, scale=2.0**26, steps=1, gradients="always")
        step, bad = self.first(run)
        names = [run.tensors[i]["name"] for i in step["bad"]]
        self.assertIn("position.grad", names)  # the last of the backward pass, though its module's output is the first
        self.assertNotEqual(bad["name"], "position.grad", names)

    def test_a_sparse_gradient(self):
        """Nothing else is bad: the gradient of an embedding's rows, which no output's gradient shows."""

        class Words(nn.Module):
            def __init__(self):
                super().__init__()
                self.wte, self.head, self.is_bad = nn.Embedding(50, 8, sparse=True), nn.Linear(8, 2), False

            def forward(self, words):
                x = self.wte(words)
                if self.is_bad:
                    x.register_hook(lambda gradient: gradient * float("nan"))
                return self.head(x).square().mean()

        model = Words()

        def before(step, model, optimizer):
            model.is_bad = step == 3

        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        run = self.run_of(model, batch=lambda: (torch.tensor([[1, 1, 7]]),), steps=4, optimizer=optimizer, before=before)
        step, bad = self.first(run)
        self.assertEqual((step["step"], bad["name"], bad["role"], bad["class"]), (3, "wte.weight.grad", "weight gradient", "nan"))
        self.assertEqual((run.tensors[bad["tensor"]]["shape"], run.tensors[bad["tensor"]]["elements"]), ([50, 8], 400))

    def test_growth_of_the_scores(self):
        self.needs_scaler()

        def grow(step, model, optimizer):
            with torch.no_grad():
                model.h[1].attn.c_attn.weight.mul_(8)

        run = self.run_of(Gpt(), amp=torch.float16, scale=1.0, before=grow)
        step, bad = self.first(run)
        self.assertGreater(step["step"], 0)
        self.assertTrue(bad["module"].startswith("h.1.attn"), bad)
        self.assertEqual((bad["role"], bad["class"]), ("value", "nan"))
        # q times k overflowed between two modules: the projection's inputs are bad, and all weights are finite
        self.assertEqual((bad["module"], bad["evidence"]["inputs_finite"], bad["evidence"]["weights_finite"]), ("h.1.attn.c_proj", False, True))

    def test_nan_in_the_data(self):
        def spoil(step, batch):
            if step == 3:
                batch[0][2, 0, 4, 5] = float("nan")
            return batch

        step, bad = self.first(self.run_of(ResNet(), images, data=spoil))
        self.assertEqual((step["step"], bad["name"], bad["class"]), (3, "input.0", "nan"))

    @skips_what_torch_cannot
    def test_norm_whose_epsilon_fp16_cannot_hold(self):
        class Blind(nn.Module):
            def forward(self, x):
                h = x.half()
                return h / (h.square().mean(-1, keepdim=True) + 1e-8).sqrt()  # 0 in fp16

        model = nn.Sequential(nn.Linear(4, 4), Blind(), nn.Linear(4, 1))
        model[0].bias.data.zero_()
        model[2].half()
        optimizer = torch.optim.SGD(model.parameters(), 0.0)
        probe = self.watch(model, optimizer, every=1)
        for step in range(2):
            loss = model(torch.full((2, 4), 1e-5 if step else 1.0)).float().sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read()
        step, bad = self.first(run)
        self.assertEqual((step["step"], bad["module"], bad["role"]), (1, "1", "value"))
        self.assertTrue(bad["evidence"]["inputs_finite"])
        # the finite statistics tell why: what the norm divides is a subnormal number or 0 in fp16
        found = next(s for s in run.statistics if s.step == 1 and run.tensors[s.tensor]["name"] == "0.output")
        self.assertLess(found.abs_max**2, 2.0**-24)

    def test_epsilon_of_zero(self):
        model = Gpt()
        model.wte.weight.register_hook(lambda g: torch.zeros_like(g))
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, eps=0.0)
        run = self.run_of(model, optimizer=optimizer, steps=3)
        step, bad = self.first(run)
        # the update made the weights NaN; the next step's first module that reads them is the embedding
        self.assertEqual((step["step"], bad["module"], bad["evidence"]["weights_finite"]), (1, "wte", False))
        self.assertIn("wte.weight", step["bad_weights"])

    def test_swiglu_overflow(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.mlp, self.head = nn.LayerNorm(8), SwiGlu(8), nn.Linear(8, 1)

            def forward(self, x):
                return self.head(self.mlp(self.norm(x))).float().mean()

        self.needs_scaler()

        def grow(step, model, optimizer):
            with torch.no_grad():
                model.mlp.gate.weight.mul_(5)
                model.mlp.up.weight.mul_(5)

        run = self.run_of(Model(), lambda: (torch.randn(16, 8),), amp=torch.float16, scale=2.0**-14, before=grow)
        step, bad = self.first(run)
        # both factors are finite, their product is not: the next module has it as its input
        self.assertEqual((bad["module"], bad["evidence"]["inputs_finite"], bad["evidence"]["weights_finite"]), ("mlp.down", False, True))
        flags = dict(zip(*(np.frombuffer(step["magnitudes"][k], np.uint32).tolist() for k in ("tensor", "bits"))))
        by_name = {run.tensors[i]["name"]: np.uint32(b).view(np.float32) for i, b in flags.items()}
        self.assertTrue(np.isfinite(by_name["mlp.gate.output"]) and np.isfinite(by_name["mlp.up.output"]))
        self.assertGreater(float(by_name["mlp.gate.output"]) * float(by_name["mlp.up.output"]), 65504 / 8)

    def test_spike_of_the_learning_rate(self):
        def spike(step, model, optimizer):
            optimizer.param_groups[0]["lr"] = 1e20 if step == 2 else 1e-3

        run = self.run_of(Gpt(), before=spike, steps=5)
        step, bad = self.first(run)
        self.assertEqual([s["optimizers"][0]["lr"][0] for s in run.steps], [1e-3, 1e-3, 1e20, 1e-3, 1e-3])
        self.assertGreaterEqual(step["step"], 3)
        self.assertEqual(bad["role"], "value")
        flags = [max(np.frombuffer(s["magnitudes"]["bits"], np.uint32)[:1]) for s in run.steps]
        self.assertGreater(np.uint32(flags[3]).view(np.float32), 1e15)  # wte's output, one step after the spike

    def test_poisoned_statistics(self):
        def poison(step, model, optimizer):
            if step == 2:
                model.bn2.running_mean[3] = float("nan")
            if step == 3:
                model.bn2.eval()  # which reads them

        step, bad = self.first(self.run_of(ResNet(), images, before=poison))
        self.assertEqual((step["step"], bad["module"], bad["class"]), (3, "bn2", "nan"))
        self.assertEqual((bad["evidence"]["inputs_finite"], bad["evidence"]["weights_finite"], bad["evidence"]["buffers_finite"]), (True, True, False))
        self.assertEqual(step["bad_weights"], ["bn2.running_mean"])

    def test_divergence(self):
        model = nn.Sequential(nn.Linear(4, 16), nn.Linear(16, 4))
        optimizer = torch.optim.SGD(model.parameters(), 3.0)
        probe = self.watch(model, optimizer, every=0)
        x = torch.randn(32, 4)
        for _ in range(40):
            loss = (model(x) - x).square().sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read()
        step, bad = self.first(run)
        losses = [s["loss"] for s in run.steps[: step["step"]]]
        self.assertGreater(losses[-1], 1e6 * losses[0])  # it grew for steps before the first that is not finite
        self.assertTrue(bad["role"] in ("value", "weight gradient"), bad)
        self.assertNotEqual(bad["module"], None)

    @skips_what_torch_cannot
    def test_fp16_weights(self):
        model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8)).half()
        optimizer = torch.optim.Adam(model.parameters(), 1e-4, eps=1e-8)  # eps is 0 in fp16
        probe = self.watch(model, optimizer, every=1)
        for step in range(3):
            x = torch.ones(4, 8, dtype=torch.float16)
            x[:, 3] = 0  # weights of this column have no gradient
            loss = model(x).float().sum() * 1e-3
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read()
        step, bad = self.first(run)
        names = {(s.step, run.tensors[s.tensor]["name"]): s for s in run.statistics}
        self.assertEqual(step["step"], 1 if not bad["role"] == "update" else 0)
        self.assertEqual(bad["module"], "0")
        self.assertFalse(bad["evidence"]["weights_finite"])
        self.assertEqual(run.tensors[names[0, "0.weight"].tensor]["dtype"], "f16")
        self.assertGreater(names[0, "0.weight.update"].classes[5] + names[0, "0.weight.update"].classes[0] + names[0, "0.weight.update"].classes[4], 0)


if __name__ == "__main__":
    main()
