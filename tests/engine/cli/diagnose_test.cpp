// SPDX-License-Identifier: Apache-2.0
// diagnose: the card and the verdict as text and as JSON, of an experiment and of its recording alike.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace mantissa {
namespace {

using Parsed = nlohmann::json;

constexpr const char* kTwoRunsOneHot = R"({"data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 40,
    "runs": [{"name": "wide", "precision": "fp32"}, {"name": "hot", "precision": "fp16", "scaler": {"preset": "pytorch"}}],
    "events": [{"step": 12, "run": "hot", "set": {"/scaler/scale": 1073741824}}]})";

class Diagnose : public ProgramTest {
protected:
    Parsed of(const std::string& arguments) {
        const Outcome outcome = run("diagnose " + arguments + " --json");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return Parsed::parse(outcome.out);
    }
    void expectRefusal(const std::string& arguments, const std::string& sentence) {
        const Outcome outcome = run("diagnose " + arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(outcome.err, "mantissa: " + sentence + "\n") << arguments;
        EXPECT_EQ(outcome.out, "");
    }
};

TEST_F(Diagnose, TheFirstNonFiniteStepOfAnyRunIsFoundAndJudged) {
    write("e.json", kTwoRunsOneHot);
    const Parsed found = of("e.json");
    EXPECT_EQ(found["run"], "hot");
    EXPECT_EQ(found["step"], 12);
    EXPECT_EQ(found["loss_scale"], 1073741824);
    EXPECT_EQ(found["skipped"], true);
    EXPECT_EQ(found["verdict"]["kind"], "scale too high");
    const Parsed& card = found["card"];
    EXPECT_EQ(card["phase"], "backward");
    EXPECT_EQ(card["format"], "fp16");
    EXPECT_EQ(card["producer"], true);
    EXPECT_LE(card["instruction"], card["instructions"]);
    EXPECT_EQ(card["element"].size(), card["shape"].size());
    for (std::size_t i = 0; i < card["shape"].size(); ++i) EXPECT_LT(card["element"][i], card["shape"][i]);
    const auto highest = std::find_if(found["trials"].begin(), found["trials"].end(), [&](const Parsed& trial) {
        return trial["precision"] == "fp16" && trial["loss_scale"] == found["verdict"]["safe_scale"] && trial["layer_in_fp32"] == "";
    });
    ASSERT_NE(highest, found["trials"].end()) << "each figure of the verdict stands in the table";
    EXPECT_EQ((*highest)["finite"], true);
    EXPECT_TRUE(std::any_of(found["remedies"].begin(), found["remedies"].end(),
                            [](const Parsed& remedy) { return remedy["set"] == "/scaler/scale" && remedy["helps"] == true; }));
}

TEST_F(Diagnose, OfAWatchedRunNothingIsSaidThatItsProbeDidNotSend) {
    const std::string file = std::string(MANTISSA_GOLDEN) + "/watched.mprobe";
    ASSERT_EQ(run("attach " + file + " --record w.mantissa --quiet").exitCode, 0);
    const std::string said = run("diagnose w.mantissa").out;
    EXPECT_NE(said.find("h.0.mlp.c_fc.output  NaN"), std::string::npos) << said;
    for (const char* unknown : {"found_inf", "00000", "Largest magnitudes"}) EXPECT_EQ(said.find(unknown), std::string::npos) << said;
    expectRefusal(file,
                  file + ": is a probe's file, not an experiment; mantissa attach FILE --record run.mantissa makes a recording of it");
}

TEST_F(Diagnose, AWatchedTablesLastLineSaysHowManyRowsItHas) {
    setenv("MANTISSA_ATTACH", MANTISSA_GOLDEN "/watched.mprobe", 1);
    const std::string said = run("attach default").out;
    unsetenv("MANTISSA_ATTACH");
    int rows = 0;
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) rows += line.size() > 8 && line[7] >= '0' && line[7] <= '9' && line[8] == ' ';
    EXPECT_LT(rows, 30);
    EXPECT_NE(said.find(": 30 steps, " + std::to_string(rows) + " of them in the table, "), std::string::npos) << said;
}

