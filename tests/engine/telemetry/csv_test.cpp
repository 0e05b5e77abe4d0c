// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <locale>
#include <sstream>

#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(NumberFormat, FilesGetTheShortestTextThatReadsBack) {
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(0.1f), "0.1");
    EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(shortest(16777216.0f), "16777216");
    EXPECT_EQ(shortest(std::nan("")), "nan");
    EXPECT_EQ(shortest(kInf), "inf");
    EXPECT_EQ(shortest(-kInf), "-inf");
    EXPECT_EQ(shortest(-0.0), "-0");
    for (const double value : {5e-324, 0.1 + 0.2, 1e22, std::ldexp(1.0, 127)})
        EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
}

TEST(NumberFormat, PeopleGetGroupsAndPowers) {
    EXPECT_EQ(groupedText(0), "0");
    EXPECT_EQ(groupedText(999), "999");
    EXPECT_EQ(groupedText(1247), "1\u202f247");
    EXPECT_EQ(groupedText(-1234567), "\u22121\u202f234\u202f567");
    EXPECT_EQ(powerOfTwoText(65536), "2\u00b9\u2076");
    EXPECT_EQ(powerOfTwoText(std::ldexp(1.0, -10)), "2\u207b\u00b9\u2070");
    EXPECT_EQ(powerOfTwoText(1), "2\u2070");
    EXPECT_EQ(powerOfTwoText(1000), "1\u202f000");
    EXPECT_EQ(powerOfTwoText(0), "0");
    EXPECT_EQ(powerOfTwoText(kInf), "+Inf");
    EXPECT_EQ(numberText(0.0161234), "0.01612");
    EXPECT_EQ(numberText(-12345.6), "\u221212\u202f346");
    EXPECT_EQ(numberText(3e-7), "3\u00b710\u207b\u2077");
    EXPECT_EQ(numberText(std::nan("")), "NaN");
    EXPECT_EQ(fixedText(-0.0, 0), "0");
    EXPECT_EQ(fixedText(-0.04, 1), "0.0");
    EXPECT_EQ(fixedText(-1234.5678, 2), "\u22121\u202f234.57");
    EXPECT_EQ(fixedText(-1e308, 0).substr(0, 9), "\u2212100\u202f");
    EXPECT_EQ(numberText(9.99996), "10");
    EXPECT_EQ(numberText(-1.25e12), "\u22121.25\u00b710\u00b9\u00b2");
    EXPECT_EQ(numberText(-kInf), "\u2212Inf");
}

StepRecord skippedRecord() {
    return {.step = 3,
            .samples = 256,
            .epoch = 0.5,
            .wallSeconds = 0.25,
            .loss = 2.25,
            .lossScale = 65536,
            .skippedTotal = 1,
            .gradNorm = kInf,
            .lr = 0.001,
            .stepMs = 2,
            .samplesPerSecond = 32000,
            .memoryBytes = 1000,
            .flags = kFlagSkipped | kFlagFoundInf};
}

std::string rowOf(const StepRecord& record) {
    std::ostringstream out;
    writeCsvRow(out, record);
    return out.str();
}

TEST(Csv, TheHeaderIsTheContract) {
    EXPECT_EQ(kCsvHeader,
              "step,samples,epoch,wall_s,loss,val_loss,val_accuracy,loss_scale,skipped,skipped_total,grad_norm,lr,step_ms,samples_per_s,"
              "memory_bytes,flags");
}

TEST(Csv, OneRowAsScriptsExpectIt) {
    StepRecord record = skippedRecord();
    EXPECT_EQ(rowOf(record), "3,256,0.5,0.25,2.25,,,65536,1,1,inf,0.001,2,32000,1000,skipped|found_inf\n");
    record.flags = kFlagValidated;
    record.validationLoss = std::nan("");
    record.validationAccuracy = 0.125;
    record.loss = -kInf;
    EXPECT_EQ(rowOf(record), "3,256,0.5,0.25,-inf,nan,0.125,65536,0,1,inf,0.001,2,32000,1000,validated\n");
    record.validationLoss = 0.5;
    record.validationAccuracy = std::nan("");  // of what has no classes
    EXPECT_EQ(rowOf(record), "3,256,0.5,0.25,-inf,0.5,,65536,0,1,inf,0.001,2,32000,1000,validated\n");
}

