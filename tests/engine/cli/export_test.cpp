// SPDX-License-Identifier: Apache-2.0
// export: what is recorded comes out as it was.
#include <nlohmann/json.hpp>

#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using Export = ProgramTest;

// an fp16 run that overflows at once, one that an event makes NaN, and a setting that changes
constexpr const char* kLoud = R"({"title": "t & t", "model": {"hidden": [16]}, "steps": 30, "validation_interval": 10,
    "runs": [{"name": "a b/c", "precision": "fp16", "scaler": {"preset": "pytorch", "init_scale": 16777216}},
             {"name": "nan", "precision": "fp32"}],
    "events": [{"step": 20, "run": "nan", "set": {"/inject/input": "nan"}}, {"step": 5, "run": "a b/c", "set": {"/optimizer/lr": 0.01}}]})";

TEST_F(Export, EachFormat) {
    write("e.json", kLoud);
    ASSERT_EQ(run("train e.json --record r.mantissa --csv direct --quiet").exitCode, 0);
    const auto exported = [&](const std::string& format) {
        const Outcome outcome = run("export r.mantissa --to " + format + " --out " + format);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    };
    EXPECT_EQ(exported("csv"), "csv/a_b_c.csv\ncsv/nan.csv\n");
    for (const char* name : {"a_b_c.csv", "nan.csv"}) EXPECT_EQ(read(folder / "csv" / name), read(folder / "direct" / name));
    EXPECT_NE(read(folder / "csv/nan.csv").find(",nan,"), std::string::npos);
    EXPECT_NE(read(folder / "csv/a_b_c.csv").find("skipped|found_inf"), std::string::npos);

    EXPECT_EQ(exported("jsonl"), "jsonl/a_b_c.jsonl\njsonl/nan.jsonl\n");
    std::istringstream lines(read(folder / "jsonl/nan.jsonl"));
    std::vector<nlohmann::json> objects;
    for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
    EXPECT_EQ(objects.at(0)["settings"]["precision"], "fp32");
    EXPECT_EQ(objects.size(), 1 + 30 + 2u);  // the injection, and what it made
    EXPECT_EQ(objects.back()["step"], 29);
    EXPECT_EQ(objects.back()["loss"], "NaN");
    EXPECT_NE(read(folder / "jsonl/a_b_c.jsonl").find(R"({"event":"change","step":5,"pointer":"/optimizer/lr")"), std::string::npos);

    exported("tensorboard");
    EXPECT_TRUE(fs::is_directory(folder / "tensorboard/a_b_c"));
    EXPECT_EQ(exported("html"), "html/index.html\n");
    EXPECT_NE(read(folder / "html/index.html").find("t &amp; t"), std::string::npos);
    EXPECT_TRUE(exported("pytorch").starts_with(
        "pytorch/a_b_c.py\npytorch/a_b_c.batches.npy\npytorch/a_b_c.data.npz\npytorch/a_b_c.initial.safetensors\npytorch/nan.py\n"));
    const std::string program = read(folder / "pytorch/a_b_c.py");
    EXPECT_NE(program.find("init_scale=16777216.0"), std::string::npos);
    EXPECT_NE(program.find("# Left out: what was changed while it trained (lr at step 5)"), std::string::npos) << program;
    exported("keras");
    EXPECT_NE(read(folder / "keras/nan.py").find("import keras"), std::string::npos);
    ASSERT_EQ(run("train e.json --steps 17 --save-weights then --quiet").exitCode, 0);
    EXPECT_EQ(run("export r.mantissa --to safetensors --out weights --step 17").out,
              "weights/a_b_c.safetensors\nweights/nan.safetensors\n");
    for (const char* name : {"a_b_c", "nan"}) {
        const std::string file = std::string(name) + ".safetensors";
        EXPECT_TRUE(read(folder / "weights" / file) == read(folder / "then" / file)) << name;
    }
}

TEST_F(Export, SettingsOfOtherTrainersGoThereAndBack) {
    write("e.json", kLoud);
    ASSERT_EQ(run("train e.json --record r.mantissa --steps 2 --quiet").exitCode, 0);
    const Outcome exported = run("export r.mantissa --to deepspeed --out o");
    EXPECT_EQ(exported.out, "o/a_b_c.deepspeed.json\no/nan.deepspeed.json\n");
    EXPECT_NE(exported.err.find("mantissa: r.mantissa: run 'a b/c': left out: the rules of the loss scaler 'pytorch'"), std::string::npos)
        << exported.err;
    const Outcome imported = run("import o/a_b_c.deepspeed.json --name back --out back.json");
    EXPECT_EQ(imported.exitCode, 0) << imported.err;
    EXPECT_EQ(imported.out, "");
    EXPECT_NE(imported.err.find("mantissa: left out: the model and the data set"), std::string::npos) << imported.err;
    EXPECT_NE(run("plan back.json --json").out.find("fp16"), std::string::npos);
    EXPECT_EQ(run("train back.json --steps 2 --quiet").exitCode, 0);
    EXPECT_EQ(run("import o/a_b_c.deepspeed.json --out /dev/full").exitCode, 3);
    for (const char* bad :
         {"import missing.json", "import e.json", "import o", "import o/a_b_c.deepspeed.json --out nowhere/e.json", "import"}) {
        const Outcome outcome = run(bad);
        EXPECT_EQ(outcome.exitCode, 2) << bad;
        EXPECT_NE(outcome.err.find("mantissa: "), std::string::npos) << outcome.err;
    }
}

TEST_F(Export, OneSentenceForWhatCannotBe) {
    write("e.json", kLoud);
    write("text", "no recording");
    ASSERT_EQ(run("train e.json --record r.mantissa --steps 2 --quiet").exitCode, 0);
    const std::pair<const char*, const char*> cases[] = {{"export missing.mantissa --to csv --out o", "missing.mantissa: "},
                                                         {"export text --to csv --out o", "text: "},
                                                         {"export r.mantissa --to excel --out o", "--to"},
                                                         {"export r.mantissa --to csv", "--out"},
                                                         {"export r.mantissa --to csv --out o --step 1", "--step is for"},
                                                         {"export r.mantissa --to safetensors --out o --step 3", "come to step 3"},
                                                         {"export r.mantissa --to safetensors --out o --step -3", "--step"},
                                                         {"export r.mantissa --to csv --out text/below", "text/below: "}};
    for (const auto& [arguments, says] : cases) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
    fs::create_directories(folder / "o");
    fs::create_symlink("/dev/full", folder / "o/nan.csv");
    EXPECT_EQ(run("export r.mantissa --to csv --out o").exitCode, 3);
}

}  // namespace
}  // namespace mantissa
