// SPDX-License-Identifier: Apache-2.0
// Synthetic data for benchmarks only: normal inputs, random labels, seeded. Never shown to users.
#pragma once

#include <memory>
#include <random>

#include "engine/data/dataset.h"

namespace mantissa {

inline std::shared_ptr<const Dataset> syntheticDataset(std::int64_t features, std::int64_t classes, std::int64_t count) {
    auto data = std::make_shared<Dataset>();
    data->name = "synthetic";
    data->features = features;
    data->classes = classes;
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    data->trainInputs.resize(static_cast<std::size_t>(features * count));
    for (float& x : data->trainInputs) x = normal(random);
    for (std::int64_t i = 0; i < count; ++i)
        data->trainLabels.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(classes)));
    return data;
}

}  // namespace mantissa
