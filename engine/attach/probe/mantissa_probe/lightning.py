# SPDX-License-Identifier: Apache-2.0
"""The probe as a callback of Lightning: no line in the loop.

    from mantissa_probe.lightning import ProbeCallback
    Trainer(callbacks=[ProbeCallback()])
"""
from __future__ import annotations

import time
from typing import Any, List

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from .deferred import widened
from .no_probe import NoProbe
from .watching import watch


class ProbeCallback(Callback):
    """Watches the run from its first step to its end. Takes the settings of mantissa_probe.watch().

    A step is what lies between two steps of the optimizer, with gradient accumulation several batches. With manual optimization it is a
    batch in which an optimizer was stepped, and those before it in which none was.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self.probe: Any = NoProbe()
        self._losses: List[Any] = []
        self._global_step = 0
        self._began = 0

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.probe.close()
        self._losses = []
        self._global_step = trainer.global_step
        plugin = getattr(trainer, "precision_plugin", None)
        first_step = trainer.global_step if pl_module.automatic_optimization else trainer.fit_loop.total_batch_idx + 1
        settings = {"scaler": getattr(plugin, "scaler", None), "first_step": max(first_step, 0), **self._settings}
        self.probe = watch(pl_module, list(trainer.optimizers), **settings)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        self.probe.begin_micro_batch()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        if loss is not None:
            loss = widened(loss)
            # Lightning has divided it already
            self._losses.append(loss * trainer.accumulate_grad_batches if pl_module.automatic_optimization and trainer.accumulate_grad_batches > 1 else loss)
        if trainer.global_step == self._global_step:
            return
        self._global_step = trainer.global_step
        losses, self._losses = self._losses, []
        self.probe.step(sum(losses[1:], losses[0]) / len(losses) if losses else None)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self._began = time.perf_counter_ns()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        self.probe.leave_out(time.perf_counter_ns() - self._began)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.probe.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.probe.close()
