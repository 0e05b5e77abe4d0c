#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes scalers.safetensors, the references of scaler_golden_test.cpp: each framework's loss scale after every step, to the bit.

Run by hand when a case changes (needs numpy alone); the tests only read what it wrote:

    python3 tests/golden/make_scaler_goldens.py [FOLDER ...]

The rules below are those of the frameworks' sources, in numpy's fp32 and Python's floats, with factors that are no powers of two. What
can be found of the frameworks, installed or as a source tree in a FOLDER, is run beside its rule and must agree at every step: torch,
keras (with torch as its backend), jmp and flax (with jax), and the sources of apex, megatron, deepspeed and fairseq
(scaler_frameworks.py). Versions of what is installed are in the metadata; the sources were megatron-core 0.16.1, deepspeed 0.19.8,
fairseq 0.12.2 and the update_scale of apex/amp/scaler.py. tf_keras has been read alone.

The file has, for each case of the metadata's list "cases",
    CASE.found_inf  U8   one a step
    CASE.scale      F32 or F64, as the framework holds it; it ends where the framework ends the run
    CASE.inverse    F32, where the case asks for it: what gradients are multiplied with
"""
import json
import math
import pathlib
import struct

import numpy

from scaler_frameworks import REAL, Stopped

HERE = pathlib.Path(__file__).resolve().parent
fp32 = numpy.float32


# ---- The rules. `up`: growth factor; `down`: backoff factor; `by`: what is divided by at a backoff. ----


class PyTorch:  # _amp_update_scale_: an fp32 scale times a double, narrowed once
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.down, self.interval, self.tracker = fp32(init), up, down, interval, 0

    def update(self, found_inf):
        if found_inf:
            self.scale, self.tracker = fp32(float(self.scale) * self.down), 0
        elif self.tracker + 1 == self.interval:
            grown = fp32(float(self.scale) * self.up)
            self.scale, self.tracker = grown if numpy.isfinite(grown) else self.scale, 0
        else:
            self.tracker += 1


class Keras3:  # an fp32 variable times a constant
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.down, self.interval, self.counter = fp32(init), fp32(up), fp32(down), interval, 0

    def update(self, found_inf):
        if found_inf:
            self.scale, self.counter = self.scale * self.down, 0
        elif self.counter == self.interval - 1:
            self.scale, self.counter = self.scale * self.up, 0
        else:
            self.counter += 1


class TfKeras:  # an fp32 variable times and divided by a constant
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.by, self.interval, self.floor, self.counter = fp32(init), fp32(up), fp32(by), interval, fp32(floor), 0

    def update(self, found_inf):
        if found_inf:
            self.scale, self.counter = max(self.scale / self.by, self.floor), 0
        elif self.counter + 1 >= self.interval:
            grown = self.scale * self.up
            self.scale, self.counter = grown if numpy.isfinite(grown) else self.scale, 0
        else:
            self.counter += 1


class Apex:  # a Python float
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.by, self.interval, self.ceiling, self.unskipped = min(init, ceiling), up, by, interval, ceiling, 0

    def update(self, found_inf):
        if found_inf:
            self.scale, self.unskipped = self.scale / self.by, 0
        else:
            self.unskipped += 1
        if self.unskipped == self.interval:
            self.scale, self.unskipped = min(self.ceiling, self.scale * self.up), 0


class Megatron:  # fp32 tensors
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.down, self.floor = fp32(init), fp32(up), fp32(down), fp32(floor)
        self.interval, self.tracker, self.hysteresis, self.left = interval, 0, hysteresis, hysteresis

    def update(self, found_inf):
        if found_inf:
            self.tracker, self.left = 0, self.left - 1
            if self.left <= 0:
                self.scale = max(self.scale * self.down, self.floor)
        else:
            self.tracker += 1
            if self.tracker == self.interval:
                self.tracker, self.left, self.scale = 0, self.hysteresis, self.scale * self.up


class DeepSpeed:  # a Python float
    consecutive = False

    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.by, self.interval, self.floor = init, up, by, interval, floor
        self.shift = self.left = hysteresis
        self.iteration, self.last = 0, -1

    def update(self, found_inf):
        if found_inf:
            if self.left == 1:
                if self.scale == self.floor:
                    raise Stopped
                self.scale = max(self.scale / self.by, self.floor)
            else:
                self.left -= 1
            self.last = self.iteration
        else:
            if self.consecutive:
                self.left = self.shift
            stable = self.iteration - self.last - 1
            if stable > 0 and stable % self.interval == 0:
                self.left = self.shift
                self.scale *= self.up
        self.iteration += 1


class DeepSpeedConsecutive(DeepSpeed):
    consecutive = True


class Fairseq:  # a Python float; tolerance 0
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.by, self.interval, self.floor, self.iteration, self.last = init, up, by, interval, floor, 0, -1

    def update(self, found_inf):
        if found_inf:
            scale, self.last = max(self.scale / self.by, self.floor), self.iteration
            if scale <= 1e-4:
                raise Stopped
            self.scale = scale
        elif (self.iteration - self.last) % self.interval == 0:
            self.scale *= self.up
        self.iteration += 1


class Jmp:  # fp32 arrays
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.by, self.interval, self.floor, self.counter = fp32(init), fp32(up), fp32(by), interval, fp32(floor), 0

    def update(self, found_inf):
        if found_inf:
            self.scale, self.counter = max(self.floor, self.scale / self.by), 0
            return
        grown = self.scale * self.up
        if self.counter == self.interval - 1 and numpy.isfinite(grown):
            self.scale = grown
        self.counter = (self.counter + 1) % self.interval


class Flax:  # fp32 arrays
    def __init__(self, init, up, down, by, interval, floor, ceiling, hysteresis):
        self.scale, self.up, self.down, self.floor = fp32(init), fp32(up), fp32(down), fp32(floor)
        self.interval, self.steps = interval, 0

    def update(self, found_inf):
        grows = self.steps == self.interval
        if found_inf:
            self.scale = max(self.scale * self.down, self.floor)
        elif grows:
            self.scale = min(self.scale * self.up, numpy.finfo(fp32).max)
        self.steps = 0 if grows or found_inf else self.steps + 1


TINY = float(numpy.finfo(fp32).tiny)
# preset: rule, first scale, floor, ceiling, hysteresis
PRESETS = {"pytorch": (PyTorch, 2.0**16, 0.0, math.inf, 1), "keras3": (Keras3, 2.0**15, 0.0, math.inf, 1),
           "tf-keras": (TfKeras, 2.0**15, 1.0, math.inf, 1), "apex": (Apex, 2.0**16, 0.0, 2.0**24, 1),
           "megatron": (Megatron, 2.0**32, 1.0, math.inf, 2), "deepspeed": (DeepSpeed, 2.0**16, 1.0, math.inf, 2),
           "deepspeed-consecutive": (DeepSpeedConsecutive, 2.0**16, 1.0, math.inf, 2), "fairseq": (Fairseq, 2.0**7, 0.0, math.inf, 1),
           "jmp": (Jmp, 2.0**15, 1.0, math.inf, 1), "flax": (Flax, 2.0**16, TINY, math.inf, 1)}
PYTHON_FLOATS = ("apex", "deepspeed", "deepspeed-consecutive", "fairseq")


# ---- The cases ----


def pattern(*phases):
    """Each phase: steps, share of them that overflow."""
    random = numpy.random.default_rng(20)
    return numpy.concatenate([random.random(steps) < share for steps, share in phases])


LONG = pattern((200, 0.3), (320, 0), (40, 1), (60, 0.2), (330, 1), (250, 0), (100, 0.4))  # past 2^128, then below 2^-149
WANDERING = pattern((1000, 0.35))
CALM = pattern((700, 0.2), (150, 0), (150, 1))
DOWN = pattern((400, 1), (300, 0))
FAR = pattern((3000, 0), (2400, 1))


def cases():
    for preset in PRESETS:
        yield "long", preset, LONG, {"growth_factor": 1.7, "backoff_factor": 0.3, "growth_interval": 1} | (
            {"min_scale": 1e-60} if preset.startswith("deepspeed") else {"min_scale": 0.001} if preset == "fairseq" else
            {"max_scale": 1e300} if preset == "apex" else {})
        yield "wandering", preset, WANDERING, {"growth_factor": 1.1, "backoff_factor": 0.9, "growth_interval": 2}
        # 1 / (1 / 1.9) is not 1.9 in double
        yield "one factor", preset, CALM, {"growth_factor": 1.9, "backoff_factor": 1 / 1.9, "growth_interval": 3, "init_scale": 1234.56789}
        lowest = TINY if preset in ("jmp", "flax") else 1e-45  # on a CPU, XLA's subnormals are zeros
        floor = {} if PRESETS[preset][2] == 0 else {"min_scale": lowest}
        if preset != "fairseq":  # which ends the run
            yield "down", preset, DOWN, {"growth_factor": 1.1, "backoff_factor": 0.9, "growth_interval": 1, "init_scale": 1e-30} | floor
    for preset in PYTHON_FLOATS:
        if preset != "deepspeed-consecutive":
            yield "far", preset, FAR, {"growth_factor": 1.1, "backoff_factor": 1 / 1.1, "growth_interval": 1} | (
                {"max_scale": 1e300} if preset == "apex" else {})
    for down in (0.0, -0.7, -3.5):
        for preset in ("pytorch", "flax"):
            yield f"backoff {down}", preset, WANDERING[:400], {"growth_factor": 1.7, "backoff_factor": down, "growth_interval": 2}


def run(case, scaler):
    scales = []
    try:
        for found_inf in case["pattern"]:
            scales.append(scaler(bool(found_inf)))
    except Stopped:
        pass
    return scales


def by_rule(case):
    rule = PRESETS[case["preset"]][0](*(case[key] for key in ("init", "up", "down", "by", "interval", "floor", "ceiling", "hysteresis")))

    def step(found_inf):
        rule.update(found_inf)
        return rule.scale
    return run(case, step)


def check(case, scales, seen):
    """Against the framework, where there is one; says how many steps were compared."""
    try:
        real = REAL.get(case["preset"], lambda case: None)(case)
    except ImportError:
        real = None
    if real is None:
        return 0
    step, version = real
    seen.add(version)
    theirs = run(case, step)
    for i, (a, b) in enumerate(zip(scales, theirs, strict=True)):
        assert struct.pack("<d", a) == struct.pack("<d", b), (case["name"], i, a, b)
    return len(theirs)


def main():
    numpy.seterr(all="ignore")
    told, tensors, versions, compared = [], {}, set(), 0
    for name, preset, overflows, settings in cases():
        _, init, floor, ceiling, hysteresis = PRESETS[preset]
        up, down = settings["growth_factor"], settings["backoff_factor"]
        case = {"name": f"{preset}, {name}", "preset": preset, "pattern": overflows, "init": settings.get("init_scale", init), "up": up,
                "down": down, "by": up if down == 1 / up else 1 / down if down else math.inf, "interval": settings["growth_interval"],
                "floor": settings.get("min_scale", floor), "ceiling": settings.get("max_scale", ceiling), "hysteresis": hysteresis}
        scales = by_rule(case)
        steps = check(case, scales, versions)
        compared += steps
        print(f"{case['name']}: {len(scales)} steps, {steps} compared; log2 from {math.log2(abs(min(scales, key=abs)) or 1e-999):.0f} "
              f"to {math.log2(abs(max(scales, key=abs)) or 1):.0f}" if numpy.isfinite(scales).all() and all(scales)
              else f"{case['name']}: {len(scales)} steps, {steps} compared; comes to {scales[-1]}")
        told.append({"name": case["name"], "scaler": {"preset": preset} | settings})
        tensors[case["name"] + ".found_inf"] = overflows.astype("u1")
        tensors[case["name"] + ".scale"] = numpy.array(scales, dtype="<f8" if preset in PYTHON_FLOATS else "<f4")
        if name.startswith("backoff") or name == "one factor":
            tensors[case["name"] + ".inverse"] = (1 / numpy.array(scales, dtype="<f8")).astype("<f4")
    metadata = {"numpy": numpy.__version__, "compared with": "; ".join(sorted(versions)), "cases": json.dumps(told)}
    write(HERE / "scalers.safetensors", tensors, metadata)
    print(f"{sum(len(t) for name, t in tensors.items() if name.endswith('.scale'))} scales, {compared} compared with {versions}")


def write(path, tensors, metadata):
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, tensor in sorted(tensors.items(), key=lambda item: -item[1].itemsize):  # aligned
        blob = tensor.tobytes()
        header[name] = {"dtype": {1: "U8", 4: "F32", 8: "F64"}[tensor.itemsize], "shape": [len(tensor)],
                        "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


if __name__ == "__main__":
    main()
