// SPDX-License-Identifier: Apache-2.0
// Programs for other frameworks: their decisive lines, that Python takes each of them, and that PyTorch, where it is there, trains.
#include "engine/exchange/snippet.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <regex>
#include <sstream>

#include "engine/data/batch_order.h"
#include "engine/data/npy.h"
#include "engine/experiment/safetensors.h"
#include "engine/training/settings.h"
#include "tests/engine/exchange/exchange_files.h"
#include "tests/support/python.h"

namespace mantissa {
namespace {

std::string program(const std::string& settings, Framework framework) {
    const RunSettings run = runOf(settings);
    return frameworkSnippet(run, shapeOf(*loadDataset(run.training.data)), framework).text;
}
std::string torchProgram(const std::string& settings) {
    return program(settings, Framework::PyTorch);
}
std::string kerasProgramOf(const std::string& settings) {
    return program(settings, Framework::Keras);
}

void expectHas(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

/// Whether `parts` come in this order.
void expectOrder(const std::string& text, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
        const std::size_t found = text.find(part, at);
        ASSERT_NE(found, std::string::npos) << part << "\nis not there, or too early, in\n" << text;
        at = found;
    }
}

TEST(PyTorchSnippet, DefaultsAreSaidInFull) {
    const std::string text = torchProgram("");
    expectHas(text, {"the run \"it's \\\"one\\\"\" in PyTorch", "here.with_suffix(\".data.npz\")", "here.with_suffix(\".batches.npy\")",
                     "here.with_suffix(\".initial.safetensors\")", "torch.manual_seed(1)", "Mlp([64, 128, 128, 10])", "F.relu(layer(x))",
                     "range(2000)", "AdamW(model.parameters(), lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01)",
                     "allow_tf32 = False", "F.cross_entropy(outputs.float(), y)"});
    for (const char* absent : {"autocast", "scaler", "clip_grad_norm_", "scheduler", "Left out", "@batch@"}) {
        EXPECT_EQ(text.find(absent), std::string::npos) << absent;
    }
}

TEST(PyTorchSnippet, AStepHasTheRunsOrder) {
    const std::string fp16 =
        R"("precision":"fp16","clip_grad_norm":0.5,"accumulate":4,"scaler":{"preset":"pytorch","growth_interval":200},)"
        R"("optimizer":{"schedule":{"kind":"cosine","warmup_steps":10}})";
    expectOrder(torchProgram(fp16),
                {"lr_factor(step)", "torch.amp.GradScaler(",
                 "device, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=200",
                 "torch.autocast(device, dtype=torch.float16)", "zero_grad()", "range(4)", "/ 4", "scaler.scale(part).backward()",
                 "scaler.unscale_(optimizer)", "clip_grad_norm_(model.parameters(), 0.5)", "scaler.step(optimizer)", "scaler.update()",
                 "scheduler.step()"});
    // bounds and rules that GradScaler has not are written out, and the wrong order stays wrong
    expectOrder(torchProgram(R"("precision":"bf16","unscale":"after_clip","clip_grad_norm":1,"scaler":{"preset":"deepspeed"})"),
                {"class LossScaler", "overflows_left = 2", "g.float().sum()", "raise RuntimeError", "(self.clean - 1) % 1000 == 0",
                 "dtype=torch.bfloat16", "(part * scaler.scale).backward()", "scaler.found_inf(grads)", "the wrong order",
                 "clip_grad_norm_(model.parameters(), 1.0) / scale", "g.mul_(1 / scale)", "if not was_skipped", "scaler.update("});
    expectOrder(torchProgram(R"("precision":"fp16","clip_grad_norm":1,"scaler":{"preset":"logmax"})"),
                {"g.mul_(1 / scale)", "abs_max = ", "clip_grad_norm_(", "scaler.update(was_skipped, abs_max)"});
    expectHas(torchProgram(R"("precision":"fp16","scaler":{"preset":"pytorch","min_scale":1})"),
              {"class LossScaler", "fp32(max(self.scale * 0.5, 1.0))"});
    expectHas(torchProgram(R"("precision":"fp16","optimizer":{"schedule":{"kind":"step"},"schedule_on_skip":"hold"})"),
              {"0.1 ** ((step - 0) // 1000)", "if not was_skipped:\n        scheduler.step()"});
}

TEST(PyTorchSnippet, OptimizersAndModels) {
    expectHas(torchProgram(R"("optimizer":{"kind":"sgd","momentum":0.9,"nesterov":true})"),
              {"torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9, dampening=0.0, nesterov=True, weight_decay=0.0)"});
    expectHas(torchProgram(R"("optimizer":{"kind":"lion","decay":"matrices"})"),
              {"class Lion", "Lion(groups, lr=0.001, betas=(0.9, 0.99)", "p.dim() <= 1], \"weight_decay\": 0.0}"});
    expectHas(torchProgram(R"("model":{"kind":"autoencoder","activation":"silu"})"),
              {"Autoencoder([64, 128, 128, 32])", "nn.SiLU()", "F.mse_loss", "y_train, y_val = x_train, x_val"});
    expectHas(torchProgram(R"("model":{"kind":"resnet","depth":20},"data":{"name":"digits","order":"sequential"})"),
              {"blocks=3, channels=1, classes=10", "reshape(-1, 8, 8, 1)", "x.permute(0, 3, 1, 2)"});
    expectHas(
        torchProgram(R"("model":{"kind":"llama","n_kv_head":2},"data":{"name":"synthetic-tokens"})"),
        {"self.gate_proj = nn.Linear(128, 352", "repeat_interleave(4 // 2, 1)", "self.lm_head.weight = self.model.embed_tokens.weight"});
    expectHas(torchProgram(R"("precision":"pure-bf16")"),
              {"model.to(device, torch.bfloat16)", "x = x.to(torch.bfloat16)", "weight_decay=0.01, fused=True)"});
    EXPECT_EQ(torchProgram(R"("precision":"bf16")").find("fused"), std::string::npos);
    expectHas(torchProgram(R"("precision":"pure-bf16","optimizer":{"kind":"lion"})"), {"the optimizer's arithmetic in FP32"});
}

TEST(Snippet, NormsHaveTheEpsilonOfTheRun) {
    struct NormLine {
        std::string model;
        std::string data;
        std::string torch;
        std::string keras;
    };
    for (const NormLine& c :
         {NormLine{"gpt", "opticks", "self.weight, self.bias, EPS)", "LayerNormalization(epsilon=EPS,"},
          NormLine{"llama", "opticks", "mean(-1, keepdim=True) + EPS))", "RMSNormalization(epsilon=EPS,"},
          NormLine{"resnet", "digits", "nn.BatchNorm2d(channels, eps=EPS)", "BatchNormalization(momentum=0.9, epsilon=EPS)"},
          NormLine{"resnet18", "digits", "norm_layer=partial(nn.BatchNorm2d, eps=EPS)", "BatchNormalization(momentum=0.9, epsilon=EPS)"}}) {
        for (const auto& [key, epsilon] :
             {std::pair<std::string, std::string>{"", c.model == "llama" ? "1e-06" : "1e-05"}, {R"(,"norm_eps":0.25)", "0.25"}}) {
            const std::string run = R"("model":{"kind":")" + c.model + "\"" + key + R"(},"data":{"name":")" + c.data + "\"}";
            const auto with = [&epsilon = epsilon](std::string line) { return line.replace(line.find("EPS"), 3, epsilon); };
            expectHas(torchProgram(run), {with(c.torch)});
            expectHas(kerasProgramOf(run), {with(c.keras)});
        }
    }
}

