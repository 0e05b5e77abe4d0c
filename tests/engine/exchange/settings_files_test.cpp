// SPDX-License-Identifier: Apache-2.0
// Settings of Hugging Face, Accelerate and DeepSpeed: what is written, that it is read back as it was, and what neither way has.
#include <algorithm>

#include "engine/exchange/flat_yaml.h"
#include "engine/exchange/settings_import.h"
#include "engine/exchange/snippet.h"
#include "tests/engine/exchange/exchange_files.h"
#include "tests/support/python.h"

namespace mantissa {
namespace {

Snippet snippetOf(const std::string& settings, Framework framework) {
    const RunSettings run = runOf(settings);
    return frameworkSnippet(run, shapeOf(*loadDataset(run.training.data)), framework);
}

Json written(const std::string& settings, Framework framework) {
    return Json::parse(snippetOf(settings, framework).text);
}

ImportedSettings imported(const std::string& text) {
    return importSettings({{"it.json", text}}, "r");
}

bool says(const std::vector<std::string>& list, const std::string& words) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& each) { return each.find(words) != std::string::npos; });
}

std::string refusalOf(const std::string& text) {
    try {
        (void)imported(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(SettingsFiles, TrainingArguments) {
    const Json json =
        written(R"("precision":"fp16","steps":300,"clip_grad_norm":0.5,"accumulate":4,"eval_precision":"pure-fp16",)"
                R"("init":{"seed":7},"optimizer":{"kind":"adamw","lr":0.002,"betas":[0.9,0.95],"weight_decay":0.1,"decay":"matrices",)"
                R"("schedule":{"kind":"cosine","warmup_steps":30},"schedule_on_skip":"hold"})",
                Framework::HuggingFace);
    const Json expected{{"max_steps", 300},
                        {"gradient_accumulation_steps", 4},
                        {"optim", "adamw_torch"},
                        {"learning_rate", 0.002},
                        {"weight_decay", 0.1},
                        {"adam_beta1", 0.9},
                        {"adam_beta2", 0.95},
                        {"adam_epsilon", 1e-8},
                        {"max_grad_norm", 0.5},
                        {"lr_scheduler_type", "cosine"},
                        {"warmup_steps", 30},
                        {"fp16", true},
                        {"bf16", false},
                        {"tf32", false},
                        {"fp16_full_eval", true},
                        {"bf16_full_eval", false},
                        {"per_device_train_batch_size", 64},
                        {"seed", 7}};
    for (const auto& [key, value] : expected.items()) EXPECT_EQ(json[key], value) << key;
    EXPECT_EQ(written("", Framework::HuggingFace)["max_grad_norm"], 0) << "Trainer's own default is to clip at 1";
    EXPECT_EQ(written(R"("optimizer":{"kind":"sgd","momentum":0.9,"nesterov":true})", Framework::HuggingFace)["optim_args"],
              "momentum=0.9,dampening=0,nesterov=true");
}

TEST(SettingsFiles, AccelerateHasTheFormatAlone) {
    EXPECT_EQ(written(R"("precision":"bf16")", Framework::Accelerate)["mixed_precision"], "bf16");
    EXPECT_EQ(written(R"("precision":"fp8")", Framework::Accelerate)["mixed_precision"], "fp8");
    EXPECT_EQ(written("", Framework::Accelerate)["mixed_precision"], "no");
    const std::vector<std::string> leftOut =
        snippetOf(R"("precision":"fp16","accumulate":2,"clip_grad_norm":1,"scaler":{"preset":"pytorch","growth_interval":100})",
                  Framework::Accelerate)
            .leftOut;
    for (const char* words :
         {"gradient_accumulation_steps=2", "clip_grad_norm_(model.parameters(), 1.0)", "GradScalerKwargs(init_scale=65536.0"})
        EXPECT_TRUE(says(leftOut, words)) << words;
}

TEST(SettingsFiles, DeepSpeed) {
    const Json json =
        written(R"("precision":"fp16","clip_grad_norm":1,"scaler":{"preset":"deepspeed-consecutive","init_scale":16777216,"hysteresis":3},)"
                R"("optimizer":{"kind":"adam","weight_decay":0.1,"schedule":{"kind":"linear","warmup_steps":10}})",
                Framework::DeepSpeed);
    EXPECT_EQ(json["fp16"],
              Json::parse(R"({"enabled":true,"loss_scale":0,"initial_scale_power":24,"loss_scale_window":1000,"hysteresis":3,)"
                          R"("consecutive_hysteresis":true,"min_loss_scale":1})"));
    EXPECT_EQ(json["optimizer"]["params"]["adam_w_mode"], false) << "else DeepSpeed's Adam is AdamW";
    EXPECT_EQ(json["scheduler"]["type"], "WarmupDecayLR");
    EXPECT_EQ(json["scheduler"]["params"]["total_num_steps"], 2000);
    EXPECT_EQ(json["zero_optimization"]["stage"], 1) << "without ZeRO the scaler has no hysteresis";
    EXPECT_EQ(json["gradient_clipping"], 1.0);
    EXPECT_EQ(written(R"("precision":"bf16")", Framework::DeepSpeed)["bf16"]["enabled"], true);
    EXPECT_EQ(written(R"("precision":"fp16","scaler":{"preset":"static","init_scale":128})", Framework::DeepSpeed)["fp16"]["loss_scale"],
              128.0);
    EXPECT_TRUE(says(snippetOf(R"("precision":"fp16")", Framework::DeepSpeed).leftOut, "the rules of the loss scaler 'pytorch'"));
}

/// What a framework's file can say of a run comes back as it was.
TEST(SettingsFiles, AreReadBackAsTheyWere) {
    const std::string scheduled =
        R"("optimizer":{"decay":"matrices","schedule":{"kind":"cosine","warmup_steps":30},"schedule_on_skip":"hold"})";
    const std::pair<Framework, std::string> cases[] = {
        {Framework::HuggingFace,
         R"("precision":"fp16","steps":300,"accumulate":4,"clip_grad_norm":1,"eval_precision":"pure-bf16",)" + scheduled},
        {Framework::HuggingFace,
         R"("precision":"tf32","init":{"seed":3},"data":{"name":"digits","seed":4,"order":"sequential"},"optimizer":{"kind":"sgd","momentum":0.9,)"
         R"("nesterov":true,"decay":"matrices","schedule_on_skip":"hold"})"},
        {Framework::HuggingFace, R"("precision":"bf16","optimizer":{"kind":"lion","decay":"matrices","schedule_on_skip":"hold"})"},
        {Framework::DeepSpeed,
         R"("precision":"fp16","accumulate":2,"clip_grad_norm":0.5,"scaler":{"preset":"deepspeed-consecutive","init_scale":1024,"growth_interval":50,)"
         R"("hysteresis":3,"min_scale":2},"optimizer":{"kind":"adam","weight_decay":0.1,"schedule":{"kind":"linear","warmup_steps":10,)"
         R"("total_steps":500},"schedule_on_skip":"hold"})"},
        {Framework::DeepSpeed,
         R"("precision":"fp16","scaler":{"preset":"static","init_scale":128},"optimizer":{"kind":"sgd","momentum":0.9,)"
         R"("schedule":{"kind":"step","every":7},"schedule_on_skip":"hold"})"},
        {Framework::DeepSpeed,
         R"("precision":"bf16","optimizer":{"kind":"lion","schedule":{"kind":"cosine","total_steps":90},"schedule_on_skip":"hold"})"},
        {Framework::Accelerate, R"("precision":"bf16")"}};
    for (const auto& [framework, settings] : cases) {
        RunSettings run = runOf(settings);
        run.name = "r";
        const RunSettings back = imported(snippetOf(settings, framework).text).experiment.runs.at(0);
        if (framework != Framework::HuggingFace) run.training.optimizer.schedule.onSkip = back.training.optimizer.schedule.onSkip;
        if (run.training.scaler.preset.starts_with("deepspeed")) {  // the file says all of its numbers
            EXPECT_EQ(resolvedScaler(run.training.scaler).initScale, resolvedScaler(back.training.scaler).initScale);
            run.training.scaler = back.training.scaler, run.isScalerChosen = back.isScalerChosen;
        }
        EXPECT_EQ(runToJson(back).dump(1), runToJson(run).dump(1)) << settings;
    }
}

TEST(SettingsFiles, WhatAFileDoesNotSayIsAsItsFrameworkHasIt) {
    const ImportedSettings hf = imported(R"({"output_dir":"o","max_steps":50,"fp16":true})");
    const TrainingSettings& t = hf.experiment.runs.at(0).training;
    EXPECT_EQ(t.optimizer.lr, 5e-5);
    EXPECT_EQ(t.optimizer.schedule.kind, "linear");
    EXPECT_EQ(t.optimizer.weightDecay, 0);
    EXPECT_EQ(t.clipGradNorm, 1.0);
    EXPECT_EQ(t.data.batchSize, 8);
    EXPECT_EQ(t.init.seed, 42u);
    EXPECT_EQ(t.scaler.preset, "pytorch");
    const TrainingSettings ds =
        imported(R"({"train_batch_size":64,"gradient_accumulation_steps":4,"fp16":{"enabled":true}})").experiment.runs.at(0).training;
    EXPECT_EQ(ds.data.batchSize, 16);
    EXPECT_EQ(ds.scaler.preset, "deepspeed");
    EXPECT_FALSE(ds.clipGradNorm);
    const TrainingSettings adam =
        imported(R"({"optimizer":{"type":"AdamW","params":{"lr":0.01}},"scheduler":{"type":"WarmupLR"}})").experiment.runs.at(0).training;
    EXPECT_EQ(adam.optimizer.weightDecay, 0) << "of FusedAdam; torch.optim.AdamW has 0.01";
    EXPECT_EQ(adam.optimizer.schedule.warmupSteps, 1000);
    EXPECT_EQ(adam.optimizer.lr, 0.001) << "of the schedule";
    const ImportedSettings chosen = imported(
        R"({"optimizer":{"type":"AdamW","params":{"lr":0.01}},"scheduler":{"type":"WarmupLR","params":{"warmup_max_lr":"auto"}}})");
    EXPECT_EQ(chosen.experiment.runs.at(0).training.optimizer.lr, 0.01) << "the trainer sets what is auto";
    for (const std::string& sentence : chosen.leftOut) EXPECT_EQ(sentence.find("warmup_max_lr"), std::string::npos) << sentence;
    EXPECT_TRUE(says(imported(R"({"gradient_clipping":1,"scheduler":{"params":{"warmup_num_steps":5}}})").leftOut,
                     "the schedule ''; the learning rate is constant."));
    EXPECT_TRUE(says(imported(R"({"gradient_clipping":1,"scheduler":{"type":"CosineAnnealingLR","params":{"T_max":5}}})").leftOut,
                     "the rise of the learning rate after T_max steps; it stays 0."));
    const TrainingSettings lion = imported(R"({"optimizer":{"type":"Lion","params":{"lr":0.01}}})").experiment.runs.at(0).training;
    EXPECT_EQ(lion.optimizer.beta2, 0.999);
}

/// A DeepSpeed file's "auto" is what TrainingArguments say.
TEST(SettingsFiles, AutoIsTakenFromTheOtherFile) {
    const std::vector<SettingsFile> files{
        {"hf.json", R"({"per_device_train_batch_size":32,"max_steps":100,"learning_rate":0.003,"max_grad_norm":0.25,"fp16":true})"},
        {"ds.json",
         R"({"train_micro_batch_size_per_gpu":"auto","gradient_clipping":"auto","fp16":{"enabled":true,"hysteresis":4},)"
         R"("optimizer":{"type":"AdamW","params":{"lr":"auto","weight_decay":0.2}},"zero_optimization":{"stage":2,"overlap_comm":true}})"}};
    const ImportedSettings both = importSettings(files, "both");
    const TrainingSettings& t = both.experiment.runs.at(0).training;
    EXPECT_EQ(t.data.batchSize, 32);
    EXPECT_EQ(t.optimizer.lr, 0.003);
    EXPECT_EQ(t.optimizer.weightDecay, 0.2);
    EXPECT_EQ(t.clipGradNorm, 0.25);
    EXPECT_EQ(t.scaler.hysteresis, 4);
    EXPECT_TRUE(says(both.leftOut, "keys without an equivalent: zero_optimization/overlap_comm."));
}

TEST(SettingsFiles, AutoIsEnabledWhereTheOtherFileTakesTheFormat) {
    const SettingsFile deepSpeed{
        "ds.json",
        R"({"fp16":{"enabled":"auto","loss_scale_window":500,"hysteresis":2},"bf16":{"enabled":"auto"},"train_batch_size":"auto"})"};
    for (const char* format : {"fp16", "bf16"}) {
        const SettingsFile arguments{"hf.json", std::string("{\"max_steps\":100,\"") + format + "\":true}"};
        for (const auto& files : {std::vector{deepSpeed, arguments}, std::vector{arguments, deepSpeed}}) {
            const TrainingSettings t = importSettings(files, "both").experiment.runs.at(0).training;
            EXPECT_EQ(t.precision.policy, format);
            EXPECT_EQ(t.scaler.preset, format == std::string("fp16") ? "deepspeed" : "none");
            if (t.scaler.preset == "deepspeed") {
                EXPECT_EQ(t.scaler.growthInterval, 500);
            }
        }
    }
}

TEST(SettingsFiles, YamlOfAccelerate) {
    const ImportedSettings yaml = imported(
        "compute_environment: LOCAL_MACHINE\ndeepspeed_config:\n  gradient_accumulation_steps: 4  # of them\n"
        "  gradient_clipping: 0.5\n  zero_stage: 2\ndistributed_type: DEEPSPEED\ndowncast_bf16: 'no'\n"
        "mixed_precision: bf16\nnum_processes: 2\nuse_cpu: false\n");
    const TrainingSettings& t = yaml.experiment.runs.at(0).training;
    EXPECT_EQ(t.precision.policy, "bf16");
    EXPECT_EQ(t.accumulate, 4);
    EXPECT_EQ(t.clipGradNorm, 0.5);
    EXPECT_TRUE(says(yaml.leftOut, "deepspeed_config/zero_stage"));
    EXPECT_TRUE(says(yaml.leftOut, "num_processes"));
}

TEST(SettingsFiles, BadOnesGetOneSentenceWithThePlace) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"learning_rate":"fast"})", "it.json: at /learning_rate: must be a number"},
        {R"({"fp16":{"enabled":"yes"}})", "it.json: at /fp16/enabled: must be true or false"},
        {R"({"fp16":{"enabled":true,"initial_scale_power":5000}})", "it.json: at /fp16/initial_scale_power: must be a power of two"},
        {R"({"fp16":true,"bf16":true})", "fp16 and bf16 are both true"},
        {R"({"gradient_clipping":1,"optimizer":{"params":{"betas":[0.9]}}})", "/optimizer/params/betas: must be two numbers"},
        {R"({"learning_rate":-1})", "it.json"},
        {R"({"zero_optimization":3})", "/zero_optimization: must be an object"},
        {R"({"optimizer":{},"runs":[]})", "it.json: is an experiment already"},
        {R"({"epochs":3})", "it.json: has no key of TrainingArguments"},
        {R"({"max_steps":1.5})", "/max_steps: must be a whole number"},
        {R"({"max_steps":100,"warmup_steps":1e93})", "/warmup_steps: is too large"},
        {R"({"max_steps":100,"warmup_ratio":1e93})", "/warmup_ratio: is too large"},
        {R"({"max_steps":)", "it.json"},
        {"", "it.json: has no key"},
        {"a: 1\n- b\n", "it.json: line 2: is no 'key: value'"},
        {"a: 1\n  b: 2\n", "it.json: line 2: is indented below nothing"},
        {"a: 1\na: 2\n", "it.json: line 2: comes twice"},
        {"distributed_type: DE\xfe\n", "it.json: line 1: holds bytes that are no UTF-8"}};
    for (const auto& [text, sentence] : cases)
        EXPECT_NE(refusalOf(text).find(sentence), std::string::npos) << text << "\n" << refusalOf(text);
}

