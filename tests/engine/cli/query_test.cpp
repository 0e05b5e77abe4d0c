// SPDX-License-Identifier: Apache-2.0
// query: SQL over a recording gives what was recorded, and only reads.
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/recording/recorder.h"
#include "engine/wire/wire.h"
#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

class Query : public ProgramTest {
protected:
    // an fp16 run that overflows at once, one that an event makes NaN, and a setting that changes
    void record() {
        write("e.json", R"({"title": "t", "model": {"hidden": [16]}, "steps": 30, "validation_interval": 10,
            "runs": [{"name": "a b", "precision": "fp16", "scaler": {"preset": "pytorch", "init_scale": 16777216}},
                     {"name": "nan", "precision": "fp32"}],
            "events": [{"step": 20, "run": "nan", "set": {"/inject/input": "nan"}},
                       {"step": 5, "run": "a b", "set": {"/optimizer/lr": 0.01}}]})");
        ASSERT_EQ(run("train e.json --record r.mantissa --csv direct --quiet").exitCode, 0);
    }
    // Entries that a session writes after questions and commands of the window.
    void append(const Event& event, RunId id, std::int64_t step) {
        nlohmann::ordered_json message = messageOf(event);
        makeStorable(message);
        Recorder::resume((folder / "r.mantissa").string(), [](const RecordingState&) {
        })->append(LogEntry{message["type"], id, step, std::move(message["body"])});
    }
    nlohmann::json asked(const std::string& sql, const std::string& file = "r.mantissa") {
        const Outcome outcome = run("query " + file + " '" + sql + "' --json");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out, nullptr, false);
    }
};

TEST_F(Query, StepsAreThoseOfTheCsv) {
    record();
    for (const auto& [name, file] : {std::pair("a b", "direct/a_b.csv"), std::pair("nan", "direct/nan.csv")}) {
        const Outcome outcome = run("query r.mantissa \"SELECT * FROM steps WHERE name = '" + std::string(name) + "'\" --csv");
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        write("asked.csv", outcome.out);
        const Rows expected = readCsv(folder / file), rows = readCsv(folder / "asked.csv");
        ASSERT_EQ(rows.size(), expected.size());
        std::size_t nans = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::vector<std::string> cells(rows[i].begin() + 2, rows[i].end() - 1);
            const std::string nanColumns = "|" + rows[i].back() + "|";
            for (std::size_t column = 0; i > 0 && column < cells.size(); ++column) {
                if (nanColumns.find("|" + expected[0][column] + "|") == std::string::npos) continue;
                EXPECT_EQ(cells[column], "");
                cells[column] = "nan", ++nans;
            }
            EXPECT_EQ(cells, expected[i]) << i;
        }
        EXPECT_GT(nans, 0u);
    }
}

TEST_F(Query, RunsEventsAndFactsAreTables) {
    record();
    const auto runs = asked(
        "SELECT run, name, format, scaler, seed, steps, stopped, parent, json_extract(settings, \"$.scaler.preset\") AS preset FROM runs");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0]["name"], "a b");
    EXPECT_EQ(runs[0]["format"], "fp16");
    EXPECT_EQ(runs[0]["scaler"], "pytorch");
    EXPECT_EQ(runs[0]["preset"], "pytorch");
    EXPECT_EQ(runs[0]["seed"], 1);
    EXPECT_EQ(runs[0]["steps"], 30);
    EXPECT_TRUE(runs[0]["stopped"].is_null() && runs[0]["parent"].is_null());
    const auto changes = asked("SELECT name, step, pointer, new FROM changes WHERE pointer = \"/optimizer/lr\"");
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0], nlohmann::json({{"name", "a b"}, {"step", 5}, {"pointer", "/optimizer/lr"}, {"new", "0.01"}}));
    const auto found =
        asked("SELECT n.step, n.tensor, n.class, s.flags FROM nonfinite n JOIN steps s USING (run, step) WHERE n.name = \"nan\"");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0]["step"], 20);
    EXPECT_EQ(found[0]["class"], "NaN");
    EXPECT_NE(found[0]["flags"].get<std::string>().find("loss_nonfinite"), std::string::npos) << found[0];
    EXPECT_EQ(asked("SELECT value FROM facts WHERE key = \"title\"")[0]["value"], "t");
    EXPECT_EQ(asked("SELECT count(*) AS n FROM notes")[0]["n"], 0);
    const auto joined = asked("SELECT r.format, max(s.step) AS last FROM runs r JOIN steps s USING (run) GROUP BY run");
    EXPECT_EQ(joined, nlohmann::json::parse(R"([{"format":"fp16","last":29},{"format":"fp32","last":29}])"));
}

