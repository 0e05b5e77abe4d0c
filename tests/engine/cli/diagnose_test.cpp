// SPDX-License-Identifier: Apache-2.0
// diagnose: the card and the verdict as text and as JSON, of an experiment and of its recording alike.
#include <algorithm>
#include <nlohmann/json.hpp>

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

TEST_F(Diagnose, TheFirstBadStepOfAnyRunIsFoundAndJudged) {
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

TEST_F(Diagnose, WhatIsNotThereIsRefusedInOneLine) {
    write("e.json", kTwoRunsOneHot);
    ASSERT_EQ(run("train e.json --record a.mantissa --quiet").exitCode, 0);
    expectRefusal("e.json --run hut", "e.json: there is no run 'hut' (did you mean 'hot'?)");
    expectRefusal("a.mantissa --run hut", "a.mantissa: there is no run 'hut' (did you mean 'hot'?)");
    expectRefusal("e.json --run hot --step 40", "e.json: run 'hot' has no step 40: it ends before step 40");
    expectRefusal("a.mantissa --steps 4", "diagnose: --set and --steps are for experiments; a recording is as it is");
    EXPECT_EQ(run("diagnose a.mantissa --run hot --step 41").exitCode, 2);
    EXPECT_EQ(run("diagnose none.mantissa").exitCode, 2);
    EXPECT_EQ(run("diagnose e.json --step -1").exitCode, 2);
}

}  // namespace
}  // namespace mantissa
