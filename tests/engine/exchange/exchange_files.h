// SPDX-License-Identifier: Apache-2.0
// A folder of the test's own, runs with every kind of value, and readers of text.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include "engine/exchange/exported_run.h"
#include "engine/exchange/imported_run.h"

namespace mantissa {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline const double kNaN = std::nan("");

class ExchangeTest : public testing::Test {
protected:
    std::filesystem::path folder;

    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_exchange_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << content;
        return (folder / name).string();
    }
    static std::string read(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

/// The one run of an experiment that has `settings` in it.
inline RunSettings runOf(const std::string& settings) {
    return parseExperiment("{" + settings + (settings.empty() ? "" : ",") + R"("runs":[{"name":"it's \"one\""}]})", "test").runs.at(0);
}

/// Six steps: finite, a skip with Inf, NaN, -Inf, the extremes of double, and negative zero; validated twice, once without classes.
inline ExportedRun everyKindOfValue() {
    ExportedRun run;
    run.settings.name = "fp16 a/b";
    run.startSeconds = 1'700'000'000.25;
    const double losses[] = {2.25, 0.1, kNaN, -kInf, 5e-324, -0.0};
    const double norms[] = {1.5, kInf, kNaN, kInf, std::numeric_limits<double>::max(), 0.1 + 0.2};
    for (int i = 0; i < 6; ++i) {
        run.records.push_back({.step = 10 + i,
                               .samples = 64 * (i + 1),
                               .epoch = 0.5 * i,
                               .wallSeconds = 0.25 * i,
                               .loss = losses[i],
                               .lossScale = std::ldexp(1.0, 60 - i),
                               .skippedTotal = i < 1   ? 0
                                               : i < 3 ? 1
                                                       : 2,
                               .gradNorm = norms[i],
                               .lr = 0.001,
                               .stepMs = 2,
                               .samplesPerSecond = 32000,
                               .memoryBytes = 123'456'789'012});
    }
    run.records[1].flags = kFlagSkipped | kFlagFoundInf;
    run.records[3].flags = kFlagSkipped | kFlagValidated;
    run.records[3].validationLoss = kInf, run.records[3].validationAccuracy = kNaN;
    run.records[5].flags = kFlagValidated;
    run.records[5].validationLoss = 0.5, run.records[5].validationAccuracy = 0.875;
    run.changes = {{.step = 12, .pointer = "/precision", .label = "precision", .from = "FP32", .to = "\"FP16\""}};
    run.nonFinite = {{.step = 11, .layer = "layers.2", .operation = "linear", .phase = "backward", .tensor = "x", .cls = "+Inf"}};
    return run;
}

inline const ImportedSeries* seriesOf(const ImportedRun& run, Metric metric) {
    for (const ImportedSeries& series : run.series) {
        if (series.metric == metric) return &series;
    }
    return nullptr;
}

/// NaN meets NaN, zeros their sign.
inline void expectSame(double actual, double expected, const std::string& where) {
    if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << where;
    } else {
        EXPECT_EQ(actual, expected) << where;
        EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << where;
    }
}

}  // namespace mantissa
