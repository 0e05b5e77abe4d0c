# SPDX-License-Identifier: Apache-2.0
"""Each watched tensor's counts are numpy's, in eager and in compiled models; compiled models stay one graph."""
from support import *

AMPS = [None, torch.bfloat16, torch.float16]


class Copies:
    """Keeps copies of all tensors of one step by hooks of the test's own, registered before the probe's."""

    def __init__(self, model, optimizer):
        self.tensors, self.optimizer, self.handles, self.calls = {}, optimizer, [], {}
        self.handles.append(model.register_forward_pre_hook(lambda m, a: self.calls.clear()))
        for path, module in model.named_modules():
            self.handles.append(module.register_forward_hook(lambda m, a, out, path=path: self.output(path, out)))
        self.names = {id(p): name for name, p in reversed(list(model.named_parameters()))}

    def output(self, path, out):
        for position, tensor in enumerate(out if isinstance(out, tuple) else (out,)):
            name = ".".join(filter(None, (path, "output", str(position) if position else "")))
            self.calls[name] = self.calls.get(name, 0) + 1
            name += f"#{self.calls[name]}" if self.calls[name] > 1 else ""
            self.tensors[name] = tensor.detach().clone()
            if tensor.requires_grad:
                tensor.register_hook(lambda g, name=name: self.tensors.__setitem__(name + ".grad", g.detach().clone()))

    def weights(self, model):
        for name, p in model.named_parameters():
            self.tensors[name] = p.detach().clone()
            if p.grad is not None:
                self.tensors[name + ".grad"] = p.grad.detach().clone()

    def updates(self, model):
        for name, p in model.named_parameters():
            self.tensors[name + ".update"] = p.detach() - self.tensors[name]


