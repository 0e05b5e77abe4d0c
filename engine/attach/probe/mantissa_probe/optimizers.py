# SPDX-License-Identifier: Apache-2.0
"""Watches optimizers: their steps, gradient norms, weights, weight gradients and updates."""
from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from . import deferred, graph
from .counting import Counter, Results, plain
from .modules import Watch
from .tensors import Tensors, unwrapped

Before = Callable[[Any], None]


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
        self._names: Dict[int, str] = {}
        self._leaves = {name for name, module in inner.named_modules() if next(module.children(), None) is None}
        self.tied: Dict[str, List[str]] = {}
        for name, parameter in inner.named_parameters(remove_duplicate=False) if _has_duplicates() else inner.named_parameters():
            first = self._names.setdefault(id(parameter), name)
            if first != name:
                self.tied.setdefault(first, []).append(name)
        self.optimizers = optimizers
        self.states = [OptimizerState() for _ in optimizers]
        self._before: Dict[int, Tuple[torch.Tensor, torch.Tensor]] = {}  # weights as they were, where updates are counted
        self.is_counted = False  # weight gradients, in this step

    def begin_step(self) -> None:
        self.states = [OptimizerState() for _ in self.optimizers]
        self._before = {}
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

    def gradients_of(self, optimizer: Any) -> List[torch.Tensor]:
        gradients = (p.grad for p in self.parameters_of(optimizer))
        return [gradient for gradient in gradients if gradient is not None and plain(gradient) is not None]

    def square_sum(self, optimizer: Any) -> Any:
        return self._counter.square_sum(self.gradients_of(optimizer))

    # ---- Statistics ----

    def _id(self, parameter: torch.Tensor, tensor: torch.Tensor, role: str) -> int:
        key = (id(parameter), role, tensor.dtype)
        tensor_id = self._tensors.id_of(key)
        if tensor_id is None:
            name = self._names.get(id(parameter), "parameter")
            suffix = {"weight": "", "weight gradient": ".grad", "update": ".update"}[role]
            tensor_id = self._tensors.describe(key, tensor, name + suffix, name.rpartition(".")[0], role)
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
            if with_updates and parameter.grad is not None:
                self._before[id(parameter)] = (parameter, weight.clone())

    def count_updates(self, results: Results) -> None:
        """Adds what the optimizer moved each weight by: the weight after the step minus the weight before."""
        kept, self._before = self._before, {}
        for parameter, before in kept.values():
            after = parameter.detach()
            update = after.to(torch.float32) - before.to(torch.float32)
            self._counter.count(results, self._id(parameter, update, "update"), update, self._watch.in_blocks)

    def bad_gradients(self) -> List[int]:
        """Returns the weight gradients on the CPU that are not finite: of the model's parameters the last first, as the backward pass goes."""
        order = {parameter: place for place, parameter in enumerate(self._names)}
        parameters = [p for optimizer in self.optimizers for p in self.parameters_of(optimizer)]
        bad = []
        for parameter in sorted(parameters, key=lambda p: -order.get(id(p), -1)):
            gradient = parameter.grad
            if gradient is None or plain(gradient) is None or not deferred.is_here(gradient):
                continue
            tensor_id = self._id(parameter, gradient, "weight gradient")
            bits = self._counter.magnitude(gradient)
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
        return [
            name
            for name, tensor in tensors
            if name not in self._watch.usual_buffers
            and plain(tensor) is not None
            and deferred.is_here(tensor)
            and not bool(torch.isfinite(tensor.detach()).all())
        ]


def _has_duplicates() -> bool:
    """Returns whether this torch can list tied parameters under each of their names."""
    return "remove_duplicate" in nn.Module.named_parameters.__code__.co_varnames
