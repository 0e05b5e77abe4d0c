# SPDX-License-Identifier: Apache-2.0
"""What the probe sends of each step is what the script itself sees, and the losses are the same bits with and without it."""
from support import *
from mantissa_probe import clipping

AMPS = [None, torch.bfloat16, torch.float16]


def train(watch, model, batch, amp, steps=14, clip=None, accumulate=1, fused=False, sgd=False):
    """An ordinary loop. Returns what it would print, step by step, and the probe."""
    torch.manual_seed(1)
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9) if sgd else torch.optim.AdamW(model.parameters(), 1e-3, **({"fused": True} if fused else {}))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**22, growth_interval=4) if amp == torch.float16 else None
    probe = watch(model, optimizer, scaler) if watch else None
    printed = []
    for step in range(steps):
        row = {"lr": optimizer.param_groups[0]["lr"], "scale": scaler.get_scale() if scaler else None, "tracker": scaler._get_growth_tracker() if scaler else None}
        total = 0.0
        for _ in range(accumulate):
            with torch.autocast("cpu", amp or torch.bfloat16, enabled=amp is not None):
                output = model(*batch())
                loss = (output[1] if isinstance(output, tuple) else output) / accumulate
            (scaler.scale(loss) if scaler else loss).backward()
            total += loss.item()
        row["loss"] = total
        if scaler and clip:
            scaler.unscale_(optimizer)
        if clip:
            row["before"] = float(nn.utils.clip_grad_norm_(model.parameters(), clip))
        if scaler:
            before = [p.detach().clone() for p in model.parameters()]
            if clip:
                row["norm"] = norm_of(model)
            elif fused:
                row["norm"] = norm_of(model) / row["scale"]  # which the optimizer unscales in its step
            scaler.step(optimizer)
            row["skipped"] = all(torch.equal(a, b) for a, b in zip(before, model.parameters()))
            if not clip and not fused:
                row["norm"] = norm_of(model)  # step() has unscaled them
            scaler.update()
        else:
            row["norm"], row["skipped"] = norm_of(model), False
            optimizer.step()
        row["next"] = scaler.get_scale() if scaler else None
        schedule.step()
        optimizer.zero_grad()
        printed.append(row)
        if probe:
            probe.step(total)
    if probe:
        probe.close()
    return printed, [p.detach().clone() for p in model.parameters()]


def norm_of(model):
    return float(torch.stack([p.grad.double().norm() for p in model.parameters() if p.grad is not None]).norm())


