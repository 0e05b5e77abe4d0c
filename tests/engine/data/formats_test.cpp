// SPDX-License-Identifier: Apache-2.0
// True files of each format, read value by value.
#include <cmath>
#include <limits>
#include <map>

#include "engine/data/batch_order.h"
#include "tests/engine/data/data_files.h"

namespace mantissa {
namespace {

class Formats : public testing::Test {
protected:
    DataFolder folder;
    std::shared_ptr<const Dataset> load(const std::string& name) const {
        return loadDataset({.name = name, .path = folder.path().string()});
    }
};

TEST_F(Formats, MnistPixelsAreDividedBy255) {
    folder.writeMnist();
    const auto data = load("mnist");
    EXPECT_EQ(data->kind, DataKind::Classification);
    EXPECT_EQ(data->trainCount(), 3);
    EXPECT_EQ(data->validationCount(), 1);
    EXPECT_EQ(data->features, 6);
    EXPECT_EQ(data->classes, 10);
    EXPECT_EQ(data->image.height, 2);
    EXPECT_EQ(data->image.width, 3);
    EXPECT_EQ(data->image.channels, 1);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(data->trainInputs[i], static_cast<float>(i) / 255.0f);
    EXPECT_EQ(data->trainInputs.back(), 1.0f);
    EXPECT_EQ(data->trainLabels, (std::vector<std::int32_t>{7, 0, 9}));
    EXPECT_EQ(data->validationInputs, std::vector<float>(6, 102.0f / 255.0f));
    EXPECT_EQ(data->validationLabels, std::vector<std::int32_t>{4});
    EXPECT_EQ(dataText(*data), "mnist '" + folder.path().filename().string() + "': 3 training and 1 validation images of 2x3, 10 classes");
}

TEST_F(Formats, GzippedMnistIsTheSame) {
    folder.writeMnist();
    const auto plain = load("mnist");
    for (const auto& entry : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
        std::ifstream in(folder.path() / entry, std::ios::binary);
        folder.write(std::string(entry) + ".gz", gzip({std::istreambuf_iterator<char>(in), {}}));
        std::filesystem::remove(folder.path() / entry);
    }
    const auto packed = load("mnist");
    EXPECT_NE(packed, plain);  // the files are others
    EXPECT_EQ(packed->trainInputs, plain->trainInputs);
    EXPECT_EQ(packed->trainLabels, plain->trainLabels);
    EXPECT_EQ(packed->validationInputs, plain->validationInputs);
}

TEST_F(Formats, CifarsPlanesBecomeChannelsOfAPixel) {
    folder.writeCifar();
    const auto data = load("cifar10");
    EXPECT_EQ(data->trainCount(), 10);
    EXPECT_EQ(data->validationCount(), 1);
    EXPECT_EQ(data->features, 3072);
    EXPECT_EQ(data->image.channels, 3);
    EXPECT_EQ(data->trainLabels, (std::vector<std::int32_t>{1, 8, 2, 7, 3, 6, 4, 5, 5, 4}));
    const double mean[] = {0.4914, 0.4822, 0.4465}, deviation[] = {0.2470, 0.2435, 0.2616};
    // record 3 of the training set is the second of batch 2, with seed 102
    for (const int y : {0, 1, 17, 31}) {
        for (const int x : {0, 5, 31}) {
            for (int c = 0; c < 3; ++c) {
                const int stored = (((c * 1024 + y * 32 + x) * 7 + 102) & 0xff);
                const auto at = static_cast<std::size_t>(3 * 3072 + (y * 32 + x) * 3 + c);
                EXPECT_EQ(data->trainInputs[at], static_cast<float>((stored / 255.0 - mean[c]) / deviation[c]))
                    << y << " " << x << " " << c;
            }
        }
    }
}

/// A recording says by it whether its data have changed.
TEST_F(Formats, TheSumIsOneOfEveryValue) {
    const auto sumOf = [this](const char* name) { return load(name)->sum; };
    folder.writeMnist();
    folder.writeCifar();
    folder.writeNpy();
    std::map<std::string, std::string> sums;
    for (const char* name : {"mnist", "cifar10", "npy"}) {
        sums[name] = sumOf(name);
        EXPECT_NE(sums[name], "00000000") << name;
    }
    folder.write("t10k-labels-idx1-ubyte", idxFile({1}, "\x05"));
    folder.write("data_batch_5.bin", DataFolder::cifarRecord(5, 5) + DataFolder::cifarRecord(4, 106));
    folder.write("x.npy", npyFile(npyHeader("<f4", "(5, 2)"), packed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 11})));
    for (const auto& [name, sum] : sums) EXPECT_NE(sumOf(name.c_str()), sum) << name;
    folder.write("x.npy", npyFile(npyHeader("<f4", "(5, 2)"), packed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
    EXPECT_EQ(sumOf("npy"), sums.at("npy"));
    folder.write("y.npy", npyFile(npyHeader("<f4", "(5, 2)"), packed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
    const std::string targets = sumOf("npy");
    folder.write("y.npy", npyFile(npyHeader("<f4", "(5, 2)"), packed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 11})));
    EXPECT_NE(sumOf("npy"), targets);
}

TEST_F(Formats, NpyPairsKeepAFifthForValidation) {
    folder.writeNpy();
    const auto data = load("npy");
    EXPECT_EQ(data->trainCount(), 4);
    EXPECT_EQ(data->validationCount(), 1);
    EXPECT_EQ(data->features, 2);
    EXPECT_EQ(data->classes, 3);
    EXPECT_FALSE(data->image.isImage());
    EXPECT_EQ(data->trainInputs, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(data->trainLabels, (std::vector<std::int32_t>{0, 1, 2, 1}));
    EXPECT_EQ(data->validationInputs, (std::vector<float>{9, 10}));
    EXPECT_EQ(data->validationLabels, std::vector<std::int32_t>{0});
}

TEST_F(Formats, NpyOfEachTypeAndVersion) {
    folder.write("y.npy", npyFile(npyHeader("|u1", "(2,)"), packed<std::uint8_t>({1, 0})));
    const float inf = std::numeric_limits<float>::infinity();
    const auto expectInputs = [&](const std::string& bytes, const std::vector<float>& expected) {
        folder.write("x.npy", bytes);
        EXPECT_EQ(load("npy")->trainInputs, expected);
    };
    expectInputs(npyFile(npyHeader("<f8", "(2, 2)"), packed<double>({0.1, -2, 1e300, inf}), 1), {0.1f, -2, inf, inf});
    expectInputs(npyFile(npyHeader("|u1", "(2, 1)"), packed<std::uint8_t>({0, 255}), 2), {0, 255});
    expectInputs(npyFile(npyHeader("<i4", "(2,2)"), packed<std::int32_t>({-1, 0, 1, 16777217}), 3), {-1, 0, 1, 16777216});
    expectInputs(npyFile("{\"shape\": (2, 1),'fortran_order':False, 'descr': '<i8'}", packed<std::int64_t>({-5, 6})), {-5, 6});
    // a NaN is content
    folder.write("x.npy", npyFile(npyHeader("<f4", "(2, 1)"), packed<float>({std::nanf(""), 1})));
    EXPECT_TRUE(std::isnan(load("npy")->trainInputs[0]));
}

TEST_F(Formats, NpyImagesAndSeparateValidation) {
    folder.write("x.npy", npyFile(npyHeader("<f4", "(2, 1, 2, 3)"), packed(std::vector<float>(12, 1.0f))));
    folder.write("y.npy", npyFile(npyHeader("<i4", "(2,)"), packed<std::int32_t>({0, 1})));
    folder.write("x_val.npy", npyFile(npyHeader("<f8", "(1, 1, 2, 3)"), packed(std::vector<double>(6, 2.0))));
    folder.write("y_val.npy", npyFile(npyHeader("<i8", "(1,)"), packed<std::int64_t>({4})));
    const auto data = load("npy");
    EXPECT_EQ(data->image.width, 2);
    EXPECT_EQ(data->image.channels, 3);
    EXPECT_EQ(data->trainCount(), 2);
    EXPECT_EQ(data->validationInputs, std::vector<float>(6, 2.0f));
    EXPECT_EQ(data->classes, 5);
}

TEST_F(Formats, NpyTargetsMakeARegression) {
    folder.write("x.npy", npyFile(npyHeader("<f4", "(5, 1)"), packed<float>({1, 2, 3, 4, 5})));
    folder.write("y.npy", npyFile(npyHeader("<f4", "(5, 2)"), packed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
    const auto data = load("npy");
    EXPECT_EQ(data->kind, DataKind::Regression);
    EXPECT_EQ(data->targets, 2);
    EXPECT_EQ(data->trainCount(), 4);
    EXPECT_EQ(data->trainTargets, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(data->validationTargets, (std::vector<float>{9, 10}));
    EXPECT_TRUE(data->trainLabels.empty());
}

TEST_F(Formats, OneSetForAllWhoAskWhileItsFilesAreTheSame) {
    folder.writeNpy();
    const auto first = load("npy");
    EXPECT_EQ(loadDataset({.name = "npy", .batchSize = 3, .order = "sequential", .seed = 9, .path = folder.path().string()}), first);
    folder.write("y.npy", npyFile(npyHeader("<i8", "(5,)"), packed<std::int64_t>({0, 1, 2, 1, 0})) + "x");
    EXPECT_THROW(load("npy"), DataError);
    folder.write("y.npy", npyFile(npyHeader("<i4", "(5,)"), packed<std::int32_t>({7, 1, 2, 1, 0})));
    EXPECT_EQ(load("npy")->trainLabels[0], 7);
    EXPECT_EQ(first->trainLabels[0], 0);
}

}  // namespace
}  // namespace mantissa
