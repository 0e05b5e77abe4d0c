// SPDX-License-Identifier: Apache-2.0
// Logs of trainers: the lines that Megatron-LM, torchtitan and nvdlfw_inspect print, and Hugging Face's trainer_state.json.
#include <cmath>

#include "engine/exchange/log_reader.h"
#include "tests/engine/data/data_files.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {
namespace {

using Steps = std::vector<std::int64_t>;
using Values = std::vector<double>;

const ImportedSeries* named(const ImportedRun& run, Metric metric, const std::string& source = {}) {
    for (const ImportedSeries& each : run.series)
        if (each.metric == metric && (source.empty() || each.source == source)) return &each;
    return nullptr;
}

ImportedRun logOf(const std::string& text) {
    std::istringstream in(text);
    RunBuilder builder("train.log", stepBackOf(LogFormat::Lines));
    makeLogReader(LogFormat::Lines, builder, "train.log")->read(in, text.size(), false);
    return builder.finish("train");
}

const std::string kMegatron =
    "using world size: 1\n"
    " [2026-01-01 10:00:00] iteration       10/     100 | consumed samples:          160 | elapsed time per iteration (ms): 1234.5 | "
    "learning rate: 1.500000E-05 | global batch size:    16 | lm loss: 1.084567E+01 | loss scale: 65536.0 | grad norm: 3.542 | "
    "num zeros: 7 | number of skipped iterations:   2 | number of nan iterations:   0 |\n"
    "saving checkpoint at iteration      10 to /checkpoints in torch_dist format\n"
    " [2026-01-01 10:00:20] iteration       20/     100 | consumed samples:          320 | elapsed time per iteration (ms): 1200.0 | "
    "learning rate: 1.400000E-05 | global batch size:    16 | lm loss: nan | loss scale: 32768.0 | grad norm: inf | "
    "num zeros: 9 | number of skipped iterations:   1 | number of nan iterations:   3 |\n";

TEST(TrainersLog, MegatronsLinesAreSteps) {
    EXPECT_TRUE(isTrainersLog(kMegatron));
    const ImportedRun run = logOf(kMegatron);
    const ImportedSeries* loss = named(run, Metric::Loss);
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->steps, (Steps{10, 20}));
    EXPECT_DOUBLE_EQ(loss->values[0], 10.84567);
    EXPECT_TRUE(std::isnan(loss->values[1]));
    EXPECT_EQ(named(run, Metric::LossScale)->values, (Values{65536, 32768}));
    EXPECT_TRUE(std::isinf(named(run, Metric::GradNorm)->values[1]));
    EXPECT_EQ(named(run, Metric::SkippedTotal)->values, (Values{2, 3})) << "a line counts since the one before";
    EXPECT_EQ(named(run, Metric::Other, "nan_iterations")->values, (Values{0, 3}));
    EXPECT_EQ(named(run, Metric::Other, "num zeros")->values, (Values{7, 9}));
    EXPECT_EQ(named(run, Metric::LearningRate)->values, (Values{1.5e-5, 1.4e-5}));
    EXPECT_EQ(named(run, Metric::StepMs)->values, (Values{1234.5, 1200}));
}

TEST(TrainersLog, ARestartFromACheckpointTakesThePlaceOfWhatCameFromThere) {
    const ImportedRun run = logOf(kMegatron + kMegatron);
    EXPECT_EQ(named(run, Metric::Loss)->steps, (Steps{10, 20}));
    EXPECT_EQ(named(run, Metric::SkippedTotal)->values, (Values{2, 3})) << "the replaced lines' skips are gone with them";
}

TEST(TrainersLog, StepsThatCountNothingAreNone) {
    const std::string text =
        "step: inf loss: 1\nstep: nan loss: 1\nstep: 2.7 loss: 1\nstep: 1e300 loss: 1\nstep: -1 loss: 1\n iteration inf/ 9 | lm loss: 1 |\n"
        "INFO - loss iteration=2.7 value=1\nINFO - loss iteration=nan value=1\nINFO - loss iteration=1e300 value=1\n";
    EXPECT_FALSE(isTrainersLog(text));
    EXPECT_TRUE(logOf(text + "step: 3 loss: 2\n").series.at(0).steps == (Steps{3}));
}

