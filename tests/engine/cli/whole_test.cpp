// SPDX-License-Identifier: Apache-2.0
// Recordings that are not whole, or not those of this data and program: replay, diagnose and export do what can be done, say in one line
// what is missing, and give no clean bill.
#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOneHot = R"({"data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 300,
    "runs": [{"name": "wide", "precision": "fp32"}, {"name": "hot", "precision": "fp16", "scaler": {"preset": "pytorch"}}],
    "events": [{"step": 12, "run": "hot", "set": {"/scaler/scale": 1073741824}}]})";
constexpr const char* kSound = R"({"data": {"order": "sequential"}, "model": {"hidden": [16]}, "steps": 300,
    "runs": [{"name": "a", "precision": "fp32"}, {"name": "b", "precision": "bf16"}]})";
constexpr const char* kNotClosed = "it was not closed: its last steps may be missing";

class Whole : public ProgramTest {
protected:
    /// Records `experiment` in a process of its own, which is killed once there are steps in the file itself.
    void recordAndKill(const std::string& experiment) const {
        write("e.json", experiment);
        // In braces, for what is killed is to be the program and no shell around it.
        const Outcome outcome =
            shell("{ '" MANTISSA_PROGRAM
                  "' train e.json --steps 100000000 --record k.mantissa --quiet >stdout 2>stderr & p=$!; i=0; "
                  "while [ $i -lt 600 ] && [ $(stat -c %s k.mantissa 2>/dev/null || echo 0) -lt 100000 ]; do sleep 0.05; i=$((i + 1)); "
                  "done; sleep 0.5; kill -9 $p; wait $p 2>/dev/null; true; }");
        ASSERT_EQ(outcome.exitCode, 0);
        ASSERT_TRUE(fs::exists(folder / "k.mantissa-wal"));
    }
    void record(const std::string& experiment) const {
        write("e.json", experiment);
        const Outcome outcome = run("train e.json --record a.mantissa --quiet");
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    }
    void changeBy(const std::string& sql) const {
        sqlite3* database = nullptr;
        sqlite3_open((folder / "a.mantissa").c_str(), &database);
        EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
        sqlite3_close(database);
    }
    /// Each command's outcome: its exit code and the one line on standard error.
    Outcome expect(const std::string& arguments, int exitCode, const std::string& sentence) const {
        Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, exitCode) << arguments << ": " << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), sentence.empty() ? 0 : 1) << outcome.err;
        EXPECT_NE(outcome.err.find(sentence), std::string::npos) << arguments << ": " << outcome.err;
        return outcome;
    }
};

TEST_F(Whole, AKilledRecordingIsReadToItsLastCommitAndIsNoCleanBill) {
    ASSERT_NO_FATAL_FAILURE(recordAndKill(kSound));
    fs::copy_file(folder / "k.mantissa", folder / "alone.mantissa");
    const std::string lost =
        "alone.mantissa: it was not closed, and its last steps may be missing: they would be in alone.mantissa-wal, which is not beside it";
    EXPECT_EQ(expect("diagnose alone.mantissa", 3, lost).out.rfind("No non-finite step is among the ", 0), 0u);
    EXPECT_EQ(expect("replay alone.mantissa", 3, lost).out.rfind("identical: ", 0), 0u);
    EXPECT_EQ(expect("export alone.mantissa --to csv --out alone", 3, lost).out, "alone/a.csv\nalone/b.csv\n");

    EXPECT_EQ(expect("export k.mantissa --to csv --out with", 0, kNotClosed).out, "with/a.csv\nwith/b.csv\n");
    EXPECT_GT(fs::file_size(folder / "with/a.csv"), fs::file_size(folder / "alone/a.csv"));
    expect("replay k.mantissa", 0, kNotClosed);
    expect("diagnose k.mantissa", 3, kNotClosed);
    EXPECT_EQ(nlohmann::json::parse(expect("diagnose k.mantissa --json", 3, kNotClosed).out)["complete"], false);
}

TEST_F(Whole, ANonFiniteStepOfAKilledRecordingIsAnAnswer) {
    ASSERT_NO_FATAL_FAILURE(recordAndKill(kOneHot));
    const nlohmann::json found = nlohmann::json::parse(expect("diagnose k.mantissa --json", 0, kNotClosed).out);
    EXPECT_EQ(found["step"], 12);
    EXPECT_EQ(found["reproduced"], true);
}

