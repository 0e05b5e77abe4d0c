# SPDX-License-Identifier: Apache-2.0
"""The probe: one watched training run, step by step."""
from __future__ import annotations

import atexit
import contextlib
import math
import os
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional

import torch
from torch import nn

from . import clipping
from . import scaler as scalers
from .capture import Capture
from .counting import DTYPE_NAMES, Counter, Results
from .deferred import Deferred, Later, Squares, widened
from .frames import Message
from .messages import autocast_dtype, complete_step, cuda_bytes, did_no_harm, hello_body, is_finite, say, statistics_body
from .modules import Watch
from .no_probe import NoProbe
from .optimizers import CompiledMark, Weights, hooked
from .schedule import Schedule
from .sender import Sender
from .tensors import Tensors, tensors_in, unwrapped
from .transports import Transport

_STEPS_AFTER_BAD = 100  # in which everything is flagged
_MESSAGE_BYTES = 800  # about what a step without statistics takes
_OPTIMIZER_STEPS_WITHOUT_STEP = 16  # after which the user is reminded, once
_STEPS_WITHOUT_OPTIMIZER = 100  # the same
_UNSEEN = "with torch.compile, watch() comes before the first call, and torch.compiler.reset() makes the compiler forget earlier ones"
PROBES: "weakref.WeakSet[Probe]" = weakref.WeakSet()  # of this process


