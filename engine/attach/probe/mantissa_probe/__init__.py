# SPDX-License-Identifier: Apache-2.0
"""Brings a PyTorch training run into Mantissa's window: two lines of Python, at a cost of a few percent of a step.

    import mantissa_probe
    probe = mantissa_probe.watch(model, optimizer, scaler=scaler)
    for batch in data:
        ...                    # the loop stays as it is
        probe.step(loss)       # the only line that is added

`python -m mantissa_probe --help` explains more.
"""
from .version import VERSION as __version__
from .no_probe import NoProbe
from .probe import Probe
from .watching import watch

__all__ = ["watch", "Probe", "NoProbe", "__version__"]
