// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment.h"
#include "engine/experiment/error_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

std::string sentenceOf(const std::function<void()>& act) {
    try {
        act();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Experiment, DefaultsArePyTorchs) {
    const Experiment experiment = parseExperiment(R"({"runs":[{"name":"a"}]})", "folder/my lab.json");
    EXPECT_EQ(experiment.name, "my lab");
    ASSERT_EQ(experiment.runs.size(), 1u);
    const TrainingSettings& training = experiment.runs[0].training;
    EXPECT_EQ(training, TrainingSettings{});
    EXPECT_EQ(training.optimizer.kind, "adamw");
    EXPECT_EQ(training.optimizer.lr, 1e-3);
    EXPECT_EQ(training.optimizer.beta2, 0.999);
    EXPECT_EQ(training.optimizer.epsilon, 1e-8);
    EXPECT_EQ(training.optimizer.weightDecay, 0.01);
    EXPECT_EQ(training.clipGradNorm, std::nullopt);
}

TEST(Experiment, EveryKeyReachesItsMember) {
    const Experiment experiment = parseExperiment(R"({"title":"T","description":"D","look_for":"L","group":"scaler","runs":[
        {"name":"a","data":{"name":"digits","batch_size":8,"order":"sequential","seed":18446744073709551615},
         "model":{"kind":"mlp","hidden":[5,6],"activation":"gelu"},"init":{"seed":3,"weights":"w.safetensors"},
         "optimizer":{"kind":"adamw","lr":0.5,"betas":[0.1,0.2],"eps":0.25,"weight_decay":0.125,"decay":"matrices",
         "schedule":{"kind":"step","warmup_steps":3,"every":40,"factor":0.5},"schedule_on_skip":"hold"},
         "clip_grad_norm":2,"unscale":"after_clip","eval_precision":"tf32","accumulate":4,"steps":77,"validation_interval":11,
         "precision":{"policy":"bf16","overrides":{"layers.1":"fp32","activations.0":"fp16"}},
         "scaler":{"preset":"megatron","init_scale":1024,"growth_factor":3,"backoff_factor":0.25,"growth_interval":9,"min_scale":0.5,
         "max_scale":4096,"hysteresis":3}},
        {"name":"b","optimizer":{"kind":"sgd","momentum":0.9,"dampening":0,"nesterov":true}}]})",
                                                  "x", "some/folder");
    EXPECT_EQ(experiment.title, "T");
    EXPECT_EQ(experiment.description, "D");
    EXPECT_EQ(experiment.lookFor, "L");
    EXPECT_EQ(experiment.group, "scaler");
    TrainingSettings wanted;
    wanted.data = {"digits", 8, "sequential", ~0ull};
    wanted.model = {"mlp", {5, 6}, "gelu"};
    wanted.init = {3, std::filesystem::absolute("some/folder/w.safetensors").string()};  // holds wherever it is saved
    wanted.optimizer = {"adamw", 0.5, 0.1, 0.2, 0.25, 0.125, "matrices", 0, 0, false, {"step", 3, 0, 40, 0.5, "hold"}};
    wanted.unscale = "after_clip";
    wanted.evalPrecision = "tf32";
    wanted.clipGradNorm = 2;
    wanted.accumulate = 4;
    wanted.steps = 77;
    wanted.validationInterval = 11;
    wanted.precision = {.policy = "bf16", .overrides = {{"layers.1", Dtype::F32}, {"activations.0", Dtype::F16}}};
    wanted.scaler = {"megatron", 1024, 3, 0.25, 9, 0.5, 4096, 3};
    EXPECT_EQ(experiment.runs[0].training, wanted);
    EXPECT_TRUE(experiment.runs[0].isScalerChosen);
    const OptimizerSettings& sgd = experiment.runs[1].training.optimizer;
    EXPECT_EQ(sgd.momentum, 0.9);
    EXPECT_TRUE(sgd.nesterov);
    EXPECT_EQ(sgd.weightDecay, 0) << "torch.optim.SGD decays nothing by default";
    EXPECT_EQ(experiment.steps(), 2000);
}