const std::string kWrongGpt = R"("zero_grad":false,"data":{"name":"opticks"},"model":{"kind":"gpt","softmax":"naive","mask":-1e9})";

TEST(PyTorchSnippet, WrongProgramsStayWrongAndSayIt) {
    const std::string wrong = torchProgram(kWrongGpt);
    expectHas(wrong, {"masked_fill(future, torch.tensor(-1e+09).to(scores))", "weights = scores.exp()", "weights.sum(-1, keepdim=True)",
                      "# no zero_grad, as the run has it"});
    for (const char* absent : {"zero_grad()", "softmax(-1)"}) EXPECT_EQ(wrong.find(absent), std::string::npos) << absent;
    const std::string right = torchProgram(R"("data":{"name":"opticks"},"model":{"kind":"gpt"})");
    expectHas(right, {"masked_fill(future, -torch.inf)", "weights = scores.softmax(-1)", "optimizer.zero_grad()"});
    expectHas(kerasProgramOf(kWrongGpt), {"# Left out: gradients that add up", "# Left out: the softmax without its maximum",
                                          "# Left out: the attention mask of -1e+09"});
}

TEST(PyTorchSnippet, WhatIsMissingIsSaid) {
    expectHas(torchProgram(R"("precision":{"policy":"fp8","autocast":"keras","overrides":{"layers.2":"fp32"}},"eval_precision":"fp32")"),
              {"# Left out: fp8 products", "# Left out: the autocast list 'keras'", "# Left out: the format of its own of layers.2",
               "# Left out: validation in fp32"});
    expectHas(torchProgram(R"("precision":"nvfp4")"), {"# Left out: NVFP4 products", "torch.bfloat16"});
}

