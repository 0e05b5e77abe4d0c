# SPDX-License-Identifier: Apache-2.0
"""The probe leaves everything as it finds it: odd models, odd loops, copies, forks, interrupts, and its own removal."""
import copy
import gc
import io
import os
import pickle
import subprocess
import threading
import weakref

from support import *
from mantissa_probe import scaler as scalers


class Odd(nn.Module):
    """Returns tuples, maps, None, whole numbers and empty tensors; calls a module twice; has a part without gradients."""

    class Parts(nn.Module):
        def forward(self, x):
            return {"a": x * 2, "rest": (x + 1, None, [x.argmax(), x[:0]])}

    class Nothing(nn.Module):
        def forward(self, x):
            return None

    def __init__(self):
        super().__init__()
        self.layer, self.parts, self.nothing, self.frozen, self.unused = nn.Linear(4, 4), Odd.Parts(), Odd.Nothing(), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, scale=1.0):
        x = self.layer(self.layer(x)) * scale
        self.nothing(x)
        parts = self.parts(x)
        with torch.no_grad():
            shift = self.frozen(x)
        return parts["a"] + parts["rest"][0] + shift


def step_of(model, optimizer, probe=None, x=None):
    loss = model(torch.randn(3, 4) if x is None else x).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if probe:
        probe.step(loss)
    return loss.item()


