// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "tests/support/sanitized.h"

namespace mantissa {
namespace {

using Train = ProgramTest;
using nlohmann::json;

constexpr const char* kSmall = R"({"title": "t", "data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 130,
    "runs": [{"name": "a", "precision": "fp32"}, {"name": "b c/d", "precision": "bf16"}]})";

TEST_F(Train, WritesOneCsvARunWithOneRowAStep) {
    write("e.json", kSmall);
    const Outcome outcome = run("train e.json --csv out --quiet");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const char* name : {"a.csv", "b_c_d.csv"}) {
        const Rows rows = readCsv(folder / "out" / name);
        ASSERT_EQ(rows.size(), 131u) << name;
        const auto steps = column(rows, "step"), samples = column(rows, "samples"), validation = column(rows, "val_loss");
        for (std::size_t i = 0; i < 130; ++i) {
            EXPECT_EQ(steps[i], std::to_string(i));
            EXPECT_EQ(samples[i], std::to_string(64 * (i + 1)));
            EXPECT_EQ(validation[i].empty(), i != 99 && i != 129) << i;
        }
    }
}

TEST_F(Train, WhatIsLostSilentlyIsToldEverywhere) {
    write("e.json",
          R"({"data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 130, "optimizer": {"kind": "sgd", "lr": 0.001},
        "runs": [{"name": "lost", "precision": "pure-bf16"}, {"name": "kept", "precision": "bf16"}]})");
    const Outcome outcome = run("train e.json --json --report report --record r.mantissa");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    const json &lost = result["runs"][0], &kept = result["runs"][1];
    EXPECT_EQ(lost["gauges"][0]["name"], "swallowed updates");
    EXPECT_EQ(lost["gauges"][0]["severity"], "bad");
    EXPECT_GT(lost["gauges"][0]["value"], 0.9);
    EXPECT_EQ(kept["gauges"][0]["severity"], "good");
    const std::string sentence = lost["verdicts"]["health"]["sentence"];
    EXPECT_TRUE(sentence.starts_with("Finite, but ")) << sentence;
    EXPECT_EQ(kept["verdicts"]["health"]["sentence"], "All finite. No step skipped.");
    EXPECT_NE(read(folder / "report" / "index.html").find("Finite, but "), std::string::npos);
    const Outcome text = run("train e.json");
    EXPECT_NE(text.out.find("Gauges that are not good\n  lost, "), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("  kept, "), std::string::npos);
    EXPECT_NE(text.err.find("lost: Finite, but "), std::string::npos) << "as soon as it is known, and once: " << text.err;
    const json step = json::parse(run("diagnose r.mantissa --run lost --step 20 --json").out);
    EXPECT_EQ(step["gauges"][0]["severity"], "bad");
    EXPECT_EQ(step["verdict"]["kind"], "silent failure");
}

TEST_F(Train, JsonIsOneObjectWithTheContractsKeys) {
    write("e.json", kSmall);
    const Outcome outcome = run("train e.json --json --steps 12");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    EXPECT_EQ(result["device"]["name"], "cpu");
    EXPECT_GT(result["wall_seconds"], 0);
    ASSERT_EQ(result["runs"].size(), 2u);
    const json& first = result["runs"][0];
    for (const char* key : {"name", "precision", "steps", "skipped_steps", "final_loss", "val_loss", "val_accuracy", "loss_scale",
                            "samples_per_second", "peak_memory_bytes", "memory", "first_nonfinite", "verdicts", "gauges"}) {
        EXPECT_TRUE(first.contains(key)) << key;
    }
    EXPECT_EQ(first["steps"], 12);
    EXPECT_TRUE(first["first_nonfinite"].is_null());
    std::int64_t sum = 0;
    for (const char* key : {"weights", "master_weights", "gradients", "optimizer", "activations", "workspace"})
        sum += first["memory"][key].get<std::int64_t>();
    EXPECT_EQ(first["peak_memory_bytes"], sum);
    EXPECT_GT(first["allocated_bytes"], sum) << "the samples as well, and what another plan needs";
    EXPECT_TRUE(first["device_used_bytes"].is_null()) << "no card";
    const json& products = first["products"];
    EXPECT_EQ(products["format"], first["precision"]);
    EXPECT_GT(products["tflops"], 0);
    EXPECT_TRUE(products["peak_tflops"].is_null());
    EXPECT_GT(products["ceiling_tflops"], 0) << "measured when training was over";
}

