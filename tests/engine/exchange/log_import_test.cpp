// SPDX-License-Identifier: Apache-2.0
// Logs of trainers: the lines that Megatron-LM, torchtitan and nvdlfw_inspect print, and Hugging Face's trainer_state.json.
#include <cmath>

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
    return readTrainersLog(in, "train.log");
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

TEST(TrainerState, OfAFolderOfCheckpointsIsTheFurthest) {
    const DataFolder folder;
    for (const char* checkpoint : {"checkpoint-900", "checkpoint-1000"}) {
        std::filesystem::create_directories(folder.path() / checkpoint);
        std::ofstream(folder.path() / checkpoint / "trainer_state.json")
            << "{\n \"log_history\": [{\"step\": 1, \"loss\": " << (std::string(checkpoint) == "checkpoint-1000" ? "NaN" : "2")
            << "}]\n}\n";
    }
    const std::vector<ImportedRun> runs = importRuns(folder.path().string());
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].name, "checkpoint-1000");
    EXPECT_TRUE(std::isnan(named(runs[0], Metric::Loss)->values[0]));
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