TEST(Experiment, RunsOverrideKeyByKey) {
    const Experiment experiment = parseExperiment(R"({"optimizer":{"lr":0.5,"weight_decay":0.25,"betas":[0,0]},"steps":5,
        "precision":{"policy":"bf16","overrides":{"layers.0":"fp32"}},"scaler":{"preset":"pytorch","init_scale":8},
        "runs":[{"name":"as above"},
                {"name":"own","optimizer":{"eps":1},"precision":"fp16","scaler":{"preset":"static"},"steps":6},
                {"name":"other kind","optimizer":{"kind":"sgd"}}]})",
                                                  "x");
    const auto& runs = experiment.runs;
    EXPECT_EQ(runs[0].training.optimizer.lr, 0.5);
    EXPECT_EQ(runs[0].training.precision.overrides.size(), 1u);
    EXPECT_EQ(runs[1].training.optimizer.lr, 0.5);
    EXPECT_EQ(runs[1].training.optimizer.beta1, 0);
    EXPECT_EQ(runs[1].training.optimizer.epsilon, 1);
    EXPECT_EQ(runs[1].training.steps, 6);
    EXPECT_TRUE(runs[1].training.precision.overrides.empty()) << "precision is replaced as a whole";
    EXPECT_EQ(runs[1].training.scaler, (ScalerSettings{.preset = "static"})) << "so is the scaler";
    EXPECT_EQ(runs[2].training.optimizer.kind, "sgd");
    EXPECT_EQ(runs[2].training.optimizer.lr, 0.5);
    EXPECT_EQ(runs[2].training.optimizer.weightDecay, 0.25);
}

TEST(Experiment, AKeyOfAnotherKindIsRefusedInAnyOrder) {
    const std::string top = R"({"model":{"kind":"mlp"},"loss":{"logits":"fp32"},"runs":[{"name":"a",)";
    for (const char* own :
         {R"("model":{"kind":"autoencoder"},"loss":{"logits":"fp32"}}]})", R"("loss":{"logits":"fp32"},"model":{"kind":"autoencoder"}}]})"})
        EXPECT_THROW(parseExperiment(top + own, "x"), InputError) << own;
    EXPECT_NO_THROW(parseExperiment(top + R"("model":{"kind":"autoencoder"}}]})", "x")) << "an inherited key is left out";
    EXPECT_NO_THROW(parseExperiment(R"({"loss":{"logits":"fp32"},"runs":[{"name":"a","model":{"kind":"autoencoder"}}]})", "x"))
        << "the model at the top is the default one";
}

TEST(Experiment, TheScalerFollowsThePrecisionUnlessItWasChosen) {
    const Experiment experiment = parseExperiment(R"({"runs":[{"name":"32"},{"name":"16","precision":"fp16"},
        {"name":"bare","precision":"fp16","scaler":{"preset":"none"}}]})",
                                                  "x");
    EXPECT_EQ(experiment.runs[0].training.scaler.preset, "none");
    EXPECT_EQ(experiment.runs[1].training.scaler.preset, "pytorch");
    EXPECT_EQ(experiment.runs[2].training.scaler.preset, "none");

    RunSettings followed = withChange(experiment.runs[0], "/precision", "fp16");
    EXPECT_EQ(followed.training.scaler.preset, "pytorch");
    followed = withChange(followed, "/precision", "bf16");
    EXPECT_EQ(followed.training.scaler.preset, "none");

    RunSettings bare = withChange(withChange(experiment.runs[2], "/precision", "bf16"), "/precision", "fp16");
    EXPECT_EQ(bare.training.scaler.preset, "none") << "chosen once, kept through other formats";
}