class Tensors(ProbeTest):
    def compare(self, run, step, copies, least):
        seen = set()
        for s in run.statistics:
            if s.step != step:
                continue
            name = run.tensors[s.tensor]["name"]
            if name.startswith("input."):
                continue
            tensor = copies[name]
            self.assertEqual((s.classes, s.abs_max, s.smallest, s.counts()), statistics_of(tensor), name)
            self.assertEqual(s.elements, tensor.numel(), name)
            self.assertEqual(run.tensors[s.tensor]["shape"], list(tensor.shape), name)
            seen.add(name)
        self.assertGreaterEqual(len(seen), least)
        return seen

    def test_every_tensor_of_an_eager_step(self):
        for make, batch, least in ((Gpt, tokens, 100), (ResNet, images, 35)):
            for amp in AMPS if HAS_CPU_SCALER else AMPS[:2]:  # before torch 2.3 the CPU's autocast is for bf16 alone
                with self.subTest(model=make.__name__, amp=amp):
                    torch.manual_seed(0)
                    model = make()
                    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
                    copies = Copies(model, optimizer)
                    file = f"{make.__name__}{amp}.mprobe"
                    probe = self.watch(model, optimizer, every=2, to=self.path(file))
                    for step in range(3):
                        with torch.autocast("cpu", amp or torch.bfloat16, enabled=amp is not None):
                            output = model(*batch())
                        loss = output[1] if isinstance(output, tuple) else output
                        loss.backward()
                        copies.weights(model)
                        optimizer.step()
                        copies.updates(model)
                        optimizer.zero_grad()
                        probe.step(loss)
                    probe.close()
                    run = self.read(file)
                    self.assertEqual(sorted({s.step for s in run.statistics}), [0, 2])
                    seen = self.compare(run, 2, copies.tensors, least)
                    roles = {run.tensors[s.tensor]["role"] for s in run.statistics}
                    self.assertEqual(roles, {"value", "gradient", "weight", "weight gradient", "update"})
                    # nothing that has a gradient was left out, but for what a child had returned already
                    for name, tensor in copies.tensors.items():
                        if name not in seen:
                            self.assertTrue(any(torch.equal(tensor, copies.tensors[n]) for n in seen if copies.tensors[n].shape == tensor.shape), name)

    def test_magnitudes_of_each_step(self):
        model = Gpt()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        copies = Copies(model, optimizer)
        probe = self.watch(model, optimizer, every=0, gradients="always")
        loss = model(*tokens())[1]
        loss.backward()
        optimizer.step()
        probe.step(loss)
        probe.close()
        run = self.read()
        packed = run.steps[0]["magnitudes"]
        ids, bits = (np.frombuffer(packed[key], np.uint32) for key in ("tensor", "bits"))
        self.assertGreater(len(ids), 40)
        for tensor_id, value in zip(ids, bits):
            name = run.tensors[int(tensor_id)]["name"]
            if not name.startswith("input"):
                self.assertEqual(np.uint32(value).view(np.float32), copies.tensors[name].float().abs().max().item(), name)

    def test_compiled(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")
        from torch._dynamo.utils import counters

        for amp in AMPS:
            with self.subTest(amp=amp):
                results = []
                for is_watched in (False, True):
                    torch._dynamo.reset()
                    counters.clear()
                    torch.manual_seed(0)
                    model = Gpt(layers=1)
                    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
                    compiled = torch.compile(model, fullgraph=True)
                    seen = {}
                    if is_watched:
                        probe = self.watch(compiled, optimizer, every=2, sketches=amp is not None, to=self.path(f"{amp}.mprobe"))
                    losses = []
                    for _ in range(5):
                        with torch.autocast("cpu", amp or torch.bfloat16, enabled=amp is not None):
                            loss = compiled(*tokens())[1]
                        loss.backward()
                        optimizer.step()
                        optimizer.zero_grad()
                        losses.append(loss.item())
                        if is_watched:
                            probe.step(loss)
                    if is_watched:
                        self.assertEqual(sum(counters["graph_break"].values()), 0)
                        self.assertEqual(counters["stats"]["unique_graphs"], 1)
                        probe.close()
                    results.append(losses)
                self.assertEqual(results[0], results[1])
                run = self.read(f"{amp}.mprobe")
                self.assertEqual([s["loss"] for s in run.steps], results[1])
                names = {run.tensors[s.tensor]["name"] for s in run.statistics}
                for name in ("h.0.mlp.gelu.output", "h.0.mlp.gelu.output.grad", "h.0.mlp.c_fc.weight.grad", "lm_head.output"):
                    self.assertIn(name, names)
                self.assertEqual({run.tensors[s.tensor]["dtype"] for s in run.statistics if run.tensors[s.tensor]["name"] == "h.0.mlp.c_fc.output"},
                                 {{None: "f32", torch.bfloat16: "bf16", torch.float16: "f16"}[amp]})

    def test_compiled_counts_are_those_of_the_tensors_in_the_graph(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")
        torch._dynamo.reset()
        model = Gpt(layers=1)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")  # which computes as eager mode does
        probe = self.watch(compiled, None, every=1)
        batch = tokens()
        compiled(*batch)[1].backward()
        probe.step()
        probe.close()
        run = self.read()
        copies = Copies(model, None)
        model(*batch)[1].backward()
        self.compare(run, 0, copies.tensors, 20)

    def test_a_module_that_a_compiled_graph_calls_twice(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")

        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)

            def forward(self, x):
                return self.layer(self.layer(x) * 100).sum()

        torch._dynamo.reset()
        model = torch.compile(Twice(), fullgraph=True, backend="aot_eager")
        probe = self.watch(model, None, every=1)
        for _ in range(2):
            model(torch.randn(2, 4)).backward()
            probe.step()
        probe.close()
        run = self.read()
        for step in range(2):
            found = {run.tensors[s.tensor]["name"]: s.abs_max for s in run.statistics if s.step == step}
            self.assertLess(found["layer.output"], found["layer.output#2"])
            self.assertEqual(found["layer.output#2.grad"], 1)
            self.assertGreater(found["layer.output.grad"], 1)


if __name__ == "__main__":
    main()