class SettingsReaders : public ExchangeTest {
protected:
    int python(const std::string& program, const std::string& text) const {
        write("it.json", text);
        write("read.py", program);
        return std::system(("cd '" + folder.string() + "' && " + pythonWith("sys") + " -W ignore read.py >out 2>&1").c_str());
    }
};

/// The frameworks themselves take the files.
TEST_F(SettingsReaders, TransformersTakesTheFile) {
    if (pythonWith("transformers, torch, accelerate").empty()) GTEST_SKIP() << "there is no transformers";
    const std::string text =
        snippetOf(R"("precision":"bf16","steps":300,"optimizer":{"lr":0.002,"schedule":{"kind":"cosine","warmup_steps":30}})",
                  Framework::HuggingFace)
            .text;
    const std::string program =
        "import json\nfrom transformers import HfArgumentParser, TrainingArguments\n"
        "args = HfArgumentParser(TrainingArguments).parse_dict({**json.load(open('it.json')), 'use_cpu': True})[0]\n"
        "assert (args.bf16, args.max_steps, args.learning_rate, args.warmup_steps) == (True, 300, 0.002, 30), args\n"
        "assert args.lr_scheduler_type == 'cosine' and args.get_warmup_steps(300) == 30\n";
    EXPECT_EQ(python(program, text), 0) << read(folder / "out");
}

TEST_F(SettingsReaders, AccelerateTakesTheFile) {
    if (pythonWith("accelerate").empty()) GTEST_SKIP() << "there is no accelerate";
    const std::string program =
        "from accelerate.commands.config.config_args import load_config_from_file\n"
        "assert load_config_from_file('it.json').mixed_precision == 'fp16'\n";
    EXPECT_EQ(python(program, snippetOf(R"("precision":"fp16")", Framework::Accelerate).text), 0) << read(folder / "out");
}

}  // namespace
}  // namespace mantissa