TEST_F(Diagnose, AProbesFileThatIsDamagedIsReadUpToThere) {
    std::string bytes = read(MANTISSA_GOLDEN "/watched.mprobe");
    bytes.replace(bytes.size() / 2, 40, 40, '\xff');
    write("broken.mprobe", bytes);
    const Outcome outcome = run("attach broken.mprobe --quiet");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_EQ(outcome.err.rfind("mantissa: small gpt: byte ", 0), 0u) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("\nmantissa: broken.mprobe: not read to the end of the training; all that came is shown\n"))
        << outcome.err;
}

TEST_F(Diagnose, ARecordingGivesWhatTheExperimentGave) {
    write("e.json", kTwoRunsOneHot);
    ASSERT_EQ(run("train e.json --record a.mantissa --quiet").exitCode, 0);
    const Parsed live = of("e.json"), recorded = of("a.mantissa");
    for (const char* key : {"run", "step", "loss_scale", "card", "trials"}) EXPECT_EQ(live[key], recorded[key]) << key;
    EXPECT_EQ(live["verdict"]["kind"], recorded["verdict"]["kind"]);
    EXPECT_EQ(of("a.mantissa --run wide")["run"], nullptr);
    EXPECT_EQ(of("a.mantissa --run wide --step 7")["step"], 7);
}

TEST_F(Diagnose, TextSaysWhatJsonSays) {
    write("e.json", kTwoRunsOneHot);
    const Parsed found = of("e.json");
    const std::string text = run("diagnose e.json").out;
    for (const std::string& part : {std::string("Step 12 of run 'hot', fp16, loss scale 2³⁰, skipped"),
                                    found["card"]["tensor"].get<std::string>(), std::string("Verdict: scale too high"),
                                    found["verdict"]["headline"].get<std::string>(), found["remedies"][0]["label"].get<std::string>()})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST_F(Diagnose, ABatchThatHeldItProducedNothing) {
    write("e.json", R"({"model": {"hidden": [16]}, "steps": 10, "runs": [{"name": "run"}],
        "events": [{"step": 3, "run": "run", "set": {"/inject/input": "inf"}}]})");
    const Parsed found = of("e.json");
    EXPECT_EQ(found["verdict"]["kind"], "bad data");
    EXPECT_EQ(found["card"]["producer"], false);
    const std::string text = run("diagnose e.json").out;
    EXPECT_NE(text.find("passed on: the data held it"), std::string::npos) << text;
}

TEST_F(Diagnose, AStepWithoutAFaultAndARunWithoutOneSaySo) {
    write("e.json", kTwoRunsOneHot);
    EXPECT_EQ(run("diagnose e.json --run wide").out, "No step was bad: losses and gradients of 40 steps are finite.\n");
    EXPECT_EQ(of("e.json --run wide")["run"], nullptr);
    const Parsed good = of("e.json --run hot --step 3");
    EXPECT_EQ(good["card"], nullptr);
    EXPECT_EQ(good["verdict"]["kind"], "sound");
    EXPECT_EQ(of("e.json --steps 5")["run"], nullptr);
}

