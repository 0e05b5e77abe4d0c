// SPDX-License-Identifier: Apache-2.0
// The lab's own GPT beside the same GPT in PyTorch: the same weights and batches, watched by the probe (tests/golden/make_same_gpt.py).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/diagnosis/usable_scales.h"
#include "tests/engine/session/bundled_fixture.h"

namespace mantissa {
namespace {

using namespace test;

constexpr std::int64_t kStepsCompared = 3;  // of the file's six

class SameModel : public ::testing::Test {
protected:
    BundledFixture lab{"a-small-gpt", kStepsCompared};
    RunId own = -1, theirs = -1;

    void SetUp() override {
        own = lab.run("fp16").id;
        lab.train();
        ASSERT_EQ(lab.command(WatchTraining{.place = MANTISSA_GOLDEN "/same-gpt.mprobe", .follows = false}), "");
        for (int i = 0; i < 1000 && lab.runs().back().watch.link != WatchLink::Ended; ++i) lab.session.advance(1, 20);
        ASSERT_EQ(lab.runs().back().watch.link, WatchLink::Ended);
        theirs = lab.runs().back().id;
    }
    StepStats statisticsOf(RunId run, std::int64_t step) {
        EXPECT_EQ(lab.command(MeasureStep{run, step}), "") << step;
        return lab.all<TensorsMeasured>().back().stats;
    }
    std::vector<StepThreshold> thresholdsOf(RunId run) {
        EXPECT_EQ(lab.command(MeasureThresholds{run, 0, kStepsCompared}), "");
        std::vector<StepThreshold> all;
        for (const ThresholdsMeasured& part : lab.all<ThresholdsMeasured>())
            if (part.run == run) all.insert(all.end(), part.thresholds.begin(), part.thresholds.end());
        return all;
    }
};

/// Half of the sum of |a - b| over the bars of two histograms, as a share of all elements.
double apartInBars(const Histogram& a, const Histogram& b) {
    std::map<int, std::int64_t> bars;
    for (const Histogram::Cell& cell : a.cells) bars[cell.exponent()] += cell.count;
    for (const Histogram::Cell& cell : b.cells) bars[cell.exponent()] -= cell.count;
    std::int64_t sum = 0;
    for (const auto& [exponent, difference] : bars) sum += std::abs(difference);
    return static_cast<double>(sum) / 2 / static_cast<double>(std::max<std::int64_t>(1, a.total()));
}

TEST_F(SameModel, UsableLossScalesAndMagnitudesAreThoseOfPyTorch) {
    const std::vector<StepThreshold> scales = thresholdsOf(own), theirScales = thresholdsOf(theirs);
    ASSERT_EQ(scales.size(), static_cast<std::size_t>(kStepsCompared));
    ASSERT_EQ(theirScales.size(), scales.size());
    for (std::size_t step = 0; step < scales.size(); ++step) {
        EXPECT_EQ(scales[step].highest, theirScales[step].highest) << step;
        EXPECT_NEAR(scales[step].gradientMax / theirScales[step].gradientMax, 1, 0.01) << step;
    }
    for (std::int64_t step = 0; step < kStepsCompared; ++step) {
        const StepStats here = statisticsOf(own, step), there = statisticsOf(theirs, step);
        ASSERT_EQ(there.step, step);
        const UsableScalesSettings asFp16{.format = Dtype::F16};
        EXPECT_EQ(intersectionOf(usableScalesOf({&here, 1}, asFp16)).highest, intersectionOf(usableScalesOf({&there, 1}, asFp16)).highest)
            << step;
        std::map<std::pair<std::string, TensorRole>, const TensorStats*> known;
        for (const TensorStats& tensor : here.tensors) known[{tensor.tensor, tensor.role}] = &tensor;
        std::map<TensorRole, int> compared;
        for (const TensorStats& tensor : there.tensors) {
            // The probe counts weights before the update, the lab after it.
            if (tensor.role == TensorRole::Weight || tensor.role == TensorRole::Update) continue;
            const auto found = known.find({tensor.tensor, tensor.role});
            if (found == known.end() || found->second->elements != tensor.elements) continue;
            ++compared[tensor.role];
            const double scale = (found->second->isScaled ? here.lossScale : 1) / (tensor.isScaled ? there.lossScale : 1);
            EXPECT_NEAR(found->second->largest() / tensor.largest() / scale, 1, 0.02) << tensor.tensor << " in step " << step;
            if (scale == 1) {
                EXPECT_LT(apartInBars(found->second->magnitudes, tensor.magnitudes), 0.01) << tensor.tensor << " in step " << step;
            }
        }
        EXPECT_GE(compared[TensorRole::Value], 10) << step;
        EXPECT_GE(compared[TensorRole::WeightGradient], 20) << step;
        EXPECT_GE(compared[TensorRole::Gradient], 4) << step;
    }
}

}  // namespace
}  // namespace mantissa
