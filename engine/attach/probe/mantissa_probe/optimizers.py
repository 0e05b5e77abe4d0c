# SPDX-License-Identifier: Apache-2.0
"""Watches optimizers: their steps, gradient norms, weights, weight gradients and updates."""
from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from . import deferred, graph
from .counting import Counter, Results, elements_of, plain
from .modules import Watch
from .tensors import Tensors, unwrapped
from .torch_counting import in_fp32

Before = Callable[[Any], None]
_KEPT_BYTES = 256 << 20  # of weights that are copied at a time, to count what an optimizer moves them by


class CompiledMark:
    """Says that an optimizer has stepped within a compiled function, where nothing else can be seen of it."""

    def __init__(self) -> None:
        self.is_stepped = False


def hooked(optimizer: Any, before: Before, after: Before, mark: CompiledMark) -> Callable[[], None]:
    """Calls the functions around each step; returns what undoes that.

    A closure that is given to `step` makes the gradients. `before` is then called after the closure's first evaluation.
    """
    if hasattr(optimizer, "register_step_pre_hook"):

        def before_step(o: Any, args: Any, kwargs: Any) -> Any:
            if graph.is_compiling():  # the compiler repeats this assignment in each call, and it breaks no graph
                mark.is_stepped = True
                return None
            changed = _with_closure(o, args[1:], kwargs, before)
            if changed is None:
                before(o)
                return None
            return (o, *changed[0]), changed[1]

        def after_step(o: Any, args: Any, kwargs: Any) -> None:
            if not graph.is_compiling():
                after(o)

        handles = [
            optimizer.register_step_pre_hook(before_step),
            optimizer.register_step_post_hook(after_step),
        ]

        def remove() -> None:
            for handle in handles:
                handle.remove()

        return remove

    # before torch 2.0: a method of the object, around what is there now
    inner = optimizer.step

    @functools.wraps(inner)
    def step(*args: Any, **kwargs: Any) -> Any:
        changed = _with_closure(optimizer, args, kwargs, before)
        if changed is None:
            before(optimizer)
        else:
            args, kwargs = changed
        result = inner(*args, **kwargs)
        after(optimizer)
        return result

    had_own = "step" in optimizer.__dict__
    optimizer.step = step

    def restore() -> None:
        if optimizer.__dict__.get("step") is step:
            if had_own:
                optimizer.step = inner
            else:
                del optimizer.step

    return restore


def _with_closure(optimizer: Any, args: Any, kwargs: Any, before: Before) -> Optional[Tuple[Any, Any]]:
    """Returns the arguments of `step` with a closure that calls `before` once, after its first evaluation; None without a closure."""
    closure = args[0] if args else kwargs.get("closure")
    if not callable(closure):
        return None
    is_first = [True]

    def wrapped(*closure_args: Any, **closure_kwargs: Any) -> Any:
        result = closure(*closure_args, **closure_kwargs)
        if is_first:
            is_first.clear()
            before(optimizer)
        return result

    return ((wrapped, *args[1:]), kwargs) if args else (args, {**kwargs, "closure": wrapped})


class OptimizerState:
    """What one optimizer did in this step."""

    def __init__(self) -> None:
        self.is_stepped = False
        self.count = 0  # of its steps
        self.is_attempted = False  # through a scaler
        self.lr: List[Any] = []  # of each group, as the step used it: a schedule changes it after that
        self.found_inf: Dict[str, Any] = {}
        self.norm: Any = None  # of unscaled gradients: when the optimizer stepped
        self.norm_before_clip: Any = None  # when they had just been unscaled; without a scaler: before they were clipped
        self.is_norm_scaled = False
        self.is_unscaled_within = False  # the scaler unscaled in its own step, so that nothing was clipped since


