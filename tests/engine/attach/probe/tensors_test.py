# SPDX-License-Identifier: Apache-2.0
"""Each watched tensor's counts are numpy's, in eager and in compiled models; compiled models stay one graph."""
import copy

from support import *
from random_models import ReadTwice

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

    def test_updates_where_not_all_weights_can_be_kept(self):
        """A step keeps 2 of 5 weights of 256 bytes, or a part of one. Each has its turn."""
        for most, expected, elements in ((600, ["01", "23", "40", "12", "34"], 64), (100, ["0", "1", "2", "3", "4"], 24)):
            with unittest.mock.patch.object(mantissa_probe.optimizers, "_KEPT_BYTES", most):
                model = nn.Sequential(*[nn.Linear(8, 8, bias=False) for _ in range(5)])
                optimizer = torch.optim.SGD(model.parameters(), 0.1)
                probe = self.watch(model, optimizer, every=1, to=self.path(f"{most}.mprobe"))
                moved = []
                for _ in range(5):
                    model(torch.randn(3, 8)).square().mean().backward()
                    before = [p.detach().clone() for p in model.parameters()]
                    optimizer.step()
                    moved.append([p.detach() - b for p, b in zip(model.parameters(), before)])
                    optimizer.zero_grad()
                    probe.step()
                probe.close()
            run = self.read(f"{most}.mprobe")
            for step in range(5):
                updates = [s for s in run.statistics if s.step == step and run.tensors[s.tensor]["role"] == "update"]
                self.assertEqual("".join(run.tensors[s.tensor]["name"][0] for s in updates), expected[step])
                for s in updates:
                    whole = moved[step][int(run.tensors[s.tensor]["name"][0])]
                    rows = elements // 8
                    parts = [statistics_of(whole[first : first + rows]) for first in range(9 - rows)]
                    self.assertIn((s.classes, s.abs_max, s.smallest, s.counts()), parts)
                    self.assertEqual((s.elements, run.tensors[s.tensor]["shape"]), (elements, [8, 8]))

    def test_parameters_that_are_replaced_after_watch(self):
        """They have the names of their places in the model, whatever had their addresses before. Each shape is a tensor of its own."""
        model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=1)
        expected = {}
        for step in range(30):
            if step % 3 == 1:
                width = 8 + step % 2
                model[0] = model[2] = None  # so that addresses are free
                model[2], model[0] = nn.Linear(width, 2), nn.Linear(4, width)
                optimizer.param_groups[0]["params"] = list(model.parameters())
            loss = model(torch.randn(3, 4)).square().mean()
            loss.backward()
            for name, parameter in model.named_parameters():
                expected[step, name + ".grad"] = (list(parameter.shape), float(parameter.grad.abs().max()))
            optimizer.step()
            optimizer.zero_grad()
            probe.step(loss)
        probe.close()
        run = self.read()
        described = [(run.tensors[s.tensor], s) for s in run.statistics]
        found = {(s.step, t["name"]): (t["shape"], s.abs_max) for t, s in described if t["role"] == "weight gradient"}
        self.assertEqual(found, expected)
        names = [t["name"] for t in run.tensors.values()]
        self.assertEqual([names.count(name) for name in ("0.weight.grad", "0.bias", "2.weight.update", "2.bias.grad")], [2, 2, 2, 1])

    def test_parameters_can_be_swapped_by_torch(self):
        if not hasattr(torch.utils, "swap_tensors"):
            self.skipTest("this torch is too old")
        model = nn.Linear(4, 4)
        probe = self.watch(model, torch.optim.SGD(model.parameters(), 0.1), every=1)
        torch.utils.swap_tensors(model.weight, nn.Parameter(torch.zeros(4, 4)))  # refuses what has weak references
        probe.close()

    def test_parameters_of_another_model(self):
        one, other = nn.Linear(4, 4), nn.Linear(4, 4)
        parameters = list(one.parameters()) + list(other.parameters())
        groups = [{"params": parameters[:1]}, {"params": parameters[1:]}]
        optimizers = [torch.optim.SGD(groups, 0.1), torch.optim.SGD(other.parameters(), 0.1)]
        for count, expected in ((1, "group 1, parameter 1"), (2, "optimizer 0, group 1, parameter 1")):
            file = f"{count}.mprobe"
            probe = self.watch(one, optimizers[:count], every=1, to=self.path(file))
            other(one(torch.randn(3, 4))).square().mean().backward()
            optimizers[0].step()
            probe.step()
            probe.close()
            names = [t["name"] for t in self.read(file).tensors.values() if t["role"] == "weight gradient"]
            self.assertEqual(names, ["weight.grad", "bias.grad", expected + ".grad", expected[:-1] + "2.grad"])

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
                for name in ("h.0.mlp.c_fc.output", "h.0.mlp.c_fc.output.grad", "h.0.mlp.c_fc.weight.grad", "lm_head.output"):
                    self.assertIn(name, names)
                self.assertEqual("h.0.mlp.gelu.output" in names, amp is None)
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

    def test_gradients_behind_a_residual_branch_of_narrow_tensors(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")

        class Residual(nn.Module):
            def __init__(self, width, ends):
                super().__init__()
                branch = lambda end: nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width), end)
                self.branches = nn.ModuleList(map(branch, ends))

            def forward(self, x):
                for branch in self.branches:
                    x = x + branch(x)
                return x.float().square().mean()

        cases = [
            (torch.bfloat16, (4, 16, 64), [nn.Dropout(0.1)] * 2),
            (torch.float16, (8, 16), [nn.Dropout(0.1)] * 2),
            (torch.bfloat16, (8, 16), [nn.GELU(), nn.SiLU(), nn.LayerNorm(16)]),
            (torch.float16, (8, 16), [nn.Softmax(-1), nn.Identity(), nn.ReLU()]),
        ]
        for i, (amp, shape, end) in enumerate(cases):
            with self.subTest(amp=amp, end=end):
                results = []
                for is_watched in (False, True):
                    torch._dynamo.reset()
                    torch.manual_seed(0)
                    model = Residual(shape[-1], copy.deepcopy(end))
                    compiled = torch.compile(model, fullgraph=True)
                    probe = self.watch(compiled, None, every=1, to=self.path(f"{i}.mprobe")) if is_watched else mantissa_probe.NoProbe()
                    with torch.autocast("cpu", amp):
                        loss = compiled(torch.randn(shape))
                    loss.backward()
                    probe.step(loss)
                    probe.close()
                    results.append([loss.detach()] + [p.grad for p in model.parameters()])
                for plain, watched in zip(*results):
                    self.assertTrue(torch.equal(plain, watched))
                run = self.read(f"{i}.mprobe")
                names = {run.tensors[s.tensor]["name"] for s in run.statistics}
                self.assertLessEqual({"branches.0.3.output", "branches.0.3.output.grad"}, names)

    def test_gradients_of_an_embedding_behind_narrow_tensors(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")

        class Words(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.wte, self.twice, self.attn, self.mlp = nn.Embedding(33, width), ReadTwice(width), Attention(width, 2), Mlp(width)
                self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, 33)

            def forward(self, words, targets):
                x = self.twice(self.wte(words))
                x = x + self.attn(self.ln(x))
                return F.cross_entropy(self.head(x + self.mlp(x)).float().flatten(0, 1), targets.flatten())

        for amp in (torch.bfloat16, torch.float16):
            with self.subTest(amp=amp):
                results = []
                for is_watched in (False, True):
                    torch._dynamo.reset()
                    torch.manual_seed(0)
                    model = Words(16)
                    compiled = torch.compile(model, fullgraph=True)
                    probe = self.watch(compiled, None, every=1, to=self.path(f"{amp}.mprobe")) if is_watched else mantissa_probe.NoProbe()
                    with torch.autocast("cpu", amp):
                        loss = compiled(*tokens(4, 12, 33))
                    loss.backward()
                    probe.step(loss)
                    probe.close()
                    results.append([loss.detach()] + [p.grad for p in model.parameters()])
                differing = [name for name, a, b in zip(["loss", *(n for n, _ in model.named_parameters())], *results) if not torch.equal(a, b)]
                self.assertEqual(differing, [])

    def test_blocks_that_are_compiled_one_by_one_share_a_graph(self):
        if not CAN_COMPILE:
            self.skipTest("this torch is too old")
        from torch._dynamo.utils import counters

        class Blocks(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 16)) for _ in range(12))
                for block in self.blocks:
                    block.compile(fullgraph=True)

            def forward(self, x):
                for block in self.blocks:
                    x = x + block(x)
                return x

        losses, graphs = [[], []], []
        for is_watched in (False, True):
            torch._dynamo.reset()
            counters.clear()
            torch.manual_seed(0)
            model = Blocks()
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            probe = self.watch(model, optimizer, every=1) if is_watched else mantissa_probe.NoProbe()
            for _ in range(3):
                loss = model(torch.randn(8, 16)).square().mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                losses[is_watched].append(loss.item())
                probe.step(loss)
            probe.close()
            graphs.append(counters["stats"]["unique_graphs"])
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(graphs[0], graphs[1])  # one for the first block, whose input needs no gradient, and one for all others
        run = self.read()
        names = {run.tensors[s.tensor]["name"] for s in run.statistics}
        for i in range(12):
            self.assertIn(f"blocks.{i}.1.output", names)
            self.assertIn(f"blocks.{i}.1.output.grad", names)


if __name__ == "__main__":
    main()