TEST(TrainersLog, ACommaIsBetweenThousandsOrTheValueIsNone) {
    const ImportedRun run = logOf("step: 1 loss: 0,5 tps: 1,234\nstep: 2 loss: 0.5 tps: 12,345,678.5\nstep: 3 loss: 12,34 tps: 1,2345\n");
    EXPECT_EQ(named(run, Metric::Loss)->steps, (Steps{2}));
    EXPECT_EQ(named(run, Metric::Other, "tps")->values, (Values{1234, 12345678.5}));
}

TEST(TrainersLog, WhatClearsALineEndsWithItsLetter) {
    const ImportedRun run = logOf("\x1b[Kstep: 1 loss: 2 mfu: 3\n\x1b[2K\x1b[1Gstep: 2 loss: 1 mfu: 3\x1b[0m\n");
    EXPECT_EQ(named(run, Metric::Loss)->values, (Values{2, 1}));
    EXPECT_EQ(named(run, Metric::Other, "mfu")->values, (Values{3, 3}));
}

TEST(TrainersLog, MayBeginWithALongBanner) {
    const DataFolder folder;
    const std::filesystem::path path = folder.path() / "train.log";
    std::ofstream(path) << std::string(200, '-') << std::string(4000, '\n') + [] {
        std::string banner;
        for (int i = 0; i < 5000; ++i) banner += "  argument_" + std::to_string(i) + " ................ None\n";
        return banner;
    }() << kMegatron;
    EXPECT_EQ(named(importRuns(path.string()).at(0), Metric::Loss)->steps, (Steps{10, 20}));
}

TEST(TrainersLog, TorchtitansLinesAreStepsInAnyColour) {
    const std::string text =
        "[rank0]:[titan] 2026-01-01 10:00:00,000 - root - INFO - Training starts at step 1\n"
        "[rank0]:[titan] 2026-01-01 10:00:01,000 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss:  8.1377  \x1b[38;2;180;60;0mgrad_norm:  "
        "1.5317  \x1b[38;2;54;234;195mmemory:  1.79GiB(3.78%)  \x1b[34mtps: 7,089  \x1b[36mtflops: 0.51  \x1b[35mmfu: 0.16%\x1b[39m\n"
        "[rank0]:[titan] 2026-01-01 10:00:02,000 - root - INFO - \x1b[31mstep:  2  \x1b[32mloss:  7.9  \x1b[38;2;180;60;0mgrad_norm:  nan  "
        "tps: "
        "12,000\x1b[39m\n";
    EXPECT_TRUE(isTrainersLog(text));
    const ImportedRun run = logOf(text);
    EXPECT_EQ(named(run, Metric::Loss)->steps, (Steps{1, 2}));
    EXPECT_EQ(named(run, Metric::Loss)->values, (Values{8.1377, 7.9}));
    EXPECT_TRUE(std::isnan(named(run, Metric::GradNorm)->values[1]));
    EXPECT_EQ(named(run, Metric::Other, "tps")->values, (Values{7089, 12000}));
}

TEST(TrainersLog, InspectsStatisticsArePlotsOfTheirNamesBesideALoss) {
    const std::string text =
        "INFO - LAYER_TENSOR_STAT iteration=000001 value=4.3188\nINFO - decoder.1.fc1_gradient_underflows% iteration=000001 value=0.5\n"
        "INFO - loss iteration=000001 value=2\nINFO - LAYER_TENSOR_STAT iteration=000002 value=5\nINFO - loss iteration=000002 value=1\n";
    EXPECT_TRUE(isTrainersLog(text));
    const ImportedRun run = logOf(text);
    ASSERT_NE(named(run, Metric::Other, "LAYER_TENSOR_STAT"), nullptr);
    EXPECT_EQ(named(run, Metric::Other, "LAYER_TENSOR_STAT")->values, (Values{4.3188, 5}));
}

TEST(TrainersLog, OtherTextIsNone) {
    EXPECT_FALSE(isTrainersLog("step,loss\n1,2\n"));
    EXPECT_FALSE(isTrainersLog("at step: many, loss: few\n"));
    EXPECT_FALSE(isTrainersLog(" iteration 10/ 100 | lm loss: 1 |")) << "a line that is cut says nothing yet";
    EXPECT_FALSE(isTrainersLog(""));
}

