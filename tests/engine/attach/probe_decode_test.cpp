// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/attach/probe_script.h"

namespace mantissa {
namespace {

using namespace test;

std::string complaintOf(const std::string& type, const Json& body) {
    const std::vector<std::uint8_t> frame = messageFrame(type, body);
    try {
        (void)decodeProbeMessage(std::span(frame).subspan(4));
    } catch (const WireError& error) {
        return error.what();
    }
    return "";
}

TEST(ProbeDecode, ReadsWhatARealProbeWrote) {
    FrameReader reader;
    reader.append(bytesOfFile(kWatchedFile));
    std::array<int, std::variant_size_v<ProbeMessage>> kinds{};
    while (const auto payload = reader.next()) {
        const auto message = decodeProbeMessage(*payload);
        ASSERT_TRUE(message);
        ++kinds[message->index()];
    }
    EXPECT_FALSE(reader.hasPartial());
    EXPECT_EQ(kinds[0], 1) << "hello";
    EXPECT_GE(kinds[1], 1) << "tensors";
    EXPECT_EQ(kinds[2], 30) << "steps";
    EXPECT_GE(kinds[3], 4) << "statistics";
    EXPECT_EQ(kinds[6], 1) << "end";
}

TEST(ProbeDecode, LeavesOutTypesOfALaterProbe) {
    const std::vector<std::uint8_t> frame = messageFrame("probe_weather", Json::object());
    EXPECT_FALSE(decodeProbeMessage(std::span(frame).subspan(4)));
}

TEST(ProbeDecode, StatisticsComeBackAsTheyWere) {
    const auto statistics = std::get<ProbeStatistics>(decoded("probe_statistics", statisticsBody(7, 1024, 3.5f)));
    ASSERT_EQ(statistics.tensors.size(), 1u);
    EXPECT_EQ(statistics.step, 7);
    EXPECT_EQ(statistics.lossScale, 1024);
    EXPECT_TRUE(statistics.areGradientsScaled);
    const CountedTensor& tensor = statistics.tensors[0];
    EXPECT_EQ(tensor.classes.negative, 4);
    EXPECT_EQ(tensor.classes.absMax, 3.5);
    EXPECT_EQ(tensor.smallest, 3.5);
    EXPECT_EQ(tensor.magnitudes.cells, (std::vector<Histogram::Cell>{{cellOf(3.5f), 8}}));
}

TEST(ProbeDecode, SketchesComeWithStatisticsWhereTheProbeSendsThem) {
    Json body = statisticsBody(7, 1024, 3.5f);
    EXPECT_TRUE(std::get<ProbeStatistics>(decoded("probe_statistics", body)).tensors[0].sketch.empty());
    std::vector<float> sketch(64);
    for (std::size_t i = 0; i < sketch.size(); ++i) sketch[i] = static_cast<float>(i) - 10;
    body["sketches"] = column(sketch);
    body["before_clipping"] = true;
    const auto statistics = std::get<ProbeStatistics>(decoded("probe_statistics", body));
    EXPECT_EQ(statistics.tensors[0].sketch, sketch);
    EXPECT_TRUE(statistics.areBeforeClipping);
    sketch.pop_back();
    body["sketches"] = column(sketch);
    EXPECT_NE(complaintOf("probe_statistics", body).find("'sketches'"), std::string::npos);
}

TEST(ProbeDecode, SaysWhichKeyIsWrong) {
    const auto with = [](Json body, const char* key, Json value) {
        body[key] = std::move(value);
        return body;
    };
    EXPECT_EQ(complaintOf("probe_hello", with(helloBody(), "protocol", 2)),
              "the probe speaks version 2 of the protocol, and this program version 1");
    EXPECT_NE(complaintOf("probe_hello", with(helloBody(), "modules", "x")).find("'modules' of probe_hello is not a list"),
              std::string::npos);
    EXPECT_NE(complaintOf("probe_hello", with(helloBody(), "name", 3)).find("'name' of probe_hello is not text"), std::string::npos);
    EXPECT_NE(complaintOf("probe_step", with(stepBody(0), "step", -1)).find("'step' of probe_step is out of range"), std::string::npos);
    EXPECT_NE(complaintOf("probe_step", with(stepBody(0), "step", 0.5)).find("out of range"), std::string::npos);
    EXPECT_NE(complaintOf("probe_step", with(stepBody(0), "loss", "x")).find("'loss' of probe_step is not a number"), std::string::npos);
    EXPECT_NE(complaintOf("probe_step", with(stepBody(0), "magnitudes",
                                             {{"tensor", column<std::uint32_t>({1, 2})}, {"bits", column<std::uint32_t>({1})}}))
                  .find("is not a column of 2"),
              std::string::npos);
    const Json statistics = statisticsBody(0, 1, 1);
    EXPECT_NE(complaintOf("probe_statistics", with(statistics, "count", 2)), "");
    EXPECT_NE(complaintOf("probe_statistics", with(statistics, "records", Json::binary({1, 2}))).find("'records'"), std::string::npos);
    EXPECT_NE(complaintOf("probe_statistics", with(statistics, "cell_bytes", column<std::uint32_t>({999}))).find("shorter"),
              std::string::npos);
    EXPECT_NE(complaintOf("probe_statistics", with(statistics, "cells", Json::binary({0, 0, 0, 0}))).find("is not a list of cells"),
              std::string::npos);
    EXPECT_NE(
        complaintOf("probe_statistics", with(statistics, "elements", column<std::int64_t>({4}))).find("more elements than the tensor has"),
        std::string::npos);
}

TEST(ProbeDecode, AKeyWithoutWhichAMessageMeansNothingMustBeThere) {
    const auto without = [](Json body, const char* key) {
        body.erase(key);
        return body;
    };
    EXPECT_NE(complaintOf("probe_step", without(stepBody(0), "step")).find("'step' of probe_step is missing"), std::string::npos);
    EXPECT_NE(complaintOf("probe_statistics", without(statisticsBody(0, 1, 1), "step")).find("is missing"), std::string::npos);
    EXPECT_NE(complaintOf("probe_statistics", without(statisticsBody(0, 1, 1), "count")).find("is missing"), std::string::npos);
    EXPECT_NE(complaintOf("operations_captured", {{"operations", Json::array()}}).find("is missing"), std::string::npos);
    Json tensors = tensorsBody();
    tensors["tensors"][1].erase("id");
    EXPECT_NE(complaintOf("tensors_described", tensors).find("is missing"), std::string::npos);
}

TEST(ProbeDecode, LeavesOutTensorsOfRolesOfALaterProbe) {
    Json tensors = tensorsBody();
    tensors["tensors"][0]["role"] = "weather";
    EXPECT_EQ(std::get<TensorsDescribed>(decoded("tensors_described", tensors)).tensors.size(), tensors["tensors"].size() - 1);
    Json step = stepBody(0);
    step["first_bad"] = {{"name", "x"}, {"role", "weather"}, {"class", "nan"}};
    EXPECT_FALSE(std::get<ProbeStep>(decoded("probe_step", step)).firstBad);
}

TEST(ProbeDecode, NamesAreOneLineOfAScreenWhateverTheBytes) {
    Json body = helloBody();
    body["name"] = "two\nlines\x1b[31m";
    const auto hello = std::get<ProbeHello>(decoded("probe_hello", body));
    EXPECT_EQ(hello.name.find('\n'), std::string::npos);
    EXPECT_EQ(hello.name.find('\x1b'), std::string::npos);
    body["name"] = std::string(5000, 'x');
    EXPECT_EQ(std::get<ProbeHello>(decoded("probe_hello", body)).name.size(), kMaxProbeText);
}

TEST(ProbeDecode, NeverCrashesOnFlippedBytes) {
    const std::vector<std::uint8_t> whole = bytesOfFile(kWatchedFile);
    FrameReader reader;
    reader.append(whole);
    std::vector<std::vector<std::uint8_t>> payloads;
    while (auto payload = reader.next()) payloads.push_back(std::move(*payload));
    std::uint32_t random = 1;
    for (int i = 0; i < 4000; ++i) {
        random = random * 1664525u + 1013904223u;
        std::vector<std::uint8_t> payload = payloads[(random >> 8) % payloads.size()];
        random = random * 1664525u + 1013904223u;
        payload[(random >> 4) % payload.size()] ^= static_cast<std::uint8_t>(1u << (random & 7u));
        try {
            (void)decodeProbeMessage(payload);
        } catch (const WireError&) {
        }
    }
}

TEST(ProbeRequest, IsAFrameOfItsType) {
    const std::vector<std::uint8_t> frame = encode(ProbeRequest::CaptureStep);
    FrameReader reader;
    reader.append(frame);
    const Json message = Json::from_cbor(*reader.next());
    EXPECT_EQ(message["type"], "capture_step");
}

}  // namespace
}  // namespace mantissa