TEST_F(Whole, WhatIsCutOffOrEmptyIsExit3) {
    record(kSound);
    const std::string all = read(folder / "a.mantissa");
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{60}, std::size_t{4096}, all.size() * 3 / 4, all.size() - 1}) {
        write("cut.mantissa", all.substr(0, bytes));
        for (const char* command : {"diagnose cut.mantissa", "replay cut.mantissa", "export cut.mantissa --to csv --out o"}) {
            const Outcome outcome = expect(command, 3, "cut.mantissa: ");
            EXPECT_EQ(outcome.out.find("No step was bad"), std::string::npos) << bytes;
        }
    }
    expect("replay cut.mantissa", 3, " of 600 steps");
    changeBy("DELETE FROM steps WHERE seq > 590");
    expect("diagnose a.mantissa", 3, "a.mantissa: it is damaged; what could be read is shown: 590 of 600 steps");
    changeBy("DELETE FROM facts WHERE key IN ('state', 'steps_at_close'); DELETE FROM steps");
    for (const char* command : {"diagnose a.mantissa", "replay a.mantissa", "export a.mantissa --to csv --out o"})
        expect(command, 3, "a.mantissa: it holds no step");
    write("text.mantissa", "no recording");
    expect("diagnose text.mantissa", 2, "text.mantissa: is no recording of this program");
}

TEST_F(Whole, ANonFiniteStepBeyondAGapIsSaidThoughItCannotBeRepeated) {
    record(kOneHot);
    EXPECT_EQ(nlohmann::json::parse(expect("diagnose a.mantissa --json", 0, "").out)["reproduced"], true);
    changeBy("DELETE FROM steps WHERE run = 1 AND step = 5");
    const Outcome outcome =
        expect("diagnose a.mantissa", 3,
               "a.mantissa: step 12 of run 'hot' was bad, and cannot be repeated: what comes before it is missing: it is "
               "damaged; what could be read is shown: 599 of 600 steps");
    EXPECT_EQ(outcome.out, "");
    expect("diagnose a.mantissa --run wide --step 299", 3, "599 of 600 steps");
    expect("diagnose a.mantissa --run hot --step 400", 3, "599 of 600 steps");
}

TEST_F(Whole, DiagnoseSaysWhereTheRepeatedStepIsNotTheRecordedOne) {
    record(kOneHot);
    const std::string since = ": the data or the program have changed since, or this is another machine\n";
    changeBy("UPDATE steps SET loss = loss * (1 + 1e-12) WHERE run = 1 AND step = 12");
    const std::string differs = "a.mantissa: step 12 of run 'hot' comes out differently than it was recorded, loss ";
    const Outcome changed = expect("diagnose a.mantissa", 3, differs);
    EXPECT_TRUE(changed.err.ends_with(since)) << changed.err;
    EXPECT_NE(changed.out.find("Verdict: "), std::string::npos) << "what was found is said all the same";
    EXPECT_EQ(nlohmann::json::parse(expect("diagnose a.mantissa --json", 3, differs).out)["reproduced"], false);
    changeBy("UPDATE steps SET loss = loss + 1 WHERE run = 1 AND step = 7");
    expect("diagnose a.mantissa", 3, "a.mantissa: step 7 of run 'hot' comes out differently than it was recorded" + since);
    expect("diagnose a.mantissa --run wide --step 9", 0, "");
}

TEST_F(Whole, ARecordingThatDoesNotRepeatGetsNoCleanBill) {
    record(kOneHot);
    EXPECT_NE(expect("diagnose a.mantissa --run wide", 0, "").out.find("No step was bad"), std::string::npos);
    changeBy("UPDATE steps SET loss = loss + 1 WHERE run = 0 AND step = 299");
    const std::string differs = "of run 'wide' comes out differently than it was recorded";
    const Outcome changed = expect("diagnose a.mantissa --run wide", 3, differs);
    EXPECT_EQ(changed.out.find("No step was bad"), std::string::npos) << changed.out;
    EXPECT_NE(changed.out.find("the data or program changed since"), std::string::npos) << changed.out;
    const auto told = nlohmann::json::parse(expect("diagnose a.mantissa --run wide --json", 3, differs).out);
    EXPECT_TRUE(told["run"].is_null());
    EXPECT_EQ(told["reproduced"], false);
}

