# SPDX-License-Identifier: Apache-2.0
"""`mantissa attach` beside the script itself: every step equal, verdicts of planted faults, processes that are killed."""
import csv
import json
import math
import signal
import sqlite3
import subprocess
import textwrap
import time

from support import *
from faults_test import Faults

PROGRAM = os.environ.get("MANTISSA_PROGRAM", str(ROOT / "build" / "release" / "bin" / "mantissa"))

# The verdict and the layer of each fault; None: the layer may be any.
EXPECTED = {
    "test_scale_too_high": ({"scale too high"}, "lm_head"),
    "test_scale_too_high_with_the_default_settings": ({"scale too high"}, "ln_f"),
    "test_a_weights_gradient_before_other_outputs": ({"scale too high"}, "head"),
    "test_a_weight_of_a_module_with_children_is_no_place": ({"scale too high"}, "head"),
    "test_a_sparse_gradient": ({"arithmetic NaN"}, "wte"),
    "test_growth_of_the_scores": ({"forward overflow"}, "h.1.attn.c_proj"),
    "test_nan_in_the_data": ({"bad data"}, ""),
    "test_norm_whose_epsilon_fp16_cannot_hold": ({"forward overflow", "arithmetic NaN"}, "1"),
    "test_epsilon_of_zero": ({"bad weights"}, "wte"),
    "test_swiglu_overflow": ({"forward overflow"}, "mlp.down"),
    "test_spike_of_the_learning_rate": ({"divergence"}, None),
    "test_poisoned_statistics": ({"bad statistics"}, "bn2"),
    "test_divergence": ({"divergence"}, None),
    "test_fp16_weights": ({"bad weights"}, "0"),
}


def attached(*arguments):
    done = subprocess.run([PROGRAM, "attach", *arguments, "--json"], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout), done.stderr


class Judged(Faults):
    """The faults of faults_test.py once more, with what the program says of them."""

    def read(self, name="run.mprobe"):
        run = super().read(name)
        verdicts, layer = EXPECTED[self._testMethodName]
        code, said, errors = attached(self.path(name))
        self.assertEqual((code, errors), (0, ""))
        first = said["runs"][0]["examined"][0]
        self.assertIn(first["verdict"], verdicts, first)
        if layer is not None:
            self.assertEqual(first["layer"], layer)
        self.assertTrue(first["headline"] and first["explanation"])
        return run


class Attach(ProbeTest):
    def setUp(self):
        super().setUp()
        self.place = "unix:" + str(self.folder / "attach")
        self.recording = str(self.folder / "run.mantissa")

    def start(self, *arguments):
        lab = subprocess.Popen([PROGRAM, "attach", self.place, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not (self.folder / "attach").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return lab

    def rows(self):
        subprocess.run([PROGRAM, "export", self.recording, "--to", "csv", "--out", str(self.folder)], check=True, stdout=subprocess.DEVNULL)
        with open(next(self.folder.glob("*.csv")), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def check_every_step(self, model, batch, scale):
        if not HAS_CPU_SCALER:
            self.skipTest("this torch has no GradScaler on the CPU")
        lab = self.start("--record", self.recording, "--quiet")
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale, growth_interval=5)
        probe = mantissa_probe.watch(model, optimizer, scaler=scaler, to=self.place, quiet=True, name="script", every=4)
        printed, weights = [], {}
        for step in range(30):
            if step % 4 == 0:
                weights[step] = {name: statistics_of(p) for name, p in model.named_parameters()}
            with torch.autocast("cpu", torch.float16):
                output = model(*batch())
                loss = output[1] if isinstance(output, tuple) else output
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            used = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            printed.append((loss.item(), used, scaler.get_scale() < used, norm.item()))
            optimizer.zero_grad()
            probe.step(loss)
            time.sleep(0.05)  # a recording keeps statistics at a rate by the time of training
        probe.close()
        self.assertEqual(lab.wait(30), 0, lab.stderr.read())
        lab.stdout.close(), lab.stderr.close()
        rows = self.rows()
        self.assertEqual(len(rows), len(printed))
        skips = 0
        for row, (loss, used, skipped, norm) in zip(rows, printed):
            self.assertEqual((float(row["loss"]), float(row["loss_scale"]), row["skipped"] == "1"), (loss, used, skipped), row["step"])
            if math.isfinite(norm):
                self.assertAlmostEqual(float(row["grad_norm"]) / norm, 1, places=5)
            skips += skipped
        self.assertGreater(skips, 0)
        # element counts, as the recording keeps them, against numpy's
        compared = 0
        for step, body in sqlite3.connect(self.recording).execute("SELECT step, body FROM log WHERE kind = 'tensors_measured'"):
            for tensor in json.loads(body)["tensors"]:
                if tensor["role"] != 4 or step not in weights:  # weights
                    continue
                classes, largest, smallest, counts = weights[step][tensor["tensor"]]
                c = tensor["classes"]
                self.assertEqual((c["negative_inf"], c["negative"], c["zero"], c["positive"], c["positive_inf"], c["nan"]), classes)
                self.assertEqual((c["abs_max"], tensor["smallest"]), (largest, smallest))
                self.assertEqual(cells.unpack_cells(bytes.fromhex(tensor["magnitudes"])), counts)
                compared += 1
        self.assertGreater(compared, 10)

    def test_every_step_of_a_gpt(self):
        self.check_every_step(Gpt(), tokens, 2.0**24)

    def test_every_step_of_a_resnet(self):
        self.check_every_step(ResNet(), images, 2.0**24)

    def script(self, kill_at):
        return textwrap.dedent(f"""
            import os, signal, sys
            sys.path[:0] = [{str(ROOT / "engine/attach/probe")!r}, {str(pathlib.Path(__file__).parent)!r}]
            from support import *
            torch.manual_seed(0)
            model = Gpt()
            optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
            probe = mantissa_probe.watch(model, optimizer, to={self.place!r}, quiet=True)
            for step in range(60):
                loss = model(*tokens())[1]
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                probe.step(loss)
                time.sleep(0.02)
                if step == {kill_at}:
                    os.kill(os.getpid(), signal.SIGKILL)
        """).replace("import os, signal, sys", "import os, signal, sys, time")

    def test_a_killed_training_is_missed_and_kept(self):
        lab = self.start("--record", self.recording, "--quiet")
        script = subprocess.run([sys.executable, "-c", self.script(40)], check=False)
        self.assertEqual(script.returncode, -signal.SIGKILL)
        began = time.monotonic()
        self.assertEqual(lab.wait(30), 3)
        self.assertLess(time.monotonic() - began, 8)
        self.assertIn("gone without a word", lab.stderr.read())
        lab.stdout.close(), lab.stderr.close()
        self.assertGreaterEqual(len(self.rows()), 35)

    def test_a_file_that_a_killed_training_left_is_said_to_have_no_end(self):
        path = self.path()
        subprocess.run([sys.executable, "-c", self.script(20).replace(self.place, path)], check=False)
        code, said, errors = attached(path)
        self.assertEqual(code, 3)
        self.assertIn("has not ended", errors)
        self.assertGreaterEqual(said["runs"][0]["steps"], 15)

    def test_a_terminal_that_is_killed_costs_the_training_nothing(self):
        lab = self.start("--quiet")
        script = subprocess.Popen([sys.executable, "-c", self.script(-1)])
        time.sleep(1.5)
        lab.kill()
        lab.wait()
        lab.stdout.close(), lab.stderr.close()
        self.assertEqual(script.wait(60), 0)


if __name__ == "__main__":
    main()
