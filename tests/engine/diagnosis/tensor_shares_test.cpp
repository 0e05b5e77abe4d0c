// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "engine/diagnosis/tensor_shares.h"
#include "tests/engine/diagnosis/stats_values.h"

namespace mantissa {
namespace {

TensorStats tensorOf(TensorRole role, Dtype storage, std::int64_t zero, std::int64_t others, std::int64_t nonFinite = 0) {
    TensorStats tensor;
    tensor.role = role;
    tensor.storage = storage;
    tensor.classes.zero = zero;
    tensor.classes.positive = others;
    tensor.classes.nan = nonFinite;
    tensor.elements = zero + others + nonFinite;
    return tensor;
}

std::map<std::string, double> valuesOf(const StepStats& statistics) {
    std::map<std::string, double> values;
    for (const NamedValue& each : tensorShares(statistics)) values[each.name] = each.value;
    return values;
}

TEST(TensorShares, AreSharesOfTheWholeModel) {
    StepStats statistics;
    statistics.tensors.push_back(tensorOf(TensorRole::WeightGradient, Dtype::F32, 30, 70));
    statistics.tensors.push_back(tensorOf(TensorRole::WeightGradient, Dtype::F32, 0, 100));
    TensorStats gradient = tensorOf(TensorRole::Gradient, Dtype::F16, 50, 3, 1);
    // 2^-20 is subnormal in fp16, and normal in fp32
    const float values[] = {0x1p-20f, 1, 2};
    gradient.magnitudes = test::histogramOfValues(values);
    statistics.tensors.push_back(gradient);
    gradient.storage = Dtype::F32;
    statistics.tensors.push_back(gradient);
    statistics.tensors.push_back(tensorOf(TensorRole::Value, Dtype::F16, 0, 92));
    TensorStats update = tensorOf(TensorRole::Update, Dtype::F16, 60, 40);
    update.meant = 80;
    update.lost = 40;
    statistics.tensors.push_back(update);

    const auto values1 = valuesOf(statistics);
    EXPECT_EQ(values1.at("zero_gradients"), 30.0 / 200) << "of weights' gradients alone";
    EXPECT_EQ(values1.at("subnormal_gradients"), 1.0 / 6) << "in the tensor's own format";
    EXPECT_EQ(values1.at("non_finite_values"), 2.0 / (200 + 2 * 54 + 92));
    EXPECT_EQ(values1.at("lost_updates"), 40.0 / 80);
    EXPECT_EQ(values1.at("unchanged_weights"), 60.0 / 100);
    EXPECT_EQ(tensorShare(statistics, tensor_share::kLostUpdates), 0.5);
}

TEST(TensorShares, AreLeftOutWhereThereAreNoSuchTensors) {
    EXPECT_TRUE(tensorShares({}).empty());
    StepStats skipped;
    skipped.tensors.push_back(tensorOf(TensorRole::WeightGradient, Dtype::F32, 0, 0, 10));
    const auto values = valuesOf(skipped);
    EXPECT_FALSE(values.contains("lost_updates")) << "a skipped step means no update";
    EXPECT_EQ(values.at("non_finite_values"), 1);
}

}  // namespace
}  // namespace mantissa
