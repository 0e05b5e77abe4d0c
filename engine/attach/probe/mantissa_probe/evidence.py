# SPDX-License-Identifier: Apache-2.0
"""What stands around the first output that is not finite."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import torch
from torch import nn

from . import deferred
from .counting import plain


def unchanged(tensor: Any, version: int) -> Optional[torch.Tensor]:
    """Returns what the weak reference is to, or None if it is gone or was changed in place."""
    found = tensor()
    return found if found is not None and found._version == version else None


def evidence_of(module: nn.Module, inputs: List[Optional[torch.Tensor]], known: Sequence[Optional[bool]] = ()) -> Dict[str, Any]:
    """Returns what stands around the first output that is not finite: whether its inputs and the module's own tensors are.

    An input that is None cannot be said to be finite; of others it is `known`.
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
        "weights_finite": are_finite(module.parameters(recurse=False)),
        "buffers_finite": are_finite(module.buffers(recurse=False)),
        "has_children": next(module.children(), None) is not None,
    }