/// A fault of its own in each: an overflow of both signs, data, a tensor in each phase, an accumulated batch, a scale that cannot be
/// divided by.
const std::vector<std::string> kFaults{
    R"({"steps": 2, "runs": [{"name": "r", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 7e6}}]})",
    R"({"steps": 4, "model": {"hidden": [16]}, "runs": [{"name": "r", "precision": "fp16", "accumulate": 3,
        "scaler": {"preset": "static", "init_scale": 3e7}}]})",
    R"({"steps": 4, "model": {"hidden": [16]}, "runs": [{"name": "r", "precision": "fp16", "scaler": {"preset": "none"}}],
        "events": [{"step": 2, "run": "r", "set": {"/inject/input": "-inf"}}]})",
    R"({"steps": 4, "model": {"hidden": [16]}, "runs": [{"name": "r", "precision": "bf16"}],
        "events": [{"step": 2, "run": "r", "set": {"/inject/tensor": {"tensor": "layers.0.weight.grad", "value": "nan"}}}]})",
    R"({"steps": 4, "model": {"hidden": [16]}, "runs": [{"name": "r", "precision": "fp32"}],
        "events": [{"step": 1, "run": "r", "set": {"/inject/tensor": {"tensor": "layers.1.output", "value": "inf"}}}]})",
    R"({"steps": 4, "model": {"hidden": [16]}, "runs": [{"name": "r", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 1}}],
        "events": [{"step": 2, "run": "r", "set": {"/scaler/scale": 1e-40}}]})"};

TEST_F(Diagnose, TrainingItsCardAndItsRecordingNameTheSameElement) {
    for (std::size_t i = 0; i < kFaults.size(); ++i) {
        SCOPED_TRACE(kFaults[i]);
        write("e.json", kFaults[i]);
        const std::string recording = std::to_string(i) + ".mantissa";
        const Parsed trained = Parsed::parse(run("train e.json --json --record " + recording).out);
        const Parsed first = trained["runs"][0]["first_nonfinite"];
        ASSERT_FALSE(first.is_null());
        const std::string step = " --run r --step " + std::to_string(first["step"].get<int>());
        for (const Parsed& found : {of("e.json" + step), of(recording + step)}) {
            ASSERT_FALSE(found["card"].is_null());
            for (const char* key : {"layer", "operation", "phase", "tensor", "class"}) EXPECT_EQ(found["card"][key], first[key]) << key;
        }
    }
}

constexpr const char* kForwardStorm = R"({"model": {"hidden": [16]}, "steps": 30,
    "runs": [{"name": "r", "precision": "fp16", "scaler": {"preset": "pytorch", "init_scale": 256}}],
    "events": [{"step": 5, "run": "r", "set": {"/inject/input": 1e6}}, {"step": 6, "run": "r", "set": {"/inject/input": 1e6}},
               {"step": 7, "run": "r", "set": {"/inject/input": 1e6}}, {"step": 8, "run": "r", "set": {"/inject/input": 1e6}},
               {"step": 9, "run": "r", "set": {"/inject/input": 1e6}}, {"step": 20, "run": "r", "set": {"/scaler/scale": 1e30}}]})";

TEST_F(Diagnose, ARecordingSaysWordForWordWhatItsExperimentSays) {
    write("e.json", kForwardStorm);
    ASSERT_EQ(run("train e.json --record a.mantissa --quiet").exitCode, 0);
    for (const int step : {3, 5, 9, 20}) {
        const std::string arguments = " --step " + std::to_string(step);
        const Outcome live = run("diagnose e.json" + arguments), recorded = run("diagnose a.mantissa" + arguments);
        EXPECT_EQ(live.out, recorded.out) << step;
        EXPECT_EQ(recorded.err, "");
        if (step == 9) {
            EXPECT_NE(live.out.find("5 skips in a row"), std::string::npos) << live.out;
        }
    }
}

