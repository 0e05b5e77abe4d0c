// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

class SafetensorsTest : public ::testing::Test {
protected:
    fs::path m_folder =
        fs::temp_directory_path() / ("mantissa_safetensors_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                                     ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::path m_path = m_folder / "w.safetensors";
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    void write(const std::string& bytes) const { std::ofstream(m_path, std::ios::binary) << bytes; }
    /// A file of this header, with its true length in front, and that many bytes of data.
    void write(const std::string& header, std::size_t dataBytes) const {
        write(lengthOf(header.size()) + header + std::string(dataBytes, '\1'));
    }
    static std::string lengthOf(std::uint64_t length) {
        std::string bytes;
        for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i));
        return bytes;
    }
    /// Pointer and sentence of the refusal; empty when the file is read.
    std::string refusal() const {
        try {
            readSafetensors(m_path);
        } catch (const InputError& error) {
            EXPECT_EQ(error.source(), m_path.string());
            return error.pointer() + " " + error.sentence();
        }
        return "";
    }
};

TEST_F(SafetensorsTest, WhatIsWrittenIsReadBackBitForBit) {
    const float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
    const std::vector<NamedTensor> tensors{
        {"layers.0.weight", {2, 3}, {1, -0.0f, kNan, kInf, -kInf, 1e-45f}}, {"empty", {0, 4}, {}}, {"layers.0.bias", {2}, {0.1f, 3.4e38f}}};
    writeSafetensors(m_path, tensors);
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()), 1) << "nothing unfinished stays behind";
    EXPECT_EQ(fs::file_size(m_path) % 8, 0u);
    const auto read = readSafetensors(m_path);
    ASSERT_EQ(read.size(), tensors.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        EXPECT_EQ(read[i].name, tensors[i].name);
        EXPECT_EQ(read[i].shape, tensors[i].shape);
        ASSERT_EQ(read[i].values.size(), tensors[i].values.size());
        for (std::size_t j = 0; j < read[i].values.size(); ++j)
            EXPECT_EQ(std::bit_cast<std::uint32_t>(read[i].values[j]), std::bit_cast<std::uint32_t>(tensors[i].values[j]));
    }
}

TEST_F(SafetensorsTest, NarrowFormatsAreWidened) {
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"h":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},"b":{"dtype":"BF16","shape":[],"data_offsets":[6,8]}}   )";
    const std::string data("\x00\x3c\x01\x00\xff\x7b\xc0\xbf", 8);  // 1, 2^-24, 65504; -1.5
    write(lengthOf(header.size()) + header + data);
    const auto read = readSafetensors(m_path);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].values, (std::vector<float>{1, std::ldexp(1.0f, -24), 65504}));
    EXPECT_EQ(read[1].values, (std::vector<float>{-1.5f}));
    EXPECT_TRUE(read[1].shape.empty());
}

