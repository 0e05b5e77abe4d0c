#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes trainer_state.json: what Hugging Face's Trainer leaves of 20 steps of a small network. Made with transformers 5.24 and torch 2.15.

    python tests/golden/make_trainer_state.py
"""
import pathlib
import shutil
import tempfile

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

HERE = pathlib.Path(__file__).resolve().parent


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)

    def forward(self, x, labels=None):
        y = self.linear(x)
        return {"loss": (y - labels).square().mean(), "logits": y}


def main():
    torch.manual_seed(1)
    data = [{"x": torch.randn(4), "labels": torch.randn(1)} for _ in range(80)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, max_steps=20, logging_steps=2, eval_strategy="steps", eval_steps=10, save_steps=20,
                                      per_device_train_batch_size=4, report_to=[], use_cpu=True, seed=1, learning_rate=1e-2)
        Trainer(Model(), arguments, train_dataset=data, eval_dataset=data[:8]).train()
        shutil.copy(pathlib.Path(folder) / "checkpoint-20" / "trainer_state.json", HERE / "trainer_state.json")


main()