TEST(Experiment, LiveChangesReachAnyPointerAndLeaveTheRestAlone) {
    const Experiment experiment = parseExperiment(R"({"runs":[{"name":"a","precision":"fp16"}]})", "x");
    const RunSettings& run = experiment.runs[0];
    EXPECT_EQ(withChange(run, "/optimizer/lr", 0.25).training.optimizer.lr, 0.25);
    EXPECT_EQ(withChange(run, "/optimizer/betas/1", 0.5).training.optimizer.beta2, 0.5);
    EXPECT_EQ(withChange(run, "/clip_grad_norm", 3).training.clipGradNorm, 3);
    EXPECT_EQ(withChange(withChange(run, "/clip_grad_norm", 3), "/clip_grad_norm", nullptr), run);
    EXPECT_EQ(withChange(run, "/precision/policy", "bf16").training.precision.policy, "bf16");
    const RunSettings overridden = withChange(run, "/precision/overrides/layers.1", "fp32");
    EXPECT_EQ(overridden.training.precision, (PrecisionSettings{.policy = "fp16", .overrides = {{"layers.1", Dtype::F32}}}));
    EXPECT_EQ(withChange(overridden, "/precision", "fp16"), run);

    const RunSettings quick = withChange(run, "/scaler/growth_interval", 50);
    EXPECT_EQ(quick.training.scaler, (ScalerSettings{.preset = "pytorch", .growthInterval = 50}));
    EXPECT_EQ(withChange(quick, "/scaler/growth_interval", nullptr).training.scaler, (ScalerSettings{.preset = "pytorch"}));
    EXPECT_EQ(withChange(quick, "/scaler/preset", "static").training.scaler, (ScalerSettings{.preset = "static"}))
        << "another preset begins with its own values";
    EXPECT_EQ(withChange(run, "/scaler/scale", 1e30), run) << "state, not a setting";

    const RunSettings warm = withChange(run, "/optimizer/schedule/warmup_steps", 5);
    EXPECT_EQ(warm.training.optimizer.schedule, (ScheduleSettings{.warmupSteps = 5}));
    EXPECT_EQ(withChange(warm, "/optimizer/schedule", Json{{"kind", "constant"}}), run);
    EXPECT_EQ(withChange(withChange(run, "/eval_precision", "bf16"), "/eval_precision", nullptr), run);
    EXPECT_EQ(withChange(run, "/unscale", "after_clip").training.unscale, "after_clip");

    const auto said = [&](const char* pointer, const Json& value) { return sentenceOf([&] { withChange(run, pointer, value); }); };
    EXPECT_EQ(said("/optimizer/lr", -1), "at /optimizer/lr: must not be negative");
    EXPECT_EQ(said("/optimizer/rl", 1), "at /optimizer/rl: there is no such setting (did you mean '/optimizer/lr'?)");
    EXPECT_EQ(said("/data/batch_size", 1), "at /data/batch_size: 'batch size' is fixed for the life of a run");
    EXPECT_EQ(said("/optimizer/kind", "sgd"), "at /optimizer/kind: 'optimizer' is fixed for the life of a run");
    EXPECT_EQ(said("/optimizer/momentum", 0.9), "at /optimizer/momentum: optimizer 'adamw' has no momentum, only sgd muon have");
    EXPECT_EQ(said("/scaler/scale", 0), "at /scaler/scale: must be a number greater than 0");
    EXPECT_EQ(said("/scaler/scale", "big"), "at /scaler/scale: must be a number greater than 0");
    EXPECT_NE(said("", 1), "");
    EXPECT_NE(said("/optimizer/betas/2", 0.5), "");
    EXPECT_NE(said("/optimizer/betas/00", 0.5), "");
    EXPECT_NE(said("/precision/~2", "fp16"), "");
    EXPECT_NE(said("/optimizer", 3), "");
}

