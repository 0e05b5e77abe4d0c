// SPDX-License-Identifier: Apache-2.0
// Frames however they arrive, and messages that are broken.
#include <gtest/gtest.h>

#include <random>

#include "engine/wire/wire.h"
#include "tests/engine/wire/sample_messages.h"

namespace mantissa {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// [[], [], ...] in CBOR: an open list, so many times 0x80, and its end.
Bytes listOfEmptyLists(std::size_t count) {
    Bytes bytes(count + 2, 0x80);
    bytes.front() = 0x9F;
    bytes.back() = 0xFF;
    return bytes;
}

TEST(Wire, FramesAreCutAtTheirLengthsHoweverTheBytesArrive) {
    Bytes stream;
    for (const Event& event : test::sampleEvents()) {
        const Bytes frame = encode(event);
        stream.insert(stream.end(), frame.begin(), frame.end());
    }
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{3}, std::size_t{1000}, stream.size()}) {
        FrameReader reader;
        std::size_t count = 0;
        for (std::size_t at = 0; at < stream.size(); at += chunk) {
            reader.append(std::span(stream).subspan(at, std::min(chunk, stream.size() - at)));
            while (const auto payload = reader.next()) EXPECT_EQ(decodeEvent(*payload).index(), count++);
        }
        EXPECT_EQ(count, test::sampleEvents().size());
        EXPECT_FALSE(reader.hasPartial());
    }
    FrameReader reader;
    reader.append(std::span(stream).first(stream.size() - 1));
    while (reader.next()) {
    }
    EXPECT_TRUE(reader.hasPartial());
}

/// The sentence of the WireError that `act` throws; empty when it throws none.
template <class Act>
std::string complaint(Act act) {
    try {
        act();
    } catch (const WireError& error) {
        return error.what();
    }
    return "";
}

Bytes cbor(const Json& json) {
    return Json::to_cbor(json);
}

TEST(Wire, BadFramesAreRefusedInASentence) {
    FrameReader reader;
    reader.append(Bytes{0x01, 0x00, 0x00, 0x01});  // 16 MiB + 1
    EXPECT_NE(complaint([&] { reader.next(); }).find("limit of 16 MiB"), std::string::npos);

    const struct {
        const char* what;
        Bytes payload;
        const char* says;
    } kCases[] = {
        {"nothing", {}, "malformed"},
        {"not CBOR", {0xff, 0xff}, "malformed"},
        {"bytes left over", {0x01, 0x01}, "malformed"},
        {"a number", {0x01}, "not a map"},
        {"no type", cbor({{"body", Json::object()}}), "'type' of the message is missing"},
        {"unknown type", cbor({{"type", "helo"}, {"body", Json::object()}}), "unknown type 'helo'"},
        {"two lines", cbor({{"type", "he\nlo"}, {"body", Json::object()}}), "unknown type 'he\\u000alo'"},
        {"type is a number", cbor({{"type", 3}, {"body", Json::object()}}), "is not text"},
        {"no body", cbor({{"type", "run_removed"}}), "'body' of the message is missing"},
        {"body is a list", cbor({{"type", "run_removed"}, {"body", Json::array()}}), "not a map"},
        {"missing field", cbor({{"type", "run_removed"}, {"body", Json::object()}}), "'run' of run_removed is missing"},
        {"wrong type", cbor({{"type", "run_removed"}, {"body", {{"run", "a"}}}}), "not a whole number"},
        {"out of range", cbor({{"type", "run_removed"}, {"body", {{"run", 1LL << 40}}}}), "out of range"},
        {"unknown state", cbor({{"type", "state_changed"}, {"body", {{"state", 4}, {"pace", 0}, {"lockstep", true}}}}),
         "not one of its values"},
        {"count without columns", cbor({{"type", "steps_recorded"}, {"body", {{"run", 0}, {"count", 1 << 20}}}}),
         "'step' of steps_recorded is missing"},
        {"huge count", cbor({{"type", "steps_recorded"}, {"body", {{"run", 0}, {"count", 1LL << 60}, {"step", 0}}}}), "out of range"},
        {"not a run", cbor({{"type", "run_changed"}, {"body", {{"info", {{"id", 0}, {"settings", {{"name", "a"}, {"steps", -1}}}}}}}}),
         "not a run"},
        {"nested too deep", Bytes(100000, 0x81), "nested deeper than 64"},
        {"millions of empty lists", listOfEmptyLists(2'000'000), "more than 1000000 values"},
    };
    for (const auto& [what, payload, says] : kCases) {
        EXPECT_NE(complaint([&, &bytes = payload] { decodeEvent(bytes); }).find(says), std::string::npos)
            << what << ": " << complaint([&, &bytes = payload] { decodeEvent(bytes); });
    }
    EXPECT_NE(complaint([] { decodeCommand(cbor({{"type", "train"}, {"body", Json::object()}})); }).find("'id'"), std::string::npos);
    EXPECT_NE(complaint([] { encode(Event(ExperimentText{std::string(kMaxFrameBytes, 'x')})); }).find("frame limit"), std::string::npos);
}

TEST(Wire, TruncatedAndMutatedMessagesNeverCrash) {
    std::mt19937 random(20240229);
    std::vector<Bytes> seeds;
    for (const Event& event : test::sampleEvents()) seeds.push_back(encode(event));
    for (const Command& command : test::sampleCommands()) seeds.push_back(encode(command));
    int refused = 0, accepted = 0;
    for (const Bytes& seed : seeds) {
        const auto decodeBoth = [&](std::span<const std::uint8_t> payload) {
            for (const bool isEvent : {true, false}) {
                const std::string said = complaint([&] { isEvent ? (void)decodeEvent(payload) : (void)decodeCommand(payload); });
                ++(said.empty() ? accepted : refused);
            }
        };
        for (std::size_t length = 4; length < seed.size(); length += 1 + seed.size() / 200)
            decodeBoth(std::span(seed).subspan(4, length - 4));
        for (int round = 0; round < 300; ++round) {
            Bytes bytes = seed;
            for (unsigned n = 1 + random() % 4; n > 0; --n) bytes[4 + random() % (bytes.size() - 4)] = static_cast<std::uint8_t>(random());
            decodeBoth(std::span(bytes).subspan(4));
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace mantissa
