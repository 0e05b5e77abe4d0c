# SPDX-License-Identifier: Apache-2.0
"""Reads .mprobe files, whole or broken off, without torch."""
from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .cbor import CborError
from .cells import CLASS_NAMES, RECORD, pack_cells, unpack_cells
from .frames import MAX_FRAME_BYTES, PROTOCOL_VERSION, Message, message_of


class Statistics(NamedTuple):
    """What was counted of one tensor in one step."""

    step: int
    tensor: int
    elements: int  # of the tensor; the sum of the classes where all of it was seen
    classes: Tuple[int, ...]  # in the order of CLASS_NAMES
    first_non_finite: int
    abs_max: float
    smallest: float
    cells: bytes  # packed

    def counts(self) -> Dict[int, int]:
        return unpack_cells(self.cells)


class Run:
    """What a file holds. `problem` says in a sentence where it could not be read on, or is empty."""

    def __init__(self) -> None:
        self.hello: Optional[Message] = None
        self.tensors: Dict[int, Message] = {}
        self.steps: List[Message] = []
        self.statistics: List[Statistics] = []
        self.statistics_info: Dict[int, Message] = {}  # by step
        self.captures: List[Message] = []
        self.problems: List[str] = []
        self.end: Optional[Message] = None
        self.bytes_read = 0
        self.problem = ""

    def add(self, kind: str, body: Message) -> None:
        """Takes one message; those of an unknown kind are left out, as a later probe may send them. Raises CborError."""
        if self.hello is None and kind != "probe_hello":
            raise CborError("the first message is no probe_hello")
        if kind == "probe_hello":
            if body.get("protocol") != PROTOCOL_VERSION:
                raise CborError(f"protocol {body.get('protocol')}, and this reads {PROTOCOL_VERSION}")
            self.hello = self.hello or body
        elif kind == "tensors_described":
            for tensor in body["tensors"]:
                self.tensors[tensor["id"]] = tensor
        elif kind == "probe_step":
            self.steps.append(body)
        elif kind == "probe_statistics":
            self.statistics += list(_statistics(body))
            self.statistics_info[body["step"]] = {k: v for k, v in body.items() if not isinstance(v, bytes)}
        elif kind == "operations_captured":
            self.captures.append(body)
        elif kind == "probe_problem":
            self.problems += body["sentences"]
        elif kind == "probe_end":
            self.end = body


def _statistics(body: Message) -> Iterator[Statistics]:
    count = body["count"]
    try:
        tensors = struct.unpack(f"<{count}I", body["tensor"])
        elements = struct.unpack(f"<{count}q", body["elements"])
        lengths = struct.unpack(f"<{count}I", body["cell_bytes"])
        records = list(RECORD.iter_unpack(body["records"]))
    except struct.error:
        raise CborError("columns of statistics differ in length") from None
    if len(records) != count or sum(lengths) != len(body["cells"]):
        raise CborError("columns of statistics differ in length")
    at = 0
    for tensor, size, record, length in zip(tensors, elements, records, lengths):
        yield Statistics(body["step"], tensor, size, tuple(record[:6]), record[6], record[7], record[8], body["cells"][at : at + length])
        at += length


def frames_of(data: bytes) -> Iterator[Tuple[int, bytes]]:
    """Yields each whole frame's end and its payload. Raises CborError where the data break off or a length is impossible."""
    at = 0
    while at < len(data):
        if len(data) - at < 4:
            raise CborError(f"byte {at}: the file ends within a frame's length")
        (length,) = struct.unpack_from("<I", data, at)
        if length > MAX_FRAME_BYTES:
            raise CborError(f"byte {at}: a frame of {length} bytes, over the limit of 16 MiB")
        if len(data) - at - 4 < length:
            raise CborError(f"byte {at}: the file ends within a frame, {len(data) - at - 4} of {length} bytes are there")
        yield at + 4 + length, data[at + 4 : at + 4 + length]
        at += 4 + length


def run_of(data: bytes) -> Run:
    """Reads all that can be read. Never raises on bad data: Run.problem says what is wrong."""
    run = Run()
    try:
        for end, payload in frames_of(data):
            try:
                run.add(*message_of(payload))
            except (KeyError, TypeError, AttributeError) as error:
                raise CborError(f"byte {run.bytes_read}: a message without what it needs ({error})") from None
            except CborError as error:
                raise CborError(f"byte {run.bytes_read}: {error}") from None
            run.bytes_read = end
    except CborError as error:
        run.problem = str(error)
    return run


def read_file(path: str) -> Run:
    """Reads a .mprobe file. Raises OSError if there is none."""
    return run_of(Path(path).read_bytes())


