// SPDX-License-Identifier: Apache-2.0
// Damaged files: one sentence with the file's name, whatever is in them, and little memory.
#include <sys/resource.h>
#include <sys/stat.h>

#include <random>

#include "engine/data/dataset.h"
#include "tests/engine/data/data_files.h"

namespace mantissa {
namespace {

class BrokenData : public testing::Test {
protected:
    DataFolder folder;
    int refused = 0;

    /// `bytes` in the place of one of the files that `name` reads.
    void expect(const std::string& name, const std::string& file, const std::string& bytes, const std::string& says) {
        folder.write(file, bytes);
        expectRefused({.name = name, .path = folder.path().string()}, file, says);
    }
    void expectRefused(const DataSettings& settings, const std::string& file, const std::string& says) {
        try {
            loadDataset(settings);
            ADD_FAILURE() << "accepted: " << file << ", wanted: " << says;
        } catch (const DataError& error) {
            const std::string sentence = error.what();
            EXPECT_NE(sentence.find(says), std::string::npos) << sentence;
            EXPECT_NE(sentence.find(file), std::string::npos) << sentence;
            EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
            EXPECT_LT(sentence.size(), 400u);
            ++refused;
        }
    }
};

TEST_F(BrokenData, Idx) {
    const std::string images = "train-images-idx3-ubyte", labels = "train-labels-idx1-ubyte", packed = images + ".gz";
    const auto expectIdx = [&](const std::string& file, const std::string& bytes, const std::string& says) {
        folder.writeMnist();
        expect("mnist", file, bytes, says);
    };
    const std::string good = idxFile({3, 2, 3}, std::string(18, 'x'));
    expectIdx(images, "", "is of 0 bytes");
    expectIdx(images, good.substr(0, 3), "is of 3 bytes");
    expectIdx(images, "\x89PNG\r\n\x1a\n not an idx", "two zero bytes");
    expectIdx(images, std::string("\0\0\x0d\x03", 4) + good.substr(4), "type 0x0d");
    expectIdx(images, idxFile({3}, "abc"), "has 1 dimensions, not the 3 of images");
    expectIdx(images, idxFile({1, 1, 1, 1}, "a"), "has 4 dimensions");
    expectIdx(images, idxFile(std::vector<std::uint32_t>(255, 1), "a"), "has 255 dimensions");
    expectIdx(images, good.substr(0, 15), "ends within its header");
    expectIdx(images, good.substr(0, good.size() - 1), "promises 34 bytes, but it has 33");
    expectIdx(images, good + "x", "promises 34 bytes, but it has 35");
    expectIdx(images, idxFile({0, 2, 3}, ""), "dimension 0 is 0");
    expectIdx(images, idxFile({3, 0, 3}, ""), "dimension 1 is 0");
    expectIdx(images, idxFile({0xffffffff, 0xffffffff, 0xffffffff}, "x"), "more than 2^64 bytes");
    expectIdx(images, idxFile({0xffffffff, 0xffffffff, 1}, "x"), "but it has 17");
    expectIdx(labels, idxFile({2}, std::string(2, '\0')), "holds 2 labels for the 3 images of train-images-idx3-ubyte");
    expectIdx(labels, idxFile({3}, std::string("\0\x0a\0", 3)), "label 1 is 10, the largest is 9");
    expectIdx(labels, idxFile({3, 1, 1}, std::string(3, '\0')), "has 3 dimensions, not the 1 of labels");
    expectIdx("t10k-images-idx3-ubyte", idxFile({1, 3, 2}, std::string(6, 'x')), "are of 3x2 pixels, those that train of 2x3");

    const auto expectPacked = [&](const std::string& bytes, const std::string& says) {
        folder.writeMnist();
        std::filesystem::remove(folder.path() / images);
        expect("mnist", packed, bytes, says);
    };
    const std::string whole = gzip(good);
    expectPacked("", "cut short");
    expectPacked(good, "gzip data is damaged");
    expectPacked(whole.substr(0, whole.size() - 4), "cut short");
    expectPacked(whole.substr(0, 12), "cut short");
    expectPacked(whole + "more", "more behind the end");
    std::string badSum = whole;
    badSum[badSum.size() - 6] ^= 1;
    expectPacked(badSum, "gzip data is damaged");
    expectPacked(gzip(good.substr(0, 20)), "promises 34 bytes, but it has 20");
    expectPacked(gzip(good + std::string(50'000'000, '\0')), "promises 34 bytes, but it has more");  // a bomb
    expectPacked(gzip(idxFile({0xffffffff, 1, 1}, "x")), "bytes of gzip cannot hold");
    expectPacked(gzip(idxFile({0xffffffff, 0xffffffff, 0xffffffff}, "x")), "more than 2^64");
    EXPECT_GE(refused, 28);

    // What the shapes forbid is not inflated: 14 GB of fp32, and labels that no images have.
    std::string noise(4'000'000, '\0');
    std::minstd_rand random(1);
    for (char& c : noise) c = static_cast<char>(random() >> 8);
    expectPacked(gzip(idxFile({40'000, 300, 300}, noise)), "holds more than 8 GiB of fp32");
    folder.writeMnist();
    std::filesystem::remove(folder.path() / labels);
    expect("mnist", labels + ".gz", gzip(idxFile({30'000'000}, std::string(30'000'000, '\0'))), "holds 30000000 labels for the 3 images");
}

TEST_F(BrokenData, Cifar) {
    const auto expectCifar = [&](const std::string& file, const std::string& bytes, const std::string& says) {
        folder.writeCifar();
        expect("cifar10", file, bytes, says);
    };
    const std::string record = DataFolder::cifarRecord(3, 1);
    expectCifar("data_batch_3.bin", "", "is empty");
    expectCifar("data_batch_3.bin", record.substr(1), "is of 3072 bytes, not a multiple of 3073");
    expectCifar("data_batch_1.bin", record + "x", "is of 3074 bytes");
    expectCifar("test_batch.bin", record + DataFolder::cifarRecord(10, 1), "label 1 is 10, the largest is 9");
    folder.writeCifar();
    std::filesystem::remove(folder.path() / "data_batch_5.bin");
    expectRefused({.name = "cifar10", .path = folder.path().string()}, "data_batch_5.bin", "there is no such file");
    EXPECT_EQ(refused, 5);
}

TEST_F(BrokenData, Npy) {
    const auto expectX = [&](const std::string& bytes, const std::string& says) {
        folder.writeNpy();
        expect("npy", "x.npy", bytes, says);
    };
    const auto expectY = [&](const std::string& bytes, const std::string& says) {
        folder.writeNpy();
        expect("npy", "y.npy", bytes, says);
    };
    const std::string values = packed(std::vector<float>(10, 1.0f)), good = npyFile(npyHeader("<f4", "(5, 2)"), values);
    const auto with = [&](const std::string& header) { return npyFile(header, values); };
    expectX("", "does not begin with");
    expectX("PK\x03\x04 this is an .npz", "does not begin with");
    expectX("\x93NUMPY", "ends within its header");
    expectX(good.substr(0, 9), "ends within its header");
    expectX(good.substr(0, 40), "ends within its header");
    expectX(std::string("\x93NUMPY\x04\x00", 8) + good.substr(8), "is of version 4.0");
    expectX(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + "{}", "longer than 64 KiB");
    expectX(std::string("\x93NUMPY\x01\x00\xff\xff", 10) + "{}", "ends within its header");
    expectX(with("[1, 2]"), "is no dictionary");
    expectX(with("{'descr': '<f4', 'shape': (5, 2)}"), "lacks");
    expectX(with("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 2), 'x': 1}"), "'x'");
    expectX(with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (5, 2)}"), "'descr' twice");
    expectX(with("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 2)} + evil()"), "goes on behind");
    expectX(with("{'descr': '<f4', 'fortran_order': 0, 'shape': (5, 2)}"), "neither True nor False");
    expectX(with("{'a\nb': 1}"), "'a\\u000ab'");  // a refusal is one line
    expectX(with("{'descr': '<f4"), "does not end");
    expectX(with("{'descr': '<f4', 'fortran_order': True, 'shape': (5, 2)}"), "Fortran's order");
    expectX(with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (5, 2)}"), "several fields");
    expectX(with(npyHeader("|O", "(5, 2)")), "type '|O'");
    expectX(with(npyHeader(">f4", "(5, 2)")), "type '>f4'");
    expectX(with(npyHeader("<f2", "(5, 2)")), "type '<f2'");
    expectX(with(npyHeader("<f4", "(5, -2)")), "whole numbers from 0");
    expectX(with(npyHeader("<f4", "(5, 99999999999999999999)")), "whole numbers from 0");
    expectX(with("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 2"), "')' is missing at its byte");
    expectX(with(npyHeader("<f4", "()")), "single value");
    expectX(with(npyHeader("<f4", "(9223372036854775807, 2)")), "larger than 2^63");
    std::string deep = "(";
    for (int i = 0; i < 40; ++i) deep += "1, ";
    expectX(with(npyHeader("<f4", deep + ")")), "more than 32 dimensions");
    expectX(good.substr(0, good.size() - 1), "wants 40 bytes of values, and it has 39");
    expectX(good + "x", "wants 40 bytes of values, and it has 41");
    expectX(with(npyHeader("<f4", "(10,)")), "has 1 dimensions");
    expectX(with(npyHeader("<f4", "(1, 1, 5, 2, 1)")), "has 5 dimensions");
    expectX(npyFile(npyHeader("<f4", "(0, 2)"), ""), "x.npy");
    expectX(npyFile(npyHeader("<f4", "(5, 0)"), ""), "is empty");
    expectY(npyFile(npyHeader("<i4", "(4,)"), packed<std::int32_t>({0, 1, 2, 3})), "has 4 rows for the 5 of x.npy");
    expectY(npyFile(npyHeader("<i4", "(5,)"), packed<std::int32_t>({0, 1, -1, 3, 4})), "label 2 is -1");
    expectY(npyFile(npyHeader("<i8", "(5,)"), packed<std::int64_t>({0, 1, 1LL << 40, 3, 4})), "label 2 is 1099511627776");
    expectY(npyFile(npyHeader("<i4", "(5, 1)"), packed<std::int32_t>({0, 1, 2, 3, 4})), "labels are [n]");
    expectY(npyFile(npyHeader("<f4", "(5, 1, 1)"), packed<float>({0, 1, 2, 3, 4})), "targets are [n]");
    EXPECT_EQ(refused, 38);
}

TEST_F(BrokenData, NpyValidationThatIsAnother) {
    folder.writeNpy();
    const DataSettings settings{.name = "npy", .path = folder.path().string()};
    folder.write("x_val.npy", npyFile(npyHeader("<f4", "(1, 3)"), packed<float>({1, 2, 3})));
    expectRefused(settings, "y_val.npy", "there is no such file");
    folder.write("y_val.npy", npyFile(npyHeader("<i4", "(1,)"), packed<std::int32_t>({0})));
    expectRefused(settings, "x_val.npy", "not shaped like those of x.npy");
    folder.write("x_val.npy", npyFile(npyHeader("<f4", "(1, 2)"), packed<float>({1, 2})));
    folder.write("y_val.npy", npyFile(npyHeader("<f4", "(1,)"), packed<float>({0})));
    expectRefused(settings, "y_val.npy", "not like those of y.npy");
}

TEST_F(BrokenData, Text) {
    const auto expectText = [&](const std::string& bytes, const std::string& tokens, const std::string& says) {
        folder.write("t.txt", bytes);
        expectRefused({.name = "text", .path = (folder.path() / "t.txt").string(), .context = 10, .tokens = tokens}, "t.txt", says);
    };
    expectText("", "characters", "is empty");
    expectText("", "bytes", "is empty");
    expectText(std::string(100, 'a'), "characters", "has 100 characters, windows of 10 need 101");
    expectText(std::string(100, 'a'), "bytes", "has 100 bytes, windows of 10 need 101");
    expectText(std::string(70, 'a') + "\xe9" + std::string(70, 'a'), "characters", "byte 70 is not UTF-8");
    expectText(std::string(200, 'a') + "\xe2\x82", "characters", "byte 200 is not UTF-8");
    folder.write("t.txt", std::string(101, 'a'));
    EXPECT_EQ(loadDataset({.name = "text", .path = (folder.path() / "t.txt").string(), .context = 10})->validationCount(), 1);
}

TEST_F(BrokenData, WhatIsNoFile) {
    const std::string path = folder.path().string();
    expectRefused({.name = "text", .path = path}, path, "is not a file");
    expectRefused({.name = "text", .path = path + "/none"}, "none", "there is no such file");
    expectRefused({.name = "text", .path = path + "/" + std::string(300, 'n')}, "nnn", "cannot be read");
    expectRefused({.name = "text", .path = "/dev/zero"}, "/dev/zero", "is not a file");
    ASSERT_EQ(mkfifo((path + "/pipe").c_str(), 0600), 0);  // opened for reading it would wait for ever
    expectRefused({.name = "text", .path = path + "/pipe"}, "pipe", "is not a file");
    folder.write("file", "x");
    for (const char* name : {"mnist", "cifar10", "npy"}) {
        expectRefused({.name = name, .path = path + "/none"}, "none", "there is no such folder");
        expectRefused({.name = name, .path = path + "/file"}, "file", "is not a folder");
        EXPECT_THROW(loadDataset({.name = name, .path = path}), DataError) << name;
    }
    // a file with a hole, larger than what is read; nothing of it is allocated
    folder.write("x.npy", "x");
    std::filesystem::resize_file(folder.path() / "x.npy", std::uintmax_t{9} << 30);
    expectRefused({.name = "npy", .path = path}, "x.npy", "the most that is read");
}

/// Bytes changed at random: each file is read or refused, and nothing else comes out.
TEST_F(BrokenData, RandomDamage) {
    const std::vector<std::pair<std::string, std::string>> files{{"npy", "x.npy"},
                                                                 {"npy", "y.npy"},
                                                                 {"mnist", "train-images-idx3-ubyte"},
                                                                 {"mnist", "train-labels-idx1-ubyte"},
                                                                 {"mnist", "t10k-images-idx3-ubyte.gz"}};
    folder.writeNpy();
    folder.writeMnist();
    std::filesystem::remove(folder.path() / "t10k-images-idx3-ubyte");
    folder.write("t10k-images-idx3-ubyte.gz", gzip(idxFile({1, 2, 3}, "abcdef")));
    std::mt19937 random(5);
    int accepted = 0, rejected = 0;
    for (const auto& [name, file] : files) {
        std::ifstream in(folder.path() / file, std::ios::binary);
        const std::string whole{std::istreambuf_iterator<char>(in), {}};
        for (int i = 0; i < 200; ++i) {
            std::string damaged = whole;
            for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) damaged[random() % damaged.size()] = static_cast<char>(random());
            if (random() % 4 == 0) damaged.resize(random() % damaged.size());
            folder.write(file, damaged);
            try {
                loadDataset({.name = name, .path = folder.path().string()});
                ++accepted;
            } catch (const DataError& error) {
                EXPECT_NE(std::string(error.what()).find(folder.path().string()), std::string::npos) << error.what();
                ++rejected;
            }
        }
        folder.write(file, whole);
    }
    EXPECT_GT(accepted, 25);
    EXPECT_GT(rejected, 250);
}

/// What all of these tests together held at the fullest moment: no header was believed.
TEST(BrokenDataMemory, StaysSmall) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    EXPECT_LT(usage.ru_maxrss, 1'000'000) << "KiB";
}

}  // namespace
}  // namespace mantissa
