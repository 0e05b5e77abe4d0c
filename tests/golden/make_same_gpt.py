#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes same-gpt.mprobe: the lab's own experiment "a-small-gpt" in FP16, trained in PyTorch from the same weights with the same batches.

    python tests/golden/make_same_gpt.py build/release/bin/mantissa

The program that `mantissa export --to pytorch` writes is watched by the probe for six steps. Made with torch 2.15.0 on a CPU.
"""
import pathlib
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 6


def once(text, old, new):
    """Replaces what must be there exactly once."""
    if text.count(old) != 1:
        sys.exit(f"the exported program has changed: {old!r} is in it {text.count(old)} times")
    return text.replace(old, new)


def main():
    program, file = sys.argv[1], HERE / "same-gpt.mprobe"
    file.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        recording, out = f"{folder}/own.mantissa", pathlib.Path(folder, "out")
        subprocess.run([program, "train", "a-small-gpt", "--steps", str(STEPS), "--quiet", "--record", recording], check=True)
        subprocess.run([program, "export", recording, "--to", "pytorch", "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
        script = out / "fp16.py"
        text = once(script.read_text(), "autocast = torch.autocast", WATCH.format(file=str(file)) + "autocast = torch.autocast")
        script.write_text(once(text, "    scaler.update()\n", "    scaler.update()\n    probe.step(part)\n") + "probe.close()\n")
        subprocess.run([sys.executable, str(script)], check=True, env={"PYTHONPATH": str(HERE.parent.parent / "engine" / "attach" / "probe"), "PYTHONDONTWRITEBYTECODE": "1"})
    print(torch.__version__, file.stat().st_size, "bytes")


WATCH = """import mantissa_probe
probe = mantissa_probe.watch(model, optimizer, scaler=scaler, to={file!r}, name="PyTorch", every=1, gradients="always", quiet=True)
"""

if __name__ == "__main__":
    main()