TEST(Experiment, PatchesChangeTheFileBeforeItIsRead) {
    const std::string text = R"({"optimizer":{"lr":0.5},"runs":[{"name":"a"},{"name":"b","precision":{"policy":"bf16"}}]})";
    const auto patched = [&](const char* pointer, const Json& value) { return parseExperiment(text, "f.json", {}, {{pointer, value}}); };
    EXPECT_EQ(patched("/optimizer/lr", 0.25).runs[1].training.optimizer.lr, 0.25);
    EXPECT_EQ(patched("/runs/1/precision", "fp16").runs[1].training.precision.policy, "fp16");
    EXPECT_EQ(patched("/data/batch_size", 16).runs[0].training.data.batchSize, 16);
    EXPECT_EQ(patched("/clip_grad_norm", 1).runs[0].training.clipGradNorm, 1);
    const auto said = [&](const char* pointer, const Json& value) { return sentenceOf([&] { patched(pointer, value); }); };
    EXPECT_EQ(said("/optimizer/rate", 1), "f.json: at /optimizer/rate: unknown key");
    EXPECT_EQ(said("/optimiser/lr", 1), "f.json: at /optimiser: unknown key (did you mean 'optimizer'?)");
    EXPECT_EQ(said("/runs/2/steps", 1), "f.json: at /runs/2: there is no such element: the list has 2");
    EXPECT_EQ(said("/optimizer/lr/x", 1), "f.json: at /optimizer/lr: is a number, which has nothing named 'x'");
    EXPECT_EQ(said("lr", 1), "f.json: 'lr' is not a JSON pointer: one begins with '/', as in /optimizer/lr");
}

TEST(Experiment, WritingAndReadingIsTheIdentity) {
    std::vector<std::string> texts;
    for (const BundledExperiment& bundled : bundledExperiments()) {
        std::string source;
        std::filesystem::path folder;
        texts.push_back(loadExperimentText(bundled.name, source, folder));
    }
    texts.push_back(R"({"title":"mixed","runs":[{"name":"a","optimizer":{"kind":"sgd","momentum":0.1}},{"name":"b","clip_grad_norm":0.1},
        {"name":"c","scaler":{"preset":"static","init_scale":3}},{"name":"d","precision":"fp16"},{"name":"e","init":{"seed":9}},
        {"name":"f","precision":{"policy":"tf32","overrides":{"layers.0":"fp32"}}}],
        "events":[{"step":3,"run":"d","set":{"/scaler/scale":4,"/optimizer/lr":0.1}}]})");
    for (const std::string& text : texts) {
        const Experiment first = parseExperiment(text, "x");
        const std::string written = writeExperiment(first);
        const Experiment second = parseExperiment(written, "x");
        EXPECT_EQ(second.runs, first.runs) << written;
        EXPECT_EQ(second.title, first.title);
        EXPECT_EQ(second.description, first.description);
        EXPECT_EQ(second.lookFor, first.lookFor);
        EXPECT_EQ(second.group, first.group);
        ASSERT_EQ(second.events.size(), first.events.size());
        for (std::size_t i = 0; i < first.events.size(); ++i) {
            EXPECT_EQ(second.events[i].step, first.events[i].step);
            EXPECT_EQ(second.events[i].run, first.events[i].run);
            EXPECT_EQ(second.events[i].set, first.events[i].set);
        }
        EXPECT_EQ(writeExperiment(second), written);
    }
}

TEST(Experiment, WhatAllRunsShareIsWrittenOnce) {
    const Experiment experiment =
        parseExperiment(R"({"optimizer":{"lr":0.5},"runs":[{"name":"a"},{"name":"b","optimizer":{"weight_decay":0.125}}]})", "x");
    const Json json = Json::parse(writeExperiment(experiment));
    EXPECT_EQ(json["optimizer"]["lr"], 0.5);
    EXPECT_FALSE(json["runs"][0]["optimizer"].contains("lr"));
    EXPECT_EQ(json["runs"][1]["optimizer"]["weight_decay"], 0.125);
    EXPECT_EQ(json["runs"][1].begin().key(), "name");
}