TEST_F(Query, EventsAreSentencesAndJson) {
    record();
    Examination examination{.step = 7};
    examination.verdict.headline = Text::verbatim("Too high.");
    examination.verdict.explanation = Text::verbatim("By far.");
    append(StepExamined{0, examination}, 0, 7);
    append(NoteWritten{0, {.id = 0, .run = -1, .step = 3, .text = "look \"here\""}}, -1, 3);
    append(RunStopped{0, 30, "its scale is too small"}, 0, 30);
    const auto events = asked("SELECT step, kind, text, body FROM events WHERE run = 0 AND kind <> \"nonfinite\"");
    ASSERT_EQ(events.size(), 4u) << events;
    const auto expect = [&](std::size_t i, int step, const char* kind, const char* text) {
        EXPECT_EQ(events[i]["step"], step);
        EXPECT_EQ(events[i]["kind"], kind);
        EXPECT_EQ(events[i]["text"], text);
        const auto body = nlohmann::json::parse(events[i]["body"].get<std::string>());
        EXPECT_EQ(body["event"], kind);
        EXPECT_EQ(body["step"], step);
    };
    expect(0, 3, "note", "look \"here\"");
    expect(1, 5, "change", "lr 0.001 \u2192 0.01");
    expect(2, 7, "verdict", "Too high. By far.");
    expect(3, 30, "stop", "its scale is too small");
    EXPECT_EQ(asked("SELECT json_extract(body, \"$.headline\") AS h FROM events WHERE kind = \"verdict\"")[0]["h"], "Too high.");
    EXPECT_EQ(asked("SELECT stopped FROM runs WHERE run = 0")[0]["stopped"], "its scale is too small");
    EXPECT_EQ(asked("SELECT run, text FROM notes").size(), 2u) << "a note about all runs";
    const auto found =
        asked("SELECT e.text, n.tensor FROM events e JOIN nonfinite n USING (run, step) WHERE kind = \"nonfinite\" AND run = 1");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0]["text"].get<std::string>().starts_with("NaN in " + found[0]["tensor"].get<std::string>() + " (")) << found;
    append(RunRewound{0, 6}, 0, 6);
    EXPECT_EQ(asked("SELECT kind FROM events WHERE run = 0 AND step > 5").size(), 0u) << "what a rewind undid";
}

TEST_F(Query, RealNumbersAreRealAndCountsWhole) {
    record();
    const auto row = asked(
        "SELECT 1 / loss_scale AS inverse, typeof(loss_scale) AS scale, typeof(epoch) AS epoch, typeof(step) AS step, "
        "typeof(skipped) AS skipped, typeof(val_loss) AS absent, typeof(flags) AS flags FROM steps LIMIT 1")[0];
    EXPECT_EQ(row, nlohmann::json::parse(R"({"inverse":5.9604644775390625e-08,"scale":"real","epoch":"real","step":"integer",
                                             "skipped":"integer","absent":"null","flags":"text"})"));
}