class Scalars(ProbeTest):
    def models(self):
        yield "gpt", Gpt, tokens
        yield "resnet", ResNet, images

    def compare(self, name, make, batch, amp, **settings):
        if amp == torch.float16 and not HAS_CPU_SCALER:
            self.skipTest("this torch has no GradScaler on the CPU")
        file = f"{name}{amp}{settings}.mprobe".replace(" ", "")
        torch.manual_seed(0)
        plain, weights = train(None, make(), batch, amp, **settings)
        torch.manual_seed(0)
        watch = lambda m, o, s: self.watch(m, o, scaler=s, to=self.path(file), every=3)
        watched, watched_weights = train(watch, make(), batch, amp, **settings)
        # 1. the run is the same bits
        self.assertEqual([r["loss"] for r in plain], [r["loss"] for r in watched])
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(weights, watched_weights)))
        # 2. each step is as the script has it
        run = self.read(file)
        self.assertEqual(len(run.steps), len(watched))
        for row, step in zip(watched, run.steps):
            (o,) = step["optimizers"]
            self.assertEqual(step["loss"], row["loss"])
            self.assertEqual(o["lr"], [row["lr"]])
            self.assertEqual(o["skipped"], row["skipped"])
            self.assertEqual(o["stepped"], not row["skipped"])
            self.assertEqual(step["autocast"], {None: None, torch.bfloat16: "bf16", torch.float16: "f16"}[amp])
            self.assertEqual(step["micro_batches"], settings.get("accumulate", 1))
            self.assertEqual(step["samples"], len(batch()[0]) * settings.get("accumulate", 1))
            self.assertEqual(step["loss_scale"], row["scale"])
            self.assertEqual(step["growth_tracker"], row["tracker"])
            self.assertEqual(step["next_loss_scale"], row["next"])
            if row["scale"] is not None:
                self.assertEqual(o["found_inf"], {"cpu": 1.0 if row["skipped"] else 0.0})
                if row["skipped"]:
                    self.assertIsNotNone(step["first_bad"])
            if not row["skipped"] and "norm" in row:
                self.assertAlmostEqual(o["grad_norm"] / row["norm"], 1, places=6)
                if amp and settings.get("clip") and "before" in row and row["scale"]:
                    self.assertAlmostEqual(o["grad_norm_before_clip"] / row["before"], 1, places=5)
        return watched, run

    def test_fp32(self):
        for name, make, batch in self.models():
            self.compare(name, make, batch, None)

    def test_bf16(self):
        for name, make, batch in self.models():
            self.compare(name, make, batch, torch.bfloat16)

    def test_fp16_with_scaler(self):
        for name, make, batch in self.models():
            watched, _ = self.compare(name, make, batch, torch.float16)
            self.assertTrue(any(r["skipped"] for r in watched), "no step was skipped, and the test proves little")
            self.assertTrue(any(r["next"] > r["scale"] for r in watched), "the scale never grew")

    def test_unscale_and_clip_by_the_user(self):
        self.compare("gpt", Gpt, tokens, torch.float16, clip=0.5)
        self.compare("gpt", Gpt, tokens, None, clip=0.5)

    def test_accumulation(self):
        self.compare("gpt", Gpt, tokens, torch.float16, accumulate=3)
        self.compare("gpt", Gpt, tokens, None, accumulate=2, sgd=True)

    def test_fused_optimizer_that_unscales_in_its_step(self):
        if not HAS_CPU_SCALER:
            self.skipTest("this torch has no fused optimizer on the CPU")
        self.compare("gpt", Gpt, tokens, torch.float16, fused=True)

    def test_several_optimizers(self):
        a, b = nn.Linear(4, 4), nn.Linear(4, 4)
        model = nn.ModuleList([a, b])
        one, two = torch.optim.SGD(a.parameters(), 0.1), torch.optim.SGD(b.parameters(), 0.2)
        probe = self.watch(model, [one, two], every=1)
        for step in range(4):
            loss = a(torch.randn(2, 4)).square().sum() + b(torch.randn(2, 4)).square().sum()
            loss.backward()
            one.step()
            if step % 2:
                two.step()
            one.zero_grad(), two.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read()
        self.assertEqual([[o["stepped"] for o in s["optimizers"]] for s in run.steps], [[True, False], [True, True]] * 2)
        self.assertEqual(run.steps[0]["optimizers"][1]["lr"], [0.2])
        roles = {(s.step, run.tensors[s.tensor]["name"]) for s in run.statistics}
        self.assertIn((1, "1.weight.update"), roles)
        self.assertIn((1, "1.weight.grad"), roles)
        self.assertNotIn((0, "1.weight.update"), roles)

    def test_a_closure_makes_the_gradients(self):
        """The optimizer calls it within its step: the norm and the weight gradients are those that it has just made."""
        plain = []
        for is_watched in (False, True):
            for make in (lambda p: torch.optim.AdamW(p, 0.01), lambda p: torch.optim.LBFGS(p, 0.1, max_iter=3)):
                torch.manual_seed(0)
                model, x = nn.Linear(4, 2), torch.randn(8, 4)
                optimizer, norms, losses = make(model.parameters()), [], []
                probe = self.watch(model, optimizer, every=1, to=self.path("closure.mprobe")) if is_watched else mantissa_probe.NoProbe()
                for _ in range(4):
                    evaluated = []

                    def closure():
                        optimizer.zero_grad()
                        loss = model(x).square().mean()
                        loss.backward()
                        evaluated.append(float(torch.stack([p.grad.double().square().sum() for p in model.parameters()]).sum().sqrt()))
                        return loss

                    loss = optimizer.step(closure)
                    norms.append(evaluated[0])
                    losses.append(float(loss))
                    probe.step(loss)
                probe.close()
                plain.append(losses)
                if is_watched:
                    run = self.read("closure.mprobe")
                    pathlib.Path(self.path("closure.mprobe")).unlink()
                    for step, norm in zip(run.steps, norms):
                        self.assertAlmostEqual(step["optimizers"][0]["grad_norm"], norm, places=6)
                    self.assertEqual({s.step for s in run.statistics if run.tensors[s.tensor]["name"] == "weight.grad"}, set(range(4)))
        self.assertEqual(plain[:2], plain[2:])

    def test_the_norm_before_clipping_without_a_scaler(self):
        from torch.nn.utils import clip_grad_norm_  # by name, before the probe is there

        functions = (nn.utils.clip_grad_norm_, nn.utils.clip_grad_value_)
        plain = []
        for is_watched in (False, True):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
            optimizers = [torch.optim.SGD(layer.parameters(), 0.1) for layer in model]
            probe = self.watch(model, optimizers, every=0) if is_watched else mantissa_probe.NoProbe()
            norms, values = [], []
            for step in range(4):
                loss = model(torch.randn(3, 4)).square().mean()
                loss.backward()
                norms.append([float(torch.stack([p.grad.double().square().sum() for p in layer.parameters()]).sum().sqrt()) for layer in model])
                if step < 2:
                    values.append(float((clip_grad_norm_ if step else nn.utils.clip_grad_norm_)(model.parameters(), 0.1)))
                elif step == 2:
                    nn.utils.clip_grad_value_(model[0].parameters(), 0.01)
                for optimizer in optimizers:
                    optimizer.step()
                    optimizer.zero_grad()
                probe.step(loss)
                values.append(loss.item())
            probe.close()
            plain.append(values)
        self.assertEqual(plain[0], plain[1])
        self.assertEqual((nn.utils.clip_grad_norm_, nn.utils.clip_grad_value_), functions)
        by_name = 1 if clipping._has_inner else 0  # in older versions a function that was imported by name is not seen
        for step, norm in list(zip(self.read().steps, norms))[: 4 if by_name else 1]:
            clipped = {2: [True, False], 3: [False, False]}.get(step["step"], [True, True])
            for optimizer, expected, is_clipped in zip(step["optimizers"], norm, clipped):
                if is_clipped:
                    self.assertAlmostEqual(optimizer["grad_norm_before_clip"], expected, places=6)
                    self.assertLess(optimizer["grad_norm"], expected)
                else:
                    self.assertIsNone(optimizer["grad_norm_before_clip"])
                    self.assertAlmostEqual(optimizer["grad_norm"], expected, places=6)

    def test_norms_of_sparse_and_complex_gradients(self):
        class Complex(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight, self.layer = nn.Parameter(torch.randn(8, 8, dtype=torch.cfloat)), nn.Linear(8, 1)

            def forward(self, x):
                return self.layer((x.to(torch.cfloat) @ self.weight).abs())

        def sparse():
            return nn.Sequential(nn.Embedding(50, 8, sparse=True), nn.Flatten(), nn.Linear(24, 2))

        def adams(model):
            return [torch.optim.SparseAdam(list(model[0].parameters())), torch.optim.Adam(model[2].parameters())]

        def sgd(model):
            return [torch.optim.SGD(model.parameters(), 0.1)]

        words = lambda: torch.tensor([[1, 1, 7], [7, 3, 1]])  # those that come again have several gradients, which add up
        cases = ((sparse, adams, words), (sparse, sgd, words), (Complex, sgd, lambda: torch.randn(4, 8)))
        for number, (make, optimizers_of, batch) in enumerate(cases):
            name = f"{number}.mprobe"
            model = make()
            optimizers = optimizers_of(model)
            probe = self.watch(model, optimizers, to=self.path(name), every=2)
            norms = []
            for _ in range(3):
                loss = model(batch()).square().mean()
                loss.backward()
                norms.append([])
                for optimizer in optimizers:
                    gradients = [p.grad.to_dense() for group in optimizer.param_groups for p in group["params"]]
                    norms[-1].append(float(torch.stack([g.abs().double().square().sum() for g in gradients]).sum().sqrt()))
                    optimizer.step()
                    optimizer.zero_grad()
                probe.step(loss)
            probe.close()
            for step, expected in zip(self.read(name).steps, norms):
                for optimizer, norm in zip(step["optimizers"], expected):
                    self.assertAlmostEqual(optimizer["grad_norm"] / norm, 1, places=5)

    def test_fp64(self):
        """Gradients that fp32 cannot hold, or whose squares it cannot hold, and updates that it would round to 0."""
        for number, factor in enumerate((1e-27, 1e-22, 1.0, 1e21, 4e39)):
            for is_here in (True, False):  # else treated as a device would be
                name = f"{number}{is_here}.mprobe"
                model = nn.Linear(4, 4, dtype=torch.float64)
                rate = 1e-9 / factor
                optimizer = torch.optim.SGD(model.parameters(), rate)
                before = model.weight.detach().clone()
                with unittest.mock.patch.object(mantissa_probe.deferred, "is_here", lambda tensor: is_here):
                    probe = self.watch(model, optimizer, to=self.path(name), every=1)
                    loss = model(torch.ones(3, 4, dtype=torch.float64)).square().mean() * factor
                    loss.backward()
                    norm = norm_of(model)
                    optimizer.step()
                    probe.step(loss)
                    probe.close()
                run = self.read(name)
                (step,) = run.steps
                self.assertEqual(step["loss"], loss.item())
                self.assertIsNone(step["first_bad"], name)
                self.assertAlmostEqual(step["optimizers"][0]["grad_norm"] / norm, 1, places=6)
                update = next(s for s in run.statistics if run.tensors[s.tensor]["name"] == "weight.update")
                self.assertEqual(update.abs_max, np.float32((model.weight.detach() - before).abs().max().item()))

    def test_narrow_losses_of_micro_batches(self):
        """They are added in fp32: four of 30,000 are no infinity, and bf16 keeps its digits."""

        class Losing(nn.Module):
            def __init__(self, losses):
                super().__init__()
                self.layer, self.losses = nn.Linear(4, 1), losses

            def forward(self, x):
                return {"loss": (self.layer(x) * 0).sum().to(self.losses.dtype) + self.losses[len(x) - 1]}

        bf16 = torch.tensor([0.1234, 0.1501, 0.1303, 0.1329]).bfloat16()
        for number, losses in enumerate((torch.full((4,), 3e4).half(), bf16, torch.full((4,), 1e300, dtype=torch.float64))):
            name = f"{number}.mprobe"
            model = Losing(losses)
            probe = self.watch(model, None, to=self.path(name))
            for count in range(1, 5):
                model(torch.randn(count, 4))
            probe.step()
            probe.close()
            self.assertAlmostEqual(self.read(name).steps[0]["loss"] / losses.double().mean().item(), 1, places=6)

    def test_a_loop_that_calls_parts_of_the_model(self):
        model = nn.ModuleDict({"g": nn.Linear(4, 4), "d": nn.Linear(4, 1)})
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=1, first_step=100)
        for _ in range(3):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model["d"](model["g"](torch.randn(3, 4))).float().mean()
            loss.backward()
            optimizer.step()
            probe.step(loss)
        probe.close()
        run = self.read()
        self.assertEqual([(s["step"], s["micro_batches"], s["autocast"]) for s in run.steps], [(n, 1, "bf16") for n in (100, 101, 102)])
        self.assertEqual(run.end["steps"], 3)

    def test_autocast_around_a_compiled_function(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")
        for amp, is_pure, expected in ((torch.float16, False, "f16"), (torch.bfloat16, False, "bf16"), (None, False, None), (torch.bfloat16, True, None)):
            with self.subTest(amp=amp, is_pure=is_pure):
                torch._dynamo.reset()
                model = nn.Linear(4, 4)
                if is_pure:
                    model.to(amp)
                model.compile(backend="aot_eager")  # the hooks on the model are within the graph
                path = self.path(f"{amp}{is_pure}.mprobe")
                probe = self.watch(model, None, to=path)
                x = torch.randn(3, 4, dtype=amp if is_pure else None)
                with torch.autocast("cpu", amp or torch.bfloat16, enabled=amp is not None and not is_pure):
                    loss = model(x).float().sum()
                loss.backward()
                probe.step(loss)
                probe.close()
                self.assertEqual(reading.read_file(path).steps[0]["autocast"], expected)


if __name__ == "__main__":
    main()
