# SPDX-License-Identifier: Apache-2.0
"""Loops and models as users write them: what the probe says of them is true, and it harms none of them."""
import contextlib
import io
import threading

from support import *


class Masked(nn.Module):
    """Attention with a mask of negative infinities: a buffer, an argument, or none."""

    def __init__(self, has_buffer):
        super().__init__()
        self.embed, self.query, self.head = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 4)
        if has_buffer:
            self.register_buffer("mask", torch.full((6, 6), float("-inf")).triu(1))

    def forward(self, x, mask=None):
        x = self.embed(x)
        scores = self.query(x) @ x.transpose(1, 2) / 4 + (self.mask if mask is None else mask)
        return self.head(F.softmax(scores.float(), -1).to(x.dtype) @ x)


class Policy(nn.Module):
    """Returns logits of which some are forbidden."""

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 6)

        def forward(self, x):
            return self.linear(x).masked_fill(torch.arange(6) > 3, float("-inf"))

    def __init__(self):
        super().__init__()
        self.head = Policy.Head()

    def forward(self, x):
        return self.head(x)


class Scaled(nn.Module):
    """Changes its input in place."""

    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x.mul_(self.gamma)


class Loops(ProbeTest):
    def train(self, model, steps=4, optimizer=None, probe=None, forward=None, before_step=None):
        optimizer = optimizer or torch.optim.SGD(model.parameters(), 0.1)
        losses = []
        for step in range(steps):
            x = torch.randn(4, 4)
            loss = (forward or model)(x).square().mean()
            loss.backward()
            if before_step is None or before_step(step):
                optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            if probe:
                probe.step(loss)
        return losses

    def both(self, make, **settings):
        """Trains without and with the probe, and returns what the probe wrote; the losses are the same."""
        losses = []
        for is_watched in (False, True):
            torch.manual_seed(0)
            model, forward = make()
            parameters = [p for p in model.parameters() if p.requires_grad]
            optimizer = torch.optim.SGD(parameters, 0.1) if parameters else None
            probe = self.watch(model, optimizer, **settings) if is_watched else None
            losses.append(self.train(model, optimizer=optimizer, probe=probe, forward=forward))
            if probe:
                probe.close()
        self.assertEqual(losses[0], losses[1])
        return self.read()

    # ---- Never harmed ----

    def test_tensors_of_inference_mode(self):
        def frozen():
            encoder, model = nn.Linear(4, 8).eval(), nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(8, 2))

            def forward(x):
                with torch.inference_mode():
                    features = encoder(x)
                return model(features)

            return model, forward

        self.assertEqual(len(self.both(frozen).steps), 4)

    def test_memory_that_was_freed(self):
        class Frees(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 512), nn.Linear(512, 2)

            def forward(self, x):
                self.kept = self.first(x)
                y = self.second(self.kept.detach())
                if hasattr(self.kept, "untyped_storage"):
                    self.kept.untyped_storage().resize_(0)
                return (y * self.factor).mean()

        model = Frees()
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1))
        for step in range(8):
            model.factor = float("nan") if step > 5 else 1
            probe.step(model(torch.randn(3, 4)))
        probe.close()
        self.assertEqual(len(self.read().steps), 8)

    @unittest.skipUnless(hasattr(nn, "LazyLinear"), "no lazy modules")
    def test_lazy_modules(self):
        model = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(2))
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1))
        self.train(model, probe=probe)
        probe.close()
        self.assertEqual(len(self.read().steps), 4)

    def test_a_scripted_module(self):
        model = nn.Sequential(nn.Linear(4, 4), torch.jit.script(nn.Linear(4, 2)))
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1))
        self.train(model, probe=probe)
        probe.close()
        run = reading.read_file(self.path())
        self.assertEqual(len(run.steps), 4)
        self.assertEqual(len(run.problems), 1)
        self.assertIn("takes no hooks", run.problems[0])

    def test_a_model_that_cannot_be_watched(self):
        class Listless(nn.Linear):
            def named_parameters(self, *arguments, **settings):
                raise KeyError("no")

        model = Listless(4, 2)
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            probe = self.watch(model, None)
        self.assertIsInstance(probe, mantissa_probe.NoProbe)
        self.assertIn("cannot be watched", printed.getvalue())
        self.assertEqual(len(model._forward_hooks) + len(model._forward_pre_hooks), 0)

    def test_standard_error_that_is_closed(self):
        closed = io.StringIO()
        closed.close()
        with contextlib.redirect_stderr(closed):
            mantissa_probe.watch(nn.Linear(4, 2), None, to=self.path()).close()

    def test_a_module_that_returns_its_parameter(self):
        class Prompt(nn.Module):
            def __init__(self):
                super().__init__()
                self.token = nn.Parameter(torch.ones(4))

            def forward(self):
                return self.token

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.prompt, self.head = Prompt(), nn.Linear(4, 2)

            def forward(self, x):
                return self.head(x + self.prompt())

        model = Model()
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1), every=1)
        self.train(model, probe=probe)
        self.assertFalse(model.prompt.token._backward_hooks)

    @unittest.skipIf(mantissa_probe.capture.TorchDispatchMode is None, "no dispatch mode")
    def test_a_capture_within_the_users_mode(self):
        try:
            from torch.utils._python_dispatch import _get_current_dispatch_mode
        except ImportError:
            self.skipTest("no way to ask for the mode")

        class Counts(mantissa_probe.capture.TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                return function(*args, **(kwargs or {}))

        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        for step in range(3):
            if step == 1:
                probe.capture_next_step()
            with Counts():
                loss = model(torch.randn(2, 4)).mean()
            self.assertIsNone(_get_current_dispatch_mode())
            loss.backward()
            optimizer.step()
            probe.step(loss)
        probe.close()
        self.assertIn("another dispatch mode", self.read().captures[0]["problem"])

    # ---- Never false ----

    def test_a_mask_of_the_caller_is_no_bad_batch(self):
        model = Masked(False)
        mask = torch.full((6, 6), float("-inf")).triu(1)
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1), every=1, flags="always")
        for arguments in ({"mask": mask}, {}):
            for _ in range(3):
                x = torch.randn(2, 6, 8)
                loss = (model(x, **arguments) if arguments else model(x, mask)).square().mean()
                loss.backward()
                probe._weights.optimizers[0].step()
                probe.step(loss)
        probe.close()
        self.assertEqual([s["first_bad"] for s in self.read().steps], [None] * 6)

    def test_an_output_that_does_no_harm_is_named_once(self):
        model = Policy()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        self.train(model, 130, optimizer, probe, forward=lambda x: F.log_softmax(model(x), -1)[:, :4])
        probe.close()
        run = self.read()
        self.assertLess(sum(s["first_bad"] is not None for s in run.steps), 2)
        self.assertEqual(probe._flags_until, 0)

    def test_a_nan_where_infinities_did_no_harm_is_new(self):
        class Breaks(Policy.Head):
            is_broken = False

            def forward(self, x):
                return super().forward(x) * (float("nan") if self.is_broken else 1)

        model = Policy()
        model.head = Breaks()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, flags="always")
        self.train(model, 3, optimizer, probe, forward=lambda x: F.log_softmax(model(x), -1)[:, :4])
        model.head.is_broken = True
        self.train(model, 1, optimizer, probe, forward=lambda x: F.log_softmax(model(x), -1)[:, :4])
        probe.close()
        bad = [s["first_bad"] for s in self.read().steps]
        self.assertEqual(bad[1:3], [None, None])
        self.assertEqual((bad[3]["module"], bad[3]["class"]), ("head", "nan"))

    def test_what_does_no_harm_where_little_is_known(self):
        for how in ("optimizers take turns", "micro-batches", "no loss"):
            with self.subTest(how=how):
                model = Policy()
                weight, bias = (torch.optim.SGD([p], 0.1) for p in model.parameters())
                path = self.path(how.replace(" ", "-") + ".mprobe")
                probe = self.watch(model, [weight, bias] if how == "optimizers take turns" else weight, to=path)
                for step in range(6):
                    loss = F.log_softmax(model(torch.randn(4, 4)), -1)[:, :4].square().mean()
                    loss.backward()
                    if how == "optimizers take turns":
                        (weight, bias)[step % 2].step()
                    elif how == "no loss" or step % 2:
                        weight.step()
                    probe.step(loss) if how != "no loss" else probe.step(None)
                self.assertEqual(probe._flags_until, 0)
                probe.close()
                self.assertLess(sum(s["first_bad"] is not None for s in reading.read_file(path).steps), 2)

    def test_a_mask_that_modules_share(self):
        class Blocks(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = Masked(True), Masked(False)
                self.first.head = nn.Linear(16, 8)
                self.second.register_buffer("mask", self.first.mask)

            def forward(self, x):
                return self.second(self.first(x) * float("nan"))

        found = self.evidence_of(Blocks(), torch.randn(2, 6, 8))
        self.assertNotEqual(found["evidence"]["buffers_finite"], False)

    def test_a_choice_of_modules_that_raises_leaves_no_hook(self):
        def choice(name, module):
            if name == "1":
                raise KeyError(name)
            return True

        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIsInstance(self.watch(model, None, include=choice), mantissa_probe.NoProbe)
        self.assertFalse(any(m._forward_hooks or m._forward_pre_hooks for m in model.modules()))

    @unittest.skipUnless(HAS_CPU_SCALER, "no GradScaler on the CPU")
    @skips_what_torch_cannot
    def test_a_mask_in_a_buffer_explains_no_skip(self):
        model = Masked(True)
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
        probe = self.watch(model, optimizer, scaler=scaler)
        for _ in range(4):
            with torch.autocast("cpu", torch.float16):
                loss = model(torch.randn(4, 6, 8)).float().square().mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read()
        self.assertTrue(all(s["optimizers"][0]["skipped"] for s in run.steps))
        self.assertEqual([s["bad_weights"] for s in run.steps], [[]] * 4)
        self.assertIn(run.steps[1]["first_bad"]["role"], ("gradient", "weight gradient"))

    def test_clipping_does_not_hide_the_first_gradient(self):
        for how in ("step", "pass over"):
            model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            probe = self.watch(model, optimizer, to=self.path(how.replace(" ", "") + ".mprobe"))

            def before(step):
                if step == 2:
                    model[0].weight.grad[0, 0] = float("nan")
                norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                return how == "step" or bool(torch.isfinite(norm))

            self.train(model, 3, optimizer, probe, before_step=before)
            probe.close()
            step = self.read(how.replace(" ", "") + ".mprobe").steps[2]
            self.assertEqual(step["first_bad"]["name"], "0.weight.grad")
            self.assertEqual(len(step["bad"]), 1)

    def test_a_step_that_the_loop_passes_over(self):
        model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        for step in range(3):
            loss = model(torch.randn(3, 4)).mean()
            loss.backward()
            if step == 1:
                model[1].bias.grad[0] = float("inf")
            else:
                optimizer.step()
            probe.step(loss)
            optimizer.zero_grad()
        probe.close()
        self.assertEqual(self.read().steps[1]["first_bad"]["name"], "1.bias.grad")

    def evidence_of(self, model, x, name="run.mprobe"):
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1), flags="always", to=self.path(name))
        for _ in range(2):
            probe.step(model(x).mean())
        probe.close()
        return self.read(name).steps[-1]["first_bad"]

    def test_what_stands_around_a_bad_output(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return self.second(input=self.first(x) * float("inf"))

        found = self.evidence_of(Model(), torch.ones(2, 4))
        self.assertEqual((found["module"], found["evidence"]["inputs_finite"]), ("second", None))  # hooks do not see arguments by name
        model = nn.Sequential(nn.Linear(4, 4), Scaled())
        with torch.no_grad():
            model[1].gamma.fill_(3e38)
            model[0].bias.fill_(100)
        found = self.evidence_of(model, torch.ones(2, 4), "changed.mprobe")
        self.assertEqual((found["module"], found["evidence"]["inputs_finite"]), ("1", None))

    def test_weights_that_a_module_takes_from_its_children(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

            def forward(self, x):
                return self.attention(x, x, x)[0]

        model = Model()
        with torch.no_grad():
            model.attention.out_proj.weight[0, 0] = float("nan")
        found = self.evidence_of(model, torch.ones(2, 3, 4))
        self.assertEqual((found["module"], found["evidence"]["weights_finite"]), ("attention", False))

    def test_a_batch_that_the_parts_of_a_model_get(self):
        model = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 2)])
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1), flags="always")
        for step in range(3):
            x = torch.randn(3, 4)
            if step == 2:
                x[1, 1] = float("nan")
            probe.step(model[1](model[0](x)).mean())
        probe.close()
        run = self.read()
        self.assertEqual(run.steps[2]["first_bad"]["name"], "input.0")
        self.assertEqual(run.steps[2]["samples"], 3)

    def test_losses_of_any_kind(self):
        for place, (loss, expected) in enumerate((({"a": 1}, None), ([1.0], None), ("what", None), (10**400, None), (np.ones(1), 1.0), (np.float16(2), 2.0), (3, 3.0))):
            with self.subTest(loss=type(loss).__name__):
                model = nn.Linear(4, 2)
                path = self.path(f"{place}.mprobe")
                probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1), to=path)
                for _ in range(3):
                    probe.step(loss)
                probe.close()
                run = reading.read_file(path)
                self.assertEqual([s["loss"] for s in run.steps], [expected] * 3)
                self.assertEqual(len(run.problems), expected is None)

    def test_an_optimizer_of_the_users(self):
        class Own:
            def __init__(self, parameters):
                self.parameters = list(parameters)

            def step(self):
                pass

            def zero_grad(self):
                pass

        model = nn.Linear(4, 2)
        optimizer = Own(model.parameters())
        probe = self.watch(model, optimizer)
        self.train(model, optimizer=optimizer, probe=probe)
        probe.close()
        self.assertEqual(len(self.read().steps), 4)

    def test_an_optimizer_that_was_replaced_is_said_to_rest(self):
        model = nn.Linear(4, 2)
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1))
        self.train(model, 130, probe=probe)
        probe.close()
        problems = reading.read_file(self.path()).problems
        self.assertEqual(len(problems), 1)
        self.assertIn("has made no step", problems[0])

    def test_a_pause_takes_no_numbers_away(self):
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        for step in range(6):
            if step in (2, 4):
                probe.pause(step == 2)
            self.train(model, 1, optimizer, probe)
        probe.close()
        numbers = [s["step"] for s in self.read().steps]
        self.assertEqual(numbers[:2] + numbers[-1:], [0, 1, 5])

    def test_a_model_in_eval_mode_is_told_so(self):
        model = nn.Linear(4, 2).eval()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        self.train(model, 8, optimizer, probe)
        probe.close()
        problems = reading.read_file(self.path()).problems
        self.assertEqual(len(problems), 1)
        self.assertIn("eval mode", problems[0])

    def test_a_training_in_another_thread(self):
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        thread = threading.Thread(target=lambda: self.train(model, 4, optimizer, probe))
        thread.start()
        thread.join()
        probe.close()
        self.assertEqual([s["micro_batches"] for s in self.read().steps], [1] * 4)

    @unittest.skipUnless(hasattr(torch._C, "_current_graph_task_id"), "this torch does not say what is repeated")
    def test_a_checkpoint_around_the_model_is_one_pass(self):
        from torch.utils.checkpoint import checkpoint

        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer)
        self.train(model, 3, optimizer, probe, forward=lambda x: checkpoint(model, x, use_reentrant=False))
        probe.close()
        self.assertEqual([(s["micro_batches"], s["samples"]) for s in self.read().steps], [(1, 4)] * 3)


if __name__ == "__main__":
    main()