TEST(Experiment, NewRunsStartFromTheExperimentsDefaults) {
    const Experiment experiment =
        parseExperiment(R"({"optimizer":{"lr":0.5},"steps":7,"runs":[{"name":"a","optimizer":{"lr":0.1}}]})", "x");
    const RunSettings run = makeRun(Json{{"name", "b"}, {"precision", "fp16"}}, experiment);
    EXPECT_EQ(run.training.optimizer.lr, 0.5);
    EXPECT_EQ(run.training.steps, 7);
    EXPECT_EQ(run.training.scaler.preset, "pytorch");
    EXPECT_EQ(makeRun(runToJson(run), Experiment{}), run);
    EXPECT_THROW(makeRun(Json{{"precision", "fp16"}}, experiment), InputError);
    EXPECT_THROW(makeRun(Json{{"name", "b"}, {"setp", 1}}, experiment), InputError);
    EXPECT_THROW(makeRun(3, experiment), InputError);
}

TEST(Experiment, FileNames) {
    EXPECT_EQ(fileStem("a b/c"), "a_b_c");
    EXPECT_EQ(fileStem("fp16+x-1.5_z"), "fp16+x-1.5_z");
    EXPECT_EQ(fileStem("\u00fc:*"), "\u00fc__");
    EXPECT_EQ(cutToBytes("abc", 5), "abc");
    EXPECT_EQ(cutToBytes("abc", 2), "ab");
    EXPECT_EQ(cutToBytes("a\u00fcb", 2), "a") << "no half a character";
    EXPECT_EQ(cutToBytes("a\u00fcb", 3), "a\u00fc");
}

TEST(Experiment, ErrorsOfLibrariesAreSaidInTheirWordsAlone) {
    try {
        (void)Json::object().at("step");
        ADD_FAILURE();
    } catch (const Json::exception& error) {
        EXPECT_EQ(errorText(error), "key 'step' not found");
    }
    try {
        (void)Json("text").get<int>();
        ADD_FAILURE();
    } catch (const Json::exception& error) {
        EXPECT_EQ(errorText(error), "type must be number, but is string");
    }
    const auto full = std::make_error_code(std::errc::no_space_on_device);
    EXPECT_EQ(errorText(std::filesystem::filesystem_error("cannot be written", "a.csv", full)),
              "a.csv: cannot be written: No space left on device");
    EXPECT_EQ(errorText(InputError("a.json", "/x", "is [odd]")), "a.json: at /x: is [odd]");
}

TEST(Experiment, FreeNamesCountOn) {
    const auto named = [](const std::vector<std::string>& names) {
        std::vector<RunSettings> runs(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) runs[i].name = names[i];
        return runs;
    };
    EXPECT_EQ(freeName(named({"a"}), "b"), "b");
    EXPECT_EQ(freeName(named({"a"}), "a"), "a 2");
    EXPECT_EQ(freeName(named({"a", "a 2"}), "a 2"), "a 3");
    EXPECT_EQ(freeName(named({"every 50"}), "every 50"), "every 50 2");
    EXPECT_EQ(freeName(named({"a b"}), "a/b"), "a/b 2") << "they would share a file";
    const std::string long1 = std::string(98, 'x') + "\u00fc";
    EXPECT_EQ(freeName(named({long1}), long1), std::string(98, 'x') + " 2") << "no longer than a name may be, no letter cut in two";
    EXPECT_NO_THROW(checkFreeName(named({long1}), freeName(named({long1}), long1), "", ""));
}

TEST(Experiment, AnOverrideMayNameOneDirection) {
    const Experiment experiment = parseExperiment(
        R"({"runs":[{"name":"a","precision":{"policy":"bf16","autocast":"keras","overrides":{"linear":{"weight_grad":"fp16"},"layers.1":"fp32"}}}]})",
        "x");
    const PrecisionSettings& precision = experiment.runs[0].training.precision;
    EXPECT_EQ(precision.autocast, "keras");
    ASSERT_EQ(precision.overrides.size(), 2u);
    const PrecisionOverride& weightGrad = precision.overrides[0];
    EXPECT_EQ(weightGrad, PrecisionOverride("linear", Direction::WeightGrad, Dtype::F16));
    EXPECT_EQ(precision.overrides[1], PrecisionOverride("layers.1", Dtype::F32));
    EXPECT_EQ(parseExperiment(writeExperiment(experiment), "y").runs[0], experiment.runs[0]);
    EXPECT_EQ(settingText(experiment.runs[0], "/precision"), "BF16, keras, linear weight_grad FP16, layers.1 FP32");
}