TEST_F(Diagnose, AllListsEveryNonFiniteStepByRunVerdictAndPlace) {
    write("e.json", kForwardStorm);
    ASSERT_EQ(run("train e.json --record a.mantissa --csv rows --quiet").exitCode, 0);
    std::vector<int> bad;
    const Rows rows = readCsv(folder / "rows/r.csv");
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].back().find("found_inf") != std::string::npos) bad.push_back(static_cast<int>(i) - 1);
    ASSERT_GE(bad.size(), 6u);
    const Parsed groups = of("e.json --all");
    EXPECT_EQ(groups, of("a.mantissa --all")) << "of the recording too";
    std::vector<int> listed;
    for (const Parsed& group : groups) {
        EXPECT_EQ(group["run"], "r");
        int steps = 0;
        for (const Parsed& range : group["ranges"])
            for (int step = range[0]; step <= range[1]; ++step, ++steps) listed.push_back(step);
        EXPECT_EQ(group["steps"], steps);
        EXPECT_FALSE(group["examined"].empty());
    }
    std::sort(listed.begin(), listed.end());
    EXPECT_EQ(listed, bad) << "each bad step, once";
    ASSERT_FALSE(groups.empty());
    EXPECT_EQ(groups[0]["ranges"], Parsed::parse("[[5,9]]"));
    EXPECT_EQ(groups[0]["examined"], Parsed::parse("[5,6,8]"));
    EXPECT_EQ(groups[0]["verdict"], "forward overflow");
    EXPECT_EQ(groups[0]["card"]["tensor"], "input as fp16");
    const std::string text = run("diagnose e.json --all").out;
    EXPECT_EQ(text, run("diagnose a.mantissa --all").out);
    EXPECT_NE(text.find("5-9, 5 steps"), std::string::npos) << text;
    EXPECT_EQ(run("diagnose e.json --all --step 3").exitCode, 2);
    EXPECT_EQ(run("diagnose e.json --all --steps 4").out, "No step was bad: losses and gradients of 4 steps are finite.\n");
    EXPECT_EQ(of("e.json --all --steps 4"), Parsed::array());
}

/// 200 rows of 8 numbers, and 40 more that validate; one of them holds a NaN.
std::string npyOf(const std::string& type, const std::string& shape, const std::string& values) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
    header += '\n';
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 255);
    file += static_cast<char>(header.size() >> 8);
    return file + header + values;
}

TEST_F(Diagnose, AStepWithoutARunIsThatOfTheRunThatIsNotSound) {
    const Parsed found = of("one-bad-pixel --step 100");
    EXPECT_EQ(found["run"], "one Inf");
    EXPECT_EQ(found["verdict"]["kind"], "bad statistics");
    ASSERT_FALSE(found["remedies"].empty());
    EXPECT_EQ(found["remedies"][0]["set"], "/reset/statistics");
#if !defined(__SANITIZE_ADDRESS__)  // with it, an examination's time may end before the trial does
    EXPECT_EQ(found["remedies"][0]["helps"], true);
#endif
    ASSERT_EQ(found["others"].size(), 1U);
    EXPECT_EQ(found["others"][0]["run"], "clean");
    EXPECT_EQ(found["others"][0]["verdict"], "sound");
    write("e.json", kTwoRunsOneHot);
    ASSERT_EQ(run("train e.json --record two.mantissa --quiet").exitCode, 0);
    EXPECT_EQ(of("two.mantissa --step 12")["run"], "hot");
    EXPECT_EQ(of("two.mantissa --step 12 --run wide")["run"], "wide");
}

TEST_F(Diagnose, TheRowOfTheFileAndTheMicroBatchAreNamed) {
    constexpr int kRows = 240, kRow = 137;
    for (const char* order : {"shuffled", "sequential"}) {
        std::string x, y;
        for (int i = 0; i < kRows * 8; ++i) {
            const float value = i == kRow * 8 + 5 ? NAN : 0.01f * static_cast<float>(i % 97);
            x.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        for (std::int32_t i = 0; i < kRows; ++i) {
            const std::int32_t label = i % 3;
            y.append(reinterpret_cast<const char*>(&label), sizeof label);
        }
        write("x.npy", npyOf("<f4", "(240, 8)", x));
        write("y.npy", npyOf("<i4", "(240,)", y));
        write("e.json", std::string(R"({"data": {"name": "npy", "path": ".", "batch_size": 12, "order": ")") + order +
                            R"("}, "model": {"hidden": [16]}, "steps": 20, "runs": [{"name": "r", "precision": "fp32", "accumulate": 4,
                               "scaler": {"preset": "static", "init_scale": 1}}]})");
        const Parsed found = of("e.json --steps 4");  // an epoch has 192 of the 240 rows
        ASSERT_FALSE(found["card"].is_null());
        EXPECT_EQ(found["verdict"]["kind"], "bad data");
        EXPECT_EQ(found["card"]["data_row"], kRow) << order;
        EXPECT_EQ(found["card"]["data_token"], nullptr);
        EXPECT_EQ(found["card"]["micro_batches"], 4);
        if (std::string(order) == "sequential") {
            EXPECT_EQ(found["step"], kRow / 48);
            EXPECT_EQ(found["card"]["micro_batch"], kRow % 48 / 12 + 1);
        }
        const std::string text = run("diagnose e.json --steps 4").out;
        EXPECT_NE(text.find(" of 4, row 137 of the data set"), std::string::npos) << text;
    }
}