TEST_F(Train, TheTablesMemoryLeavesOutTheScratch) {
    write("e.json", kSmall);
    const json result = json::parse(run("train e.json --json --steps 4").out);
    const std::string text = run("train e.json --steps 4").out;
    for (const json& each : result["runs"]) {
        const auto scratch = each["memory"]["scratch"].get<std::int64_t>();
        const std::string planned = std::to_string((each["peak_memory_bytes"].get<std::int64_t>() - scratch + 500) / 1000);
        std::istringstream lines(text);
        std::string row;
        while (std::getline(lines, row) && !row.starts_with(each["name"].get<std::string>() + " ")) continue;
        EXPECT_TRUE(row.ends_with("  " + planned)) << text;
        EXPECT_NE(text.find("Memory: " + planned + " kB planned"), std::string::npos) << planned << "\n" << text;
        if (scratch > 0) {
            EXPECT_NE(text.find(" kB of scratch"), std::string::npos) << text;
        }
    }
}

TEST_F(Train, TheSameLossesForAnyThreadCount) {
    write("e.json",
          R"({"data": {"batch_size": 128}, "model": {"hidden": [512, 256]}, "steps": )" + std::string(test::kIsSanitized ? "2" : "8") + R"(,
        "runs": [{"name": "fp32", "precision": "fp32"}, {"name": "tf32", "precision": "tf32"}, {"name": "fp16", "precision": "fp16"}, {"name": "bf16", "precision": "bf16"},
            {"name": "fp8", "precision": "fp8"}, {"name": "stochastic", "precision": {"policy": "pure-bf16", "weight_update": "stochastic", "accumulator": "hopper"}}]})");
    ASSERT_EQ(run("train e.json --csv one --save-weights one --quiet", "", "OMP_NUM_THREADS=1").exitCode, 0);
    ASSERT_EQ(run("train e.json --csv two --save-weights two --quiet", "", "OMP_NUM_THREADS=2").exitCode, 0);
    for (const std::string name : {"fp32", "tf32", "fp16", "bf16", "fp8", "stochastic"}) {
        EXPECT_EQ(column(readCsv(folder / "one" / (name + ".csv")), "loss"), column(readCsv(folder / "two" / (name + ".csv")), "loss"))
            << name;
        EXPECT_EQ(read(folder / "one" / (name + ".safetensors")), read(folder / "two" / (name + ".safetensors"))) << name;
    }
}

TEST_F(Train, EventsHoldFromExactlyTheirStep) {
    const std::string body =
        R"("data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 120, "runs": [{"name": "r", "precision": "fp32"}])";
    write("plain.json", "{" + body + "}");
    write("events.json", "{" + body + R"(, "events": [{"step": 50, "run": "r", "set": {"/precision": "fp16"}},
        {"step": 80, "run": "r", "set": {"/scaler/scale": 1024}}, {"step": 100, "run": "r", "set": {"/optimizer/lr": 0.01}}]})");
    ASSERT_EQ(run("train plain.json --csv plain --quiet").exitCode, 0);
    const Outcome outcome = run("train events.json --csv events --quiet");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const Rows plain = readCsv(folder / "plain" / "r.csv"), events = readCsv(folder / "events" / "r.csv");
    const auto plainLoss = column(plain, "loss"), loss = column(events, "loss"), scale = column(events, "loss_scale"),
               lr = column(events, "lr"), flags = column(events, "flags");
    for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(loss[i], plainLoss[i]) << i;
    EXPECT_NE(loss[50], plainLoss[50]);
    for (std::size_t i = 0; i < 120; ++i) {
        EXPECT_EQ(scale[i], i < 50 ? "1" : i < 80 ? "65536" : "1024") << i;
        EXPECT_EQ(lr[i], i < 100 ? "0.001" : "0.01") << i;
        EXPECT_EQ(flags[i].find("setting_changed") != std::string::npos, i == 50 || i == 80 || i == 100) << i;
    }
}

TEST_F(Train, AnOverflowingStaticScaleSkipsAllAndKeepsTheWeights) {
    write(
        "e.json",
        R"({"model": {"hidden": [32]}, "steps": 40, "runs": [{"name": "r", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 1099511627776}}]})");
    ASSERT_EQ(run("train e.json --steps 0 --save-weights before --quiet").exitCode, 0);
    const Outcome outcome = run("train e.json --save-weights after --csv out --json");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(read(folder / "before" / "r.safetensors"), read(folder / "after" / "r.safetensors"));
    EXPECT_GT(read(folder / "after" / "r.safetensors").size(), 1000u);
    for (const std::string& skipped : column(readCsv(folder / "out" / "r.csv"), "skipped")) EXPECT_EQ(skipped, "1");
    const json first = json::parse(outcome.out)["runs"][0]["first_nonfinite"];
    EXPECT_EQ(first["step"], 0);
    EXPECT_EQ(first["phase"], "backward");
}

