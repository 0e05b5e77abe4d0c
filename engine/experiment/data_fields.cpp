// SPDX-License-Identifier: Apache-2.0
// The keys of `data`. Most are valid for some data sets only, and are an error for others.
#include <limits>

#include "engine/experiment/field_kinds.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;                                      // Linux's PATH_MAX
constexpr std::int64_t kMostSamples = std::numeric_limits<std::int32_t>::max();  // an index has 32 bits

Field onlyFor(std::vector<std::string> names, Field field) {
    return onlyFor(
        std::move(names), "data set", [](const RunSettings& run) -> const std::string& { return run.training.data.name; },
        std::move(field));
}

template <class Member>
Field count(const char* key, const char* label, Member member, std::int64_t least, std::int64_t most) {
    return integer(
        "data", key, label, false, [=](auto& run) -> auto& { return run.training.data.*member; }, least, most);
}

}  // namespace

std::vector<Field> dataFields() {
    const auto data = [](auto& run) -> auto& {
        return run.training.data;
    };
    const std::vector<std::string> images{"synthetic-images"}, tokens{"synthetic-tokens"}, regression{"synthetic-regression"};
    std::vector<Field> all;
    all.push_back(choice(
        "data", "name", "data set", [=](auto& r) -> auto& { return data(r).name; }, datasetNames()));
    all.push_back(count("batch_size", "batch size", &DataSettings::batchSize, 1, kMaxCount));
    all.push_back(choice("data", "order", "order", [=](auto& r) -> auto& { return data(r).order; }, {"shuffled", "sequential"}));
    all.push_back(seed(
        "data", [=](auto& r) -> auto& { return data(r).seed; }));
    Field path{"data",
               "path",
               "data path",
               false,
               [=](RunSettings& run, const Json& value) { data(run).path = readPlainText(value, kMaxPathBytes); },
               [=](const RunSettings& run) { return data(run).path.empty() ? std::nullopt : std::optional<Json>(data(run).path); },
               nullptr,
               FieldKind::Path};
    path.schema = plainTextSchema(kMaxPathBytes);
    path.isFolder = [=](const RunSettings& run) { return data(run).name != "text"; };
    all.push_back(onlyFor({"mnist", "cifar10", "text", "npy"}, std::move(path)));
    all.push_back(onlyFor({"opticks", "text"},
                          choice("data", "tokens", "tokens", [=](auto& r) -> auto& { return data(r).tokens; }, {"characters", "bytes"})));
    all.push_back(onlyFor({"opticks", "text", "synthetic-tokens"}, count("context", "context", &DataSettings::context, 1, kMaxCount)));
    all.push_back(
        onlyFor({"synthetic-images", "synthetic-regression"}, count("samples", "samples", &DataSettings::samples, 1, kMostSamples)));
    all.push_back(onlyFor(images, count("classes", "classes", &DataSettings::classes, 1, kMostSamples)));
    all.push_back(onlyFor(images, count("height", "image height", &DataSettings::height, 1, kMostSamples)));
    all.push_back(onlyFor(images, count("width", "image width", &DataSettings::width, 1, kMostSamples)));
    all.push_back(onlyFor(images, count("channels", "channels", &DataSettings::channels, 1, kMostSamples)));
    all.push_back(onlyFor(regression, count("features", "features", &DataSettings::features, 1, kMostSamples)));
    all.push_back(onlyFor(tokens, count("vocabulary", "vocabulary", &DataSettings::vocabulary, 4, 55'000)));  // single code points
    all.push_back(onlyFor(tokens, count("length", "length", &DataSettings::length, 1, kMostSamples)));
    Field noise = number(
        "data", "noise", "noise", [=](auto& r) -> auto& { return data(r).noise; }, Bound::NotNegative);
    noise.isLive = false;
    all.push_back(onlyFor({"synthetic-images", "synthetic-regression"}, noise));
    all.push_back(onlyFor(regression, count("degrees_of_freedom", "degrees of freedom", &DataSettings::degreesOfFreedom, 1, 100)));
    return all;
}

}  // namespace mantissa