class Manners(ProbeTest):
    def both(self, make, loop, **settings):
        """Runs a loop without and with the probe, and compares what it returns."""
        results = []
        for is_watched in (False, True):
            torch.manual_seed(0)
            model = make()
            optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
            probe = self.watch(model, optimizer, **{"every": 1, **settings}) if is_watched else mantissa_probe.NoProbe()
            results.append(loop(model, optimizer, probe))
            probe.close()
        self.assertEqual(results[0], results[1])
        self.assertEqual(probe.problems, [])
        return self.read()

    def test_odd_outputs(self):
        run = self.both(Odd, lambda m, o, p: [step_of(m, o, p) for _ in range(4)])
        names = {t["name"] for t in run.tensors.values()}
        self.assertLessEqual({"layer.output", "layer.output#2", "layer.output.grad", "parts.output", "parts.output.1", "frozen.output"}, names)
        self.assertNotIn("unused.output", names)

    def test_tied_weights_are_one_tensor(self):
        def loop(model, optimizer, probe):
            losses = []
            for _ in range(2):
                loss = model(*tokens())[1]
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                probe.step(loss)
                losses.append(loss.item())
            return losses

        run = self.both(Gpt, loop)
        names = [t["name"] for t in run.tensors.values()]
        self.assertEqual(names.count("wte.weight"), 1)
        self.assertNotIn("lm_head.weight", names)
        self.assertEqual(run.hello["tied"], {"wte.weight": ["lm_head.weight"]})

    def test_validation_inside_the_loop_is_not_counted(self):
        def loop(model, optimizer, probe):
            losses = []
            for _ in range(3):
                losses.append(step_of(model, optimizer, None, torch.ones(3, 4)))
                model.eval()
                with torch.no_grad():
                    losses.append(float(model(torch.full((3, 4), 1e6)).mean()))
                model.train()
                probe.step(losses[-2])
            return losses

        run = self.both(lambda: nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), loop)
        self.assertTrue(all(s.abs_max < 1e4 for s in run.statistics))
        self.assertEqual([s["micro_batches"] for s in run.steps], [1, 1, 1])

    def test_in_place_operations(self):
        make = lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4), nn.Dropout(0.5, inplace=True))
        run = self.both(make, lambda m, o, p: [step_of(m, o, p) for _ in range(4)])
        names = {run.tensors[s.tensor]["name"]: s for s in run.statistics}
        self.assertEqual(names["1.output"].classes[1], 0)  # after the ReLU nothing is negative
        self.assertGreater(names["0.output"].classes[1], 0)

    def test_checkpointing(self):
        from torch.utils.checkpoint import checkpoint

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return self.b(checkpoint(self.a, x, use_reentrant=False))

        run = self.both(Model, lambda m, o, p: [step_of(m, o, p) for _ in range(3)])
        if hasattr(torch._C, "_current_graph_task_id"):  # else the repeated pass cannot be told from a second call
            self.assertNotIn("a.output#2", {t["name"] for t in run.tensors.values()})

    def test_wrappers_are_seen_through(self):
        run = self.both(lambda: nn.DataParallel(nn.Sequential(nn.Linear(4, 4), nn.ReLU())), lambda m, o, p: [step_of(m, o, p) for _ in range(3)])
        self.assertIn("0.output", {t["name"] for t in run.tensors.values()})
        self.assertIn("0.weight.grad", {t["name"] for t in run.tensors.values()})

    def test_exceptions_of_the_loop_are_the_loops(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=1)
        step_of(model, optimizer, probe)
        with self.assertRaisesRegex(RuntimeError, "shape"):
            model(torch.randn(3, 5))
        with self.assertRaises(KeyboardInterrupt):
            handle = model[1].register_forward_hook(lambda *a: (_ for _ in ()).throw(KeyboardInterrupt()))
            model(torch.randn(3, 4))
        handle.remove()
        step_of(model, optimizer, probe)
        probe.close()
        self.assertEqual(len(self.read().steps), 2)

    def test_a_fault_of_the_probe_stays_its_own(self):
        plain = []
        for is_broken in (False, True):
            torch.manual_seed(0)
            model = nn.Linear(4, 4)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            probe = self.watch(model, optimizer, every=1, to=self.path(f"{is_broken}.mprobe"))
            if is_broken:
                for owner, name in ((probe._counter, "magnitude"), (probe._counter, "count"), (probe._counter, "square_sum"), (probe._schedule, "note")):
                    setattr(owner, name, lambda *a, **k: 1 / 0)
            plain.append([step_of(model, optimizer, probe) for _ in range(30)])
            problems = probe.problems
            probe.close()
        self.assertEqual(plain[0], plain[1])
        self.assertIn("ZeroDivisionError", problems[0])
        self.assertLessEqual(len(problems), 20)

    def test_copies_and_pickles_are_without_the_probe(self):
        model = Gpt()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        probe = self.watch(model, optimizer)
        other = copy.deepcopy(model)
        pickled = pickle.dumps(model)
        self.assertNotIn(b"mantissa_probe", pickled)
        buffer = io.BytesIO()
        torch.save({"model": model, "state": model.state_dict(), "optimizer": optimizer.state_dict()}, buffer)
        before = len(probe._watch.flags)
        for copied in (other, pickle.loads(pickled)):
            loss = copied(*tokens())[1]
            loss.backward()
        self.assertEqual(len(probe._watch.flags), before)
        self.assertIsInstance(copy.deepcopy(probe), mantissa_probe.NoProbe)
        copy.deepcopy(optimizer)
        pickle.dumps(optimizer.state_dict())

    def test_close_restores_everything(self):
        model = Gpt()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        scaler = torch.amp.GradScaler("cpu") if HAS_CPU_SCALER else torch.cuda.amp.GradScaler(enabled=False)
        methods = [type(scaler).unscale_, type(scaler).step, type(scaler).update]
        threads = threading.active_count()
        state = lambda: (
            [(len(m._forward_hooks), len(m._forward_pre_hooks), sorted(m.__dict__)) for m in model.modules()],
            [len(getattr(optimizer, f"_optimizer_step_{w}_hooks", ())) for w in ("pre", "post")],
            "step" in optimizer.__dict__,
        )
        before = state()
        probe = self.watch(model, optimizer, scaler=scaler)
        self.assertNotEqual(state(), before)
        loss = model(*tokens())[1]
        loss.backward()
        optimizer.step()
        probe.step(loss)
        probe.close()
        probe.close()
        self.assertEqual(state(), before)
        self.assertEqual([type(scaler).unscale_, type(scaler).step, type(scaler).update], methods)
        self.assertEqual(threading.active_count(), threads)
        probe.step(loss)  # does nothing
        model(*tokens())[1].backward()
        self.assertEqual(len(scalers._watchers), 0)

    def test_it_does_not_keep_tensors_alive(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        probe = self.watch(model, None, every=1)
        output = model(torch.randn(2, 4))
        alive = weakref.ref(output)
        output.sum().backward()
        del output
        gc.collect()
        self.assertIsNone(alive())
        probe.step()

    def test_forked_workers(self):
        class Data(torch.utils.data.Dataset):
            def __len__(self):
                return 24

            def __getitem__(self, index):
                nn.Linear(4, 4)(torch.randn(4))
                return torch.full((4,), float(index))

        def loop(model, optimizer, probe):
            losses = []
            for batch in torch.utils.data.DataLoader(Data(), 4, num_workers=2):
                losses.append(step_of(model, optimizer, probe, batch / 24))
            return losses

        run = self.both(lambda: nn.Linear(4, 4), loop)
        self.assertEqual(len(run.steps), 6)
        self.assertIsNotNone(run.end)

    def test_a_fork_of_the_training_itself(self):
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=1)
        step_of(model, optimizer, probe)
        child = os.fork()
        if child == 0:
            try:
                step_of(model, optimizer, probe)
                probe.close()
                os._exit(0)
            except BaseException:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        step_of(model, optimizer, probe)
        probe.close()
        self.assertEqual([s["step"] for s in self.read().steps], [0, 1])

    def test_interrupt_and_end_without_close(self):
        script = f"""
import sys; sys.path.insert(0, {str(ROOT / 'engine/attach/probe')!r})
import torch, mantissa_probe, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
model = torch.nn.Linear(4, 4); optimizer = torch.optim.SGD(model.parameters(), 0.1)
probe = mantissa_probe.watch(model, optimizer, to=sys.argv[1], quiet=True)
for step in range(10):
    loss = model(torch.randn(2, 4)).sum(); loss.backward(); optimizer.step(); probe.step(loss)
    if step == 5 and sys.argv[2] == "interrupt": os.kill(os.getpid(), signal.SIGINT)
    if step == 5 and sys.argv[2] == "kill": import time; time.sleep(0.5); os.kill(os.getpid(), signal.SIGKILL)
    if step == 5 and sys.argv[2] == "raise": raise ValueError("mine")
"""
        in_function = script.replace("model = torch", "def main():\n  model = torch", 1)
        in_function = in_function.replace("\nprobe =", "\n  probe =").replace("\nfor step", "\n  for step").replace("\n    if step", "\n    #") + "\nmain()"
        in_function = in_function.replace("; probe.step", "; time.sleep(0.002); probe.step").replace("import torch,", "import time, torch,")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", in_function, self.path("function.mprobe"), ""], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read("function.mprobe").end["steps"], 10)  # the model is gone before the process ends
        for how, code, words, steps in (("end", 0, "", 10), ("interrupt", -2, "KeyboardInterrupt", 6), ("raise", 1, "ValueError: mine", 6), ("kill", -9, "", 6)):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", script, self.path(how + ".mprobe"), how], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("mantissa_probe", done.stderr.replace("import", ""))
            run = self.read(how + ".mprobe")
            self.assertIn(len(run.steps), (steps, steps + 1) if how == "interrupt" else (steps,))
            self.assertEqual(run.end is None, how == "kill")

    def test_pause_and_look_now(self):
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=0)
        for step in range(8):
            if step == 2:
                probe.look_now()
            probe.pause(step in (4, 5))
            step_of(model, optimizer, probe)
        probe.close()
        run = self.read()
        self.assertEqual({s.step for s in run.statistics}, {3})
        self.assertEqual(len(run.steps), 6)

    def test_a_cell_that_is_run_again_ends_the_earlier_watch(self):
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        threads = threading.active_count()
        for _ in range(3):
            probe = self.watch(model, optimizer, every=1)
            for _ in range(2):
                step_of(model, optimizer, probe)
        self.assertEqual(threading.active_count(), threads + 1)
        probe.close()
        self.assertEqual(len(model._forward_hooks), 0)
        for name in ("run.mprobe", "run-2.mprobe", "run-3.mprobe"):
            run = self.read(name)
            self.assertEqual((len(run.steps), run.end["steps"]), (2, 2))

    def test_the_watch_ends_with_its_model(self):
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=1)
        step_of(model, optimizer, probe)
        gone, sending = weakref.ref(model), probe._sender._thread
        del model
        gc.collect()
        self.assertIsNone(gone())
        sending.join(10)
        self.assertFalse(sending.is_alive())
        probe.step()
        probe.close()
        self.assertEqual(self.read().end["steps"], 1)

    def test_two_watches_that_share_a_scaler(self):
        if not HAS_CPU_SCALER:
            self.skipTest("this torch has no scaler for the CPU")
        scaler = torch.amp.GradScaler("cpu")
        functions = [type(scaler).step, type(scaler).update]
        models = [nn.Linear(4, 4), nn.Linear(4, 4)]
        optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in models]
        probes = [self.watch(m, o, scaler=scaler, to=self.path(f"{i}.mprobe")) for i, (m, o) in enumerate(zip(models, optimizers))]
        for _ in range(3):
            for model, optimizer in zip(models, optimizers):
                scaler.scale(model(torch.randn(3, 4)).square().mean()).backward()
                scaler.step(optimizer)
            scaler.update()
            for probe in probes:
                probe.step()
        for probe in probes:
            probe.close()
        for i in range(2):
            self.assertEqual([list(s["optimizers"][0]["found_inf"].values()) for s in self.read(f"{i}.mprobe").steps], [[0.0]] * 3)
        self.assertEqual([type(scaler).step, type(scaler).update], functions)

    def test_steps_that_never_end_do_not_pile_up(self):
        old, mantissa_probe.modules._MAX_PASSES = mantissa_probe.modules._MAX_PASSES, 4
        try:
            model = nn.Linear(4, 4)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            probe = self.watch(model, optimizer, every=1)
            sizes = []
            for _ in range(12):
                step_of(model, optimizer)
                sizes.append(len(probe._results.ids))
        finally:
            mantissa_probe.modules._MAX_PASSES = old
        self.assertEqual(sizes[4:], [sizes[4]] * 8)
        self.assertIn("without probe.step()", probe.problems[0])

    def test_a_loop_without_step_is_reported(self):
        for count in (3, 40):
            model = nn.Linear(4, 4)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            probe = self.watch(model, optimizer, to=self.path(f"{count}.mprobe"))
            for _ in range(count):
                step_of(model, optimizer)
            probe.close()
            problems = reading.read_file(self.path(f"{count}.mprobe")).problems
            self.assertEqual(len(problems), 1)
            self.assertIn("without probe.step(loss)", problems[0])
            self.assertIn("made 16 steps" if count == 40 else "has ended", problems[0])
        probe = self.watch(model, optimizer, to=self.path(f"{count}.mprobe"))
        for _ in range(40):
            step_of(model, optimizer, probe)
        probe.close()
        self.assertEqual(probe.problems, [])

    def test_an_optimizer_for_each_parameter_is_no_missing_step(self):
        model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(20)))
        optimizers = [torch.optim.SGD([p], 0.1) for p in model.parameters()]
        probe = self.watch(model, optimizers, to=self.path("many.mprobe"))
        for _ in range(20):
            loss = model(torch.ones(3, 4)).square().mean()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            probe.step(loss)
        probe.close()
        self.assertEqual(probe.problems, [])
        self.assertEqual(len(reading.read_file(self.path("many.mprobe")).steps), 20)

    def test_an_optimizer_in_a_compiled_function(self):
        if not CAN_COMPILE:
            self.skipTest("this torch cannot compile")

        def loop(model, optimizer, probe):
            torch._dynamo.reset()
            step, losses = torch.compile(lambda: optimizer.step()), []
            for _ in range(4):
                loss = model(torch.ones(3, 4)).square().mean()
                loss.backward()
                step()
                probe.step(loss)
                optimizer.zero_grad()
                losses.append(loss.item())
            return losses

        run = self.both(lambda: nn.Linear(4, 4), loop)
        self.assertTrue(all(s["optimizers"][0]["stepped"] and s["optimizers"][0]["grad_norm"] > 0 for s in run.steps))

    def test_an_exported_model_is_without_the_probe(self):
        if not hasattr(torch, "export") or not hasattr(torch.compiler, "is_exporting"):
            self.skipTest("this torch cannot export, or does not say that it does")
        model, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4)
        operations = lambda strict: [str(n.target) for n in torch.export.export(model, (x,), strict=strict).graph.nodes if n.op == "call_function"]
        plain = [operations(strict) for strict in (False, True)]
        probe = self.watch(model, None, every=1)
        self.assertEqual([operations(strict) for strict in (False, True)], plain)
        self.assertEqual(probe.problems, [])

    def test_a_model_that_is_traced(self):
        model, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4)
        nodes = lambda: [n.kind() for n in torch.jit.trace(model, x).inlined_graph.nodes()]
        plain = nodes()
        for flags in ("needed", "always"):
            probe = self.watch(model, None, every=1, flags=flags)
            for _ in range(5):
                self.assertEqual(nodes(), plain)
                model(x).sum().backward()
                probe.step()
            self.assertEqual(probe.problems, [])
            probe.close()

    def test_a_model_that_was_compiled_before_the_watch_is_said_to_be_unseen(self):
        model, watched = nn.Linear(4, 4), nn.Linear(4, 4)
        probe = self.watch(watched, None)
        for _ in range(8):
            probe.step(model(torch.ones(3, 4)).sum())
        self.assertEqual(len(probe.problems), 1)
        self.assertIn("torch.compiler.reset()", probe.problems[0])

    def test_capture_names_the_operation(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return self.b(torch.log(self.a(x).abs() * 0) * 0)

        def loop(model, optimizer, probe):
            losses = []
            for step in range(4):
                if step == 1:
                    probe.capture_next_step()
                losses.append(str(step_of(model, optimizer, probe)))
            return losses

        try:
            run = self.both(Model, loop)
        except ImportError:
            self.skipTest("this torch has no dispatch mode")
        (capture,) = run.captures
        self.assertEqual(capture["step"], 1)
        if capture["problem"]:
            self.skipTest(capture["problem"])
        first = capture["operations"][capture["first_bad"]]
        phases = {o["phase"] for o in capture["operations"]}
        self.assertTrue(first["operation"].startswith("aten.") and first["module"] in ("", "a"), first)
        self.assertEqual(phases, {"forward", "backward"} if hasattr(torch._C, "_current_autograd_node") else {"forward"})

    def test_capture_calls_no_fp64_number_infinite(self):
        model = nn.Linear(4, 4, dtype=torch.float64)
        probe = self.watch(model, None)
        probe.capture_next_step()
        (model(torch.full((3, 4), 1e39, dtype=torch.float64)).mean() * 1e3).backward()
        probe.step()
        probe.close()
        (captured,) = self.read().captures
        self.assertIsNone(captured["first_bad"])
        self.assertIn(float(np.finfo(np.float32).max), [o["abs_max"] for o in captured["operations"]])

    def test_sampled_flags(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=0, flags="sampled")
        for step in range(5):
            if step == 2:
                model[0].weight.data[0, 0] = float("nan")
            step_of(model, optimizer, probe)
        probe.close()
        run = self.read()
        self.assertEqual([(s["first_bad"] or {}).get("name") for s in run.steps], [None, None, "1.bias.grad", "0.output", "0.output"])
        self.assertEqual(run.steps[2]["bad_weights"], ["0.weight"])

    def test_wrong_arguments(self):
        for wrong in ({"flags": "never"}, {"gradients": "some"}, {"ranks": "2"}, {"every": -1}, {"budget": 2.0}):
            with self.assertRaises(ValueError):
                self.watch(nn.Linear(2, 2), None, **wrong)
        model = nn.Linear(2, 2)
        with self.assertRaisesRegex(ValueError, "model has type SGD, not torch.nn.Module"):
            self.watch(torch.optim.SGD(model.parameters(), 0.1), model)

    def test_the_budget_finds_a_period(self):
        from mantissa_probe.schedule import Schedule

        schedule = Schedule(0.01, None)
        for step in range(200):
            due = schedule.is_due(step)
            schedule.note(step, 0.1, 0.03 if due else 0.0002, due, schedule.is_timed(step), False)
        self.assertIn(schedule.period, (32, 64))
        self.assertLessEqual(0.03 / (schedule.period * 0.1) + schedule.share(), 0.01)


if __name__ == "__main__":
    main()
