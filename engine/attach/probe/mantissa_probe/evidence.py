# SPDX-License-Identifier: Apache-2.0
"""Whether the inputs, weights and buffers of a module are finite, for its first output that is not."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set

import torch
from torch import nn

from . import deferred
from .counting import plain
from .tensors import version_of


def unchanged(tensor: Any, version: int) -> Optional[torch.Tensor]:
    """Returns what the weak reference is to, or None if it is gone or was changed in place."""
    found = tensor()
    return found if found is not None and version_of(found) == version else None


def infinite_buffers(model: nn.Module) -> Set[str]:
    """Returns the names of buffers on the CPU that hold infinities and no NaN, as masks and the extremes of observers do from the beginning."""
    found = set()
    for path, module in model.named_modules():
        for name, buffer in module.named_buffers(recurse=False):  # one that several modules share, by each of its names
            if plain(buffer) is not None and deferred.is_here(buffer):
                values = buffer.detach()
                if bool(torch.isinf(values).any()) and not bool(torch.isnan(values).any()):
                    found.add(f"{path}.{name}" if path else name)
    return found


def evidence_of(
    module: nn.Module,
    inputs: List[Optional[torch.Tensor]],
    known: Sequence[Optional[bool]],
    uncalled: Sequence[nn.Module],
    buffers: Sequence[torch.Tensor],
) -> Dict[str, Any]:
    """Returns whether the inputs and the module's own tensors are finite, for the first output that is not.

    An input that is None cannot be said to be finite; of others it is `known`. `uncalled`: modules within it that were not called, whose
    parameters it may have used itself. `buffers`: those of its own that count.
    """

    def are_finite(tensors: Any, known: Sequence[Optional[bool]] = ()) -> Optional[bool]:
        checked = list(known)
        for t in tensors:
            if t is None:
                checked.append(None)
            elif plain(t) is not None and deferred.is_here(t):
                checked.append(bool(torch.isfinite(t.detach()).all()))
        return False if False in checked else None if None in checked or not checked else True

    return {
        "inputs_finite": are_finite(inputs, known),
        "weights_finite": are_finite([p for m in (module, *uncalled) for p in m.parameters(recurse=False)]),
        "buffers_finite": are_finite(buffers),
        "has_children": next(module.children(), None) is not None,
    }
