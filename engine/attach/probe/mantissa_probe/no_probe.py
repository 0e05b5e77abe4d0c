# SPDX-License-Identifier: Apache-2.0
"""A probe that does nothing."""
from __future__ import annotations

from typing import Any


class NoProbe:
    """Stands in for a probe on ranks that send nothing, and for models that cannot be watched."""

    place = ""
    dropped = 0
    has_loss = False

    def step(self, loss: Any = None) -> None:
        """Does nothing."""

    def look_now(self) -> None:
        """Does nothing."""

    def capture_next_step(self) -> None:
        """Does nothing."""

    def pause(self, paused: bool = True) -> None:
        """Does nothing."""

    def begin_micro_batch(self) -> None:
        """Does nothing."""

    def leave_out(self, nanoseconds: int) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""

    def __enter__(self) -> "NoProbe":
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()