TEST_F(Train, AScalerThatGivesUpIsExitCode3WithEveryRowWritten) {
    write("e.json", R"({"model": {"hidden": [16]}, "steps": 40, "runs": [{"name": "r", "precision": "fp16",
        "scaler": {"preset": "deepspeed", "init_scale": 1099511627776, "min_scale": 549755813888}}, {"name": "calm"}]})");
    const Outcome outcome = run("train e.json --csv out --json");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_NE(outcome.err.find("r: a step overflowed at the smallest loss scale"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    const Rows rows = readCsv(folder / "out" / "r.csv");
    EXPECT_EQ(column(rows, "loss_scale"), (std::vector<std::string>{"1099511627776", "1099511627776", "549755813888"}));
    EXPECT_EQ(column(rows, "skipped"), (std::vector<std::string>{"1", "1", "1"}));
    EXPECT_EQ(column(readCsv(folder / "out" / "calm.csv"), "loss").size(), 40u);
    EXPECT_NE(json::parse(outcome.out)["runs"][0]["stopped"], nullptr);
    EXPECT_EQ(json::parse(outcome.out)["runs"][0]["verdicts"]["health"]["title"], "Stopped");
}

TEST_F(Train, SavedWeightsStartANewRun) {
    write("e.json", kSmall);
    ASSERT_EQ(run("train e.json --steps 20 --save-weights w --quiet").exitCode, 0);
    write("again.json", R"({"model": {"hidden": [16]}, "init": {"weights": "w/a.safetensors"}, "steps": 0, "runs": [{"name": "a"}]})");
    ASSERT_EQ(run("train again.json --save-weights w2 --quiet").exitCode, 0);
    EXPECT_EQ(read(folder / "w" / "a.safetensors"), read(folder / "w2" / "a.safetensors"));
}

TEST_F(Train, BadInputIsOneLineAndExitCode2) {
    write("e.json", kSmall);
    write("typo.json", R"({"runs": [{"name": "a", "precison": "fp32"}]})");
    write("cut.json", R"({"runs": [)");
    write("short.safetensors", "12345");
    write("weights.json", R"({"model": {"hidden": [16]}, "init": {"weights": "short.safetensors"}, "steps": 1, "runs": [{"name": "a"}]})");
    for (const std::string arguments : {"train typo.json",
                                        "train cut.json",
                                        "train missing.json",
                                        "train weights.json",
                                        "train e.json --set /nothing=1",
                                        "train e.json --set /optimizer/lr=-1",
                                        "train e.json --set nonsense",
                                        "train e.json --device cuda:0",
                                        "train e.json --device tpu",
                                        "train e.json --steps -3",
                                        "train e.json --steps x",
                                        "train e.json --nonsense",
                                        "nonsense",
                                        "",
                                        "convert --to fp99",
                                        "bits five",
                                        "simulate-scaler nonsense",
                                        "plan e.json --run z",
                                        "plan e.json --card 8x",
                                        "plan e.json --card 8GX",
                                        "plan e.json --card 8",
                                        "plan e.json --card 0",
                                        "plan e.json --card inf",
                                        "plan e.json --card GiB",
                                        "plan e.json --card 16EiB",
                                        "bench nonsense"}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err.rfind("mantissa: ", 0), 0u) << outcome.err;
    }
    EXPECT_NE(run("train typo.json").err.find("at /runs/0/precison"), std::string::npos);
    EXPECT_NE(run("train typo.json").err.find("did you mean 'precision'?"), std::string::npos);
}

TEST_F(Train, AFullDiskIsExitCode3) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
    write("e.json", kSmall);
    std::filesystem::create_directory(folder / "out");
    std::filesystem::create_symlink("/dev/full", folder / "out" / "a.csv");
    const Outcome outcome = run("train e.json --csv out --quiet");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_NE(outcome.err.find("a.csv"), std::string::npos);
}

TEST_F(Train, TheReportNamesItsFiles) {
    write("e.json", kSmall);
    const Outcome outcome = run("train e.json --steps 30 --report rep");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    for (const char* file : {"index.html", "loss.svg", "a.csv", "b_c_d.csv", "experiment.json"})
        EXPECT_TRUE(std::filesystem::exists(folder / "rep" / file)) << file;
    EXPECT_NE(outcome.out.find("rep/index.html"), std::string::npos);
    EXPECT_EQ(run("plan rep/experiment.json").exitCode, 0) << "the report's experiment runs again";
}

// A rewind point of this model takes 10 MB, and a hundredth of the time pays for them: some ten in these seconds.
TEST_F(Train, KeepsNoRewindPoints) {
    if (test::kIsSanitized) GTEST_SKIP() << "the sanitizers take more memory than this";
    write("e.json", R"({"data": {"name": "digits", "batch_size": 4}, "model": {"kind": "mlp", "hidden": [900, 900]},
                        "steps": 1000000, "runs": [{"name": "run"}]})");
    const auto peakAfter = [&](const std::string& seconds) {
        EXPECT_EQ(run("train e.json --quiet --seconds " + seconds).exitCode, 0);
        rusage usage{};
        getrusage(RUSAGE_CHILDREN, &usage);
        return usage.ru_maxrss;  // kB, of the largest child so far
    };
    const long few = peakAfter("0");
    EXPECT_LT(peakAfter("4"), few + 40'000) << "more than the latest state";
}

}  // namespace
}  // namespace mantissa
