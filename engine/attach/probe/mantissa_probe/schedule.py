# SPDX-License-Identifier: Apache-2.0
"""Decides in which steps statistics are counted, so that the probe's cost stays within its budget. Plain numbers, without torch."""
from __future__ import annotations

import statistics
from collections import deque
from typing import Deque, Optional

MAX_PERIOD = 4096
_TIMED_PERIOD = 16  # each so many steps the cost of what is done in every step is measured
_LEAST_SHARE = 0.1  # of the budget, that statistics may have although what is done in every step takes more than the rest
_WARM_UP = 3  # steps that are not typical


class Schedule:
    """Statistics come in steps that are multiples of a period.

    A period that is found is a power of two, so that ranks which find different ones still have steps in common.
    """

    def __init__(self, budget: float, every: Optional[int], first_step: int = 0) -> None:
        self._warm_at = first_step + _WARM_UP
        self._budget = budget
        self._every = every
        self._steps: Deque[float] = deque(maxlen=31)  # seconds of steps without statistics
        self._counting: Deque[float] = deque(maxlen=5)  # seconds that statistics took
        self._always: Deque[float] = deque(maxlen=15)  # seconds that the probe took in steps without statistics
        self._wanted = False
        self._bad_in_a_row = 0
        self.period = every if every is not None else 16

    def look_now(self) -> None:
        """Asks for statistics of the next step."""
        self._wanted = True

    def is_due(self, step: int) -> bool:
        """Returns whether the step has statistics."""
        if self._wanted:
            self._wanted = False
            return True
        if self.period == 0:
            return False
        return step % self.period == 0 or (self._every is None and step == self._warm_at)

    def is_timed(self, step: int) -> bool:
        return step % _TIMED_PERIOD == _TIMED_PERIOD - 1

    def note(self, step: int, seconds: float, probe_seconds: float, had_statistics: bool, was_timed: bool, is_bad: bool) -> None:
        """Learns from a step that has ended: its length, and the time that the probe took of it."""
        if is_bad:
            self._bad_in_a_row += 1
            if self._bad_in_a_row <= 3 and self._every != 0:  # what comes after the first non-finite steps is worth its cost
                self._wanted = True
        else:
            self._bad_in_a_row = 0
        if step < self._warm_at:
            return
        if had_statistics:
            self._counting.append(probe_seconds)
        else:
            self._steps.append(seconds)
            if was_timed:
                self._always.append(probe_seconds)
        if self._every is None and self._counting and self._steps:
            self._find_period()

    def share(self) -> float:
        """Returns the share of a step that the probe takes without statistics."""
        if not self._always or not self._steps:
            return 0.0
        return statistics.median(self._always) / max(statistics.median(self._steps), 1e-9)

    def _find_period(self) -> None:
        left = max(self._budget - self.share(), self._budget * _LEAST_SHARE)
        if left <= 0:
            self.period = MAX_PERIOD
            return
        wanted = statistics.median(self._counting) / max(statistics.median(self._steps) * left, 1e-9)
        period = 1
        while period < wanted and period < MAX_PERIOD:
            period *= 2
        self.period = period