TEST_F(Whole, DataAndModelThatDoNotFitAreRefused) {
    const std::pair<std::string, std::string> misfits[] = {
        {R"({"kind":"mlp","hidden":[16]})", "model 'mlp' takes images and vectors, and 'opticks' has tokens"},
        {R"({"kind":"autoencoder","hidden":[16]})", "model 'autoencoder' takes images and vectors, and 'opticks' has tokens"},
        {R"({"kind":"resnet","depth":8})", "model 'resnet' takes images with classes, and 'opticks' has tokens"}};
    for (const auto& [model, sentence] : misfits) {
        record(R"({"data": {"name": "opticks", "batch_size": 2, "context": 8}, "steps": 4,
            "model": {"kind": "gpt", "n_layer": 1, "n_head": 2, "n_embd": 8}, "runs": [{"name": "run"}]})");
        changeBy("UPDATE log SET body = json_remove(json_set(body, '$.settings.model', json('" + model +
                 "')), '$.settings.sample_tokens', '$.settings.loss') WHERE kind = 'run'");
        for (const char* command : {"replay a.mantissa", "diagnose a.mantissa"}) expect(command, 2, sentence);
        fs::remove(folder / "a.mantissa");
    }
}

TEST_F(Whole, ANameOfControlCharactersDoesNothingToTheTerminal) {
    record(kSound);
    changeBy("DELETE FROM steps WHERE seq > 590");
    fs::rename(folder / "a.mantissa", folder / "\x1b[31ma.mantissa");
    expect("export '\x1b[31ma.mantissa' --to csv --out o", 3, "\\u001b[31ma.mantissa: it is damaged");
}

TEST_F(Whole, WhatFollowsFromAWrongSettingIsNotBlamedOnTheMachine) {
    record(R"({"model": {"hidden": [8]}, "steps": 12, "runs": [{"name": "a", "precision": "fp16"}],
        "events": [{"step": 5, "run": "a", "set": {"/precision": "bf16"}}]})");
    changeBy("UPDATE log SET body = json_set(body, '$.settings.optimizer.eps', -1) WHERE kind = 'run'");
    expect("diagnose a.mantissa", 3, "at /optimizer/eps: must not be negative");
}

TEST_F(Whole, StepsThatAreMissingInBetweenAreNamed) {
    record(kSound);
    changeBy("DELETE FROM steps WHERE run = 0 AND step BETWEEN 3 AND 5");
    expect("replay a.mantissa", 3, "run 'a' lacks its steps 3 to 5, and was compared up to there");
}

TEST_F(Whole, AnEntryThatIsNotWholeIsSaidWithItsMember) {
    const std::pair<const char*, const char*> changes[] = {
        {"json_set(body, '$.scheduled', 5)", "the entry of run 0 is not whole: 'scheduled' must be a list of steps"},
        {"json_remove(body, '$.train_count')", "the entry of run 0 is not whole: it has no 'train_count'"},
        {"json_set(body, '$.data_sum', 5)", "the entry of run 0 is not whole: 'data_sum' must be text"}};
    record(kSound);
    const std::string whole = read(folder / "a.mantissa");
    for (const auto& [change, sentence] : changes) {
        write("a.mantissa", whole);
        changeBy(std::string("UPDATE log SET body = ") + change + " WHERE kind = 'run' AND run = 0");
        expect("diagnose a.mantissa", 3, sentence);
        expect("replay a.mantissa", 2, sentence);
    }
}

TEST_F(Whole, ASettingThatIsWrongIsSaidWithItsPlace) {
    const std::pair<const char*, const char*> changes[] = {
        {R"(replace(body, '"kind":"mlp"', '"kind":"gpt"'))", "at /model/"},
        {R"(replace(body, '"batch_size":64', '"batch_size":0'))", "at /data/batch_size: "},
        {R"(replace(body, '"hidden":[16]', '"hidden":[0]'))", "at /model/hidden"},
        {R"(replace(body, '"eps":1e-08', '"eps":[]'))", "at /optimizer/eps: "}};
    record(kSound);
    const std::string whole = read(folder / "a.mantissa");
    for (const auto& [change, place] : changes) {
        write("a.mantissa", whole);
        changeBy(std::string("UPDATE log SET body = ") + change);
        const std::string sentence = expect("replay a.mantissa", 2, std::string("a.mantissa: ") + place).err;
        for (const char* command : {"diagnose a.mantissa", "diagnose a.mantissa --step 3", "diagnose a.mantissa --all",
                                    "export a.mantissa --to csv --out o", "export a.mantissa --to safetensors --out o"})
            expect(command, 2, sentence);
        expect("query a.mantissa 'SELECT count(*) FROM steps'", 3, place);
    }
}