TEST(Experiment, Fp8AndSumsAreSettingsOfPrecision) {
    // an override's format of an activation is none of products, whose sums it would not have
    EXPECT_NO_THROW(parseExperiment(
        R"({"runs":[{"name":"a","precision":{"policy":"fp16","accumulator":"volta","overrides":{"activation":"bf16"}}}]})", "f"));
    const char* text = R"({"runs":[{"name":"a","precision":{"policy":"fp8","fp8":{"scaling":"current","margin":1},"accumulator":"hopper",
        "promote_every":128,"overrides":{"layers.1":"fp8","layers.2":{"weight_grad":"fp8_e4m3"}}}},
        {"name":"b","precision":{"policy":"tf32","tf32_rounding":"toward-zero"}}]})";
    const Experiment experiment = parseExperiment(text, "x");
    const PrecisionSettings& precision = experiment.runs[0].training.precision;
    EXPECT_EQ(precision.fp8, (Fp8Recipe{.scaling = "current", .margin = 1}));
    EXPECT_EQ(precision.products, (ProductSettings{.accumulator = Accumulator::Hopper, .promoteEvery = 128}));
    EXPECT_EQ(precision.overrides[0].in(Direction::Forward), Dtype::E4M3);
    EXPECT_EQ(precision.overrides[0].in(Direction::WeightGrad), Dtype::E5M2);
    EXPECT_EQ(precision.overrides[1], PrecisionOverride("layers.2", Direction::WeightGrad, Dtype::E4M3));
    EXPECT_EQ(experiment.runs[1].training.precision.products.tf32Rounding, Rounding::TowardZero);
    EXPECT_EQ(precisionDetail(experiment.runs[1].training.precision), "inputs truncated");
    EXPECT_EQ(precisionDetail({.policy = "tf32"}), "inputs rounded to nearest even");
    EXPECT_EQ(parseExperiment(writeExperiment(experiment), "y").runs, experiment.runs);
    EXPECT_EQ(withChange(experiment.runs[0], "/precision/fp8/scaling", "delayed").training.precision.fp8.scaling, "delayed");
}

