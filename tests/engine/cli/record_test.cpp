// SPDX-License-Identifier: Apache-2.0
// `train --record`: what the table and the CSV say, in one file; and what it says when that file cannot be.
#include "engine/recording/recording.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/telemetry/number_format.h"
#include "program.h"

namespace mantissa {
namespace {

constexpr const char* kTwoRuns = R"({"title": "two", "data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 130,
    "runs": [{"name": "steady", "precision": "fp32"},
        {"name": "burst", "precision": "fp16", "scaler": {"preset": "none"}, "optimizer": {"kind": "sgd", "lr": 0.05}}],
    "events": [{"step": 60, "run": "burst", "set": {"/optimizer/lr": 1e30}}]})";

class Record : public ProgramTest {
protected:
    std::map<RunId, std::vector<StepRecord>> stepsOf(const std::string& name) const {
        std::map<RunId, std::vector<StepRecord>> runs;
        Recording((folder / name).string())
            .read({[&](RunId run, std::span<const StepRecord> records) {
                       auto& steps = runs[run];
                       steps.insert(steps.end(), records.begin(), records.end());
                   },
                   {}});
        return runs;
    }
    void expectOneLine(const Outcome& outcome, const std::string& part) const {
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.err.rfind("mantissa: ", 0), 0u) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    }
};

TEST_F(Record, SaysWhenItsDataHaveChangedSince) {
    const auto text = [](char last) {
        std::string words;
        for (int i = 0; i < 300; ++i) words += "a line of words\n";
        words.back() = last;
        return words;
    };
    write("words.txt", text('.'));
    write("e.json", R"({"data": {"name": "text", "path": "words.txt", "batch_size": 4, "context": 8}, "steps": 6,
        "model": {"kind": "gpt", "n_layer": 1, "n_head": 2, "n_embd": 8}, "runs": [{"name": "run"}]})");
    ASSERT_EQ(run("train e.json --record a.mantissa --quiet").exitCode, 0);
    EXPECT_EQ(run("replay a.mantissa").exitCode, 0);
    write("words.txt", text('!'));
    for (const char* command : {"replay a.mantissa", "diagnose a.mantissa --step 3", "diagnose a.mantissa"}) {
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.exitCode, 3) << command;
        expectOneLine(outcome, "words.txt' have changed since they were recorded");
    }
    write("words.txt", text('.'));
    EXPECT_EQ(run("replay a.mantissa").exitCode, 0) << "what is in the files counts, not when they were written";
}

TEST_F(Record, HoldsWhatTheCsvHolds) {
    write("e.json", kTwoRuns);
    const Outcome outcome = run("train e.json --record a.mantissa --csv csv");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("Recording: a.mantissa"), std::string::npos) << outcome.out;
    EXPECT_EQ(Recording((folder / "a.mantissa").string()).facts().at("title"), "two");
    const auto runs = stepsOf("a.mantissa");
    ASSERT_EQ(runs.size(), 2u);
    RunId id = 0;
    for (const char* name : {"steady.csv", "burst.csv"}) {
        const Rows rows = readCsv(folder / "csv" / name);
        const auto& steps = runs.at(id++);
        ASSERT_EQ(steps.size(), 130u) << name;
        const auto loss = column(rows, "loss"), norm = column(rows, "grad_norm"), lr = column(rows, "lr"), wall = column(rows, "wall_s"),
                   validation = column(rows, "val_loss"), flags = column(rows, "flags");
        for (std::size_t i = 0; i < steps.size(); ++i) {
            EXPECT_EQ(shortest(steps[i].loss), loss[i]) << name << " " << i;
            EXPECT_EQ(shortest(steps[i].gradNorm), norm[i]) << name << " " << i;
            EXPECT_EQ(shortest(steps[i].lr), lr[i]) << name << " " << i;
            EXPECT_EQ(shortest(steps[i].wallSeconds), wall[i]) << name << " " << i;
            EXPECT_EQ(steps[i].validated() ? shortest(steps[i].validationLoss) : "", validation[i]) << name << " " << i;
            EXPECT_EQ(flagsText(steps[i].flags), flags[i]) << name << " " << i;
        }
    }
    EXPECT_TRUE(std::isnan(runs.at(1).back().loss));  // what such a rate ends in; else the test says less than it means to
}