class Weights:
    """The parameters that a watch knows, by name, and the optimizers that move them."""

    def __init__(self, model: nn.Module, optimizers: List[Any], watch: Watch, counter: Counter, tensors: Tensors) -> None:
        self._watch = watch
        self._counter = counter
        self._tensors = tensors
        inner = unwrapped(model)
        self._model = weakref.ref(inner)
        # By id, which a later parameter may have again: the name, and where the parameter is if it still is the same one. Weak references
        # to parameters would hinder torch.utils.swap_tensors.
        self._names: Dict[int, Tuple[str, Any, str]] = {}  # of the model's: its module, and the attribute
        self._foreign: Dict[int, Tuple[str, int, int, int]] = {}  # of others: the optimizer, the group and the place in it
        self.tied = self._read_names(inner)
        self.optimizers = optimizers
        self.states = [OptimizerState() for _ in optimizers]
        self._before: List[Tuple[torch.Tensor, int, torch.Tensor]] = []  # weights as they were, from a row on, where updates are counted
        self._turns: Dict[int, int] = {}  # by optimizer: its weight that is copied first
        self.is_counted = False  # weight gradients, in this step
        self._is_norm_said_unknown = False

    def begin_step(self) -> None:
        self.states = [OptimizerState() for _ in self.optimizers]
        self._before = []
        self.is_counted = False

    def index_of(self, optimizer: Any) -> Optional[int]:
        """Returns which of the watched optimizers this is; wrappers with an `optimizer` inside are seen through."""
        for index, known in enumerate(self.optimizers):
            if known is optimizer or known is getattr(optimizer, "optimizer", None):
                return index
        return None

    def indices_of(self, parameters: List[Any]) -> List[int]:
        """Returns the optimizers that move one of the parameters."""
        some = {id(p) for p in parameters}
        return [i for i, optimizer in enumerate(self.optimizers) if any(id(p) in some for p in self.parameters_of(optimizer))]

    def parameters_of(self, optimizer: Any) -> List[torch.Tensor]:
        return [p for group in getattr(optimizer, "param_groups", ()) for p in group["params"]]

    def gradients_of(self, optimizer: Any) -> Optional[List[torch.Tensor]]:
        """Returns the numbers of all gradients, or None where this process does not have them all."""
        gradients = []
        has_ranks = _has_ranks()
        for parameter in self.parameters_of(optimizer):
            gradient = parameter.grad
            if gradient is None:
                continue
            if has_ranks and _is_sharded(parameter, gradient):
                return self._say_unknown("gradients are sharded over ranks")
            elements = elements_of(gradient)
            if elements is None:
                return self._say_unknown(f"a gradient is a {type(gradient).__name__} of {gradient.dtype}")
            if elements.numel():
                gradients.append(elements)
        return gradients

    def _say_unknown(self, why: str) -> None:
        if not self._is_norm_said_unknown:
            self._is_norm_said_unknown = True
            self._watch.problem(RuntimeError("the gradient norm is not known: " + why))

    def square_sum(self, optimizer: Any) -> Any:
        """Returns the sum of the squares of all gradients, or None where it is not known."""
        gradients = self.gradients_of(optimizer)
        return None if gradients is None else self._counter.square_sum(gradients)

    # ---- Names ----

    def _read_names(self, model: nn.Module) -> Dict[str, List[str]]:
        """Reads which parameters the model has. Returns the further names of those that have several."""
        self._names = {}
        self._leaves = {name for name, module in model.named_modules() if next(module.children(), None) is None}
        tied: Dict[str, List[str]] = {}
        for path, module in model.named_modules(remove_duplicate=False):
            for attribute, parameter in module._parameters.items():
                if parameter is not None:
                    name = f"{path}.{attribute}" if path else attribute
                    first, _, _ = self._names.setdefault(id(parameter), (name, weakref.ref(module), attribute))
                    if first != name:
                        tied.setdefault(first, []).append(name)
        return tied

    def _known_name(self, parameter: torch.Tensor) -> Optional[str]:
        name, module, attribute = self._names.get(id(parameter), ("", lambda: None, ""))
        return name if getattr(module(), "_parameters", {}).get(attribute) is parameter else None

    def _name_of(self, parameter: torch.Tensor) -> str:
        """Returns the name in the model, or the place in an optimizer of a parameter that the model does not have."""
        known = self._known_name(parameter)
        if known is not None:
            return known
        name, index, number, place = self._foreign.get(id(parameter), ("", 0, 0, -1))
        if name and parameter is self._at(index, number, place):
            return name
        model = self._model()
        if model is not None:
            self._read_names(model)
            known = self._known_name(parameter)
            if known is not None:
                return known
        for index, optimizer in enumerate(self.optimizers):
            for number, group in enumerate(getattr(optimizer, "param_groups", ())):
                for place, other in enumerate(group["params"]):
                    if other is parameter:
                        name = f"group {number}, parameter {place}"
                        name = f"optimizer {index}, {name}" if len(self.optimizers) > 1 else name
                        self._foreign[id(parameter)] = (name, index, number, place)
                        return name
        return "parameter"

    def _at(self, index: int, number: int, place: int) -> Any:
        groups = getattr(self.optimizers[index], "param_groups", [])[number : number + 1]
        return next(iter(groups[0]["params"][place : place + 1]), None) if groups else None

    # ---- Statistics ----

    def _id(self, parameter: torch.Tensor, tensor: torch.Tensor, role: str) -> int:
        name = self._name_of(parameter)
        key = (name, role, tensor.dtype, parameter.shape)
        tensor_id = self._tensors.id_of(key)
        if tensor_id is None:
            suffix = {"weight": "", "weight gradient": ".grad", "update": ".update"}[role]
            tensor_id = self._tensors.describe(key, tensor, name + suffix, name.rpartition(".")[0], role, shape=parameter.shape)
        return tensor_id

    def count_gradients(self, optimizer: Any, results: Results) -> None:
        """Adds the statistics of weight gradients as they are now."""
        self.is_counted = True
        for parameter in self.parameters_of(optimizer):
            gradient = parameter.grad
            if gradient is not None and plain(gradient) is not None:
                tensor_id = self._id(parameter, gradient, "weight gradient")
                self._watch.note(tensor_id, self._counter.magnitude(gradient))
                self._counter.count(results, tensor_id, gradient, self._watch.in_blocks)

    def count_weights(self, optimizer: Any, results: Results, with_updates: bool) -> None:
        """Adds the statistics of weights, and keeps a copy of them where the update is to be counted."""
        for parameter in self.parameters_of(optimizer):
            if plain(parameter) is None:
                continue
            weight = parameter.detach()
            tensor_id = self._id(parameter, parameter, "weight")
            self._watch.note(tensor_id, self._counter.magnitude(weight))
            self._counter.count(results, tensor_id, weight, self._watch.in_blocks)
        if with_updates:
            self._keep_weights(optimizer, results.step)

    def _keep_weights(self, optimizer: Any, step: int) -> None:
        """Copies weights whose updates are to be counted, as many as there is room for. The next time begins with those that are left out.

        Of a weight that is larger than all the room it copies some rows, in each step others.
        """
        moved = [p for p in self.parameters_of(optimizer) if p.grad is not None and plain(p) is not None]
        turn, room, count = self._turns.get(id(optimizer), 0), _KEPT_BYTES, 0
        for parameter in moved[turn:] + moved[:turn]:
            weight, row = parameter.detach(), 0
            size = weight.numel() * weight.element_size()
            if size > room:
                if room < _KEPT_BYTES or weight.dim() == 0:
                    break
                rows = max(1, room * len(weight) // size)
                row = step * rows % (len(weight) - rows + 1)
                weight, size = weight[row : row + rows], room
            self._before.append((parameter, row, weight.clone()))
            room -= size
            count += 1
        self._turns[id(optimizer)] = (turn + count) % max(len(moved), 1)

    def count_updates(self, results: Results) -> None:
        """Adds what the optimizer moved each weight by: the weight after the step minus the weight before."""
        kept, self._before = self._before, []
        for parameter, row, before in kept:
            after = parameter.detach()
            if after.shape != before.shape:
                after = after[row : row + len(before)]
            if after.dtype == torch.float64:
                update = in_fp32(after - before)
            else:
                update = after.to(torch.float32) - before.to(torch.float32)
            self._counter.count(results, self._id(parameter, update, "update"), update, self._watch.in_blocks)

    def bad_gradients(self) -> List[int]:
        """Returns the weight gradients on the CPU that are not finite: of the model's parameters the last first, as the backward pass goes."""
        parameters = [(p, self._name_of(p)) for optimizer in self.optimizers for p in self.parameters_of(optimizer)]
        order = {name: place for place, (name, _, _) in enumerate(self._names.values())}
        bad = []
        for parameter, _ in sorted(parameters, key=lambda pair: -order.get(pair[1], -1)):
            gradient = parameter.grad
            elements = elements_of(gradient) if gradient is not None and deferred.is_here(gradient) else None
            if elements is None or not elements.numel():
                continue
            tensor_id = self._id(parameter, elements, "weight gradient")
            bits = self._counter.magnitude(elements)
            if bits >= self._tensors.limits[tensor_id]:
                self._watch.flags[tensor_id] = bits
                bad.append(tensor_id)
        return bad

    def first_bad(self, gradients: List[int]) -> Optional[int]:
        """Returns the step's first tensor that is not finite. `gradients`: those of weights that are not, the last parameter's first."""
        bad, descriptions = self._watch.bad, self._tensors.descriptions
        if not bad or not gradients or descriptions[bad[0]]["role"] != "gradient":
            return next(iter(bad + gradients), None)
        # The backward pass makes the gradients of a module's weights right after that of its output, if the module has no others within it.
        # Flags are in the order of execution.
        places: Dict[str, int] = {}
        for place, tensor_id in enumerate(self._watch.flags):
            module = descriptions[tensor_id]["module"]
            if descriptions[tensor_id]["role"] == "gradient" and module in self._leaves:
                places.setdefault(module, place)
        bad_place = list(self._watch.flags).index(bad[0])
        before = [i for i in gradients if places.get(descriptions[i]["module"], bad_place) < bad_place]
        return min(before, key=lambda i: places[descriptions[i]["module"]], default=bad[0])

    def bad_weights(self) -> List[str]:
        """Returns the names of weights and buffers on the CPU that are not finite."""
        model = self._model()
        if model is None:
            return []
        tensors = list(model.named_parameters()) + list(model.named_buffers())
        found = ((name, elements_of(tensor)) for name, tensor in tensors if name not in self._watch.buffers_with_infinities)
        return [name for name, e in found if e is not None and deferred.is_here(e) and not bool(torch.isfinite(e.detach()).all())]


def _has_ranks() -> bool:
    distributed = getattr(torch, "distributed", None)
    return distributed is not None and distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1


def _is_sharded(parameter: torch.Tensor, gradient: torch.Tensor) -> bool:
    """Returns whether other ranks have parts of the gradient: of FullyShardedDataParallel, or a DTensor."""
    if getattr(parameter, "_fsdp_flattened", False) or type(parameter).__name__ == "FlatParameter":
        return True
    return any(not placement.is_replicate() for placement in getattr(gradient, "placements", ()))
