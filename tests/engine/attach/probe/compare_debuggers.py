# SPDX-License-Identifier: Apache-2.0
"""What two common debuggers say of the ten faults of faults_test.py: torch.autograd.detect_anomaly and transformers' DebugUnderflowOverflow.

Each fault's script runs once under each of them, without the probe. Prints the step in which the debugger stops the script and what it names:
detect_anomaly the function of the backward pass and the line of the forward pass, DebugUnderflowOverflow the module and its tensors' largest
magnitudes. Written for torch 2.15 and transformers 5.24. Usage: python compare_debuggers.py
"""
import contextlib
import io
import warnings

from support import *
from faults_test import Faults
from transformers.debug_utils import DebugUnderflowOverflow

TEN = {
    "test_scale_too_high": "loss scale 2^30",
    "test_growth_of_the_scores": "growth of q.k",
    "test_nan_in_the_data": "NaN in one pixel",
    "test_norm_whose_epsilon_fp16_cannot_hold": "a norm whose epsilon FP16 cannot hold",
    "test_epsilon_of_zero": "Adam with epsilon 0",
    "test_swiglu_overflow": "SwiGLU's product",
    "test_spike_of_the_learning_rate": "learning rate 1e20 for one step",
    "test_poisoned_statistics": "NaN in running statistics",
    "test_divergence": "plain divergence",
    "test_fp16_weights": "FP16 weights, epsilon 0",
}


class Finished(Exception):
    """The script has come to its end without a word of the debugger."""


class NoProbe:
    """Counts the steps of a script that is not watched."""

    steps = 0

    def step(self, loss):
        self.steps += 1

    def close(self):
        pass


class Debugged(Faults):
    begin = None  # what a debugger does with the model before the first step

    def watch(self, model, *arguments, **settings):
        self.probe = NoProbe()
        self.debugger = type(self).begin(model)
        return self.probe

    def read(self, name="run.mprobe"):
        raise Finished


def said(name, begin):
    """Returns the steps before the debugger stopped the script, or None, its error, and what it printed."""
    Debugged.begin = staticmethod(begin)
    test, printed = Debugged(name), io.StringIO()
    test.setUp()
    try:
        with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed):
            warnings.simplefilter("always")
            getattr(test, name)()
    except Finished:
        return None, "", ""
    except (RuntimeError, ValueError) as error:
        lines = "\n".join(str(w.message) for w in warned).splitlines()
        code = [line.strip() for line in lines if line.startswith("    ")]  # of the traceback of the forward call, the innermost last
        return test.probe.steps, str(error), printed.getvalue() or (code[-1] if code else "")
    finally:
        test.tearDown()
    raise AssertionError("the script ended otherwise")


def last_frame(text):
    """Returns the module and the maxima of the last frame that DebugUnderflowOverflow printed."""
    lines = [line.split() for line in text.rstrip().splitlines()]
    start = max(i for i, line in enumerate(lines) if len(line) == 2)  # a module's name and class; lines of tensors have two numbers and a name
    return f"`{lines[start][0]}`: " + ", ".join(f"{line[2]} {line[1]}" for line in lines[start + 1 :])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| fault | `detect_anomaly` | `DebugUnderflowOverflow` |\n|---|---|---|")
    for name, fault in TEN.items():
        with torch.autograd.detect_anomaly():
            step, error, code = said(name, lambda model: None)
        anomaly = "nothing" if step is None else f"step {step}: {error.split(' returned')[0]}, at `{code}`"
        step, error, text = said(name, DebugUnderflowOverflow)
        print(f"| {fault} | {anomaly} | {'nothing' if step is None else f'step {step}: {last_frame(text)}'} |")