TEST_F(Record, IsNeverWrittenOverAFile) {
    write("a.mantissa", "kept");
    const Outcome taken = run("train --steps 5 --record a.mantissa --csv csv");
    EXPECT_EQ(taken.exitCode, 2);
    expectOneLine(taken, "a.mantissa: exists already, and a recording is never written over another file");
    EXPECT_EQ(read(folder / "a.mantissa"), "kept");
    const Outcome homeless = run("train --steps 5 --record none/a.mantissa");
    EXPECT_EQ(homeless.exitCode, 2);
    expectOneLine(homeless, "none/a.mantissa: its folder does not exist");
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_F(Record, AFullDiskStopsNoTrainingAndIsExit3) {
    write("e.json", kTwoRuns);
    // No file grows beyond 100 blocks of 512 bytes: the program sees what it would see of a full disk.
    const Outcome outcome = shell("(trap '' XFSZ; ulimit -f 100; exec '" MANTISSA_PROGRAM
                                  "' train e.json --steps 2000 --record a.mantissa --save-weights weights --quiet) >stdout 2>stderr");
    EXPECT_EQ(outcome.exitCode, 3);
    // Once when it happens, and why the program ends so.
    for (const char* begin : {"mantissa: recording waits, because of this: File too large; a.mantissa holds ", "\nmantissa: --record: "})
        EXPECT_NE(outcome.err.find(begin), std::string::npos) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "weights" / "steady.safetensors"));
    for (const auto& [id, steps] : stepsOf("a.mantissa")) {
        for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i].step, static_cast<std::int64_t>(i)) << id;
        EXPECT_LT(steps.size(), 2000u);
    }
}

TEST_F(Record, ReplaySaysWhatIsDamaged) {
    write("e.json", kTwoRuns);
    ASSERT_EQ(run("train e.json --steps 600 --record a.mantissa --quiet").exitCode, 0);
    const std::string whole = read(folder / "a.mantissa");
    const Outcome good = run("replay a.mantissa --json");
    EXPECT_EQ(nlohmann::json::parse(good.out)["why_read_only"], "");
    EXPECT_EQ(good.err, "");
    // Which pages hold what depends on how often it was committed: of a cut file there is something to replay, or not even that.
    constexpr std::size_t kPage = 4096;
    const std::size_t pages = whole.size() / kPage;
    const std::string damage = "it is damaged; what could be read is shown";  // and then: 812 of 1200 steps
    for (const std::size_t kept : {pages - 1, pages * 3 / 4, pages / 2}) {
        write("cut.mantissa", whole.substr(0, kept * kPage));
        const Outcome cut = run("replay cut.mantissa --json");
        expectOneLine(cut, "cut.mantissa: ");
        EXPECT_NE(cut.err.find(damage + ": "), std::string::npos) << kept << " of " << pages << ": " << cut.err;
        EXPECT_NE(cut.err.find(" of 1200 steps\n"), std::string::npos) << cut.err;
        EXPECT_EQ(cut.exitCode, 3);
        if (!cut.out.empty()) {
            EXPECT_EQ(nlohmann::json::parse(cut.out)["why_read_only"], damage);
        }
    }

    ASSERT_EQ(run("train e.json --steps 0 --record empty.mantissa --quiet").exitCode, 0);
    const Outcome empty = run("replay empty.mantissa");
    EXPECT_EQ(empty.exitCode, 3);
    expectOneLine(empty, "empty.mantissa: it holds no step");
}

}  // namespace
}  // namespace mantissa