TEST(TrainerState, OfARealTrainerIsReadAsItLogged) {
    const std::vector<ImportedRun> runs = importRuns(MANTISSA_GOLDEN "/trainer_state.json");
    ASSERT_EQ(runs.size(), 1u);
    const ImportedSeries* loss = named(runs[0], Metric::Loss);
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->source, "loss");
    EXPECT_EQ(loss->steps, (Steps{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}));
    EXPECT_EQ(loss->values[0], 1.8459038734436035);
    EXPECT_EQ(named(runs[0], Metric::ValidationLoss)->steps, (Steps{10, 20}));
    EXPECT_EQ(named(runs[0], Metric::GradNorm)->values[0], 3.1041905879974365);
    EXPECT_EQ(named(runs[0], Metric::LearningRate)->values[0], 0.0095);
}

void writeState(const std::filesystem::path& folder, std::int64_t lastStep) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "trainer_state.json")
        << "{\n \"log_history\": [{\"step\": 1, \"loss\": 2}, {\"step\": " << lastStep << ", \"loss\": NaN}]\n}\n";
}

TEST(TrainerState, OfAFolderOfCheckpointsIsTheFurthest) {
    const DataFolder folder;
    for (const std::int64_t step : {900, 1000}) writeState(folder.path() / ("checkpoint-" + std::to_string(step)), step);
    const std::vector<ImportedRun> runs = importRuns(folder.path().string());
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].name, folder.path().filename().string()) << "the output folder";
    EXPECT_EQ(named(runs[0], Metric::Loss)->steps, (Steps{1, 1000}));
    EXPECT_EQ(runs[0].remark, "1 other trainer_state.json is left out");
}

TEST(TrainerState, EachOutputFolderIsARunOfItsOwn) {
    const DataFolder folder;
    writeState(folder.path() / "runA" / "checkpoint-500", 500);
    writeState(folder.path() / "runB" / "checkpoint-400", 400);
    const std::vector<ImportedRun> runs = importRuns(folder.path().string());
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].name, "runA");
    EXPECT_EQ(runs[1].name, "runB");
    EXPECT_EQ(named(runs[1], Metric::Loss)->steps, (Steps{1, 400}));
}

TEST(TrainerState, TheOneWithMostStepsIsRead) {
    const DataFolder folder;
    writeState(folder.path(), 1000);  // saved at the end
    writeState(folder.path() / "checkpoint-500", 500);
    const std::vector<ImportedRun> runs = importRuns(folder.path().string());
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(named(runs[0], Metric::Loss)->steps, (Steps{1, 1000}));
}

TEST(TrainerState, OneThatIsTooLargeIsRefusedUnread) {
    const DataFolder folder;
    writeState(folder.path(), 10);
    std::ofstream(folder.path() / "trainer_state.json", std::ios::app) << std::string(5000, ' ');
    std::filesystem::resize_file(folder.path() / "trainer_state.json", std::uintmax_t{300} << 20);  // sparse
    try {
        (void)importRuns((folder.path() / "trainer_state.json").string());
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(error.sentence().find("is larger than 256 MiB"), std::string::npos) << error.sentence();
    }
}

TEST(TrainerState, WhatIsNoneIsRefusedInOneSentence) {
    const DataFolder folder;
    const auto sentenceOf = [&](const std::string& text) -> std::string {
        std::ofstream(folder.path() / "state.json") << text;
        try {
            (void)importRuns((folder.path() / "state.json").string());
        } catch (const InputError& error) {
            return error.sentence();
        }
        return "";
    };
    EXPECT_NE(sentenceOf("{\n}\n").find("has no list 'log_history'"), std::string::npos);
    EXPECT_NE(sentenceOf("{\n\"log_history\": [3]\n}\n").find("entry 1: is no object"), std::string::npos);
    EXPECT_NE(sentenceOf("{\n\"log_history\": [{\"step\": -1, \"loss\": 2}]\n}\n").find("no whole number"), std::string::npos);
    EXPECT_NE(sentenceOf("{\n\"log_history\": [\n"), "");
}

}  // namespace
}  // namespace mantissa