TEST(Csv, ValuesReadBackToTheSameDouble) {
    StepRecord record = skippedRecord();
    record.flags = 0;
    record.lossScale = std::ldexp(1.0, 60);      // fp32's shortest digits would be another double
    record.loss = static_cast<double>(2.3f);     // came from fp32
    record.gradNorm = std::nextafter(0.1, 1.0);  // did not
    std::stringstream row(rowOf(record));
    std::vector<std::string> cells;
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 16u);
    EXPECT_EQ(std::stod(cells[4]), record.loss);
    EXPECT_EQ(std::stof(cells[4]), 2.3f);
    EXPECT_EQ(std::stod(cells[7]), record.lossScale);
    EXPECT_EQ(std::stod(cells[10]), record.gradNorm);
}

TEST(Csv, NoLocaleReachesTheFile) {
    struct German final : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new German));
    StepRecord record = skippedRecord();
    record.samples = 1234567;
    writeCsvRow(out, record);
    EXPECT_EQ(out.str(), rowOf(record));
}

TEST(Record, FlagsAreNamedInOrder) {
    EXPECT_EQ(flagsText(0), "");
    EXPECT_EQ(flagsText(kFlagScaleGrew | kFlagSkipped | kFlagSwitchedPlan), "skipped|scale_grew|switched_plan");
    const std::string all = flagsText(0x1FF);
    EXPECT_EQ(std::count(all.begin(), all.end(), '|'), 8);
}

TEST(Record, ValidationIsAbsentUnlessItRan) {
    StepRecord record = skippedRecord();
    record.validationAccuracy = 0.9;
    EXPECT_TRUE(std::isnan(metricValue(record, Metric::ValidationAccuracy)));
    record.flags |= kFlagValidated;
    EXPECT_EQ(metricValue(record, Metric::ValidationAccuracy), 0.9);
    EXPECT_EQ(metricValue(record, Metric::Loss), 2.25);
    EXPECT_EQ(metricValue(record, Metric::LossScale), 65536);
    EXPECT_EQ(metricValue(record, Metric::SkippedTotal), 1);
    EXPECT_EQ(metricValue(record, Metric::LearningRate), 0.001);
    EXPECT_EQ(metricValue(record, Metric::StepMs), 2);
    EXPECT_EQ(metricValue(record, Metric::SamplesPerSecond), 32000);
    EXPECT_EQ(metricValue(record, Metric::MemoryBytes), 1000);
}

TEST(Record, ASpeedIsHeldAgainstTheFormatsPeakAndTheDevicesBest) {
    ProductRates rates{.format = "bf16", .flopsPerSample = 1e9, .tokensPerSample = 64, .peak = 989, .measuredPeak = 745};
    EXPECT_EQ(speedText(rates, 312'000),
              "19\u202f968\u202f000 tokens/s, 312 TFLOP/s in bf16 products: 31.5\u202f% of the peak of 989, 41.9\u202f% of the 745 that a "
              "large one "
              "reaches here");
    rates = {.format = "fp32", .flopsPerSample = 1e6, .measuredPeak = 0.25};
    EXPECT_EQ(speedText(rates, 50'000), "0.05 TFLOP/s in fp32 products: 20\u202f% of the 0.25 that a large one reaches here");
    rates.measuredPeak = 0;
    EXPECT_EQ(speedText(rates, 50'000), "0.05 TFLOP/s in fp32 products");
    EXPECT_EQ(speedText(rates, 0), "");
    EXPECT_EQ(speedText({}, 50'000), "");
}

TEST(Record, ThreeFiguresOfMemory) {
    MemoryLedger planned{.weights = 400'000, .workspace = 218'000, .scratch = 177'000};
    EXPECT_EQ(memoryFiguresText(planned, true, 1'203'000, 3'221'225'472),
              "441 kB planned, plus 177 kB of scratch, mostly for emulation; 1\u202f203 kB allocated with the data; "
              "3\u202f221\u202f225 kB in use on the device");
    EXPECT_EQ(memoryFiguresText(planned, false, 1'203'000, -1),
              "441 kB planned, plus 177 kB of scratch; 1\u202f203 kB allocated with the data");
    planned.scratch = 0;
    EXPECT_EQ(memoryFiguresText(planned, true, 1'203'000, -1), "618 kB planned; 1\u202f203 kB allocated with the data");
}

}  // namespace
}  // namespace mantissa
