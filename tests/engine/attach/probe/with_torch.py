# SPDX-License-Identifier: Apache-2.0
"""Runs a test of the probe under the first Python that has torch and numpy: MANTISSA_PYTHON's, python3, Debian's. Ends with 77 if none has."""
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
for python in filter(None, (os.environ.get("MANTISSA_PYTHON"), "python3", "/usr/bin/python3")):
    try:
        found = subprocess.run([*python.split(), "-c", "import torch, numpy"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        continue
    if found.returncode == 0:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        sys.exit(subprocess.run([*python.split(), "-W", "ignore", str(here / sys.argv[1]), *sys.argv[2:]], env=environment, check=False).returncode)
print("there is no PyTorch")
sys.exit(77)