TEST_F(Query, EveryNumberOfAStepComesBack) {
    record();
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const StepRecord record{.step = 30,
                            .samples = 1,
                            .loss = infinity,
                            .validationLoss = nan,
                            .validationAccuracy = 1,
                            .lossScale = nan,
                            .gradNorm = -infinity,
                            .lr = -0.0,
                            .stepMs = 0.1,
                            .samplesPerSecond = 5e-324,
                            .flags = kFlagValidated};
    Recorder::resume((folder / "r.mantissa").string(), [](const RecordingState&) {})->append(1, std::span(&record, 1));
    const std::string columns = "loss, val_loss, val_accuracy, loss_scale, grad_norm, lr, step_ms, samples_per_s, nan_columns FROM steps ";
    EXPECT_EQ(asked("SELECT " + columns + "WHERE step = 30")[0].dump(),
              R"({"grad_norm":"-Infinity","loss":"Infinity","loss_scale":null,)"
              R"("lr":-0.0,"nan_columns":"val_loss|loss_scale",)"
              R"("samples_per_s":5e-324,"step_ms":0.1,"val_accuracy":1.0,"val_loss":null})");
    EXPECT_EQ(run("query r.mantissa 'SELECT " + columns + "WHERE loss = 9e999 AND grad_norm < 0' --csv").out,
              "loss,val_loss,val_accuracy,loss_scale,grad_norm,lr,step_ms,samples_per_s,nan_columns\n"
              "inf,,1,,-inf,-0,0.1,5e-324,val_loss|loss_scale\n");
}

TEST_F(Query, JsonKeepsColumnsOfOneName) {
    record();
    EXPECT_EQ(asked("SELECT 1 AS a, 2 AS a, 3 AS \"a:1\", 4 AS a"), nlohmann::json::parse(R"([{"a":1,"a:2":2,"a:1":3,"a:3":4}])"));
    EXPECT_EQ(run("query r.mantissa 'SELECT 1 AS a, 2 AS a' --csv").out, "a,a\n1,2\n");
    EXPECT_EQ(run("query r.mantissa \"SELECT 'x,\\\"' AS a, NULL AS b, 9e999 AS c\" --csv").out, "a,b,c\n\"x,\"\"\",,inf\n");
}

TEST_F(Query, TakesWhatSqliteTakesAsOneStatement) {
    record();
    for (const char* sql :
         {"SELECT 1 AS a; -- one", ";; SELECT 1 AS a /* one */;;", "WITH stops AS (SELECT 1 AS a) SELECT a FROM STOPS",
          "SELECT value AS a FROM json_each(\"[1]\")", "SELECT DISTINCT json_extract(settings, \"$.init.seed\") AS a FROM RUNS"})
        EXPECT_EQ(asked(sql), nlohmann::json::parse(R"([{"a":1}])")) << sql;
}

TEST_F(Query, NonFiniteNumbersStayOutOfMeans) {
    record();
    const auto mean = asked("SELECT avg(loss) AS mean, count(loss) AS finite, count(*) AS steps FROM steps WHERE name = \"nan\"");
    EXPECT_TRUE(mean[0]["mean"].is_number());
    EXPECT_EQ(mean[0]["finite"], 20);
    EXPECT_EQ(mean[0]["steps"], 30);
    EXPECT_EQ(asked("SELECT 9e999 AS a, -9e999 AS b, zeroblob(2) AS c"),
              nlohmann::json::parse(R"([{"a":"Infinity","b":"-Infinity","c":"0000"}])"));
    EXPECT_EQ(run("query r.mantissa 'SELECT 9e999 AS a, NULL AS b, 1.5 AS c'").out, "  a  b    c\ninf     1.5\n");
    EXPECT_EQ(run("query r.mantissa 'SELECT 12 AS a, \"x\" || char(10) || \"  y\" AS text'").out, " a  text\n12  x y\n");
}