TEST(Experiment, SettingsAsPeopleReadThem) {
    const RunSettings run = makeRun(Json{{"name", "a"}, {"precision", "fp16"}}, Experiment{});
    EXPECT_EQ(settingText(run, "/precision"), "FP16");
    EXPECT_EQ(settingText(withChange(run, "/precision/overrides/layers.1", "fp32"), "/precision"), "FP16, layers.1 FP32");
    EXPECT_EQ(settingText(run, "/clip_grad_norm"), "off");
    EXPECT_EQ(settingText(run, "/optimizer/lr"), "0.001");
    EXPECT_EQ(settingText(run, "/optimizer/betas"), "[0.9,0.999]");
    EXPECT_EQ(settingText(run, "/scaler/preset"), "pytorch");
    EXPECT_EQ(settingText(run, "/scaler/init_scale"), "2^16") << "the preset's own";
    EXPECT_EQ(settingText(run, "/scaler/growth_interval"), "2000");
    EXPECT_EQ(settingText(run, "/scaler/max_scale"), "off");
    EXPECT_EQ(settingText(run, "/eval_precision"), "off");
    EXPECT_EQ(settingText(withChange(run, "/eval_precision", "bf16"), "/eval_precision"), "BF16");
    EXPECT_EQ(settingText(run, "/unscale"), "before clipping");
    EXPECT_EQ(settingText(withChange(run, "/unscale", "after_clip"), "/unscale"), "after clipping");
    EXPECT_EQ(settingText(run, "/optimizer/decay"), "all parameters");
    EXPECT_EQ(settingText(run, "/optimizer/schedule_on_skip"), "advances");
    EXPECT_EQ(settingText(withChange(run, "/optimizer/schedule_on_skip", "hold"), "/optimizer/schedule_on_skip"), "waits");
    EXPECT_EQ(settingText(withChange(run, "/optimizer/schedule", Json{{"kind", "cosine"}}), "/optimizer/schedule"), "cosine");
    EXPECT_EQ(settingText(withChange(run, "/scaler/min_scale", 0.5), "/scaler/min_scale"), "2^-1");
    EXPECT_EQ(settingText(withChange(run, "/scaler/preset", "megatron"), "/scaler/hysteresis"), "2");
    EXPECT_EQ(settingLabel("/scaler/scale"), "loss scale");
    EXPECT_EQ(settingLabel("/optimizer/betas/0"), "betas");
    EXPECT_EQ(scaleText(0.25), "2^-2");
    EXPECT_EQ(scaleText(3), "3");
    EXPECT_EQ(scaleText(0), "0");
    EXPECT_EQ(scaleText(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Experiment, WritingLeavesOutEventsThatHaveBecomeImpossible) {
    Experiment experiment = parseExperiment(R"({"steps":10,"runs":[{"name":"a","precision":"fp16"},{"name":"b"}],"events":[
        {"step":1,"run":"a","set":{"/scaler/scale":2}},{"step":2,"run":"b","set":{"/optimizer/lr":0.1}},
        {"step":9,"run":"a","set":{"/optimizer/lr":0.1}},{"step":3,"run":"a","set":{"/optimizer/lr":0.2}}]})",
                                            "x");
    experiment.runs.pop_back();
    experiment.runs[0] = withChange(withChange(experiment.runs[0], "/precision", "bf16"), "/steps", 5);
    const Experiment read = parseExperiment(writeExperiment(experiment), "x");
    ASSERT_EQ(read.events.size(), 1u);
    EXPECT_EQ(read.events[0].step, 3);
}

TEST(Change, AnInjectionIsCheckedAndIsNoSetting) {
    const Experiment experiment =
        parseExperiment(R"({"runs":[{"name":"a"},{"name":"b","data":{"name":"opticks"},"model":{"kind":"gpt"}}]})", "x");
    for (const Json& value : {Json("inf"), Json("-inf"), Json("nan"), Json(1e30)})
        EXPECT_EQ(withChange(experiment.runs[0], "/inject/input", value), experiment.runs[0]);
    EXPECT_EQ(injectedValue("-inf"), -INFINITY);
    EXPECT_TRUE(std::isnan(injectedValue("nan")));
    EXPECT_EQ(injectedValue(0.5), 0.5f);
    EXPECT_EQ(sentenceOf([&] { withChange(experiment.runs[0], "/inject/input", "Inf"); }),
              "at /inject/input: must be a number, \"inf\", \"-inf\" or \"nan\"");
    EXPECT_EQ(sentenceOf([&] { withChange(experiment.runs[1], "/inject/input", "inf"); }),
              "at /inject/input: tokens are whole numbers, nothing else can be put in their place");
    EXPECT_THROW(parseExperiment(R"({"runs":[{"name":"a"}],"events":[{"step":1,"run":"a","set":{"/inject/input":true}}]})", "x"),
                 InputError);
}

std::string wrongProgram(const std::string& settings) {
    return sentenceOf([&] { parseExperiment("{" + settings + R"(,"runs":[{"name":"a"}]})", "x"); });
}

