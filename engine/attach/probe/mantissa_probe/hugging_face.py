# SPDX-License-Identifier: Apache-2.0
"""The probe as a callback of Hugging Face's Trainer: no line in the loop.

    from mantissa_probe.hugging_face import ProbeCallback
    trainer.add_callback(ProbeCallback())
"""
from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from .no_probe import NoProbe
from .watching import watch


class ProbeCallback(TrainerCallback):
    """Watches the run from its first step to its end. Takes the settings of mantissa_probe.watch().

    A step is one of the optimizer's, with gradient accumulation several batches. Its loss is what the model returned. Where the Trainer makes
    the loss outside of the model, and with `torch_compile`, it is what the Trainer logs: the mean since it has logged last.
    """

    def __init__(self, scaler: Any = None, **settings: Any) -> None:
        self._scaler = scaler
        self._settings = settings
        self.probe: Any = NoProbe()
        self._awaits_log = False

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **kwargs: Any) -> None:
        self.probe.close()
        scaler = self._scaler
        if scaler is None:  # the optimizer is accelerate's, which knows the scaler
            scaler = getattr(optimizer, "scaler", None)
        self.probe = watch(model, optimizer, **{"scaler": scaler, "first_step": state.global_step, **self._settings})

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._end_step()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._awaits_log = True
        if self.probe.has_loss or not control.should_log:
            self._end_step()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        self._end_step((logs or {}).get("loss"))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._end_step()
        self.probe.close()

    def _end_step(self, loss: Any = None) -> None:
        if self._awaits_log:
            self._awaits_log = False
            self.probe.step(loss)
