# SPDX-License-Identifier: Apache-2.0
"""The probe as a callback of Hugging Face's Trainer: no line in the loop.

    from mantissa_probe.hugging_face import ProbeCallback
    trainer.add_callback(ProbeCallback())
"""
from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from .probe import NoProbe, watch


class ProbeCallback(TrainerCallback):
    """Watches the run from its first step to its end. Takes the settings of mantissa_probe.watch()."""

    def __init__(self, scaler: Any = None, **settings: Any) -> None:
        self._scaler = scaler
        self._settings = settings
        self.probe: Any = NoProbe()

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **kwargs: Any) -> None:
        self.probe.close()
        scaler = self._scaler
        if scaler is None:  # the optimizer is accelerate's, which knows the scaler
            scaler = getattr(optimizer, "scaler", None)
        self.probe = watch(model, optimizer, scaler=scaler, **self._settings)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.probe.step()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.probe.close()