TEST(WrongPrograms, AreRefusedWhereTheyMakeNoSense) {
    const std::string gpt = R"("data":{"name":"opticks"},"model":{"kind":"gpt")";
    EXPECT_EQ(wrongProgram(R"("model":{"softmax":"naive"})"), "x: at /model/softmax: model 'mlp' has no softmax, only gpt llama have");
    EXPECT_EQ(wrongProgram(R"("model":{"mask":-1e9})"), "x: at /model/mask: model 'mlp' has no mask, only gpt llama have");
    EXPECT_EQ(wrongProgram(gpt + R"(,"softmax":"naiv"})"),
              "x: at /model/softmax: softmax 'naiv' is not known, only max_subtracted naive (did you mean 'naive'?)");
    EXPECT_EQ(wrongProgram(gpt + R"(,"mask":0})"), "x: at /model/mask: must be below 0");
    EXPECT_EQ(wrongProgram(gpt + R"(,"mask":"low"})"), "x: at /model/mask: must be a number, not text");
    EXPECT_EQ(wrongProgram(gpt + R"(,"attention":"fused","mask":-1e9})"),
              "x: at /model/mask: fused attention masks and normalises in its own way");
    EXPECT_EQ(wrongProgram(gpt + R"(,"attention":"fused","softmax":"naive"})"),
              "x: at /model/softmax: fused attention masks and normalises in its own way");
    EXPECT_EQ(wrongProgram(gpt + R"(,"fused_softmax":"after_product"})"), "x: at /model/fused_softmax: only fused attention has it");
    EXPECT_EQ(wrongProgram(R"("zero_grad":1)"), "x: at /zero_grad: must be true or false, not 1");
    EXPECT_EQ(wrongProgram(R"("zero_grad":false,"clip_grad_norm":1)"),
              "x: at /zero_grad: clipping is part of the update here, so that what adds up over steps would not be clipped");
    const RunSettings run = parseExperiment(R"({"zero_grad":false,"runs":[{"name":"a"}]})", "x").runs[0];
    EXPECT_NE(sentenceOf([&] { withChange(run, "/clip_grad_norm", 1); }), "");
    EXPECT_TRUE(withChange(run, "/zero_grad", true).training.zeroGrad);
}

TEST(WrongPrograms, AreWrittenAndReadAgain) {
    const std::string text = R"({"data":{"name":"opticks"},"zero_grad":false,"runs":[
        {"name":"a","model":{"kind":"gpt","softmax":"naive","mask":-10000}},{"name":"b","model":{"kind":"gpt","mask":"-Infinity"}},
        {"name":"c","model":{"kind":"gpt","mask":-1e300}}]})";
    const Experiment read = parseExperiment(text, "x"), again = parseExperiment(writeExperiment(read), "x");
    EXPECT_EQ(read.runs, again.runs);
    EXPECT_FALSE(again.runs[0].training.zeroGrad);
    EXPECT_EQ(again.runs[0].training.model.softmax, "naive");
    EXPECT_EQ(again.runs[0].training.model.maskValue, -10000);
    for (const std::size_t plain : {1, 2}) EXPECT_EQ(again.runs[plain].training.model.maskValue, -INFINITY);
}

TEST(Experiment, OfTwoLanguageModelsCanBeWrittenAndReadAgain) {
    const Experiment read = parseExperiment(R"({"data":{"name":"opticks"},"sample_tokens":50,"model":{"kind":"gpt"},
        "runs":[{"name":"a"},{"name":"b","model":{"kind":"llama"},"sample_tokens":50}]})",
                                            "x");
    EXPECT_EQ(parseExperiment(writeExperiment(read), "x").runs, read.runs);
}

TEST(Experiment, AGroupIsOneThatThereIs) {
    EXPECT_EQ(sentenceOf([] { parseExperiment(R"({"group":"scalar","runs":[{"name":"a"}]})", "f.json"); }),
              "f.json: at /group: there is no group 'scalar' (did you mean 'scaler'?)");
    EXPECT_EQ(sentenceOf([] { parseExperiment(R"({"look_for":3,"runs":[{"name":"a"}]})", "f.json"); }),
              "f.json: at /look_for: must be text");
}

TEST(DidYouMean, OffersOnlyWhatIsClose) {
    EXPECT_EQ(didYouMean("learing", {"lr", "learning"}), " (did you mean 'learning'?)");
    EXPECT_EQ(didYouMean("fp61", {"fp32", "fp16"}), "");
    EXPECT_EQ(didYouMean("", {"lr"}), "");
    EXPECT_EQ(didYouMean("x", {}), "");
}

}  // namespace
}  // namespace mantissa