TEST(KerasSnippet, DecisiveLines) {
    expectHas(kerasProgramOf(R"("precision":"fp16","clip_grad_norm":1,"accumulate":2,"scaler":{"preset":"keras3","growth_interval":300})"),
              {"set_dtype_policy(\"mixed_float16\")", "initial_scale=32768.0, dynamic_growth_steps=300", "global_clipnorm=1.0",
               "gradient_accumulation_steps=2", "keras.optimizers.AdamW(0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-08, weight_decay=0.01",
               "auto_scale_loss=False", "for units in [128, 128]"});
    expectHas(kerasProgramOf(R"("precision":"fp16","scaler":{"preset":"apex"},"optimizer":{"kind":"adam","weight_decay":0.1})"),
              {"# Left out: the scaler 'apex'", "# Left out: decay added to gradients"});
}

/// Settings of a run with each kind of model whose classes the program writes out.
constexpr const char* kEveryModel[] = {R"("model":{"kind":"mlp"})",
                                       R"("model":{"kind":"autoencoder"})",
                                       R"("data":{"name":"synthetic-images"},"model":{"kind":"resnet"})",
                                       R"("data":{"name":"synthetic-tokens"},"model":{"kind":"gpt","tie_weights":false})",
                                       R"("data":{"name":"synthetic-tokens"},"model":{"kind":"gpt"})",
                                       R"("data":{"name":"synthetic-tokens"},"model":{"kind":"llama","n_kv_head":2})"};

std::vector<ParameterShape> parametersOf(const std::string& settings) {
    const RunSettings run = runOf(settings);
    return parameterShapes(run.training.model, shapeOf(*loadDataset(run.training.data)));
}

/// Where a name is not that of the run's parameters, saved weights do not load.
TEST(Snippet, ModelsHaveTheModulesOfTheRunsParameters) {
    for (const char* settings : kEveryModel) {
        const std::string text = torchProgram(settings);
        for (const ParameterShape& parameter : parametersOf(settings)) {
            std::istringstream parts(parameter.name);
            for (std::string part; std::getline(parts, part, '.');) {
                if (part == "weight" || part == "bias" || part.starts_with("running_") ||
                    std::isdigit(static_cast<unsigned char>(part[0])) != 0)
                    continue;
                const bool isThere = std::regex_search(text, std::regex("self\\.[a-z0-9_., ]*\\b" + part + "\\b|\"" + part + "\""));
                EXPECT_TRUE(isThere) << settings << ": " << parameter.name << " has no module " << part;
            }
        }
    }
}

TEST(Snippet, ARunThatWasChangedOrForkedSaysSo) {
    const std::pair<std::int64_t, std::string> changes[] = {{5, "/optimizer/lr"}, {9, "/precision"}};
    const std::vector<std::string> remarks = remarksOf(changes, 300);
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_NE(remarks[0].find("the 300 steps of the run that this one was forked from"), std::string::npos) << remarks[0];
    EXPECT_NE(remarks[1].find("(lr at step 5, precision at step 9)"), std::string::npos) << remarks[1];
    EXPECT_TRUE(remarksOf({}, 0).empty());
}

TEST(Snippet, ALongRunEndsWhereItsBatchesWouldBeALargeFile) {
    expectHas(torchProgram(R"("steps":1000000)"), {"range(262144)", "# Left out: steps from 262144 on"});
    EXPECT_EQ(torchProgram(R"("steps":262144)").find("Left out"), std::string::npos);
}

using Written = ExchangeTest;

TEST_F(Written, BesideAProgramAreTheRunsBatchesAndWeights) {
    const RunSettings run = runOf(R"("steps":30,"accumulate":2,"model":{"hidden":[16]})");
    const auto files = writeSnippet(run, Framework::PyTorch, folder / "r.py").files;
    ASSERT_EQ(files.size(), 4u);
    const NpyArray batches = readNpy(folder / "r.batches.npy");
    EXPECT_EQ(batches.type, NpyType::Int32);
    ASSERT_EQ(batches.shape, (std::vector<std::int64_t>{60, 64}));
    BatchOrder order(run.training.data, *loadDataset(run.training.data));
    std::vector<std::int32_t> expected(64);
    for (std::int64_t batch = 0; batch < 60; ++batch) {
        order.indices(batch, expected.data());
        for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(batches.whole(static_cast<std::size_t>(batch) * 64 + i), expected[i]) << batch;
    }
    const std::vector<NamedTensor> weights = readSafetensors(folder / "r.initial.safetensors");
    const auto shapes = parametersOf(R"("model":{"hidden":[16]})");
    ASSERT_EQ(weights.size(), shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) EXPECT_EQ(weights[i].values, initialValues(shapes, i, 1)) << shapes[i].name;
}