TEST_F(Query, OnlyReads) {
    record();
    const std::string before = read(folder / "r.mantissa");
    for (const char* sql : {"DELETE FROM steps",
                            "INSERT INTO notes VALUES (1,2,3,4)",
                            "ATTACH \"x.db\" AS x",
                            "CREATE TABLE t (a)",
                            "PRAGMA journal_mode",
                            "SELECT 1; SELECT 2",
                            "SELEC 1",
                            "SELECT nothing FROM steps",
                            "SELECT load_extension(\"x\")",
                            ";",
                            "",
                            "-- none",
                            "SELECT 1; nonsense",
                            "SELECT 1; ATTACH \"x.db\" AS x",
                            "EXPLAIN DELETE FROM steps",
                            "SELECT \"a\n",
                            "REPLACE INTO runs SELECT * FROM runs",
                            "WITH t AS (SELECT 1) UPDATE steps SET loss = 0",
                            "BEGIN",
                            "VACUUM INTO \"x.db\""}) {
        const Outcome outcome = run("query r.mantissa '" + std::string(sql) + "'");
        EXPECT_EQ(outcome.exitCode, 2) << sql;
        EXPECT_EQ(outcome.out, "") << sql;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_TRUE(outcome.err.starts_with("mantissa: SQL: ")) << outcome.err;
    }
    EXPECT_EQ(read(folder / "r.mantissa"), before);
    EXPECT_FALSE(std::filesystem::exists(folder / "x.db"));
    EXPECT_EQ(run("query missing.mantissa 'SELECT 1'").exitCode, 2);
    EXPECT_EQ(run("query e.json 'SELECT 1'").exitCode, 2);
    EXPECT_EQ(run("query r.mantissa 'SELECT 1' --json --csv").exitCode, 2);
}

TEST_F(Query, ListsItsTables) {
    record();
    const auto tables = nlohmann::json::parse(run("query r.mantissa --json").out)["tables"];
    ASSERT_EQ(tables.size(), 7u);
    const std::string text = run("query r.mantissa").out;
    for (const auto& table : tables) {
        const std::string name = table["name"];
        EXPECT_NE(text.find(name + ": "), std::string::npos);
        const Outcome outcome = run("query r.mantissa 'SELECT * FROM " + name + " LIMIT 0' --csv");
        std::string columns;
        for (const auto& column : table["columns"]) columns += (columns.empty() ? "" : ",") + column.get<std::string>();
        EXPECT_EQ(outcome.out, columns + "\n");
    }
}

TEST_F(Query, ADamagedRecordingGivesWhatCanBeRead) {
    record();
    const auto bytes = std::filesystem::file_size(folder / "r.mantissa");
    std::filesystem::resize_file(folder / "r.mantissa", bytes * 6 / 10);
    const Outcome outcome = run("query r.mantissa 'SELECT count(*) AS n FROM steps' --json");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("mantissa: r.mantissa: ")) << outcome.err;
    const auto rows = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_EQ(rows.size(), 1u) << outcome.out;
    EXPECT_LT(rows[0]["n"], 60);
    EXPECT_EQ(run("query r.mantissa 'SELECT nothing FROM steps'").exitCode, 2);
}

TEST_F(Query, RunsKeepTheirNumbersWhereTheirInfoIsLost) {
    record();
    const Recording whole((folder / "r.mantissa").string());
    {
        Recorder part((folder / "part.mantissa").string(), whole.facts(), [](const RecordingState&) {});
        whole.read({.steps = [&](RunId id, std::span<const StepRecord> records) { part.append(id, records); },
                    .entry =
                        [&](const LogEntry& entry) {
                            if (entry.kind != "experiment_loaded" && entry.kind != "run_changed") part.append(entry);
                        }});
    }
    const auto runs = asked("SELECT run, count(*) AS n FROM steps GROUP BY run", "part.mantissa");
    EXPECT_EQ(runs, nlohmann::json::parse(R"([{"run":0,"n":30},{"run":1,"n":30}])"));
    EXPECT_EQ(asked("SELECT name, format FROM runs", "part.mantissa"),
              nlohmann::json::parse(R"([{"name":"a b","format":null},{"name":"nan","format":null}])"));
}

}  // namespace
}  // namespace mantissa
