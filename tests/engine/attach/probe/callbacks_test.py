# SPDX-License-Identifier: Apache-2.0
"""The callbacks for Hugging Face's Trainer and for Lightning, each skipped where the library is missing."""
from support import *


class Callbacks(ProbeTest):
    def test_hugging_face(self):
        try:
            import accelerate
            import transformers
        except ImportError:
            self.skipTest("there is no transformers with accelerate")
        from mantissa_probe.hugging_face import ProbeCallback

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 2)

            def forward(self, x=None, labels=None):
                logits = self.layer(x)
                return {"loss": F.cross_entropy(logits, labels), "logits": logits}

        data = [{"x": torch.randn(4), "labels": i % 2} for i in range(32)]
        losses = []
        for is_watched in (False, True):
            torch.manual_seed(0)
            model = Model()
            arguments = transformers.TrainingArguments(
                str(self.folder / "out"), per_device_train_batch_size=4, gradient_accumulation_steps=2, num_train_epochs=2, logging_steps=1,
                report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True, eval_strategy="epoch", seed=1,
            )
            trainer = transformers.Trainer(model, arguments, train_dataset=data, eval_dataset=data[:8])
            if is_watched:
                callback = ProbeCallback(to=self.path(), every=2, quiet=True)
                trainer.add_callback(callback)
            trainer.train()
            losses.append([(e["loss"], e["learning_rate"], e["grad_norm"]) for e in trainer.state.log_history if "loss" in e])
        self.assertEqual(losses[0], losses[1])
        run = self.read()
        self.assertEqual(len(run.steps), 8)
        self.assertTrue(all(s["micro_batches"] == 2 and s["samples"] == 8 and s["optimizers"][0]["stepped"] for s in run.steps))
        for (loss, lr, norm), step in zip(losses[1], run.steps):
            self.assertAlmostEqual(step["loss"], loss, places=3)
        self.assertIn("layer.weight.update", {t["name"] for t in run.tensors.values()})
        self.assertEqual(len(model._forward_hooks), 0)

    def hugging_face(self, is_watched, model, data, **settings):
        """Trains, and returns what the Trainer has logged and the weights."""
        import transformers
        from mantissa_probe.hugging_face import ProbeCallback

        transformers.set_seed(0)
        arguments = transformers.TrainingArguments(
            **{
                "output_dir": str(self.folder / "out"), "per_device_train_batch_size": 4, "num_train_epochs": 1, "logging_steps": 1, "report_to": [],
                "use_cpu": True, "save_strategy": "no", "disable_tqdm": True, "seed": 1, **settings,
            }
        )
        model = model()
        trainer = transformers.Trainer(model, arguments, train_dataset=data)
        if is_watched:
            trainer.add_callback(ProbeCallback(to=self.path(), every=2, quiet=True))
        resume = settings.get("output_dir") and settings["output_dir"] + "/checkpoint-3"
        trainer.train(resume_from_checkpoint=resume if is_watched and settings.get("save_strategy") else None)
        logged = [(e["step"], e["loss"], e["learning_rate"], e["grad_norm"]) for e in trainer.state.log_history if "loss" in e]
        return logged, [p.detach().clone() for p in model.parameters()]

    def hold_to_the_trainer(self, logged, run):
        self.assertEqual(len(logged), len(run.steps))
        for (number, loss, lr, norm), step in zip(logged, run.steps):
            optimizer = step["optimizers"][0]
            self.assertEqual((step["step"], optimizer["lr"][0]), (number - 1, lr))
            self.assertAlmostEqual(step["loss"], loss, places=3)
            self.assertAlmostEqual(optimizer["grad_norm_before_clip"] / norm, 1, places=4)

    def test_hugging_face_language_model(self):
        """Its loss in each micro-batch is divided by the tokens of all of them, and accelerate begins autocast within the forward pass."""
        try:
            import accelerate
            from transformers import GPT2Config, GPT2LMHeadModel
        except ImportError:
            self.skipTest("there is no transformers with accelerate")

        data = []
        for length in range(22):  # labels of different lengths
            ids = torch.randint(0, 50, (12,))
            data.append({"input_ids": ids, "labels": torch.where(torch.arange(12) < length % 7, -100, ids)})
        model = lambda: GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=2))
        settings = {"gradient_accumulation_steps": 2, "bf16": True, "max_grad_norm": 0.5}
        (plain, weights), (watched, same) = [self.hugging_face(w, model, data, **settings) for w in (False, True)]
        self.assertEqual(plain, watched)
        self.assertTrue(all(map(torch.equal, weights, same)))
        run = self.read()
        self.hold_to_the_trainer(watched, run)
        self.assertEqual([s["micro_batches"] for s in run.steps], [2, 2, 2])
        self.assertEqual({s["autocast"] for s in run.steps}, {"bf16"})
        self.assertTrue(all(abs(s["optimizers"][0]["grad_norm"] - 0.5) < 1e-4 for s in run.steps))

    def test_hugging_face_loss_outside_of_the_model_and_resume(self):
        try:
            import accelerate
            import transformers
        except ImportError:
            self.skipTest("there is no transformers with accelerate")

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 2)
                self.config = transformers.PretrainedConfig()  # smoothing asks for it

            def forward(self, x=None, labels=None):
                return {"logits": self.layer(x)}

        data = [{"x": torch.randn(4), "labels": i % 2} for i in range(24)]
        settings = {"label_smoothing_factor": 0.1, "save_strategy": "steps", "save_steps": 3, "output_dir": str(self.folder / "checkpoints")}
        (plain, weights), (watched, same) = [self.hugging_face(w, Model, data, **settings) for w in (False, True)]
        self.assertEqual(plain, watched)
        self.assertTrue(all(map(torch.equal, weights, same)))
        self.hold_to_the_trainer(watched[3:], self.read())  # from the checkpoint on
        self.assertIn("input.x", {t["name"] for t in self.read().tensors.values()})

    def lightning(self):
        try:
            import lightning.pytorch as lightning
        except ImportError:
            try:
                import pytorch_lightning as lightning
            except ImportError:
                self.skipTest("there is no lightning")
        import logging

        for name in ("lightning", "pytorch_lightning"):
            logging.getLogger(name).setLevel(logging.ERROR)
        return lightning

    def model_class(self):
        lightning = self.lightning()

        class Model(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 2)

            def forward(self, x):
                return self.b(F.relu(self.a(x)))

            def loss_of(self, batch):
                return F.cross_entropy(self(batch[0]).float(), batch[1])

            def training_step(self, batch, index):
                return self.loss_of(batch)

            def validation_step(self, batch, index):
                self.loss_of([batch[0] * 1e6, batch[1]])

            def configure_optimizers(self):
                optimizer = torch.optim.AdamW(self.parameters(), 0.01)
                schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
                return [optimizer], [{"scheduler": schedule, "interval": "step"}]

        return Model

    def fit(self, make, plugins=lambda: None, validate=False, checkpoint=None, save=None, **settings):
        """Trains with and without the probe, compares the bits, and returns what the training saw itself, and the probe's run."""
        lightning = self.lightning()
        from mantissa_probe.lightning import ProbeCallback

        class Truth(lightning.Callback):
            """Sees losses, norms before clipping, learning rates and scales as the training itself does."""

            def __init__(self):
                self.losses, self.norms, self.rates, self.scales = [], [], [], []

            def on_train_batch_start(self, trainer, module, batch, index):
                scaler = getattr(trainer.precision_plugin, "scaler", None)
                self.rates.append([o.param_groups[0]["lr"] for o in trainer.optimizers])
                self.scales.append(None if scaler is None else scaler.get_scale())

            def on_before_optimizer_step(self, trainer, module, optimizer):
                gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
                self.norms.append(float(torch.stack([g.double().square().sum() for g in gradients]).sum().sqrt()))

            def on_train_batch_end(self, trainer, module, outputs, batch, index):
                self.losses.append(float(outputs["loss"] if isinstance(outputs, dict) else outputs))

        torch.manual_seed(2)
        data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.arange(32) % 2)
        results = []
        for is_watched in (False, True):
            torch.manual_seed(0)
            model, truth = make(), Truth()
            trainer = lightning.Trainer(
                accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                callbacks=[truth] + [ProbeCallback(to=self.path(), every=1, quiet=True)] * is_watched, default_root_dir=str(self.folder),
                plugins=plugins(), **{"max_epochs": 1, **settings},
            )
            loaders = [torch.utils.data.DataLoader(data, 4)] + [torch.utils.data.DataLoader(data, 16)] * validate
            trainer.fit(model, *loaders, ckpt_path=checkpoint)
            results.append((truth.losses, [p.tolist() for p in model.parameters()]))
        if save:
            trainer.save_checkpoint(save)
        self.assertEqual(results[0], results[1])
        self.assertEqual(len(model._forward_hooks), 0)
        run = self.read()
        pathlib.Path(self.path()).unlink()
        return truth, run

    def hold(self, actual, expected):
        self.assertEqual(len(actual), len(expected))
        for a, b in zip(actual, expected):
            self.assertTrue(a == b or (a != a and b != b) or abs(a - b) <= 1e-5 * abs(b), (actual, expected))

    def test_lightning(self):
        truth, run = self.fit(self.model_class(), gradient_clip_val=0.1, validate=True, val_check_interval=3)
        self.assertEqual([s["step"] for s in run.steps], list(range(8)))
        self.assertEqual([s["loss"] for s in run.steps], truth.losses)
        self.assertEqual([s["optimizers"][0]["lr"] for s in run.steps], truth.rates)
        self.hold([s["optimizers"][0]["grad_norm_before_clip"] for s in run.steps], truth.norms)
        self.assertTrue(all(s["optimizers"][0]["grad_norm"] < 0.1001 for s in run.steps))
        self.assertTrue(all(s["micro_batches"] == 1 and s["optimizers"][0]["stepped"] for s in run.steps))
        self.assertTrue(all(s.abs_max < 1e4 for s in run.statistics))  # nothing of the validation
        gradients = [s for s in run.statistics if run.tensors[s.tensor]["name"] == "a.weight.grad"]
        self.assertEqual([g.step for g in gradients], list(range(8)))
        self.assertTrue(all(0 < g.abs_max < 0.1 for g in gradients))  # of their own step, which are made within optimizer.step()
        self.assertIn("a.output.grad", {t["name"] for t in run.tensors.values()})

    def test_lightning_accumulates(self):
        truth, run = self.fit(self.model_class(), accumulate_grad_batches=2, precision="bf16-mixed")
        self.hold([s["loss"] for s in run.steps], [a + b for a, b in zip(truth.losses[::2], truth.losses[1::2])])
        self.hold([s["optimizers"][0]["grad_norm"] for s in run.steps], truth.norms)
        self.assertTrue(all(s["micro_batches"] == 2 and s["optimizers"][0]["stepped"] for s in run.steps))
        self.assertEqual({s["autocast"] for s in run.steps}, {"bf16"})
        self.assertNotIn("a.output#2", {t["name"] for t in run.tensors.values()})

    def test_lightning_accumulates_narrow_losses(self):
        class Narrow(self.model_class()):
            def training_step(self, batch, index):
                return (self.loss_of(batch) * 0 + 3e4).half()

        _, run = self.fit(Narrow, accumulate_grad_batches=4)
        self.assertEqual([s["loss"] for s in run.steps], [3e4, 3e4])

    def half(self):
        self.lightning()
        if not HAS_CPU_SCALER:
            self.skipTest("this torch has no scaler for the CPU")
        try:
            from lightning.pytorch.plugins.precision import MixedPrecision
        except ImportError:
            from pytorch_lightning.plugins.precision import MixedPrecision
        return lambda: [MixedPrecision("16-mixed", device="cpu", scaler=torch.amp.GradScaler("cpu", init_scale=2.0**22, growth_interval=2))]

    @skips_what_torch_cannot
    def test_lightning_in_fp16(self):
        truth, run = self.fit(self.model_class(), plugins=self.half(), gradient_clip_val=0.1, accumulate_grad_batches=2, max_epochs=2)
        scales = truth.scales[::2]
        self.assertEqual([s["loss_scale"] for s in run.steps], scales)
        self.assertEqual([s["next_loss_scale"] for s in run.steps[:-1]], scales[1:])
        skipped = [s["optimizers"][0]["skipped"] for s in run.steps]
        self.assertEqual(skipped[:-1], [after < before for before, after in zip(scales, scales[1:])])
        self.assertTrue(any(skipped) and not all(skipped))
        self.hold([s["optimizers"][0]["grad_norm_before_clip"] for s in run.steps], truth.norms)
        self.assertEqual([list(s["optimizers"][0]["found_inf"].values()) for s in run.steps], [[float(s)] for s in skipped])
        self.assertEqual({s["autocast"] for s in run.steps}, {"f16"})

    def manual(self):
        class Manual(self.model_class()):
            def __init__(self):
                super().__init__()
                self.automatic_optimization = False

            def training_step(self, batch, index):
                for optimizer in self.optimizers():
                    loss = self.loss_of(batch)
                    optimizer.zero_grad()
                    self.manual_backward(loss)
                    optimizer.step()
                return loss

            def configure_optimizers(self):
                return [torch.optim.SGD(self.a.parameters(), 0.1), torch.optim.AdamW(self.b.parameters(), 0.01)]

        return Manual

    def test_lightning_with_two_optimizers_and_resume(self):
        checkpoint = str(self.folder / "run.ckpt")
        for first, epochs, make in ((0, 1, self.manual()), (8, 2, self.manual())):
            truth, run = self.fit(make, max_epochs=epochs, checkpoint=checkpoint if first else None, save=checkpoint)
            self.assertEqual([s["step"] for s in run.steps], list(range(first, first + 8)))
            self.assertEqual([s["loss"] for s in run.steps], truth.losses)
            self.hold([o["grad_norm"] for s in run.steps for o in s["optimizers"]], truth.norms)
            self.assertEqual([[o["lr"][0] for o in s["optimizers"]] for s in run.steps], truth.rates)
            self.assertEqual({s["micro_batches"] for s in run.steps}, {1})

    @skips_what_torch_cannot
    def test_lightning_with_two_optimizers_and_one_scaler(self):
        """The scaler is updated twice in a step; the step's scale is the one with which it began."""
        truth, run = self.fit(self.manual(), plugins=self.half())
        self.assertEqual([s["loss_scale"] for s in run.steps], truth.scales)
        self.assertEqual([s["next_loss_scale"] for s in run.steps[:-1]], truth.scales[1:])
        self.hold([o["grad_norm_before_clip"] for s in run.steps for o in s["optimizers"]], truth.norms)

    def test_lightning_resumes_from_a_checkpoint(self):
        checkpoint = str(self.folder / "run.ckpt")
        self.fit(self.model_class(), save=checkpoint)
        truth, run = self.fit(self.model_class(), max_epochs=2, checkpoint=checkpoint)
        self.assertEqual([s["step"] for s in run.steps], list(range(8, 16)))
        self.assertEqual([s["loss"] for s in run.steps], truth.losses)


if __name__ == "__main__":
    main()