class Python : public ExchangeTest {
protected:
    /// A program and the files that it reads.
    void writeProgram(const std::string& name, const std::string& settings) const {
        writeSnippet(runOf(settings), Framework::PyTorch, folder / name);
    }
    /// What `command` prints, errors too.
    std::string output(const std::string& command) const {
        const int status = std::system(("cd '" + folder.string() + "' && " + command + " >out 2>&1").c_str());
        EXPECT_EQ(status, 0) << read(folder / "out");
        return read(folder / "out");
    }
};

TEST_F(Python, TakesEachProgram) {
    const std::string python = pythonWith("sys");
    if (python.empty()) GTEST_SKIP() << "there is no Python";
    std::vector<std::string> settings{
        "",
        R"("clip_grad_norm":1,"accumulate":2,"data":{"name":"digits","order":"sequential"})",
        R"("optimizer":{"kind":"lion","decay":"matrices","schedule":{"kind":"linear","warmup_steps":3}})",
        R"("optimizer":{"kind":"sgd","schedule":{"kind":"cosine"}},"unscale":"after_clip","clip_grad_norm":1,"precision":"fp16")",
        R"("data":{"name":"synthetic-regression"})",
        R"("model":{"kind":"autoencoder"},"precision":"pure-bf16")",
        R"("data":{"name":"synthetic-images","channels":3},"model":{"kind":"resnet","label_smoothing":0.1})",
        R"("data":{"name":"synthetic-images"},"model":{"kind":"resnet18"})",
        R"("data":{"name":"synthetic-images"},"model":{"kind":"resnet50"})",
        R"("data":{"name":"opticks"},"model":{"kind":"gpt","dropout":0.1,"bias":false,"tie_weights":false})",
        R"("data":{"name":"opticks","tokens":"bytes"},"model":{"kind":"gpt","attention":"fused","fused_softmax":"after_product"})",
        R"("data":{"name":"synthetic-tokens","order":"sequential"},"model":{"kind":"llama","n_kv_head":2,"score_scale":"in_product"})",
        kWrongGpt};
    for (const ScalerPreset& preset : scalerPresets()) settings.push_back(R"("scaler":{"preset":")" + std::string(preset.name) + "\"}");
    for (std::size_t i = 0; i < settings.size(); ++i) {
        write("p" + std::to_string(i) + ".py", torchProgram(settings[i]));
        write("k" + std::to_string(i) + ".py", kerasProgramOf(settings[i]));
    }
    write("check.py",
          "import glob, re\nfor name in glob.glob('[pk]*.py'):\n    text = open(name).read()\n    compile(text, name, 'exec')\n"
          "    assert not re.search(r'@[a-z_]+@', text), name\n    print(name)\n");
    const std::string names = output(python + " check.py");
    EXPECT_EQ(std::count(names.begin(), names.end(), '\n'), static_cast<std::ptrdiff_t>(2 * settings.size()));
}

TEST_F(Python, AScalerWrittenOutTakesTheSameScales) {
    const std::string python = pythonWith("sys");
    if (python.empty()) GTEST_SKIP() << "there is no Python";
    for (const ScalerPreset& preset : scalerPresets()) {
        if (preset.kind != ScalerKind::Backoff) continue;
        const std::string numbers = R"(","growth_factor":1.7,"backoff_factor":0.3,"growth_interval":2,"min_scale":0.001,"max_scale":1e300)";
        const std::string settings = R"("precision":"fp16","scaler":{"preset":")" + std::string(preset.name) + numbers + "}";
        const std::string text = torchProgram(settings);
        const std::size_t from = std::min(text.find("def fp32("), text.find("class LossScaler"));
        const std::size_t to = text.find("\n\n\n", text.find("class LossScaler"));
        ASSERT_NE(to, std::string::npos) << text;
        write("scaler.py", "import ctypes, math\n" + text.substr(from, to - from) +
                               "\n\nscaler = LossScaler()\nfor step in range(1500):\n"
                               "    scaler.update(step % 600 >= 590 or step % 7 == 3, 1.0)\n    print(repr(scaler.scale))\n");
        std::istringstream printed(output(python + " scaler.py"));
        LossScaler scaler(runOf(settings).training.scaler);
        std::string line;
        int step = 0;
        for (; std::getline(printed, line); ++step) {
            scaler.update({.foundInf = step % 600 >= 590 || step % 7 == 3});
            ASSERT_EQ(std::stod(line), scaler.rulesState().scale) << preset.name << ", step " << step;
        }
        EXPECT_EQ(step, 1500) << preset.name;
    }
}