TEST_F(SafetensorsTest, EveryLieIsRefusedWithItsPlace) {
    const auto tensor = [](const std::string& inner) { return R"({"t":)" + inner + "}"; };
    const struct {
        std::string header;
        std::size_t dataBytes;
        std::string says;
    } kCases[] = {
        {tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), 9, " has 1 bytes after the last tensor"},
        {tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), 7, "/t/data_offsets ends at byte 8 of 7"},
        {tensor(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"), 8, "/t/data_offsets spans 8 bytes, the shape needs 12"},
        {tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), 8, "/t/data_offsets ends before it begins"},
        {tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"), 8, "/t/data_offsets leaves a hole of 4 bytes"},
        {R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"u":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12,
         "/u/data_offsets overlaps"},
        {R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"u":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})", 12,
         "/u/data_offsets leaves a hole"},
        {R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"t":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
         "/t key is there twice"},
        {tensor(R"({"dtype":"F31","shape":[2],"data_offsets":[0,8]})"), 8, "/t/dtype dtype 'F31' is not known"},
        {tensor(R"({"dtype":7,"shape":[2],"data_offsets":[0,8]})"), 8, "/t/dtype dtype '7' is not known"},
        {tensor(R"({"dtype":"I64","shape":[1],"data_offsets":[0,8]})"), 8,
         "/t/dtype weights are read from F32, F16 and BF16, not from I64"},
        {tensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})"), 0, "/t/shape is larger than 2^64 bytes"},
        {tensor(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})"), 8, "/t/shape sizes are whole numbers"},
        {tensor(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,8]})"), 8, "/t/shape sizes are whole numbers"},
        {tensor(R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,8]})"), 8, "/t/shape sizes are whole numbers"},
        {tensor(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"), 8, "/t/shape must be a list"},
        {tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), 8, "/t/data_offsets must be two byte offsets"},
        {tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})"), 8, "/t/data_offsets must be two byte offsets"},
        {tensor(R"({"dtype":"F32","shape":[2]})"), 8, "/t/data_offsets is missing"},
        {tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})"), 8, "/t has keys beside"},
        {tensor("3"), 0, "/t must be an object"},
        {R"({"__metadata__":{"format":3}})", 0, "/__metadata__/format must be text"},
        {R"({"__metadata__":[]})", 0, "/__metadata__ must be an object"},
        {"[]", 0, "does not begin with '{'"},
        {" {}", 0, "does not begin with '{'"},
        {"{", 0, "not JSON"},
        {"", 0, "does not begin with '{'"},
    };
    for (const auto& [header, dataBytes, says] : kCases) {
        write(header, dataBytes);
        EXPECT_NE(refusal().find(says), std::string::npos) << header << "\n  " << refusal();
    }
    write("{}", 0);
    EXPECT_EQ(refusal(), "");
}

TEST_F(SafetensorsTest, SizesAreCheckedBeforeAnythingIsAllocated) {
    write(lengthOf(~0ull) + "{}");
    EXPECT_NE(refusal().find("is not a safetensors file"), std::string::npos);
    write(lengthOf(100'000'001) + "{}");
    EXPECT_NE(refusal().find("is not a safetensors file"), std::string::npos);
    write(lengthOf(99'999'999) + "{}");
    EXPECT_NE(refusal().find("longer than the file"), std::string::npos);
    write(lengthOf(3) + "{}");
    EXPECT_NE(refusal().find("longer than the file"), std::string::npos);
    write("1234567");
    EXPECT_NE(refusal().find("too short"), std::string::npos);
    fs::remove(m_path);
    EXPECT_NE(refusal().find("no such file"), std::string::npos);
    fs::create_directory(m_path);
    EXPECT_NE(refusal().find("not a file"), std::string::npos);
}

TEST_F(SafetensorsTest, AnyCutIsRefused) {
    writeSafetensors(m_path, {{"a", {2, 2}, {1, 2, 3, 4}}, {"b", {1}, {5}}});
    std::string whole(fs::file_size(m_path), '\0');
    std::ifstream(m_path, std::ios::binary).read(whole.data(), static_cast<std::streamsize>(whole.size()));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        write(whole.substr(0, length));
        ASSERT_NE(refusal(), "") << length;
    }
}

TEST_F(SafetensorsTest, BookkeepingOfOtherTypesIsLeftUnread) {
    const std::string header =
        R"({"bn1.weight":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"bn1.num_batches_tracked":{"dtype":"I64","shape":[],"data_offsets":[4,12]}})";
    write(header, 12);
    const auto read = readSafetensors(m_path);
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].name, "bn1.weight");
    write(header, 11);
    EXPECT_NE(refusal().find("/bn1.num_batches_tracked/data_offsets ends at byte 12 of 11"), std::string::npos) << "but checked";
}

TEST_F(SafetensorsTest, AWriteThatFailsLeavesTheOldFile) {
    writeSafetensors(m_path, {{"a", {1}, {1}}});
    EXPECT_THROW(writeSafetensors(m_folder / "no such folder" / "w", {{"a", {1}, {2}}}), std::runtime_error);
    fs::create_directory(m_folder / "taken");
    std::ofstream(m_folder / "taken" / "x") << "x";
    EXPECT_THROW(writeSafetensors(m_folder / "taken", {{"a", {1}, {2}}}), std::runtime_error);
    EXPECT_EQ(readSafetensors(m_path)[0].values[0], 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace mantissa