TEST_F(Whole, AWrongRunDoesNotHideTheOthers) {
    record(kSound);
    changeBy(R"(UPDATE log SET body = replace(body, '"hidden":[16]', '"hidden":[0]') WHERE run <> 1)");
    const char* wrong = "at /model/hidden/0: must be at least 1";
    EXPECT_NE(expect("diagnose a.mantissa --step 3", 3, wrong).out.find("'b'"), std::string::npos);
    EXPECT_EQ(expect("export a.mantissa --to safetensors --out o", 3, wrong).out, "o/b.safetensors\n");
    EXPECT_EQ(expect("export a.mantissa --to csv --out o", 3, std::string("300 steps of run 0 are left out: ") + wrong).out, "o/b.csv\n");
}

TEST_F(Whole, AModelThatDoesNotFitIsNotExportedAsAProgram) {
    const auto withModel = [](const std::string& model, const std::string& kind, const std::string& settings) {
        return "UPDATE log SET body = json_remove(json_set(body, '" + settings + ".model', json('" + model + "')), '" + settings +
               ".loss') WHERE kind = '" + kind + "';";
    };
    const std::pair<std::string, std::string> models[] = {
        {R"({"kind":"mlp","hidden":[1048576,1048576]})", "at /model/hidden: a model of these widths needs more than 64 GiB"},
        {R"({"kind":"gpt","n_layer":1,"n_head":2,"n_embd":8})",
         "at /data/name: model 'gpt' takes tokens, and 'digits' has images or vectors"}};
    write("e.json", R"({"model": {"hidden": [16]}, "steps": 4, "runs": [{"name": "a"}]})");
    ASSERT_EQ(run("train e.json --record a.mantissa --quiet").exitCode, 0);
    const std::string whole = read(folder / "a.mantissa");
    for (const auto& [model, sentence] : models) {
        write("a.mantissa", whole);
        changeBy(withModel(model, "run", "$.settings") + withModel(model, "experiment_loaded", "$.runs[0].settings"));
        for (const char* command : {"replay a.mantissa", "export a.mantissa --to pytorch --out o"}) expect(command, 2, sentence);
    }
}

TEST_F(Whole, StepsOfAnUnknownRunAreLeftOutWithAWord) {
    record(kSound);
    changeBy("UPDATE steps SET run = 77 WHERE run = 1");
    const char* lost = "a.mantissa: 300 steps of run 77 are left out: the run has not begun";
    EXPECT_EQ(expect("export a.mantissa --to csv --out o", 3, lost).out, "o/a.csv\no/b.csv\n");
    expect("export a.mantissa --to html --out o", 3, lost);
    expect("export a.mantissa --to safetensors --out o", 3, "it has steps of run 77, which it has not begun");
    EXPECT_EQ(expect("query a.mantissa 'SELECT count(*) AS n FROM steps' --csv", 3, lost).out, "n\n300\n");
    changeBy("DELETE FROM log");
    expect("query a.mantissa 'SELECT * FROM runs'", 3, "300 steps of run 0 are left out: the run has not begun");
    expect("export a.mantissa --to csv --out o", 2, "the recording holds no run");
}

TEST_F(Whole, RunsOfOneNameHaveFilesOfTheirOwn) {
    record(kSound);
    changeBy(R"(UPDATE log SET body = replace(body, '"name":"a"', '"name":"b"'))");
    for (const std::string format : {"csv", "jsonl", "pytorch", "safetensors"}) {
        const Outcome outcome = run("export a.mantissa --to " + format + " --out " + format);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        const std::string ending = format == "pytorch" ? "py" : format;
        EXPECT_TRUE(fs::exists(folder / format / ("b." + ending)) && fs::exists(folder / format / ("b_2." + ending))) << outcome.out;
    }
}

TEST_F(Whole, AKilledRecordingIsReadToItsLastCommitThroughALink) {
    ASSERT_NO_FATAL_FAILURE(recordAndKill(kSound));
    fs::create_directory(folder / "elsewhere");
    fs::create_symlink(folder / "k.mantissa", folder / "elsewhere/link.mantissa");
    expect("export elsewhere/link.mantissa --to csv --out through", 0, kNotClosed);
    expect("export k.mantissa --to csv --out direct", 0, kNotClosed);
    EXPECT_EQ(read(folder / "through/a.csv"), read(folder / "direct/a.csv"));
    expect("replay elsewhere/link.mantissa", 0, kNotClosed);
}

}  // namespace
}  // namespace mantissa
