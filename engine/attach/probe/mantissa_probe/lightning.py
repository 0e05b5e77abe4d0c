# SPDX-License-Identifier: Apache-2.0
"""The probe as a callback of Lightning: no line in the loop.

    from mantissa_probe.lightning import ProbeCallback
    Trainer(callbacks=[ProbeCallback()])
"""
from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from .probe import NoProbe, watch


class ProbeCallback(Callback):
    """Watches the run from its first step to its end. Takes the settings of mantissa_probe.watch()."""

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self.probe: Any = NoProbe()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.probe.close()
        plugin = getattr(trainer, "precision_plugin", None)
        settings = {"scaler": getattr(plugin, "scaler", None), **self._settings}
        self.probe = watch(pl_module, list(trainer.optimizers), **settings)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self.probe.step(outputs.get("loss") if isinstance(outputs, dict) else outputs)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.probe.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.probe.close()
