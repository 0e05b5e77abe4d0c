# SPDX-License-Identifier: Apache-2.0
"""Watches the outputs of modules and their gradients.

An output that is still alive when the model returns is not measured while the model runs. A weak reference is kept until then: on the CPU the
output is measured if what the model returns is not finite, on a device together with all others. Earlier passes show which outputs live that
long. An output that dies earlier, or is changed in place, is measured when its module returns it.

What a hook cannot do is counted in Watch.problems and never raised. All of this runs on the training thread, gradients on autograd's threads.
"""
from __future__ import annotations

import contextlib
import functools
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn

from . import deferred, graph
from .counting import DTYPE_NAMES, INF_BITS, Counter, Results, float_bits, plain
from .evidence import evidence_of, infinite_buffers, unchanged
from .hooks import NARROW, ForwardHook, GradientHook, Moment, RootAfter, RootBefore
from .messages import say
from .tensors import MAX_OUTPUTS, Tensors, tensors_in, unwrapped, version_of
from .torch_counting import once_each

_MAX_PASSES = 1024  # of one step, in which statistics are counted
_MAX_CALLS = 16  # of one module in one pass that are distinguished
_MOST_FAR = 1024  # numbers on a device that stay apart
_LEARNS_EACH = 16  # passes
#: What is kept of an output in a pass: its place, the output and the version of its elements; the same of the module's input, or a list of such
#: pairs and 0; the output's number if it has been measured.
Entry = Tuple[Tuple[Any, ...], Any, int, Any, int, Optional[int]]
_graph_task = getattr(torch._C, "_current_graph_task_id", lambda: -1)  # -1: not within a backward pass


