// SPDX-License-Identifier: Apache-2.0
// query: SQL over a recording gives what was recorded, and only reads.
#include <nlohmann/json.hpp>

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
        std::istringstream lines(outcome.out);
        std::ostringstream expected, actual;
        expected << read(folder / file);
        for (std::string line; std::getline(lines, line);) actual << line.substr(line.find(',', line.find(',') + 1) + 1) << '\n';
        std::string csv = expected.str();
        for (std::size_t at; (at = csv.find(",nan")) != std::string::npos;) csv.erase(at + 1, 3);  // NaN is NULL
        EXPECT_EQ(actual.str(), csv);
    }
}

TEST_F(Query, RunsEventsAndFactsAreTables) {
    record();
    const auto runs =
        asked("SELECT run, name, format, scaler, steps, stopped, parent, json_extract(settings, \"$.scaler.preset\") AS preset FROM runs");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0]["name"], "a b");
    EXPECT_EQ(runs[0]["format"], "fp16");
    EXPECT_EQ(runs[0]["scaler"], "pytorch");
    EXPECT_EQ(runs[0]["preset"], "pytorch");
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
    for (const char* sql : {"DELETE FROM steps", "INSERT INTO notes VALUES (1,2,3,4)", "ATTACH \"x.db\" AS x", "CREATE TABLE t (a)",
                            "PRAGMA journal_mode", "SELECT 1; SELECT 2", "SELEC 1", "SELECT nothing FROM steps",
                            "SELECT load_extension(\"x\")", ";", "BEGIN", "VACUUM INTO \"x.db\""}) {
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
    ASSERT_EQ(tables.size(), 6u);
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
}

}  // namespace
}  // namespace mantissa