TEST_F(Diagnose, InFp32IsOfTheMicroBatchAtFault) {
    // the last of four batches alone holds an input that FP16 cannot: what FP32 gives there is beyond it
    std::string x, y;
    for (int i = 0; i < 60 * 8; ++i) {
        const float value = i == 40 * 8 ? 3e5f : 0.5f;
        x.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    for (std::int32_t i = 0; i < 60; ++i) y += std::string(4, '\0');
    for (std::int32_t i = 0; i < 60; ++i) y[static_cast<std::size_t>(4 * i)] = static_cast<char>(i % 2);
    write("x.npy", npyOf("<f4", "(60, 8)", x));
    write("y.npy", npyOf("<i4", "(60,)", y));
    write("e.json",
          R"({"data": {"name": "npy", "path": ".", "batch_size": 12, "order": "sequential"}, "model": {"hidden": [16]}, "steps": 3,
        "runs": [{"name": "r", "precision": "fp16", "accumulate": 4, "scaler": {"preset": "static", "init_scale": 1}}]})");
    const Parsed card = of("e.json --step 0")["card"];
    EXPECT_EQ(card["tensor"], "input as fp16");
    EXPECT_EQ(card["micro_batch"], 4);
    EXPECT_EQ(card["data_row"], 40);
    EXPECT_EQ(card["fp32"]["value"], 3e5);
}