class Watch:
    """Watches one model. The probe sets what a step shall count; the hooks fill in what they saw."""

    def __init__(self, model: nn.Module, counter: Counter, tensors: Tensors, include: Optional[Callable[[str, nn.Module], bool]] = None) -> None:
        self.moment = Moment()
        inner = unwrapped(model)
        self.buffers_with_infinities = infinite_buffers(inner)  # names of those that hold infinities by design, as masks do
        self.device = next((p.device for p in inner.parameters()), torch.device("cpu"))
        self.boards = tuple(torch.zeros(1, dtype=torch.uint8, device=self.device) for _ in range(2))
        self.problems: List[str] = []
        self._counter = counter
        self._tensors = tensors
        self._root = weakref.ref(model)
        self.thread = threading.get_ident()  # the training's; until a pass is seen, that of watch()
        self.unseen_reason = ""  # why the model's calls are not the training's
        self._has_seen_pass = False
        self.names: List[str] = []
        self.classes: List[str] = []
        self._modules: List[Any] = []
        self._hooks: List[ForwardHook] = []
        self._handles: List[Any] = []
        self._graph_numbers: List[torch.Tensor] = []
        chosen = [(name, module) for name, module in inner.named_modules() if include is None or include(name, module)]  # it may raise
        # what the pass needs stands around the module's own hooks
        before = RootBefore(self)
        try:
            self._handles.append(model.register_forward_pre_hook(before, with_kwargs=True))
        except TypeError:  # before torch 2.0
            self._handles.append(model.register_forward_pre_hook(before))
        except Exception:
            pass  # a scripted model
        is_scripted = False
        for name, module in chosen:
            hook = ForwardHook(self, len(self.names), module)
            try:
                self._handles.append(module.register_forward_hook(hook))
            except Exception:  # a scripted module takes no hooks
                if not is_scripted:
                    self.problem(RuntimeError(f"{type(module).__name__} '{name}' takes no hooks and is not watched, nor are modules of its kind"))
                is_scripted = True
                continue
            self.names.append(name)
            self.classes.append(type(module).__name__)
            self._modules.append(weakref.ref(module))
            self._hooks.append(hook)
        with contextlib.suppress(Exception):
            self._handles.append(model.register_forward_hook(RootAfter(self)))
        #: Tensors that were not finite in the last step that measured them and did no harm in it, as a mask, and whether they held NaN.
        self.harmless: Dict[int, bool] = {}
        self.is_enabled = True
        self.counts: Optional[Results] = None  # of this step; None: magnitudes only
        self.in_blocks = False
        self.with_gradients = False
        self.on_begin: Optional[Callable[[nn.Module, Any, Any], None]] = None  # of a training pass
        self.on_inside: Optional[Callable[[], None]] = None  # once a step: within the model's forward pass
        self.on_end: Optional[Callable[[Any], None]] = None
        self.seconds = 0.0  # that the hooks took in this step, if it is timed
        self.moment.is_timed = False
        self._in_pass = False
        self._knows_micro_batches = False  # a callback of a framework says where micro-batches begin
        self._calls = [0] * len(self.names)
        self._passes_to_learn = 3
        self._is_parallel = type(model).__name__ == "DataParallel"  # whose replicas call the hooks on other threads
        self._first_in_graph: Optional[Tuple[int, int]] = None
        self._lives: Dict[Tuple[Any, ...], bool] = {}  # by place of an output: whether it has been alive and unchanged at the end of each pass
        self.begin_step(None)

    def begin_step(
        self, counts: Optional[Results], with_gradients: bool = False, is_timed: bool = False, with_flags: bool = True, is_lean: bool = False
    ) -> None:
        """Forgets what the step before left. `is_lean`: outputs on the CPU that can wait are measured only if the model's is not finite."""
        self.with_flags = with_flags
        self._is_lean = is_lean
        self._waits = False  # in this pass, for its end
        self.moment.waiting = None
        self._row: List[Entry] = []  # the outputs of this pass, in the order of execution
        self.far: List[Tuple[int, torch.Tensor]] = []  # magnitudes on a device, with the tensors' numbers
        self.far_rows: List[Tuple[List[int], torch.Tensor]] = []  # the same of many
        self._far_before = 0  # of passes before this one
        self._is_idle = counts is None and not with_flags
        self.counts = counts
        self.with_gradients = with_gradients
        self.moment.is_timed = is_timed
        self.flags: Dict[int, Any] = {}
        self.bad: List[int] = []  # in the order of execution
        self.evidence: Dict[str, Any] = {}
        self.passes = 0
        self.samples = 0  # of all passes: the first dimension of the first tensor that the model gets
        self._awaits_samples = self._awaits_input = False
        self._is_inside_told = False
        self.seconds = 0.0
        self._calls = [0] * len(self.names)
        self.graph_autocast: Optional[torch.dtype] = None  # as the outputs in compiled graphs show it
        self._graph_calls: Dict[Tuple[int, int], int] = {}
        self._in_graph: Dict[Tuple[int, int], List[int]] = {}  # outputs whose gradients are to come

    def timed(self, function: Callable[..., None], *arguments: Any) -> None:
        """Calls the function, and adds the time that it takes to the step's where that is measured."""
        is_timed = self.moment.is_timed
        began = time.perf_counter() if is_timed else 0.0
        function(*arguments)
        if is_timed:
            self.seconds += time.perf_counter() - began

    def close(self) -> None:
        """Removes all hooks."""
        self.is_enabled = False
        for handle in self._handles:
            handle.remove()
        self._handles = []
        for number in self._graph_numbers:
            graph.remove_observer(number)
        self._graph_numbers = []

    def is_open(self) -> bool:
        return self._root() is not None

    def graph_numbers(self, index: int) -> Tuple[torch.Tensor, ...]:
        """Returns the numbers by which compiled graphs hand over a module's outputs and their gradients."""
        observers = (self.on_graph, self.on_graph_gradient) if graph.can_compile else ()
        numbers = tuple(graph.add_observer(functools.partial(self.timed, observer, index)) for observer in observers)
        self._graph_numbers += numbers
        return numbers

    # ---- Passes ----

    def begin_micro_batch(self) -> None:
        """Begins a pass, for frameworks that do not call the root module or call it several times."""
        try:
            self._knows_micro_batches = True
            root = self._root()
            if self.is_enabled and root is not None:
                self._begin_pass()
                if self.on_begin is not None:
                    self.on_begin(root, (), {})
        except Exception as error:
            self.problem(error)

    def on_pass_begin(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        try:
            self._in_pass = self._waits = False
            self.moment.waiting = None
            if not self.is_enabled or not torch.is_grad_enabled() or (self.passes and _graph_task() != -1):  # repeated for gradients
                return
            if not module.training:
                self.unseen_reason = "the model is in eval mode: call model.train() before the training"
                return
            if not self._has_seen_pass:
                self.thread, self._has_seen_pass = threading.get_ident(), True
            self.unseen_reason = ""
            if threading.get_ident() != self.thread:
                return
            if torch.jit.is_tracing():  # torch.jit.trace would write down what the probe computes
                return
            if not self._knows_micro_batches:
                self._begin_pass()
            self._in_pass = True
            self._row = []
            self._far_before = len(self.far)
            if self.counts is None and not self.with_gradients and not self.bad and self.with_flags:
                self._waits = (self._is_lean or self.device.type != "cpu") and not self._is_parallel
            if self.on_begin is not None:
                self.on_begin(module, args, kwargs)
            inputs: List[Tuple[Any, torch.Tensor]] = list(enumerate(tensors_in(args)))
            inputs += [(name, tensor) for name, value in kwargs.items() for tensor in tensors_in(value)]
            self._awaits_input = False
            self._take_inputs(module, inputs)
        except Exception as error:  # the loop goes on, whatever happens here
            self.problem(error)

    def _take_inputs(self, module: nn.Module, inputs: List[Tuple[Any, torch.Tensor]]) -> None:
        """Takes what the model is called with; where the loop calls its parts, what the first of them was called with."""
        if self._awaits_samples and inputs:
            self._awaits_samples = False
            self.samples += next((tensor.shape[0] for _, tensor in inputs if tensor.dim() > 0), 0)
        for place, tensor in inputs[:MAX_OUTPUTS]:
            if plain(tensor) is not None:
                self._on_value(("input", place), tensor, module, ())

    def _begin_pass(self) -> None:
        self.passes += 1
        self._awaits_samples = True
        if self.passes == _MAX_PASSES + 1:  # what is kept of a step does not grow on
            self.counts = None
            sentence = f"the model was called more than {_MAX_PASSES} times without probe.step(), which ends a step"
            self.problem(RuntimeError(sentence))
            say(sentence)
        self._calls = [0] * len(self.names)
        self._graph_calls = {}
        self._row = []
        self._awaits_input = True

    def _tell_inside(self) -> None:
        self._is_inside_told = True
        if self.on_inside is not None:
            self.on_inside()

    def _begin_unannounced(self) -> None:
        root = self._root()
        self._begin_pass()
        if self.on_begin is not None and root is not None:
            self.on_begin(root, (), {})

    def on_pass_end(self, output: Any) -> None:
        try:
            if self._in_pass and self.on_end is not None:
                self.on_end(output)
            self._in_pass = False
            if self._waits and not self._is_finite(output):
                self._look_back()
            self._waits, self.moment.waiting = False, None
            row, self._row = self._row, []
            self._passes_to_learn -= 1
            if self._passes_to_learn >= 0 or self._passes_to_learn == -_LEARNS_EACH:
                self._passes_to_learn = max(self._passes_to_learn, 0)
                self._learn(row)
            if len(self.far) > _MOST_FAR:
                self.far_rows.append(([i for i, _ in self.far], torch.stack([magnitude for _, magnitude in self.far])))
                self.far = []
        except Exception as error:
            self.problem(error)

    def _is_finite(self, output: Any) -> bool:
        """Returns whether what the model has returned is known to be finite: its loss, if that has a name of its own."""
        loss = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
        tensors = [tensor for tensor in tensors_in(output if loss is None else loss) if plain(tensor) is not None]
        if not tensors or not all(map(deferred.is_here, tensors)):
            return False
        return all(self._counter.magnitude(tensor) < INF_BITS[self._counter.bits_dtype(tensor)] for tensor in tensors)

    def _learn(self, row: List[Entry]) -> None:
        """Notes which outputs are alive and unchanged now that the model has returned."""
        seen = set()
        for key, output, version, _, _, _ in row:
            is_again = key in seen
            seen.add(key)
            if not is_again:
                tensor = output()
                self._lives[key] = tensor is not None and version_of(tensor) == version and self._lives.get(key, True)
            if key[0] != "input":
                hook = self._hooks[key[0]]
                hook.may_wait = key == hook.key and self._lives[key] and not is_again

    def _look_back(self) -> None:
        """Looks at the outputs of this pass that have waited, and puts what is known of it into the order of execution."""
        row, self._row, self._waits, self.moment.waiting = self._row, [], False, None
        waited = []
        before: Tuple[Any, int] = (None, 0)
        for key, output, version, inputs, inputs_version, tensor_id in row:
            if tensor_id is None:
                tensor = plain(output())
                if tensor is None or version_of(tensor) != version:
                    self._lives[key] = False
                    continue
                if before[0] is tensor and before[1] == version:  # what the last child returned
                    continue
                if key[0] != "input" and key is self._hooks[key[0]].key:  # the hook does not count the calls
                    key = (key[0], 0, self._calls[key[0]])
                    self._calls[key[0]] = min(key[2] + 1, _MAX_CALLS - 1)
                tensor_id = self._id_of(key, tensor)
                waited.append((tensor_id, key, tensor, inputs if type(inputs) is list else [(inputs, inputs_version)]))
            before = (output(), version)
            self._row.append((key, output, version, inputs, inputs_version, tensor_id))
        for bits, (tensor_id, key, tensor, pairs) in zip(self._counter.magnitudes([tensor for _, _, tensor, _ in waited]), waited):
            if key[0] == "input":
                self._note_mask(tensor_id, tensor, bits)
            if self.keep_flag(tensor_id, bits) and not self.evidence and key[0] != "input":
                gone = [self._was_finite(*pair) for pair in pairs if pair[0]() is None]  # for good, and measured while it was there
                self.evidence = self._evidence(key[0], tensor, [unchanged(*pair) for pair in pairs if pair[0]() is not None], gone)
        places = {entry[5]: place for place, entry in enumerate(self._row)}
        self.flags = dict(sorted(self.flags.items(), key=lambda flag: places.get(flag[0], -1)))
        self.far[self._far_before :] = sorted(self.far[self._far_before :], key=lambda pair: places.get(pair[0], -1))

    def _evidence(self, index: int, output: torch.Tensor, inputs: List[Optional[torch.Tensor]], known: Sequence[Optional[bool]] = ()) -> Dict[str, Any]:
        """Returns whether the inputs, weights and buffers of a module are finite. An input that it has changed in place is not known."""
        module = self._modules[index]()
        if module is None:
            return {}
        called = {entry[0][0] for entry in self._row}
        path = self.names[index] + "." if self.names[index] else ""
        uncalled = [m for i, name in enumerate(self.names) if i not in called and name.startswith(path) and (m := self._modules[i]()) is not None]
        buffers = [buffer for name, buffer in module.named_buffers(recurse=False) if path + name not in self.buffers_with_infinities]
        return evidence_of(module, [None if i is output else i for i in inputs], known, uncalled, buffers)

    def _was_finite(self, tensor: Any, version: int) -> Optional[bool]:
        """Returns whether an output that is gone was finite when its module returned it, or None where that is not known."""
        ids = [entry[5] for entry in self._row if entry[1] is tensor and entry[2] == version]
        bits = self.flags.get(ids[0]) if ids else None
        return None if bits is None else bits < self._tensors.limits[ids[0]]

    # ---- Tensors ----

    def on_forward(self, index: int, module: nn.Module, args: Any, output: Any) -> None:
        is_idle = self._is_idle and self._is_inside_told
        if is_idle or not self.is_enabled or not (self._in_pass or (module.training and torch.is_grad_enabled())):
            return
        try:
            if threading.get_ident() != self.thread or _graph_task() != -1:  # a replica, or a forward pass that is repeated for gradients
                return
            if torch.jit.is_tracing():
                return
            if not self.passes:  # the loop calls parts of the model, and not the model
                self._begin_unannounced()
            if self._awaits_input:
                self._awaits_input = False
                self._take_inputs(module, list(enumerate(tensors_in(args))))
            if not self._is_inside_told:
                self._tell_inside()
                if self._is_idle:
                    return
                if self._waits:
                    self.moment.waiting = self._row
            call = self._calls[index]
            if call < _MAX_CALLS - 1:
                self._calls[index] = call + 1
            if type(output) is torch.Tensor:
                self._on_value((index, 0, call), output, module, args)
                return
            for position, tensor in enumerate(tensors_in(output)):
                if position < MAX_OUTPUTS:
                    self._on_value((index, position, call), tensor, module, args)
        except Exception as error:
            self.problem(error)

    def _on_value(self, key: Tuple[Any, ...], output: torch.Tensor, module: nn.Module, args: Any) -> None:
        version = version_of(output)
        if self._row and self._row[-1][1]() is output and self._row[-1][2] == version:  # what the last child returned
            return
        tensor = plain(output)
        if tensor is None:
            return
        if self._waits and self._lives.get(key):
            self._row.append((key, weakref.ref(tensor), version, [(weakref.ref(t), version_of(t)) for t in tensors_in(args)], 0, None))
            return
        if not self._in_pass:
            self._row.clear()
        tensor_id = self._id_of(key, tensor)
        self._row.append((key, weakref.ref(tensor), version, [], 0, tensor_id))
        if self._count(tensor_id, tensor, key[0] == "input") and not self.evidence and key[0] != "input":
            self.evidence = self._evidence(key[0], tensor, list(tensors_in(args)))
        if self.with_gradients and tensor.requires_grad and not tensor.is_leaf and key[0] != "input":  # a leaf keeps its hooks for ever
            tensor.register_hook(GradientHook(self, tensor_id + 1))

    def _id_of(self, key: Tuple[Any, ...], tensor: torch.Tensor) -> int:
        tensor_id = self._tensors.id_of(key + (tensor.dtype,))
        if tensor_id is not None:
            return tensor_id
        if key[0] == "input":
            return self._tensors.describe(key + (tensor.dtype,), tensor, f"input.{key[1]}", "", "value", "input")
        return self._describe_output(*key, tensor)

    def _describe_output(self, index: int, position: int, call: int, tensor: torch.Tensor) -> int:
        """Numbers an output; its gradient has the next number."""
        path = self.names[index]
        name = ".".join(filter(None, (path, "output", str(position) if position else ""))) + (f"#{call + 1}" if call else "")
        key = (index, position, call, tensor.dtype)
        tensor_id = self._tensors.describe(key, tensor, name, path, "value", self.classes[index])
        self._tensors.describe(key + ("gradient",), tensor, name + ".grad", path, "gradient", self.classes[index])
        return tensor_id

    def _count(self, tensor_id: int, tensor: torch.Tensor, is_input: bool = False) -> bool:
        """Keeps the tensor's largest magnitude and, in a step with statistics, its counts. Returns whether it is known not to be finite."""
        is_bad = False
        if self.with_flags or self.counts is not None:
            bits = self._counter.magnitude(tensor)
            if self._waits and type(bits) is int and bits >= self._tensors.limits[tensor_id]:
                self._look_back()
            if is_input:
                self._note_mask(tensor_id, tensor, bits)
            is_bad = self.keep_flag(tensor_id, bits)
        if self.counts is not None:
            self._counter.count(self.counts, tensor_id, tensor, self.in_blocks)
        return is_bad

    def _note_mask(self, tensor_id: int, tensor: torch.Tensor, bits: Any) -> None:
        """Notes an input that holds negative infinities, and is finite otherwise."""
        if type(bits) is int and bits == self._tensors.limits[tensor_id] and not bool((once_each(tensor.detach()) == float("inf")).any()):
            self.harmless[tensor_id] = False

    def note(self, tensor_id: int, bits: Any) -> None:
        """Keeps the largest magnitude of a tensor that is measured once in a step."""
        if type(bits) is int:
            self.flags[tensor_id] = bits
        else:
            self.far.append((tensor_id, bits))

    def is_harmless(self, tensor_id: int, has_nan: bool) -> bool:
        """Returns whether the tensor has done no harm before as it is: a NaN where infinities were is new."""
        known = self.harmless.get(tensor_id)
        return known is not None and (known or not has_nan)

    def keep_harmless(self) -> None:
        """Notes that what was not finite in this step did no harm."""
        for tensor_id in self.bad:
            self.harmless[tensor_id] = self.flags.get(tensor_id, 0) > self._tensors.limits[tensor_id]

    def keep_flag(self, tensor_id: int, bits: Any) -> bool:
        if type(bits) is not int:  # on another device: decided when it arrives
            self.far.append((tensor_id, bits))
            return False
        before = self.flags.get(tensor_id)
        if before is None or bits > before:
            self.flags[tensor_id] = bits
        if bits < self._tensors.limits[tensor_id]:
            self.harmless.pop(tensor_id, None)
            return False
        if self.is_harmless(tensor_id, bits > self._tensors.limits[tensor_id]):
            return False
        self.bad.append(tensor_id)
        return True

    def on_gradient(self, tensor_id: int, gradient: torch.Tensor) -> None:
        try:
            if self.is_enabled and not self._is_idle and gradient is not None and plain(gradient) is not None:
                self._count(self._gradient_id(tensor_id, gradient), gradient)
        except Exception as error:
            self.problem(error)

    def _gradient_id(self, tensor_id: int, gradient: torch.Tensor) -> int:
        """Returns the number of the gradient; another one where its dtype is not its tensor's."""
        if DTYPE_NAMES.get(gradient.dtype) == self._tensors.descriptions[tensor_id]["dtype"]:
            return tensor_id
        key = ("gradient", tensor_id, gradient.dtype)
        other = self._tensors.id_of(key)
        if other is None:
            d = self._tensors.descriptions[tensor_id]
            other = self._tensors.describe(key, gradient, d["name"], d["module"], d["role"], d["class"])
        return other

    def on_graph(self, index: int, tensor: torch.Tensor, position: int) -> None:
        """What the operation in a compiled graph does. Calls come in the model's order, as each writes to the same buffer."""
        if self._is_idle or not self.is_enabled:
            return
        try:
            if plain(tensor) is None:
                return
            place = (index, position)
            if self._first_in_graph is None:
                self._first_in_graph = place
            if not self.passes:
                self._begin_unannounced()
            elif not self._in_pass and not self._knows_micro_batches and self._first_in_graph == place and self._in_graph.get(place) is not None:
                self._begin_pass()
            if self.graph_autocast is None and tensor.dtype in NARROW and self._has_wide_weights(index):
                self.graph_autocast = tensor.dtype
            call = min(self._graph_calls.get(place, 0), _MAX_CALLS - 1)
            self._graph_calls[place] = call + 1
            tensor_id = self._id_of((index, position, call), tensor)
            outputs = self._in_graph.setdefault(place, [])
            if self.with_gradients:
                outputs.append(tensor_id)
            self._count(tensor_id, tensor)
        except Exception as error:
            self.problem(error)

    def on_graph_gradient(self, index: int, gradient: torch.Tensor, position: int) -> None:
        """The same for the gradient of an output."""
        if not self.with_gradients or self._is_idle or not self.is_enabled:
            return
        try:
            outputs = self._in_graph.get((index, position))
            if outputs:
                tensor_id = outputs.pop()  # of a module that was called twice, the last call's gradient comes first
                if plain(gradient) is not None:
                    self._count(self._gradient_id(tensor_id + 1, gradient), gradient)
        except Exception as error:
            self.problem(error)

    def _has_wide_weights(self, index: int) -> bool:
        module = self._modules[index]()
        return module is not None and any(p.dtype == torch.float32 for p in module.parameters(recurse=False))

    def problem(self, error: BaseException) -> None:
        """Notes what the probe could not do; the first few of a run are sent."""
        sentence = f"{type(error).__name__}: {error}"[:300]
        if len(self.problems) < 20 and sentence not in self.problems:
            self.problems.append(sentence)

    def float_flags(self, flags: Dict[int, Any]) -> Dict[int, int]:
        """Returns the magnitudes as bits of fp32."""
        return {i: float_bits(int(bits), self._tensors.dtypes[i]) for i, bits in flags.items()}
