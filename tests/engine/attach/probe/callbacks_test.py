# SPDX-License-Identifier: Apache-2.0
"""The callbacks for Hugging Face's Trainer and for Lightning, each skipped where the library is missing."""
from support import *


class Callbacks(ProbeTest):
    def test_hugging_face(self):
        try:
            import transformers
        except ImportError:
            self.skipTest("there is no transformers")
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
        self.assertTrue(all(s["micro_batches"] == 2 and s["optimizers"][0]["stepped"] for s in run.steps))
        for (loss, lr, norm), step in zip(losses[1], run.steps):
            self.assertAlmostEqual(step["loss"], loss, places=3)
        self.assertIn("layer.weight.update", {t["name"] for t in run.tensors.values()})
        self.assertEqual(len(model._forward_hooks), 0)

    def test_lightning(self):
        try:
            import lightning.pytorch as lightning
        except ImportError:
            try:
                import pytorch_lightning as lightning
            except ImportError:
                self.skipTest("there is no lightning")
        from mantissa_probe.lightning import ProbeCallback

        class Model(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 2)

            def training_step(self, batch, index):
                return F.cross_entropy(self.layer(batch[0]), batch[1])

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), 0.1)

        data = torch.utils.data.TensorDataset(torch.randn(16, 4), torch.arange(16) % 2)
        trainer = lightning.Trainer(
            max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
            callbacks=[ProbeCallback(to=self.path(), every=1, quiet=True)], default_root_dir=str(self.folder),
        )
        trainer.fit(Model(), torch.utils.data.DataLoader(data, 4))
        run = self.read()
        self.assertEqual(len(run.steps), 4)
        self.assertTrue(all(s["loss"] > 0 and s["optimizers"][0]["stepped"] for s in run.steps))
        self.assertIn("layer.output.grad", {t["name"] for t in run.tensors.values()})


if __name__ == "__main__":
    main()
