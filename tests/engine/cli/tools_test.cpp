// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/recording/temporary_folder.h"
#include "engine/wire/wire.h"
#include "program.h"
#include "tests/support/sanitized.h"

namespace mantissa {
namespace {

using Tools = ProgramTest;
using nlohmann::json;

std::string bytesOf(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::vector<float> floatsOf(const std::string& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

TEST_F(Tools, ConvertIsAFilterOfFloats) {
    const Outcome outcome =
        run("convert --to fp16", bytesOf({65519.0f, 65520.0f, 0x1p-25f, 0x1.8p-25f, std::nanf(""), 1.0f + 0x1p-11f, -0.0f}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const auto values = floatsOf(outcome.out);
    ASSERT_EQ(values.size(), 7u);
    EXPECT_EQ(values[0], 65504.0f);
    EXPECT_TRUE(std::isinf(values[1]));
    EXPECT_EQ(values[2], 0.0f);
    EXPECT_EQ(values[3], 0x1p-24f);
    EXPECT_TRUE(std::isnan(values[4]));
    EXPECT_EQ(values[5], 1.0f);
    EXPECT_TRUE(std::signbit(values[6]));
}

TEST_F(Tools, ConvertRefusesACutFloat) {
    const Outcome outcome = run("convert --to bf16", bytesOf({1.0f}) + "ab");
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(floatsOf(outcome.out).size(), 1u);
}

TEST_F(Tools, ConvertKnowsEveryFormatRoundingAndSaturation) {
    const float inf = std::numeric_limits<float>::infinity();
    struct Expected {
        const char* arguments;
        std::vector<float> in, out;
    };
    const Expected expected[] = {
        {"--to fp8_e4m3", {464, -449, 0x1p-10f, 0x1.8p-10f, 1.0625f}, {448, -448, 0, 0x1p-9f, 1}},
        {"--to e4m3 --saturate", {1e9f, -inf, 464.1f}, {448, -448, 448}},
        {"--to fp8_e5m2 --rounding nearest-even", {61440, -61439, 0x1p-17f}, {inf, -57344, 0}},
        {"--to e5m2 --saturate", {61440, -inf}, {57344, -57344}},
        {"--to fp16 --rounding toward-zero", {1e9f, 1 + 0x1.fp-11f, -0x1.fp-25f}, {65504, 1, -0.0f}},
        {"--to tf32 --rounding nearest-away", {1 + 0x1p-11f, -(1 + 0x1p-11f)}, {1 + 0x1p-10f, -(1 + 0x1p-10f)}},
        {"--to tf32 --rounding toward-zero", {1 + 0x1.ffp-11f}, {1}},
        {"--to bf16 --saturate", {3.4e38f, inf}, {0x1.fep127f, 0x1.fep127f}},
        {"--to fp4_e2m1", {5, 5.01f, -1e9f, 0.25f}, {4, 6, -6, 0}},
        {"--to fp6_e2m3", {100, 0.07f}, {7.5f, 0.125f}},
        {"--to fp6_e3m2", {-100, 0.04f}, {-28, 0.0625f}},
        {"--to e8m0 --rounding toward-zero", {3.9f, -5, 0}, {2, 4, 0x1p-127f}},
    };
    for (const Expected& e : expected) {
        const Outcome outcome = run(std::string("convert ") + e.arguments, bytesOf(e.in));
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(floatsOf(outcome.out), e.out) << e.arguments;
    }
    for (const char* format : {"fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp6_e2m3", "fp6_e3m2", "fp4_e2m1", "e8m0"}) {
        for (const char* rounding : {"nearest-even", "nearest-away", "toward-zero", "stochastic --saturate"}) {
            const auto values =
                floatsOf(run(std::string("convert --to ") + format + " --rounding " + rounding, bytesOf({std::nanf("")})).out);
            ASSERT_EQ(values.size(), 1u);
            EXPECT_TRUE(std::isnan(values[0])) << format << ' ' << rounding;
        }
    }
}

TEST_F(Tools, ConvertQuantisesInBlocks) {
    std::vector<float> in(40, 0.25f);
    in[0] = 1.9f;
    in[39] = 1000;  // in the second block, which is short
    std::vector<float> floor(40, 0.25f), roundUp = floor;
    floor[0] = 1.75f;  // saturated
    roundUp[0] = 1.875f;
    for (std::size_t i = 32; i < 39; ++i) floor[i] = roundUp[i] = 0.25f;
    floor[39] = 896;  // 1000 / 2 saturates at 448
    roundUp[39] = 1024;
    EXPECT_EQ(floatsOf(run("convert --to mxfp8_e4m3", bytesOf(in)).out), floor);
    EXPECT_EQ(floatsOf(run("convert --to mxfp8_e4m3 --scale-rule round-up", bytesOf(in)).out), roundUp);
    const auto nvfp4 = floatsOf(run("convert --to nvfp4 --dialect exact", bytesOf({6, 3, -1.4f, 0.2f})).out);
    EXPECT_EQ(nvfp4, (std::vector<float>{6, 3, -1.5f, 0}));
    const float inverse = 1.0f / 448;  // of the tensor's factor: Transformer Engine's order multiplies by it
    const auto te = floatsOf(run("convert --to nvfp4", bytesOf({6, 3, -1.4f, 0.2f})).out);
    EXPECT_EQ(te, (std::vector<float>{6 * 448 * inverse, 3 * 448 * inverse, -1.5f * 448 * inverse, 0}));
    EXPECT_EQ(floatsOf(run("convert --to nvfp4 --dialect llama.cpp", bytesOf({6, 5, -2.5f, std::nanf("")})).out),
              (std::vector<float>{6, 4, -2, 0}));
    EXPECT_EQ(run("convert --to nvfp4 --scale-rule floor", bytesOf(in)).exitCode, 2);
    EXPECT_EQ(run("convert --to mxfp8_e4m3 --scale-rule fp32", bytesOf(in)).exitCode, 2);
    const float scale = 1 / (448.0f / 3);
    EXPECT_EQ(floatsOf(run("convert --to fp8_block_e4m3 --scale-rule fp32", bytesOf({3, 1})).out),
              (std::vector<float>{448 * scale, 144 * scale}));
    EXPECT_EQ(run("convert --to mxfp4 --scale-rule up", bytesOf(in)).exitCode, 2);
    for (const char* rule : {"floor", "round-up", "rceil", "ceil", "even"})
        EXPECT_EQ(run(std::string("convert --to mxfp4 --scale-rule ") + rule, bytesOf(in)).exitCode, 0) << rule;
    EXPECT_EQ(floatsOf(run("convert --to mxfp4 --scale-rule ceil", bytesOf({7, 1})).out), (std::vector<float>{8, 1}));
    EXPECT_EQ(floatsOf(run("convert --to mxfp4 --scale-rule even", bytesOf({6.9f, 1})).out), (std::vector<float>{6, 1}));
    for (const char* wrong : {"--to mxfp4 --dialect te", "--to nvfp4 --dialect ti", "--to nvfp4 --dialect llama.cpp --rounding stochastic",
                              "--to fp16 --dialect te", "--to fp16 --columns 4", "--to mxfp4 --block 16x16 --columns 4",
                              "--to mxfp4 --block 32x1", "--to mxfp4 --columns 7", "--to mxfp4 --columns 0"})
        EXPECT_EQ(run(std::string("convert ") + wrong, bytesOf(in)).exitCode, 2) << wrong;
    EXPECT_EQ(run("convert --to mxfp4", bytesOf(in) + "x").exitCode, 2);
}

// A matrix of two columns: in columns each has its own scale, in squares all have that of the 1000.
TEST_F(Tools, ConvertQuantisesColumnsAndSquares) {
    const std::string matrix = bytesOf({1000, 0.5f, 8, 0.75f});
    const auto convert = [&](const std::string& block) {
        return floatsOf(run("convert --to mxfp4 --scale-rule round-up --columns 2 --block " + block, matrix).out);
    };
    EXPECT_EQ(convert("32x1"), (std::vector<float>{1024, 0.5f, 0, 0.75f}));
    EXPECT_EQ(convert("32x32"), (std::vector<float>{1024, 0, 0, 0}));
    EXPECT_EQ(convert("1x32"), (std::vector<float>{1024, 0, 8, 1}));
}

// The random bits belong to a number's place in the stream: the same for each run, others for another seed.
TEST_F(Tools, ConvertRoundsStochasticallyByTheSeed) {
    const std::vector<float> in(200'000, 1 + 0x1p-9f);
    const auto convert = [&](const std::string& seed) {
        return run("convert --to bf16 --rounding stochastic --seed " + seed, bytesOf(in)).out;
    };
    const std::string one = convert("1");
    EXPECT_EQ(one, convert("1"));
    EXPECT_NE(one, convert("2"));
    const auto values = floatsOf(one);
    const auto up = std::count(values.begin(), values.end(), 1 + 0x1p-7f);
    EXPECT_EQ(up + std::count(values.begin(), values.end(), 1.0f), 200'000);
    EXPECT_NEAR(static_cast<double>(up), 50'000, 5 * std::sqrt(200'000 * 0.25 * 0.75));  // a quarter of an ulp was dropped
    EXPECT_EQ(run("convert --to bf16 --seed -1").exitCode, 2);
    const Outcome unknown = run("convert --to bf16 --rounding up");
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_NE(unknown.err.find("nearest-even, nearest-away, toward-zero, stochastic"), std::string::npos) << unknown.err;
}

TEST_F(Tools, SimulateScalerWritesTheScaleAfterEachStep) {
    const Outcome outcome = run("simulate-scaler pytorch --set init_scale=8 --set growth_interval=2", "0\n0\n0\n1\n0\n0\n");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "8\n16\n16\n8\n8\n16\n");
    const Outcome bad = run("simulate-scaler pytorch", "0\nyes\n");
    EXPECT_EQ(bad.exitCode, 2);
    EXPECT_NE(bad.err.find("line 2"), std::string::npos);
}

TEST_F(Tools, SimulateScalerKnowsEveryPresetAndKey) {
    for (const char* preset : {"none", "static", "pytorch", "keras3", "tf-keras", "apex", "megatron", "deepspeed", "deepspeed-consecutive",
                               "fairseq", "jmp", "flax", "logmax"}) {
        const Outcome outcome = run(std::string("simulate-scaler ") + preset, "0\n1\r\n0");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3) << preset;
    }
    const Outcome all =
        run("simulate-scaler megatron --set init_scale=64 --set growth_factor=4 --set backoff_factor=0.125 --set growth_interval=2 "
            "--set min_scale=16 --set max_scale=512 --set hysteresis=3",
            "1\n1\n1\n1\n0\n0\n0\n0\n0\n0\n");
    EXPECT_EQ(all.out, "64\n64\n16\n16\n16\n64\n64\n256\n256\n512\n") << all.err;
    EXPECT_NEAR(std::stod(run("simulate-scaler logmax", "0 1024\n").out), 64,
                0.5);  // 2^(16 - 10), less what fp32 makes of a deviation of 0
    EXPECT_EQ(run("simulate-scaler keras3 --set growth_interval=1 --set init_scale=1e38", "0\n0\n").out, "2e+38\ninf\n");
    EXPECT_EQ(run("simulate-scaler keras3 --set growth_interval=1 --set init_scale=3e38", "0\n1\n").out, "inf\ninf\n");
    EXPECT_EQ(run("simulate-scaler apex --set growth_interval=1 --set init_scale=3e38 --set max_scale=1e300", "0\n1\n").out,
              "inf\n3e+38\n");
    EXPECT_EQ(run("simulate-scaler pytorch --set backoff_factor=-0.5", "1\n1\n").out, "-32768\n16384\n");
    EXPECT_EQ(run("simulate-scaler pytorch --set backoff_factor=0", "1\n0\n").out, "0\n0\n");
}

TEST_F(Tools, SimulateScalerRefusesWhatItCannotUse) {
    const auto said = [&](const std::string& arguments, const std::string& input = "") {
        const Outcome outcome = run("simulate-scaler " + arguments, input);
        EXPECT_EQ(outcome.exitCode, 2) << arguments;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        return outcome.err;
    };
    EXPECT_NE(said("torch").find("'torch' is not a scaler preset"), std::string::npos);
    EXPECT_NE(said("pytorch --set hysteresis=2").find("has no hysteresis"), std::string::npos);
    EXPECT_NE(said("pytorch --set growth_intervall=2").find("did you mean 'growth_interval'?"), std::string::npos);
    EXPECT_NE(said("pytorch --set growth_interval=2.5").find("whole number"), std::string::npos);
    EXPECT_NE(said("pytorch --set preset=2").find("not a key"), std::string::npos);
    EXPECT_NE(said("pytorch --set init_scale/x=2").find("not a key"), std::string::npos);
    EXPECT_NE(said("pytorch --set init_scale=big").find("not a number"), std::string::npos);
    EXPECT_NE(said("pytorch --set init_scale=0").find("positive"), std::string::npos);
    EXPECT_NE(said("pytorch --set init_scale=nan").find("positive"), std::string::npos);
    EXPECT_NE(said("pytorch --set backoff_factor=1").find("less than 1"), std::string::npos);
    EXPECT_NE(said("megatron --set backoff_factor=0").find("between 0 and 1"), std::string::npos);
    EXPECT_NE(said("pytorch", "0\n0 1\n").find("line 2: expected 0 or 1"), std::string::npos);
    EXPECT_NE(said("pytorch", "0\n\n").find("line 2"), std::string::npos);
    for (const char* line : {"0 -1", "0 inf", "0 x", "0 ", "2 1", "01"})
        EXPECT_NE(said("logmax", line).find("line 1"), std::string::npos) << line;
}

TEST_F(Tools, SimulateScalerEndsWhereTheFrameworkGivesUp) {
    const Outcome outcome = run("simulate-scaler deepspeed --set init_scale=2", "1\n1\n1\n1\n0\n");
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_EQ(outcome.out, "2\n1\n1\n") << "the step that ends it is a step, too";
    EXPECT_EQ(outcome.err, "mantissa: simulate-scaler: line 3: a step overflowed at the smallest loss scale, 1, where deepspeed stops\n");
    const Outcome fairseq = run("simulate-scaler fairseq --set init_scale=0.0003", "1\n1\n1\n");
    EXPECT_EQ(fairseq.exitCode, 3);
    EXPECT_EQ(fairseq.out, "0.00015\n0.00015\n");
}

TEST_F(Tools, ListsSpeakJson) {
    const json formats = json::parse(run("formats --json").out)["formats"];
    ASSERT_EQ(formats.size(), 10u);
    EXPECT_EQ(formats[4]["name"], "fp8_e4m3");
    EXPECT_EQ(formats[4]["max"], 448);
    EXPECT_EQ(formats[4]["overflow_gives"], "NaN");
    EXPECT_EQ(formats[8]["storable"], false);
    EXPECT_EQ(formats[1]["roundings"].size(), 3u);
    const json blocks = json::parse(run("formats --json").out)["block_formats"];
    EXPECT_EQ(blocks[5]["block_size"], 16);
    EXPECT_EQ(blocks[5]["tensor_scale"], true);
    EXPECT_EQ(blocks[5]["blocks"], json({"1x16", "16x1", "16x16"}));
    EXPECT_EQ(blocks[5]["dialects"], json({"te", "exact", "torchao-inference", "llama.cpp"}));
    EXPECT_EQ(blocks[0]["scale_rules"], json({"floor", "round-up", "rceil", "ceil", "even", "power-of-two"}));
    EXPECT_EQ(blocks[6]["scale_rules"], json({"floor", "round-up", "rceil", "ceil", "even", "power-of-two", "fp32"}));
    const json devices = json::parse(run("devices --json").out)["devices"];
    EXPECT_EQ(devices[0]["name"], "cpu");
    EXPECT_EQ(devices[0]["available"], true);
    EXPECT_EQ(devices[0]["auto"]["precision"], "fp32");
    EXPECT_EQ(devices[0]["auto"]["scaler"], "none");
    EXPECT_EQ(devices[0]["auto"]["reason"], "cpu computes neither bf16 nor fp16 natively");
    EXPECT_EQ(devices[1]["name"], "cuda");
    EXPECT_FALSE(devices[1]["reason"].get<std::string>().empty());
    const json experiments = json::parse(run("experiments --json").out)["experiments"];
    EXPECT_GE(experiments.size(), 6u);
    EXPECT_EQ(experiments[0]["name"], "four-formats");
    for (const json& experiment : experiments) {
        const Outcome plan = run("plan " + experiment["name"].get<std::string>() + " --json");
        EXPECT_EQ(plan.exitCode, 0) << plan.err;
        EXPECT_GE(json::parse(plan.out)["runs"].size(), 1u);
    }
}

TEST_F(Tools, ExperimentsPrintsTheSchemaOfTheirFiles) {
    const Outcome outcome = run("experiments --schema");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const json schema = json::parse(outcome.out);
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    EXPECT_TRUE(schema["properties"].contains("runs"));
    EXPECT_EQ(run("experiments --schema --json").exitCode, 2);
}

TEST_F(Tools, PlanSaysWhatAutoIsHereAndWhichScalerFollows) {
    write("e.json", R"({"steps": 5, "runs": [{"name": "a", "precision": "auto"}, {"name": "b", "precision": "fp16"}]})");
    const json runs = json::parse(run("plan e.json --json").out)["runs"];
    EXPECT_EQ(runs[0]["precision"], "fp32");
    EXPECT_EQ(runs[0]["reason"], "cpu computes neither bf16 nor fp16 natively");
    EXPECT_EQ(runs[0]["scaler"], "none");
    EXPECT_EQ(runs[1]["scaler"], "pytorch");
    const std::string text = run("plan e.json").out;
    EXPECT_TRUE(text.starts_with("a: fp32 (cpu computes neither bf16 nor fp16 natively), scaler none\n")) << text.substr(0, 200);
    EXPECT_NE(run("devices").out.find("precision auto: fp32, scaler none: cpu computes neither"), std::string::npos);
}

TEST_F(Tools, PlanSaysWhereAModelDoesNotFitItsData) {
    write("e.json", R"({"data": {"name": "synthetic-images", "height": 4, "width": 4, "batch_size": 1},
                        "model": {"kind": "resnet", "depth": 8}, "runs": [{"name": "r"}]})");
    for (const char* more : {"", " --measure --device cpu", " --roofline h200"}) {
        const Outcome outcome = run(std::string("plan e.json") + more);
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_TRUE(outcome.err.starts_with("mantissa: e.json: at /runs/0: ")) << outcome.err;
        EXPECT_NE(outcome.err.find("batch norm needs more than one value a channel"), std::string::npos) << outcome.err;
    }
}

TEST_F(Tools, PlanFindsTheBatchThatFitsACard) {
    write("e.json", R"({"model": {"hidden": [16]}, "runs": [{"name": "a", "precision": "fp32"}, {"name": "b", "precision": "fp16"}]})");
    const auto totalOf = [&](const std::string& options) { return json::parse(run("plan e.json --json " + options).out)["runs"][0]; };
    const json planned = totalOf("--card 4MB");
    const auto batch = planned["largest_batch"].get<std::int64_t>();
    const std::int64_t room = 4'000'000 - 1797 * 65 * 4;  // beside the digits
    EXPECT_LE(totalOf("--set /data/batch_size=" + std::to_string(batch))["memory"]["total"], room);
    EXPECT_GT(totalOf("--set /data/batch_size=" + std::to_string(batch + 1))["memory"]["total"], room);
    EXPECT_GT(totalOf("--card 4MiB")["largest_batch"], batch);
    EXPECT_EQ(totalOf("--card 1kB")["largest_batch"], 0);
    EXPECT_EQ(totalOf("--card 1.5MiB")["largest_batch"], totalOf("--card 1536KiB")["largest_batch"]) << "parts of a unit";
    EXPECT_FALSE(totalOf("").contains("largest_batch"));
    EXPECT_FALSE(totalOf("--memory").contains("instructions"));
}

TEST_F(Tools, PlanHasTheLedgersSideBySide) {
    write("e.json", R"({"model": {"hidden": [16]}, "runs": [{"name": "a", "precision": "fp32"}, {"name": "b", "precision": "fp16"}]})");
    const std::string table = run("plan e.json --memory --card 1GiB").out;
    const json runs = json::parse(run("plan e.json --json").out)["runs"];
    std::vector<std::string> lines;
    std::istringstream text(table);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 10u) << table;
    EXPECT_TRUE(lines[0].starts_with("memory in bytes")) << table;
    const auto isInLine = [&](std::size_t line, const char* key) {
        for (const json& each : runs) {
            if (lines[line].find(' ' + std::to_string(each["memory"][key].get<std::int64_t>())) == std::string::npos) return false;
        }
        return true;
    };
    EXPECT_TRUE(isInLine(2, "master_weights")) << table;
    EXPECT_TRUE(isInLine(5, "activations")) << table;
    EXPECT_TRUE(isInLine(7, "total")) << table;
    EXPECT_TRUE(lines[8].starts_with("without scratch")) << table;
    EXPECT_TRUE(lines[9].starts_with("largest batch")) << table;
}

TEST_F(Tools, BitsShowsEveryFormat) {
    const Outcome outcome = run("bits 0.1 --json");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const json formats = json::parse(outcome.out)["formats"];
    ASSERT_EQ(formats.size(), 10u);
    EXPECT_EQ(formats[2]["bits"], "0 01011 1001100110");  // fp16 of 0.1 is 0x2e66
    EXPECT_EQ(formats[3]["bits"], "0 01111011 1001101");  // bf16 is 0x3dcd
    EXPECT_EQ(formats[4]["bits"], "0 0011 101");          // 1.625 / 16
    EXPECT_EQ(formats[9]["bits"], "01111100");            // 2^-3, the nearer power of two
    EXPECT_EQ(formats[2]["below"], 0.0999755859375 - 0x1p-14);
    EXPECT_EQ(formats[2]["above"], 0.0999755859375 + 0x1p-14);
    EXPECT_NE(run("bits 0.1").out.find("0.1 is taken as the nearest fp32, 0.10000000149011612"), std::string::npos);
    EXPECT_EQ(run("bits 0.5").out.find("taken as"), std::string::npos);
    EXPECT_EQ(json::parse(run("bits 464 --json --saturate").out)["formats"][4]["value"], 448);
    EXPECT_EQ(json::parse(run("bits 465 --json").out)["formats"][4]["value"], "NaN");
    const json beyond = json::parse(run("bits 11.09 --json").out)["formats"];
    EXPECT_EQ(beyond[6]["class"], "saturated") << "7.5 in fp6_e2m3";
    EXPECT_EQ(beyond[7]["class"], "normal") << "fp6_e3m2 reaches 28";
    EXPECT_EQ(beyond[8]["class"], "saturated") << "6 in fp4_e2m1";
    EXPECT_EQ(json::parse(run("bits 1e9 --json --rounding toward-zero").out)["formats"][2]["value"], 65504);
    EXPECT_EQ(run("bits -1e-8").exitCode, 0);
    for (const char* arguments : {"bits -inf", "bits -- -inf"}) EXPECT_EQ(run(arguments).exitCode, 0) << arguments;
}

// A foreseeable name in /tmp could be another user's link.
TEST_F(Tools, TheBenchmarksFoldersAreTheUsersOwn) {
    std::filesystem::path path;
    {
        const TemporaryFolder one, other;
        path = one.path();
        EXPECT_NE(path, other.path());
        EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

// A program that trains restarts itself, by its file; libgomp reports each start.
TEST_F(Tools, TheProgramFindsItsFileWithoutProc) {
    if (test::kIsSanitized) GTEST_SKIP() << "the sanitizers need /proc";
    if (shell("unshare -rm mount -t tmpfs none /proc >stdout 2>stderr").exitCode != 0) GTEST_SKIP() << "no namespaces here";
    const Outcome outcome =
        shell("unset OMP_WAIT_POLICY; export OMP_DISPLAY_ENV=TRUE; unshare -rm sh -c \"mount -t tmpfs none /proc && exec '" MANTISSA_PROGRAM
              "' selftest --help\" >stdout 2>stderr");
    EXPECT_EQ(outcome.exitCode, 0);
    const std::string start = "OPENMP DISPLAY ENVIRONMENT BEGIN";
    const std::size_t first = outcome.err.find(start);
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(start, first + 1), std::string::npos) << outcome.err;
}

TEST_F(Tools, ServeGreetsAnswersAndEnds) {
    std::string input;
    const auto add = [&](const Command& command) {
        const auto frame = encode(command);
        input.append(frame.begin(), frame.end());
    };
    add({1, LoadExperiment{"t", R"({"model": {"hidden": [8]}, "steps": 5, "runs": [{"name": "a"}]})"}});
    add({2, SingleStep{}});
    add({3, ChangeSetting{0, "/optimizer/lr", -1}});
    add({4, Quit{}});
    const Outcome outcome = run("serve", input);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    FrameReader reader;
    reader.append({reinterpret_cast<const std::uint8_t*>(outcome.out.data()), outcome.out.size()});
    std::vector<Event> events;
    while (const auto payload = reader.next()) events.push_back(decodeEvent(*payload));
    ASSERT_FALSE(events.empty());
    EXPECT_TRUE(std::holds_alternative<Hello>(events.front()));
    int records = 0, refusals = 0;
    for (const Event& event : events) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) records += static_cast<int>(steps->records.size());
        refusals += std::holds_alternative<CommandRefused>(event) ? 1 : 0;
    }
    EXPECT_EQ(records, 1);
    EXPECT_EQ(refusals, 1);
}

/// Reading takes seconds here, and nobody waits for the answer any more.
TEST_F(Tools, ServeEndsWhileDataAreBeingRead) {
    const std::string text = R"({"data": {"name": "synthetic-images", "samples": 120000}, "runs": [{"name": "a"}]})";
    write("e.json", text);
    const auto secondsOf = [&](const std::string& arguments, const std::string& input) {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(run(arguments, input).exitCode, 0) << arguments;
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::string input;
    for (const Command& command : {Command{1, PreviewExperiment{text, 0}}, Command{2, Quit{}}}) {
        const auto frame = encode(command);
        input.append(frame.begin(), frame.end());
    }
    const double ends = secondsOf("serve", input), reads = secondsOf("plan e.json --memory", "");
    EXPECT_LT(ends, reads / 2);
}

TEST_F(Tools, ServeRefusesAMalformedStream) {
    const Outcome outcome = run("serve", std::string("\xff\xff\xff\x7fgarbage"));
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(Tools, ServeEndsWhenNobodyCanHearIt) {
    // its input stays open, so that only the output can tell it
    if (std::filesystem::exists("/dev/full")) {
        const Outcome full = runHeld("serve", ">/dev/full");
        EXPECT_EQ(full.exitCode, 3);
        EXPECT_NE(full.err.find("serve: No space left on device"), std::string::npos) << full.err;
    }
    EXPECT_EQ(runHeld("serve", "| true").exitCode, 0) << "the window has gone: its right";
}

}  // namespace
}  // namespace mantissa
