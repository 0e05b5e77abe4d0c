// SPDX-License-Identifier: Apache-2.0
// x.npy and y.npy: integers in y are classes, floating-point numbers targets. Values are not scaled.
#include <algorithm>

#include "engine/data/files.h"
#include "engine/data/npy.h"
#include "engine/data/readers.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostClasses = 1'000'000;

struct Pair {
    fs::path xFile, yFile;
    NpyArray x, y;

    Pair(const fs::path& xPath, const fs::path& yPath) : xFile(xPath), yFile(yPath), x(readNpy(xPath)), y(readNpy(yPath)) {
        if (x.shape.size() < 2 || x.shape.size() > 4)
            refuseFile(xFile, "has " + std::to_string(x.shape.size()) +
                                  " dimensions; samples are [n, features], [n, height, width] or [n, height, width, channels]");
        if (x.shape[0] != y.shape[0])
            refuseFile(yFile, "has " + std::to_string(y.shape[0]) + " rows for the " + std::to_string(x.shape[0]) + " of " +
                                  xFile.filename().string());
        if (count() == 0 || x.count() == 0) refuseFile(xFile, "is empty");
        requireFits("path", xFile.string() + ": holds", static_cast<double>(count()), static_cast<double>(width(x)));
        if (y.isFloat()) {
            if (y.shape.size() > 2 || y.count() == 0) refuseFile(yFile, "targets are [n] or [n, targets]");
            requireFits("path", yFile.string() + ": holds", static_cast<double>(count()), static_cast<double>(width(y)));
            return;
        }
        if (y.shape.size() != 1) refuseFile(yFile, "labels are [n], one for each sample");
        for (std::size_t i = 0; i < static_cast<std::size_t>(count()); ++i) {
            if (y.whole(i) < 0 || y.whole(i) >= kMostClasses)
                refuseFile(yFile, "label " + std::to_string(i) + " is " + std::to_string(y.whole(i)) + ", labels are from 0 to 999999");
        }
    }

    std::int64_t count() const { return x.shape[0]; }
    static std::int64_t width(const NpyArray& array) { return array.count() / array.shape[0]; }
};

/// Rows [begin, end) of both arrays.
void take(const Pair& pair, std::int64_t begin, std::int64_t end, std::vector<float>& inputs, std::vector<std::int32_t>& labels,
          std::vector<float>& targets) {
    const auto rows = [&](const NpyArray& array, std::vector<float>& out) {
        const std::int64_t width = Pair::width(array);
        out.reserve(static_cast<std::size_t>((end - begin) * width));
        for (std::int64_t i = begin * width; i < end * width; ++i) out.push_back(array.number(static_cast<std::size_t>(i)));
    };
    rows(pair.x, inputs);
    if (pair.y.isFloat()) {
        rows(pair.y, targets);
    } else {
        for (std::int64_t i = begin; i < end; ++i) labels.push_back(static_cast<std::int32_t>(pair.y.whole(static_cast<std::size_t>(i))));
    }
}

void requireAlike(const Pair& train, const Pair& validation) {
    const auto isAlike = [](const NpyArray& a, const NpyArray& b) {
        return a.shape.size() == b.shape.size() && std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1);
    };
    if (!isAlike(train.x, validation.x)) refuseFile(validation.xFile, "its samples are not shaped like those of x.npy");
    if (!isAlike(train.y, validation.y) || train.y.isFloat() != validation.y.isFloat())
        refuseFile(validation.yFile, "its labels or targets are not like those of y.npy");
}

}  // namespace

ReadData readNpyPairs(const DataSettings& settings) {
    const fs::path folder = folderOf(settings, "x.npy and y.npy");
    const Pair train(folder / "x.npy", folder / "y.npy");
    ReadData read;
    read.files = {train.xFile, train.yFile};
    Dataset& data = read.data;
    data.credit = folder.string();
    data.features = Pair::width(train.x);
    const std::vector<std::int64_t>& shape = train.x.shape;
    if (shape.size() > 2) data.image = {shape[1], shape[2], shape.size() > 3 ? shape[3] : 1};

    std::error_code error;
    if (fs::exists(folder / "x_val.npy", error) || fs::exists(folder / "y_val.npy", error)) {
        const Pair validation(folder / "x_val.npy", folder / "y_val.npy");
        requireAlike(train, validation);
        read.files.insert(read.files.end(), {validation.xFile, validation.yFile});
        take(train, 0, train.count(), data.trainInputs, data.trainLabels, data.trainTargets);
        take(validation, 0, validation.count(), data.validationInputs, data.validationLabels, data.validationTargets);
    } else {
        const std::int64_t border = train.count() - train.count() / 5;
        take(train, 0, border, data.trainInputs, data.trainLabels, data.trainTargets);
        take(train, border, train.count(), data.validationInputs, data.validationLabels, data.validationTargets);
    }
    if (train.y.isFloat()) {
        data.kind = DataKind::Regression;
        data.targets = Pair::width(train.y);
    } else {
        std::int32_t largest = 0;
        for (const auto* labels : {&data.trainLabels, &data.validationLabels})
            for (const std::int32_t label : *labels) largest = std::max(largest, label);
        data.classes = largest + 1;
    }
    return read;
}

}  // namespace mantissa
