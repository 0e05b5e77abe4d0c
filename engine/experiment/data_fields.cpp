// SPDX-License-Identifier: Apache-2.0
// The keys of `data`. Most are valid for some data sets only, and are an error for others.
#include <limits>

#include "engine/experiment/field_kinds.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;                                      // Linux's PATH_MAX
constexpr std::int64_t kMostSamples = std::numeric_limits<std::int32_t>::max();  // an index has 32 bits

Field onlyData(std::vector<std::string> names, Field field) {
    return onlyFor("data", std::move(names), std::move(field));
}

}  // namespace

std::vector<Field> dataFields() {
    const std::vector<std::string> images{"synthetic-images"}, tokens{"synthetic-tokens"}, regression{"synthetic-regression"};
    const std::vector<std::string> samples{"synthetic-images", "synthetic-regression"};
    std::vector<Field> all;
    all.push_back(choice("name", "data set", &DataSettings::name, datasetNames()));
    all.push_back(integer("batch_size", "batch size", &DataSettings::batchSize, 1, kMaxCount));
    all.push_back(choice("order", "order", &DataSettings::order, {"shuffled", "sequential"}));
    all.push_back(seed(&DataSettings::seed));
    Field path = optionalField(fieldOf("path", "data path", &DataSettings::path, FieldKind::Path, plainTextSchema(kMaxPathBytes),
                                       [](const Json& value) { return readPlainText(value, kMaxPathBytes); }),
                               &DataSettings::path, "");
    path.isFolder = [](const RunSettings& run) { return run.training.data.name != "text"; };
    all.push_back(onlyData({"mnist", "cifar10", "text", "npy"}, std::move(path)));
    all.push_back(onlyData({"opticks", "text"}, choice("tokens", "tokens", &DataSettings::tokens, {"characters", "bytes"})));
    all.push_back(onlyData({"opticks", "text", "synthetic-tokens"}, integer("context", "context", &DataSettings::context, 1, kMaxCount)));
    all.push_back(onlyData(samples, integer("samples", "samples", &DataSettings::samples, 1, kMostSamples)));
    all.push_back(onlyData(images, integer("classes", "classes", &DataSettings::classes, 1, kMostSamples)));
    all.push_back(onlyData(images, integer("height", "image height", &DataSettings::height, 1, kMostSamples)));
    all.push_back(onlyData(images, integer("width", "image width", &DataSettings::width, 1, kMostSamples)));
    all.push_back(onlyData(images, integer("channels", "channels", &DataSettings::channels, 1, kMostSamples)));
    all.push_back(onlyData(regression, integer("features", "features", &DataSettings::features, 1, kMostSamples)));
    all.push_back(onlyData(tokens, integer("vocabulary", "vocabulary", &DataSettings::vocabulary, 4, 55'000)));  // single code points
    all.push_back(onlyData(tokens, integer("length", "length", &DataSettings::length, 1, kMostSamples)));
    all.push_back(onlyData(samples, number("noise", "noise", &DataSettings::noise, Bound::NotNegative)));
    all.push_back(onlyData(regression, integer("degrees_of_freedom", "degrees of freedom", &DataSettings::degreesOfFreedom, 1, 100)));
    return all;
}

}  // namespace mantissa