class Probe:
    """Watches a training run and sends what it sees. Made by mantissa_probe.watch().

    The methods are called from the training thread. None of them raises or waits for the viewer.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizers: List[Any],
        scaler: Any,
        transport: Transport,
        *,
        to: Optional[str],
        is_quiet: bool,
        name: str,
        token: str,
        rank: int,
        world: int,
        budget: float,
        every: Optional[int],
        gradients: str,
        flags: str,
        blocks: bool,
        sketches: bool,
        include: Optional[Callable[[str, nn.Module], bool]],
        first_step: int,
    ) -> None:
        self._counter = Counter(sketches)
        self._tensors = Tensors(self._counter)
        with contextlib.ExitStack() as undo:  # of hooks, if something fails here
            self._watch = Watch(model, self._counter, self._tensors, include)
            undo.callback(self._watch.close)
            self._watch.on_begin = self._on_pass_begin
            self._watch.on_inside = self._on_inside
            self._watch.on_end = self._on_pass_end
            self._watch.in_blocks = blocks
            self._weights = Weights(model, optimizers, self._watch, self._counter, self._tensors)
            self._scaler = scaler if scaler is not None and getattr(scaler, "_enabled", True) else None
            if self._scaler is not None:
                undo.callback(scalers.ScalerWatch(self._scaler, self._before_scaler, self._after_scaler).close)
            self._marks = [CompiledMark() for _ in optimizers]
            for watched, mark in zip(optimizers, self._marks):
                undo.callback(hooked(watched, self._before_optimizer, self._after_optimizer, mark))
            undo.callback(clipping.watch(self._before_clipping))
            self._schedule = Schedule(budget, every, first_step)
            self._gradients = gradients
            self._flags = flags
            self._flags_until = 0
            self._capture: Optional[Capture] = None
            self._wants_capture = False
            self._model = weakref.ref(unwrapped(model))
            self._to = to
            self._first_step = first_step
            self._step = first_step
            self._is_closed = False
            self._is_paused = False
            self._problems_sent = 0
            self._is_step_reported_missing = False
            self._without_optimizer = 0  # steps in a row
            self._unseen = 0  # steps so far without a call of the model; -1: there was one
            self._cuda = self._watch.device if self._watch.device.type == "cuda" else None
            self._hello_body = hello_body(model, self._watch, self._weights, self._scaler, self._counter.is_native, name, token, rank, world)
            self._end_of_model = weakref.finalize(unwrapped(model), _end_of_model, weakref.ref(self))
            self._end_of_model.atexit = False
            self._sender = Sender(transport, lambda: self._hello_body, self._tensors.descriptions, self._on_command)
            self._sender.tells_absence = not is_quiet
            self._ended_at = time.perf_counter_ns()
            self._begin_step()
            self._undo = undo.pop_all()
        PROBES.add(self)

    def watches(self, model: nn.Module, to: Optional[str]) -> bool:
        """Returns whether the probe was made for this model and this place, the argument of watch()."""
        return self._model() is unwrapped(model) and self._to == to

    # ---- For the user ----

    @property
    def place(self) -> str:
        """Where the probe sends: an address or a file."""
        return self._sender.name

    @property
    def dropped(self) -> int:
        """How many messages were dropped since the beginning because nobody took them in time."""
        return self._sender.dropped

    @property
    def problems(self) -> List[str]:
        """What the probe could not do, a sentence each; the training went on."""
        return list(self._watch.problems)

    @property
    def has_loss(self) -> bool:
        """Whether the model has returned a loss in this step."""
        return bool(self._losses)

    @property
    def period(self) -> int:
        """Statistics are counted in each step whose number is a multiple of this; 0: only when asked."""
        return self._schedule.period

    def step(self, loss: Any = None) -> None:
        """Ends a training step. `loss` is its loss, unscaled; without it, the loss that the model returned, if it returned one."""
        if self._is_closed:
            return
        try:
            self._end_step(loss)
        except Exception as error:
            self._watch.problem(error)
            self._step += 1
            self._begin_step()

    def look_now(self) -> None:
        """Asks for the statistics of the next step."""
        self._schedule.look_now()

    def capture_next_step(self) -> None:
        """Asks for a list of all operations of the next step, with the first whose result is not finite."""
        self._wants_capture = True

    def pause(self, paused: bool = True) -> None:
        """Stops watching, until pause(False)."""
        self._is_paused = paused

    def begin_micro_batch(self) -> None:
        """Says that a micro-batch begins. For callbacks of frameworks; without it, each call of the model is one."""
        if not self._is_closed and not self._is_paused:
            self._watch.begin_micro_batch()

    def leave_out(self, nanoseconds: int) -> None:
        """Takes a time that has just passed, as that of a validation, out of the step's time. For callbacks of frameworks."""
        self._ended_at += nanoseconds

    def close(self) -> None:
        """Ends the watch: all hooks are removed and what is left is sent, for two seconds at most; to a file longer, while it goes on."""
        self._end()
        try:
            self._sender.close()
        except Exception as error:
            self._watch.problem(error)

    def _end(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._end_of_model.detach()
        try:
            if self._capture is not None:
                self._capture.end()
            self._undo.close()
            steps, sender = self._step - self._first_step, self._sender
            if steps == 0 and any(state.count > 0 for state in self._weights.states):
                self._report_missing_step("the training has ended")
            sender.push("probe_end", lambda: {"steps": steps, "dropped": sender.dropped}, 100)
            sender.end()
        except Exception as error:
            self._watch.problem(error)

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()

    def __deepcopy__(self, memo: Any) -> NoProbe:
        return NoProbe()

    def __reduce__(self) -> Any:
        return NoProbe, ()

    # ---- A step ----

    def _begin_step(self) -> None:
        self._watch.is_enabled = not self._is_paused
        is_due = not self._is_paused and self._schedule.is_due(self._step)
        self._results = Results(self._step)
        self._is_due = is_due
        self._is_timed = is_due or self._schedule.is_timed(self._step)
        is_after_bad = self._step < self._flags_until
        flags_gradients = self._gradients == "always" or is_after_bad
        self._watch.begin_step(
            self._results if is_due else None,
            with_gradients=self._gradients != "never" and (is_due or flags_gradients),
            is_timed=self._is_timed,
            with_flags=self._flags != "sampled" or is_after_bad,
            is_lean=self._flags == "needed" and not is_after_bad,
        )
        self._weights.begin_step()
        self._deferred = Deferred()
        self._losses: List[Any] = []
        self._is_loss_a_sum = False  # micro-batches' losses add up to the step's, as each is divided by what all of them hold
        self._data_ns = 0
        self._autocast: Optional[str] = None
        self._scale: Any = None
        self._tracker: Any = None
        self._is_unscaling = False
        self._is_in_scaler_step = False
        self._own_seconds = 0.0
        self._bad_gradients: List[int] = []
        self._bad_weights: List[str] = []
        self._is_examined = False

    def _report_missing_step(self, what: str) -> None:
        if self._is_step_reported_missing:
            return
        self._is_step_reported_missing = True
        error = RuntimeError(what + " without probe.step(loss), which ends a step: call it once in each step")
        self._watch.problem(error)
        say(f"RuntimeError: {error}")
        self._send_problems()

    def _send_problems(self) -> None:
        problems = self._watch.problems
        if len(problems) > self._problems_sent:
            some, self._problems_sent = problems[self._problems_sent :], len(problems)
            self._sender.push("probe_problem", lambda: {"sentences": some}, 500)

    def _on_pass_begin(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        if kwargs.get("num_items_in_batch") is not None:  # Hugging Face's Trainer
            self._is_loss_a_sum = True
        if self._watch.passes == 1:
            if not self._data_ns:
                self._data_ns = time.perf_counter_ns() - self._ended_at
            if self._autocast is None:
                self._autocast = autocast_dtype(self._watch.device.type)
            if self._wants_capture:
                self._wants_capture = False
                self._capture = Capture(module, self._step)
                self._capture.begin(args)

    def _on_inside(self) -> None:
        if self._autocast is None:  # accelerate, and some models themselves, begin autocast within the forward pass
            self._autocast = autocast_dtype(self._watch.device.type)

    def _on_pass_end(self, output: Any) -> None:
        loss = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
        if loss is None:
            loss = next((t for t in tensors_in(output) if t.numel() == 1 and t.is_floating_point()), None)
        if isinstance(loss, torch.Tensor) and loss.is_floating_point() and len(self._losses) < 1024:
            self._losses.append(loss.detach())

    def _before_optimizer(self, optimizer: Any) -> None:
        """Runs before the optimizer moves its weights."""
        if self._is_closed or self._is_paused:
            return
        try:
            began = time.perf_counter()
            index = self._weights.index_of(optimizer)
            if index is None:
                return
            state = self._weights.states[index]
            state.is_stepped = True
            state.lr = self._rates(optimizer)
            is_fused = self._scaler is not None and bool(getattr(optimizer, "_step_supports_amp_scaling", False))
            if is_fused and getattr(optimizer, "found_inf", None) is not None:
                found = optimizer.found_inf
                state.found_inf = {str(found.device): self._deferred.number(found, is_final=True)}
                state.is_norm_scaled = getattr(optimizer, "grad_scale", None) is not None
            if state.norm_before_clip is None or not self._is_norm_known(state):
                state.norm = self._weights.square_sum(optimizer)
            else:
                state.norm = state.norm_before_clip
            if isinstance(state.norm, float) and not math.isfinite(state.norm):
                self._examine()
            if self._watch.counts is not None:
                if not self._weights.is_counted:
                    self._weights.count_gradients(optimizer, self._results)
                    self._weights.is_counted = len(self._weights.optimizers) == 1
                self._weights.count_weights(optimizer, self._results, with_updates=True)
            self._own_seconds += time.perf_counter() - began
        except Exception as error:
            self._watch.problem(error)

    def _before_clipping(self, parameters: List[Any]) -> None:
        """Gradients are about to be clipped. With a scaler they were seen when they were unscaled, or are still scaled."""
        if self._is_closed or self._is_paused or self._scaler is not None or threading.get_ident() != self._watch.thread:
            return
        try:
            began = time.perf_counter()
            for index in self._weights.indices_of(parameters):
                state = self._weights.states[index]
                if state.norm_before_clip is None:
                    state.norm_before_clip = self._weights.square_sum(self._weights.optimizers[index])
                    if not is_finite(state.norm_before_clip, True):  # clipping would spread it to all gradients
                        self._examine()
            self._own_seconds += time.perf_counter() - began
        except Exception as error:
            self._watch.problem(error)

    def _is_norm_known(self, state: Any) -> bool:
        """Whether nothing can have changed the gradients since they were unscaled: that was within the scaler's own step."""
        return self._is_in_scaler_step and state.is_unscaled_within

    def _after_optimizer(self, optimizer: Any) -> None:
        if self._is_closed or self._is_paused:
            return
        try:
            began = time.perf_counter()
            if self._watch.counts is not None:
                self._weights.count_updates(self._results)
            index = self._weights.index_of(optimizer)
            if index is not None:
                self._weights.states[index].count += 1
                if self._weights.states[index].count == _OPTIMIZER_STEPS_WITHOUT_STEP:
                    self._report_missing_step(f"an optimizer has made {_OPTIMIZER_STEPS_WITHOUT_STEP} steps")
            self._own_seconds += time.perf_counter() - began
        except Exception as error:
            self._watch.problem(error)

    def _before_scaler(self, method: str, optimizer: Any) -> None:
        if self._is_closed or self._is_paused:
            return
        try:
            index = self._weights.index_of(optimizer) if optimizer is not None else None
            if method == "step" and index is not None:
                self._is_in_scaler_step = True
                self._weights.states[index].is_attempted = True
                self._weights.states[index].lr = self._rates(optimizer)
            elif method == "update" and self._scale is None:  # with two optimizers there may be two; the step began with the first one's scale
                scale, tracker = scalers.state_of(self._scaler)
                self._scale, self._tracker = self._deferred.number(scale), self._deferred.number(tracker)
        except Exception as error:
            self._watch.problem(error)

    def _after_scaler(self, method: str, optimizer: Any) -> None:
        if self._is_closed or self._is_paused:
            return
        try:
            began = time.perf_counter()
            index = self._weights.index_of(optimizer) if optimizer is not None else None
            if index is not None and method == "unscale_":
                self._after_unscale(optimizer, self._weights.states[index])
            elif index is not None and method == "step":
                self._is_in_scaler_step = False
                state = self._weights.states[index]
                if not state.found_inf:
                    state.found_inf = self._found_inf(optimizer)
            self._own_seconds += time.perf_counter() - began
        except Exception as error:
            self._watch.problem(error)

    def _rates(self, optimizer: Any) -> List[Any]:
        return [self._deferred.number(group.get("lr")) for group in getattr(optimizer, "param_groups", ())]

    def _found_inf(self, optimizer: Any) -> Dict[str, Any]:
        return {device: self._deferred.number(found, is_final=True) for device, found in scalers.found_inf_of(self._scaler, optimizer).items()}

    def _after_unscale(self, optimizer: Any, state: Any) -> None:
        """Gradients have just been unscaled, and nothing has clipped them."""
        state.found_inf = self._found_inf(optimizer)
        state.is_unscaled_within = self._is_in_scaler_step
        state.norm_before_clip = self._weights.square_sum(optimizer)
        is_found = any(isinstance(found, float) and found for found in state.found_inf.values())
        if is_found:
            self._examine()
        if self._watch.counts is not None or is_found:  # a step that is skipped never reaches the optimizer
            self._weights.count_gradients(optimizer, self._results)
            if is_found and self._watch.counts is None:
                self._weights.count_weights(optimizer, self._results, with_updates=False)

    def _examine(self) -> None:
        """Notes which weight gradients and weights are not finite, while they are as the backward pass left them."""
        if not self._is_examined:
            self._is_examined = True
            self._bad_gradients = self._weights.bad_gradients()
            self._bad_weights = self._weights.bad_weights()

    def _end_step(self, loss: Any) -> None:
        now = time.perf_counter_ns()
        watch, deferred = self._watch, self._deferred
        if self._capture is not None:
            self._send_capture()
        if self._is_paused:
            self._ended_at = now
            self._step += 1
            self._begin_step()
            return
        if loss is None and self._losses:
            losses = [widened(one) for one in self._losses]
            loss = sum(losses[1:], losses[0])
            if not self._is_loss_a_sum:
                loss = loss / len(losses)
        loss_number = self._loss_number(loss)
        states = self._weights.states
        for optimizer, state, mark in zip(self._weights.optimizers, states, self._marks):
            if mark.is_stepped:
                mark.is_stepped, state.is_stepped = False, True
                state.norm = self._weights.square_sum(optimizer) if any(p.grad is not None for p in self._weights.parameters_of(optimizer)) else None
        self._examine_unused_gradients()
        is_bad = isinstance(loss_number, float) and not math.isfinite(loss_number)
        is_bad = is_bad or any(isinstance(f, float) and f for s in states for f in s.found_inf.values()) or bool(self._bad_gradients)
        # a mask's infinities, or an output that nothing depends on, make no step a bad one
        is_bad = is_bad or bool(watch.bad) and not did_no_harm(loss_number, [(s.is_stepped, s.norm) for s in states], self._are_values(watch.bad))
        if not is_bad:
            watch.keep_harmless()
        elif not self._is_examined:
            self._examine()
        scale, tracker = scalers.state_of(self._scaler) if self._scaler is not None else (None, None)
        next_scale, next_tracker = deferred.number(scale, is_final=True), deferred.number(tracker, is_final=True)
        allocated, reserved = cuda_bytes(self._cuda)
        body: Message = {
            "step": self._step,
            "loss": loss_number,
            "micro_batches": watch.passes,
            "samples": watch.samples or None,
            "autocast": self._autocast or DTYPE_NAMES.get(watch.graph_autocast),
            "loss_scale": self._scale if self._scale is not None else next_scale,
            "growth_tracker": self._tracker if self._tracker is not None else next_tracker,
            "next_loss_scale": next_scale,
            "next_growth_tracker": next_tracker,
            "optimizers": [self._optimizer_body(o, s) for o, s in zip(self._weights.optimizers, states)],
            "step_ns": now - self._ended_at,
            "data_ns": self._data_ns,
            "allocated_bytes": allocated,
            "reserved_bytes": reserved,
            "statistics_period": self._schedule.period,
        }
        far = [(ids, deferred.later(row)) for ids, row in watch.far_rows] + [([i], deferred.later(magnitude)) for i, magnitude in watch.far]
        for state in states:
            for squares in (state.norm, state.norm_before_clip):
                if isinstance(squares, Squares):
                    squares.norms = [norm if isinstance(norm, Later) else deferred.later(norm) for norm in squares.norms]
        results = self._results if self._results.ids else None
        rows = [deferred.later(row) for row in results.rows()] if results else []
        deferred.start()
        first_bad = self._weights.first_bad(self._bad_gradients)
        seen = {
            "flags": watch.flags,
            "far": far,
            "first_bad": first_bad,
            "bad": list(dict.fromkeys(watch.bad + self._bad_gradients))[:256],
            "bad_weights": self._bad_weights[:64],
            "evidence": watch.evidence,
        }
        sender = self._sender
        sender.push("probe_step", lambda: self._step_body(body, deferred, seen), _MESSAGE_BYTES)
        if results is not None:
            is_scaled = self._scaler is not None
            is_norm_scaled = any(s.is_norm_scaled for s in states)
            info = {
                "loss_scale": body["loss_scale"],
                "gradients_are_scaled": is_scaled,
                "weight_gradients_are_scaled": is_scaled and is_norm_scaled,
                "before_clipping": is_scaled and not is_norm_scaled,  # they were counted when the scaler had unscaled them
                "in_blocks": watch.in_blocks,
            }
            size = 400 * len(results.ids) + results.row_bytes()
            sender.push("probe_statistics", lambda: statistics_body(results, rows, info, deferred), size)
        self._unseen = -1 if watch.passes or self._unseen < 0 else self._unseen + (not watch._is_idle)
        if self._unseen == 5:
            self._unseen = -1
            watch.problem(RuntimeError("no call of the model has been seen in the first 5 steps: " + (watch.unseen_reason or _UNSEEN)))
        self._send_problems()
        if is_bad:
            self._flags_until = self._step + 1 + _STEPS_AFTER_BAD
        probe_seconds = watch.seconds + self._own_seconds + (time.perf_counter_ns() - now) * 1e-9 + sender.seconds.get("probe_step", 0.0)
        if self._is_due:
            probe_seconds += sender.seconds.get("probe_statistics", 0.0)
        self._schedule.note(self._step, (now - self._ended_at) * 1e-9, probe_seconds, self._is_due, self._is_timed, is_bad)
        self._step += 1
        self._begin_step()
        self._ended_at = time.perf_counter_ns()

    def _loss_number(self, loss: Any) -> Any:
        """Returns the loss as a number, or what stands for one on a device; None, with a problem, for what is no number."""
        try:
            if hasattr(loss, "__array__") and not isinstance(loss, torch.Tensor):
                loss = loss.item()
            number = self._deferred.number(loss.detach() if isinstance(loss, torch.Tensor) else loss, is_final=True)
            return number if number is None or isinstance(number, Later) else float(number)
        except (TypeError, ValueError, OverflowError):
            self._watch.problem(TypeError(f"probe.step() got a loss of type {type(loss).__name__}, and takes a number or a tensor"))
            return None

    def _examine_unused_gradients(self) -> None:
        """Examines gradients that no optimizer has used: a loop may pass over a step whose gradients are not finite."""
        weights = self._weights
        for optimizer, state in zip(weights.optimizers, weights.states):
            if not state.is_stepped and not state.is_attempted and not self._is_examined and self._watch.device.type == "cpu":
                if not is_finite(weights.square_sum(optimizer), True):
                    self._examine()
        is_moved = not weights.states or any(s.is_stepped or s.is_attempted for s in weights.states)
        self._without_optimizer = 0 if is_moved else self._without_optimizer + 1
        if self._without_optimizer == _STEPS_WITHOUT_OPTIMIZER:
            self._watch.problem(
                RuntimeError(
                    f"the watched optimizer has made no step in {_STEPS_WITHOUT_OPTIMIZER} steps, so learning rates are old: "
                    "call watch() again with an optimizer that was made later"
                )
            )

    def _are_values(self, ids: List[int]) -> bool:
        return all(self._tensors.descriptions[i]["role"] == "value" for i in ids)

    def _optimizer_body(self, optimizer: Any, state: Any) -> Message:
        return {
            "name": type(optimizer).__name__,
            "lr": state.lr or self._rates(optimizer),
            "stepped": state.is_stepped,
            "skipped": state.is_attempted and not state.is_stepped,
            "found_inf": state.found_inf,
            "square_sum": self._deferred.number(state.norm),
            "square_sum_before_clip": self._deferred.number(state.norm_before_clip),
            "is_scaled": state.is_norm_scaled,
        }

    def _step_body(self, body: Message, deferred: Deferred, seen: Dict[str, Any]) -> Message:
        """Completes the message of a step. The sending thread does this."""
        body = complete_step(body, deferred, seen, self._watch, self._tensors.descriptions)
        body["dropped"] = self._sender.dropped
        # on a device seen only now
        steps = [(o["stepped"], o["grad_norm"]) for o in body["optimizers"]]
        if body["first_bad"] is not None and did_no_harm(body["loss"], steps, self._are_values(body["bad"])):
            self._watch.harmless.update(seen["has_nan"])
        elif body["first_bad"] is not None or any(found for o in body["optimizers"] for found in o["found_inf"].values()):
            self._flags_until = max(self._flags_until, body["step"] + 1 + _STEPS_AFTER_BAD)
        return body

    # ---- What the viewer asks ----

    def _on_command(self, kind: str, body: Message) -> None:
        """Runs on the sending thread. A viewer can ask for these three things and for nothing else."""
        if kind == "look_now":
            self.look_now()
        elif kind == "capture_step":
            self.capture_next_step()
        elif kind == "pause_probe":
            self.pause(body.get("paused") is True)

    def _send_capture(self) -> None:
        capture, self._capture = self._capture, None
        assert capture is not None
        capture.end()
        self._sender.push("operations_captured", capture.body, capture.size())

def _end_of_model(probe: "weakref.ref[Probe]") -> None:
    """Ends the watch of a model that is gone. Runs wherever the model was freed, and never waits."""
    ended = probe()
    if ended is not None:
        ended._end()


def _close_all() -> None:
    for probe in list(PROBES):
        probe.close()


def _forget_in_child() -> None:
    for probe in list(PROBES):
        probe._is_closed = True
        probe._watch.is_enabled = False


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