def merged(runs: List[Run]) -> Dict[Tuple[int, str], Statistics]:
    """Adds up the counts of several ranks, by step and name of the tensor, for the steps that all of them counted."""
    steps = set.intersection(*({s.step for s in run.statistics} for run in runs)) if runs else set()
    sums: Dict[Tuple[int, str], Statistics] = {}
    for run in runs:
        for s in run.statistics:
            if s.step not in steps:
                continue
            key = (s.step, run.tensors[s.tensor]["name"])
            other = sums.get(key)
            sums[key] = s if other is None else _sum(other, s)
    return sums


def _sum(a: Statistics, b: Statistics) -> Statistics:
    cells = a.counts()
    for index, count in b.counts().items():
        cells[index] = cells.get(index, 0) + count
    smallest = min((value for value in (a.smallest, b.smallest) if value > 0), default=0.0)
    classes = tuple(x + y for x, y in zip(a.classes, b.classes))
    return Statistics(a.step, a.tensor, a.elements + b.elements, classes, -1, max(a.abs_max, b.abs_max), smallest, pack_cells(sorted(cells.items())))


# ---- In words ----


def bad_sentence(bad: Message) -> str:
    """Says what was the first tensor of a step that was not finite, and what stands around it."""
    what = {"nan": "has NaN", "inf": "has Inf"}.get(bad.get("class") or "", "is not finite")
    evidence = bad.get("evidence") or {}
    words = []
    for key, noun in (("inputs_finite", "inputs"), ("weights_finite", "weights"), ("buffers_finite", "buffers")):
        if evidence.get(key) is not None:
            words.append(f"its {noun} are {'finite' if evidence[key] else 'not finite'}")
    return f"{bad['name']} {what}" + (f"; {', '.join(words)}" if words else "")


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def summary(run: Run, steps: int = 10) -> str:
    """Returns what a file holds, as text for a terminal. Messages that no probe writes are said to be so."""
    try:
        return _summary(run, steps)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return f"the file's messages are not as a probe writes them ({type(error).__name__}: {error})"


def _summary(run: Run, steps: int) -> str:
    lines = []
    hello = run.hello or {}
    if hello:
        lines.append(f"{hello['name']}: {hello['model']} with {hello['parameters']} parameters, torch {hello['torch']}, {hello['device']}, rank {hello['rank']} of {hello['world']}")
    skipped = sum(any(o["skipped"] for o in s["optimizers"]) for s in run.steps)
    lines.append(f"{len(run.steps)} steps, {skipped} skipped; {len(run.tensors)} tensors, statistics of {len(run.statistics_info)} steps")
    bad = [s for s in run.steps if s.get("first_bad")]
    shown = run.steps[-steps:] if steps else []
    if shown:
        lines.append(f"{'step':>8} {'loss':>12} {'loss scale':>12} {'grad norm':>12} {'lr':>10}  ")
    for s in shown:
        o = s["optimizers"][0] if s["optimizers"] else {}
        notes = "skipped" if o.get("skipped") else "" if o.get("stepped", True) else "no step"
        first = f"  {bad_sentence(s['first_bad'])}" if s.get("first_bad") else ""
        lr = o["lr"][0] if o.get("lr") else None
        lines.append(f"{s['step']:>8} {_number(s['loss']):>12} {_number(s['loss_scale']):>12} {_number(o.get('grad_norm')):>12} {_number(lr):>10}  {notes}{first}")
    if bad:
        lines.append(f"first not finite: step {bad[0]['step']}: {bad_sentence(bad[0]['first_bad'])}")
    if run.statistics:
        last = run.statistics[-1].step
        lines.append(f"largest magnitudes in step {last}:")
        largest = sorted((s for s in run.statistics if s.step == last), key=lambda s: -s.abs_max)[:8]
        for s in largest:
            tensor = run.tensors.get(s.tensor, {})
            non_finite = s.classes[0] + s.classes[4] + s.classes[5]
            extra = f", {non_finite} not finite" if non_finite else ""
            lines.append(f"{s.abs_max:>12.4g}  {tensor.get('dtype', '?'):<5} {tensor.get('role', '?'):<15} {tensor.get('name', '?')}{extra}")
    for capture in run.captures:
        operations, first = capture["operations"], capture["first_bad"]
        where = "all finite" if first is None else f"first not finite: {operations[first]['operation']} in {operations[first]['module'] or operations[first]['node'] or 'the model'}"
        lines.append(f"captured step {capture['step']}: {len(operations)} operations, {where}{' (' + capture['problem'] + ')' if capture['problem'] else ''}")
    dropped = run.steps[-1]["dropped"] if run.steps else 0
    if dropped:
        lines.append(f"{dropped} messages were dropped because nobody took them in time")
    lines += [f"the probe could not: {sentence}" for sentence in run.problems]
    if run.problem:
        lines.append(f"the file is broken off: {run.problem}; all before that is shown")
    elif run.end is None:
        lines.append("the training has not ended, or ended without closing the probe")
    return "\n".join(lines)


__all__ = ["Run", "Statistics", "CLASS_NAMES", "read_file", "run_of", "frames_of", "merged", "summary", "bad_sentence"]
