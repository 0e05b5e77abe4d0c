# SPDX-License-Identifier: Apache-2.0
"""Two trainings compared by sketches: the differences against those of all elements, a planted fault, and the lab's own runs of the same model."""
import json
import re
import struct
import subprocess

from support import *
from tensors_test import Copies

from mantissa_probe.counting import Counter, Results
from mantissa_probe.sketches import sketch_of

PROGRAM = os.environ.get("MANTISSA_PROGRAM", str(ROOT / "build" / "release" / "bin" / "mantissa"))


def compare(*arguments):
    done = subprocess.run([PROGRAM, "compare", *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Sketches(ProbeTest):
    def test_torch_and_c_make_the_same(self):
        counter = Counter(sketches=True)
        if not counter.is_native:
            self.skipTest("no C compiler")
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for size in (1, 63, 64, 65, 2047, 2048, 2049, 100001, (1 << 20) + 77):
                tensor = torch.randn(size).to(dtype)
                if size > 64:
                    tensor[5], tensor[9], tensor[11] = float("nan"), float("inf"), float("-inf")
                results = Results(0)
                counter.count(results, 0, tensor)
                of_c = torch.tensor(struct.unpack("<64f", results.body()["sketches"]))
                self.assertTrue(torch.allclose(of_c, sketch_of(tensor), rtol=1e-5, atol=1e-4), (dtype, size))

    def test_sketches_of_views(self):
        x = torch.randn(20, 30, 40)
        for view in (x.transpose(0, 2), x[::2, 1:], x[:, :1].expand(20, 30, 40), x[0, 0, :, None].expand(40, 3000)):
            for has_compiler in (True, False):
                counter = Counter(sketches=True)
                counter._native = counter._native if has_compiler else None
                results = Results(0)
                counter.count(results, 0, view)
                results.finish(results.rows())
                found = torch.tensor(struct.unpack("<64f", results.body()["sketches"]))
                self.assertTrue(torch.allclose(found, sketch_of(view.contiguous()), rtol=1e-5, atol=1e-3), view.stride())

    def test_without_them_messages_are_as_before(self):
        model = Gpt()
        probe = self.watch(model, None, every=1, name="plain")
        probe.step(model(*tokens())[1])
        probe.close()
        self.assertFalse(b"sketches" in (self.folder / "run.mprobe").read_bytes())

    def train(self, file, amp, spoiled=None):
        """Six steps of one model on the same batches; returns copies of all tensors of the last one."""
        torch.manual_seed(3)
        model = Gpt()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        copies = Copies(model, optimizer)
        probe = self.watch(model, optimizer, to=self.path(file), every=1, gradients="always", sketches=True, name=file)
        for step in range(6):
            if step == spoiled:
                with torch.no_grad():
                    model.h[1].mlp.c_fc.weight.mul_(1.5)
            with torch.autocast("cpu", torch.bfloat16, enabled=amp):
                loss = model(*tokens())[1]
            optimizer.zero_grad()
            loss.backward()
            copies.weights(model)
            optimizer.step()
            probe.step(loss)
        probe.close()
        return copies.tensors

    def test_differences_are_those_of_all_elements(self):
        fp32, bf16 = self.train("fp32.mprobe", False), self.train("bf16.mprobe", True)
        found = compare(self.path("bf16.mprobe"), self.path("fp32.mprobe"))
        self.assertEqual([step["step"] for step in found["steps"]], list(range(6)))
        self.assertEqual(found["steps"][-1]["coarsest"], "bf16")
        compared = 0
        for layer in found["steps"][-1]["layers"]:
            names = [n for n in fp32 if n in bf16 and self.is_of(n, layer["layer"], layer["role"])]
            apart = sum((bf16[n].double() - fp32[n].double()).square().sum() for n in names) ** 0.5
            length = sum(fp32[n].double().square().sum() for n in names) ** 0.5
            if not names or apart == 0:
                continue
            truth = (apart / length).item()
            self.assertLess(abs(layer["difference"] / truth - 1), 0.5, layer)  # five standard deviations
            self.assertAlmostEqual(layer["unit_roundoffs"] / layer["difference"], 2**8, places=3)
            compared += 1
        self.assertGreater(compared, 40)

    @staticmethod
    def is_of(name, layer, role):
        pattern = {"value": r"\.output", "gradient": r"\.output\.grad", "weight": r"\.(weight|bias)", "weight gradient": r"\.(weight|bias)\.grad"}[role]
        return re.fullmatch(re.escape(layer) + pattern, name) is not None

    def test_a_layer_that_was_spoiled_is_named(self):
        self.train("sound.mprobe", True)
        self.train("spoiled.mprobe", True, spoiled=4)
        first = compare(self.path("spoiled.mprobe"), self.path("sound.mprobe"))["first_apart"]
        self.assertEqual((first["step"], first["role"], first["tensor"]), (4, "weight", "h.1.mlp.c_fc.weight"))
        self.assertAlmostEqual(first["difference"], 0.5, delta=0.01)  # an exact multiple has an exact sketch; the bias adds to the length

    def test_a_file_that_breaks_off_is_compared_as_far_as_it_goes(self):
        self.train("whole.mprobe", True)
        data = (self.folder / "whole.mprobe").read_bytes()
        (self.folder / "cut.mprobe").write_bytes(data[: len(data) * 2 // 3])
        for pair in (("cut.mprobe", "whole.mprobe"), ("whole.mprobe", "cut.mprobe")):
            done = subprocess.run([PROGRAM, "compare", *map(self.path, pair), "--json"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
            self.assertIn("cut.mprobe: ", done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual([step["step"] for step in found["steps"]], list(range(len(found["steps"]))))
            self.assertTrue(1 < len(found["steps"]) < 6)

    def exported(self, run):
        """Trains the lab's own run, and its exported program with the probe, which begins with its weights and takes its batches."""
        recording = self.folder / "own.mantissa"
        if not recording.exists():
            subprocess.run([PROGRAM, "train", "a-small-gpt", "--set", "/steps=4", "--record", recording, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([PROGRAM, "export", recording, "--to", "pytorch", "--out", self.folder], check=True, stdout=subprocess.DEVNULL)
        program = self.folder / f"{run}.py"
        text, loop = program.read_text(encoding="utf-8"), "source, skipped = batches(), 0\n"
        self.assertIn(loop, text)
        watch = f"probe = mantissa_probe.watch(model, optimizer, scaler=globals().get('scaler'), to={self.path(run + '.mprobe')!r}, every=1, gradients='always', sketches=True, quiet=True)\n"
        text = "import mantissa_probe\n" + text.replace(loop, loop + watch).replace("    if step % 10 == 0:\n", "    probe.step(part)\n    if step % 10 == 0:\n", 1)
        program.write_text(text + "\nprobe.close()\n", encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine" / "attach" / "probe")}
        subprocess.run([sys.executable, program], check=True, stdout=subprocess.DEVNULL, env=environment)
        return self.path(run + ".mprobe")

    def test_the_labs_own_run_is_the_same_training(self):
        if not HAS_CPU_SCALER:
            self.skipTest("this torch has no GradScaler on the CPU")
        # FP32 differs by the order of sums alone; FP16 and BF16 by what the CPU's autocast rounds elsewhere: a few unit roundoffs
        for run, bound in (("fp32", 1e-5), ("fp16", 4 * 2**-11), ("bf16", 4 * 2**-8)):
            found = compare("a-small-gpt", self.exported(run), "--runs", run, "--bound", bound)
            self.assertIsNone(found["first_apart"], (run, found["sentence"]))
            self.assertEqual(len(found["steps"]), 4)
            self.assertGreater(len(found["steps"][0]["layers"]), 50)

    def test_what_cannot_be_compared_is_refused(self):
        def refusal(*arguments):
            done = subprocess.run([PROGRAM, "compare", *map(str, arguments)], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            return done.stderr

        model = Gpt()
        probe = self.watch(model, None, every=1)
        probe.step(model(*tokens())[1])
        probe.close()
        self.assertIn("sketches=True", refusal(self.path(), self.path()))
        self.assertIn("sketches=True", refusal("a-small-gpt", self.path(), "--runs", "bf16"))
        self.assertIn("--runs takes the name", refusal("a-small-gpt", self.path()))
        self.assertIn("missing.mprobe", refusal(self.path(), self.path("missing.mprobe")))
        self.assertIn(".mprobe", refusal("a-small-gpt", "b.json", "--runs", "bf16"))


if __name__ == "__main__":
    main()