TEST_F(Python, PyTorchHasTheRunsParameters) {
    const std::string python = pythonWith(kTorch);
    if (python.empty()) GTEST_SKIP() << "there is no PyTorch";
    for (const char* settings : kEveryModel) {
        const std::string text = torchProgram(settings), model = "\nmodel = ";
        const std::size_t made = text.find(model);
        ASSERT_NE(made, std::string::npos) << text;
        writeProgram("model.py", settings);  // whose files are read
        write("model.py", text.substr(0, text.find('\n', made + 1)) +
                              "\nfor name, p in [*model.named_parameters(), *model.named_buffers()]:\n"
                              "    if not name.endswith('num_batches_tracked'):\n        print(name, *p.shape)\n");
        std::string expected;
        for (const ParameterShape& parameter : parametersOf(settings)) {
            expected += parameter.name;
            for (const std::int64_t size : parameter.shape) expected += " " + std::to_string(size);
            expected += "\n";
        }
        const auto sorted = [](const std::string& lines) {
            std::istringstream in(lines);
            std::vector<std::string> all;
            for (std::string line; std::getline(in, line);) all.push_back(line);
            std::sort(all.begin(), all.end());
            return all;
        };
        EXPECT_EQ(sorted(output(python + " model.py")), sorted(expected)) << settings;
    }
}

TEST_F(Python, PyTorchTrains) {
    const std::string python = pythonWith(kTorch);
    if (python.empty()) GTEST_SKIP() << "there is no PyTorch";
    const std::string base = R"("steps":21,"validation_interval":20,"optimizer":{"lr":0.003},)";
    writeProgram("a.py", base + R"("precision":"fp32","clip_grad_norm":1,"accumulate":2)");
    writeProgram("b.py", base + R"("precision":"bf16")");
    writeProgram("c.py", base + R"("precision":"fp16")");
    writeProgram("e.py", base + R"("precision":"pure-bf16")");
    // the first gradient of the loss at 2^16, which a loss in fp16 would overflow: S / B at the label, less the softmax's share
    const std::string none = R"("steps":0,"precision":"fp16","model":{"label_smoothing":0.1})";
    writeProgram("f.py", none);
    write("f.py", torchProgram(none) +
                      "logits = torch.zeros(64, 10, dtype=torch.float16, requires_grad=True)\n"
                      "(cross_entropy(logits, torch.zeros(64, dtype=torch.long)) * 65536.0).backward()\n"
                      "assert float(logits.grad[0, 0]) == -921.5, logits.grad[0, 0]\n"
                      "smoothed = cross_entropy(logits, torch.zeros(64, dtype=torch.long), 0.1)\n"
                      "assert smoothed.dtype == torch.float32 and abs(float(smoothed) - 2.302734375) < 1e-6, smoothed\n");
    writeProgram("d.py", base + R"("precision":"fp32","scaler":{"preset":"megatron","init_scale":16777216})");
    write("all.py", "import runpy\nfor name in 'abcdef':\n    runpy.run_path(name + '.py')\n");
    const std::string text = output(python + " -W ignore all.py");
    int runs = 0;
    for (std::size_t at = text.find("step 0: loss "); at != std::string::npos; at = text.find("step 0: loss ", at + 1), ++runs) {
        const double first = std::stod(text.substr(at + 13)), last = std::stod(text.substr(text.find("step 20: loss ", at) + 14));
        EXPECT_NEAR(first, std::log(10.0), 0.1);  // ten classes alike, as in our runs' first steps
        EXPECT_LT(last, 1.9);
        EXPECT_GT(last, 0.5);
    }
    EXPECT_EQ(runs, 5) << text;
    EXPECT_NE(text.find("scale 16777216"), std::string::npos) << text;
    EXPECT_NE(text.find("validation loss"), std::string::npos) << text;
}

}  // namespace
}  // namespace mantissa