TEST_F(Diagnose, AScaleOutOfAnyRangeIsToldAndReplaced) {
    for (const auto& [scale, kind] : {std::pair("1e-40", "scale too low"), std::pair("1e300", "scale too high")}) {
        write("e.json", std::string(R"({"model": {"hidden": [16]}, "steps": 20, "runs": [{"name": "r", "precision": "fp16",
            "scaler": {"preset": "static", "init_scale": 1}}], "events": [{"step": 3, "run": "r", "set": {"/scaler/scale": )") +
                            scale + "}}]}");
        const Parsed found = of("e.json");
        EXPECT_EQ(found["verdict"]["kind"], kind);
        EXPECT_LT(found["all_ms"], 10'000) << "an infinite scale is not searched until the time is up";
        const auto remedy = std::find_if(found["remedies"].begin(), found["remedies"].end(), [](const Parsed& each) {
            return each["set"] == "/scaler/scale" && each["helps"] == true && each["value"] >= 1 && each["value"] <= 1 << 24;
        });
        EXPECT_NE(remedy, found["remedies"].end()) << found["remedies"].dump();
    }
}

TEST_F(Diagnose, WeightsThatWereLoadedBrokenAreBlamedOnTheirFile) {
    const std::string model = R"("model": {"hidden": [16]}, "steps": 6, "runs": [{"name": "r", "precision": "fp32"}])";
    write("w.json", "{" + model + "}");
    ASSERT_EQ(run("train w.json --steps 1 --save-weights . --quiet").exitCode, 0);
    std::string weights = read(folder / "r.safetensors");
    weights.replace(weights.size() - 4, 4, std::string("\0\0\xc0\x7f", 4));
    write("bad.safetensors", weights);
    write("e.json", R"({"init": {"weights": "bad.safetensors"}, )" + model + "}");
    for (const char* step : {"0", "1", "4"}) {
        const Parsed found = of(std::string("e.json --step ") + step);
        EXPECT_EQ(found["verdict"]["kind"], "bad weights");
        EXPECT_EQ(std::to_string(found["step"].get<int>()), step) << "no update is blamed";
        const std::string text = found["verdict"]["explanation"];
        EXPECT_NE(text.find("as loaded from"), std::string::npos) << text;
        EXPECT_NE(text.find("bad.safetensors"), std::string::npos) << text;
    }
}

TEST_F(Diagnose, ANormBeyondFp32IsNamed) {
    write("e.json", R"({"model": {"hidden": [16]}, "steps": 9, "runs": [{"name": "r", "precision": "fp32", "clip_grad_norm": 1}],
        "events": [{"step": 3, "run": "r", "set": {"/inject/tensor": {"tensor": "layers.0.weight.grad", "value": 3e38}}},
                   {"step": 3, "run": "r", "set": {"/inject/tensor": {"tensor": "layers.1.weight.grad", "value": 3e38}}}]})");
    const Parsed found = of("e.json");
    EXPECT_EQ(found["step"], 3);
    EXPECT_EQ(found["verdict"]["kind"], "norm overflow");
    EXPECT_NE(found["verdict"]["explanation"].get<std::string>().find("4.24·10³⁸"), std::string::npos) << found["verdict"];
}

TEST_F(Diagnose, JsonHasTheSentencesOfTheText) {
    write("e.json", kTwoRunsOneHot);
    const Parsed found = of("e.json");
    const std::string text = run("diagnose e.json").out;
    for (const Parsed& remedy : found["remedies"])
        EXPECT_NE(text.find(remedy["text"].get<std::string>()), std::string::npos) << remedy["text"];
    EXPECT_NE(text.find(found["card"]["producer_text"].get<std::string>()), std::string::npos);
    EXPECT_NE(text.find(found["card"]["found_inf_text"].get<std::string>()), std::string::npos);
    EXPECT_TRUE(found["verdict"]["would_not_help"].is_array());
}

TEST_F(Diagnose, ANumberThatIsNoneIsRefusedInAShortSentence) {
    expectRefusal("too-hot --step -1",
                  "diagnose: --step: must be a whole number, 0 or more, not '-1' (mantissa --help lists the commands)");
    expectRefusal("too-hot --steps 1e3",
                  "diagnose: --steps: must be a whole number, 0 or more, not '1e3' (mantissa --help lists the commands)");
    expectRefusal("too-hot --step 99999999999999999999",
                  "diagnose: --step: must be a whole number, 0 or more, not '99999999999999999999' (mantissa --help lists the commands)");
    EXPECT_LT(run("train --seconds -1").err.size(), 120u);
    EXPECT_LT(run("race too-hot --steps 0").err.size(), 120u);
}

TEST_F(Diagnose, WhatIsNotThereIsRefusedInOneLine) {
    write("e.json", kTwoRunsOneHot);
    ASSERT_EQ(run("train e.json --record a.mantissa --quiet").exitCode, 0);
    expectRefusal("e.json --run hut", "e.json: there is no run 'hut' (did you mean 'hot'?)");
    expectRefusal("a.mantissa --run hut", "a.mantissa: there is no run 'hut' (did you mean 'hot'?)");
    expectRefusal("e.json --run hot --step 41", "e.json: run 'hot' has no step 41: it can be examined up to step 40");
    EXPECT_EQ(of("e.json --run hot --step 40")["step"], 40) << "what would come next, as of a recording";
    expectRefusal("a.mantissa --steps 4", "diagnose: --set and --steps are for experiments; a recording is as it is");
    EXPECT_EQ(run("diagnose a.mantissa --run hot --step 41").exitCode, 2);
    EXPECT_EQ(run("diagnose none.mantissa").exitCode, 2);
    EXPECT_EQ(run("diagnose e.json --step -1").exitCode, 2);
}

}  // namespace
}  // namespace mantissa
