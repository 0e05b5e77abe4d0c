// SPDX-License-Identifier: Apache-2.0
// race: the table, the object and the rows say the same, and the run's own scaler fares as it does in training.
#include <nlohmann/json.hpp>

#include "program.h"

namespace mantissa {
namespace {

using Parsed = nlohmann::json;

constexpr const char* kRun = R"({"data": {"order": "sequential", "batch_size": 16}, "model": {"hidden": [16]}, "steps": 40,
    "optimizer": {"kind": "sgd", "lr": 0.5}, "runs": [{"name": "wide", "precision": "fp32"},
    {"name": "scaled", "precision": "fp16", "scaler": {"preset": "pytorch", "init_scale": 16777216, "growth_interval": 3}}]})";

class RaceCommand : public ProgramTest {
protected:
    Parsed of(const std::string& arguments) {
        const Outcome outcome = run("race " + arguments + " --json");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return Parsed::parse(outcome.out);
    }
    void expectRefusal(const std::string& arguments, const std::string& sentence) {
        const Outcome outcome = run("race " + arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(outcome.err, "mantissa: " + sentence + "\n") << arguments;
        EXPECT_EQ(outcome.out, "");
    }
};

TEST_F(RaceCommand, TheRunsOwnScalerFaresAsInTraining) {
    write("e.json", kRun);
    const Parsed race = of("e.json --csv rows.csv");
    EXPECT_EQ(race["run"], "scaled") << "the first with a loss scale";
    EXPECT_EQ(race["as_if"], "");
    ASSERT_EQ(race["thresholds"].size(), 40u);
    ASSERT_EQ(run("train e.json --quiet --csv trained").exitCode, 0);
    std::istringstream rows(read(folder / "rows.csv")), trained(read(folder / "trained" / "scaled.csv"));
    std::string row, record;
    std::getline(rows, row), std::getline(trained, record);
    EXPECT_TRUE(row.starts_with("step,highest_scale,overflow_from,gradient_max,\"as this run has it (pytorch)\",\"static\","));
    const auto column = [](const std::string& line, int number) {
        std::istringstream cells(line);
        std::string cell;
        for (int i = 0; i <= number; ++i) std::getline(cells, cell, ',');
        return cell;
    };
    int place = 0;
    while (column(record, place) != "loss_scale") ++place;
    int steps = 0;
    for (; std::getline(rows, row) && std::getline(trained, record); ++steps) EXPECT_EQ(column(row, 4), column(record, place)) << row;
    EXPECT_EQ(steps, 40);
    EXPECT_GT(race["entrants"][0]["wasted_steps"], 4);
    EXPECT_EQ(race["entrants"][0]["skipped"].size(), race["entrants"][0]["wasted_steps"]);
}

TEST_F(RaceCommand, TextSaysWhatJsonSays) {
    write("e.json", kRun);
    const Parsed race = of("e.json");
    const std::string text = run("race e.json").out;
    EXPECT_TRUE(text.starts_with("Run 'scaled', 40 steps\n\npreset ")) << text;
    std::istringstream lines(text);
    std::string line;
    std::size_t found = 0;
    while (std::getline(lines, line)) {
        for (const Parsed& entrant : race["entrants"]) {
            const auto name = entrant["name"].get<std::string>();
            if (!line.starts_with(name + "  ")) continue;
            std::istringstream cells(line.substr(name.size()));
            std::int64_t skippedSteps = -1, longest = -1;
            cells >> skippedSteps >> longest;
            EXPECT_EQ(skippedSteps, entrant["wasted_steps"]) << line;
            EXPECT_EQ(longest, entrant["longest_row"]) << line;
            ++found;
        }
    }
    EXPECT_EQ(found, race["entrants"].size());
    EXPECT_NE(text.find("would train other weights"), std::string::npos);
}

TEST_F(RaceCommand, EntrantsAndStepsAreChosen) {
    write("e.json", kRun);
    const Parsed race = of("e.json --run wide --steps 7 --preset pytorch,growth_interval=2,init_scale=8 --preset deepspeed");
    EXPECT_EQ(race["as_if"], "fp16");
    EXPECT_EQ(race["thresholds"].size(), 7u);
    ASSERT_EQ(race["entrants"].size(), 3u);
    EXPECT_EQ(race["entrants"][0]["preset"], "none");
    EXPECT_EQ(race["entrants"][1]["name"], "pytorch,growth_interval=2,init_scale=8");
    EXPECT_EQ(race["entrants"][1]["final_scale"], 64) << "three times doubled in seven steps";
    EXPECT_EQ(race["entrants"][1]["ended_at"], nullptr);
    const Parsed hopeless = of("e.json --set /optimizer/lr=1e30 --preset deepspeed,init_scale=2");
    EXPECT_EQ(hopeless["entrants"][1]["ended_at"].is_number(), true);
    EXPECT_NE(run("race e.json --set /optimizer/lr=1e30 --preset deepspeed,init_scale=2").out.find(" stops.\n"), std::string::npos);
}

TEST_F(RaceCommand, WhatIsNotThereIsRefusedInOneLine) {
    write("e.json", kRun);
    write("r.mantissa", "");
    expectRefusal("r.mantissa", "r.mantissa: is a recording, not an experiment; mantissa diagnose, replay and export read it");
    expectRefusal("e.json --run scalde", "e.json: there is no run 'scalde' (did you mean 'scaled'?)");
    expectRefusal("e.json --preset pytroch", "race: preset: 'pytroch' is not a scaler preset");
    expectRefusal("e.json --preset pytorch,growth_interval=0",
                  "race: --preset pytorch,growth_interval=0: growth_interval: must be at least 1");
    EXPECT_EQ(run("race e.json --preset pytorch,growth=2").exitCode, 2);
    EXPECT_EQ(run("race e.json --preset pytorch,").exitCode, 2);
    EXPECT_EQ(run("race e.json --steps 0").exitCode, 2);
    EXPECT_EQ(run("race none.json").exitCode, 2);
    EXPECT_EQ(run("race").exitCode, 2);
    EXPECT_EQ(run("race e.json --steps 2 --csv no/such/folder.csv").exitCode, 3);
    EXPECT_EQ(run("race --help").exitCode, 0);
}

}  // namespace
}  // namespace mantissa
