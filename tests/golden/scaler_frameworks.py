# SPDX-License-Identifier: Apache-2.0
"""The frameworks' own loss scalers, for make_scaler_goldens.py: each function makes one step of the case's scaler, and names its version;
nothing where it is not at hand. Frameworks with one factor for both directions are given each direction's own before each step."""
import ast
import dataclasses
import math
import os
import pathlib
import sys
import types

import numpy


class Stopped(Exception):
    """Where the framework ends the run."""


def found(path):
    for folder in sys.argv[1:] + sys.path:
        file = pathlib.Path(folder) / path
        if file.is_file():
            return file.read_text()
    return None


def classes_of(text, names, constants=None, **known):
    """These classes of a source, without its imports; numbers of `constants` become others."""
    class Replace(ast.NodeTransformer):
        def visit_BinOp(self, node):
            self.generic_visit(node)
            if isinstance(node.right, ast.Constant) and constants:
                node.right = ast.Constant(constants[type(node.op)])
            return node

    tree = ast.parse(text)
    tree.body = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in names]
    exec(compile(ast.fix_missing_locations(Replace().visit(tree) if constants else tree), names[-1], "exec"), known)
    return known[names[-1]]


def torch_scaler(case):
    import torch
    scaler = torch.amp.GradScaler("cpu", case["init"], case["up"], case["down"], case["interval"])
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=0.0)
    scaler.scale(torch.ones(1))

    def step(found_inf):
        weight.grad = torch.tensor([math.inf if found_inf else 0.0])
        scaler.step(optimizer)
        scaler.update()
        return scaler.get_scale()
    return step, "torch " + torch.__version__


def keras_scaler(case):
    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    from keras.src.optimizers import loss_scale_optimizer as module
    real = keras.ops
    factors = {2.0: case["up"], 0.5: case["down"]}
    module.ops = types.SimpleNamespace(multiply=lambda x, by: real.multiply(x, factors[by]), cond=real.cond, equal=real.equal)
    scaler = module.LossScaleOptimizer(keras.optimizers.SGD(0.0), case["init"], case["interval"])
    scaler.build([])
    scaler.inner_optimizer = types.SimpleNamespace(apply=lambda *a, **k: None)

    def step(found_inf):
        scaler._stateful_handle_non_finite_grads() if found_inf else scaler._stateful_handle_finite_grads([], None)
        return float(scaler.dynamic_scale)
    return step, "keras " + keras.__version__


def jmp_scaler(case):
    import jax
    import jmp
    state = [jmp.DynamicLossScale(jax.numpy.float32(case["init"]), jax.numpy.int32(0), case["interval"], case["up"],
                                  numpy.float32(case["floor"]))]

    def step(found_inf):
        factor = case["by"] if found_inf else case["up"]
        state[0] = dataclasses.replace(state[0], factor=factor).adjust(jax.numpy.asarray(not found_inf))
        return float(state[0].loss_scale)
    return step, f"jmp {jmp.__version__}, jax {jax.__version__}"


def flax_scaler(case):
    import flax
    import jax
    from flax.training.dynamic_scale import DynamicScale
    state = [DynamicScale(case["up"], case["down"], case["interval"], 0, jax.numpy.float32(case["init"]), case["floor"])]
    run = jax.jit(lambda scaler, x: scaler.value_and_grad(lambda w: w * 0.0 + w * x)(jax.numpy.float32(0))[0])

    def step(found_inf):
        state[0] = run(state[0], jax.numpy.float32(math.inf if found_inf else 0))
        return float(state[0].scale)
    return step, f"flax {flax.__version__}, jax {jax.__version__}"


def apex_scaler(case):
    text = found("apex/amp/scaler.py")
    if text is None:
        return None
    made = classes_of(text, ["LossScaler"], {ast.Div: case["by"], ast.Mult: case["up"], ast.Pow: 16.0, ast.Add: 1})
    scaler = types.SimpleNamespace(_loss_scale=min(case["init"], case["ceiling"]), _max_loss_scale=case["ceiling"], _min_loss_scale=None,
                                   _scale_seq_len=case["interval"], _unskipped=0, dynamic=True)
    made.has_fused_kernel = False

    def step(found_inf):
        scaler._has_overflow = found_inf
        made.update_scale(scaler)
        return scaler._loss_scale
    return step, "apex"


def megatron_scaler(case):
    text = found("megatron/core/optimizer/grad_scaler.py")
    if text is None:
        return None
    import abc
    import typing

    import torch
    on_cpu = types.SimpleNamespace(tensor=lambda x, dtype, device: torch.tensor(x, dtype=dtype), float=torch.float, max=torch.max)
    made = classes_of(text, ["MegatronGradScaler", "DynamicGradScaler"], torch=on_cpu, ABC=abc.ABC, abstractmethod=abc.abstractmethod,
                      Dict=typing.Dict)
    scaler = made(case["init"], case["floor"], case["up"], case["down"], case["interval"], case["hysteresis"])

    def step(found_inf):
        scaler.update(found_inf)
        return scaler.scale.item()
    return step, "megatron.core"


def deepspeed_scaler(case):
    text = found("deepspeed/runtime/fp16/loss_scaler.py")
    if text is None:
        return None
    rank = types.SimpleNamespace(get_rank=lambda: 1)
    made = classes_of(text, ["LossScalerBase", "DynamicLossScaler"], DeepSpeedConfigObject=object, dist=rank,
                      torch=types.SimpleNamespace(half=0))
    scaler = made(case["init"], case["interval"], case["floor"], case["hysteresis"], case["preset"] == "deepspeed-consecutive")

    def step(found_inf):
        scaler.scale_factor = case["by"] if found_inf else case["up"]
        try:
            scaler.update_scale(found_inf)
        except Exception:
            raise Stopped from None
        return scaler.loss_scale
    return step, "deepspeed"


def fairseq_scaler(case):
    text = found("fairseq/optim/dynamic_loss_scaler.py")
    if text is None:
        return None
    scaler = classes_of(text, ["DynamicLossScaler"])(case["init"], case["up"], case["interval"], 0.0, case["floor"] or None)

    def step(found_inf):
        scaler.scale_factor = case["by"] if found_inf else case["up"]
        try:
            scaler.check_overflow(math.inf if found_inf else 1.0)
            scaler.update()
        except OverflowError:
            pass
        except FloatingPointError:
            raise Stopped from None
        return scaler.loss_scale
    return step, "fairseq"


REAL = {"pytorch": torch_scaler, "keras3": keras_scaler, "jmp": jmp_scaler, "flax": flax_scaler, "apex": apex_scaler,
        "megatron": megatron_scaler, "deepspeed": deepspeed_scaler, "deepspeed-consecutive": deepspeed_scaler, "fairseq": fairseq_scaler}
