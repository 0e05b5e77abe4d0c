// SPDX-License-Identifier: Apache-2.0
// TensorBoard's framing, held against its published check value and against protoc, which knows nothing of us.
#include "engine/exchange/event_file.h"

#include "engine/exchange/protobuf.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {
namespace {

TEST(EventFile, TheCheckSumIsCastagnolis) {
    EXPECT_EQ(event_file::crc32c("123456789"), 0xe3069283u);
    EXPECT_EQ(event_file::maskedCrc32c({"\x18\0\0\0\0\0\0\0", 8}),
              0x224b7fa3u);  // as event files by TensorFlow begin, whose first record has 24 bytes
    EXPECT_EQ(event_file::crc32c(""), 0u);
    EXPECT_EQ(event_file::crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
}

TEST(EventFile, FieldsAreReadAsTheyWereWritten) {
    std::string message;
    protobuf::putVarint(message, 2, 300);
    protobuf::putVarint(message, 200, ~std::uint64_t{0});
    protobuf::putDouble(message, 1, -0.5);
    protobuf::putFloat(message, 2, 0.25f);
    protobuf::putBytes(message, 3, "abc");
    EXPECT_EQ(message.substr(0, 3), "\x10\xac\x02");  // the encoding's own example
    protobuf::FieldReader reader(message);
    protobuf::Field field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.value, 300u);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.number, 200u);
    EXPECT_EQ(field.value, ~std::uint64_t{0});
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.asDouble(), -0.5);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.asFloat(), 0.25f);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.bytes, "abc");
    EXPECT_FALSE(reader.next(field));
    EXPECT_FALSE(reader.isBroken());
    for (std::size_t length = 1; length < message.size(); ++length) {  // no prefix is read past its end
        protobuf::FieldReader cut(std::string_view(message).substr(0, length));
        while (cut.next(field)) EXPECT_LE(field.bytes.size(), length);
    }
}

class EventTimes : public ExchangeTest {};

TEST_F(EventTimes, AreTheStartAndTheSecondsSince) {
    const ExportedRun run = everyKindOfValue();
    const std::string file = read(writeTensorBoard(run, folder));
    std::vector<double> times;
    for (std::size_t offset = 0; offset < file.size();) {
        const std::uint64_t length = protobuf::littleEndian(file.substr(offset, 8));
        const std::string event = file.substr(offset + event_file::kHeadBytes, length);
        offset += event_file::kHeadBytes + length + event_file::kTailBytes;
        protobuf::FieldReader reader(event);
        double time = 0;
        std::optional<std::uint64_t> step;
        for (protobuf::Field field; reader.next(field);) {
            if (field.number == event_file::event::kWallTime) time = field.asDouble();
            if (field.number == event_file::event::kStep) step = field.value;
        }
        if (step == 13u) times.push_back(time);
    }
    ASSERT_FALSE(times.empty());
    for (const double time : times) EXPECT_EQ(time, run.startSeconds + 0.75);
}

class Protoc : public ExchangeTest {};

TEST_F(Protoc, ReadsWhatWeWrite) {
    if (std::system("command -v protoc >/dev/null") != 0) GTEST_SKIP() << "there is no protoc; the round trips have read these files";
    const std::string file = read(writeTensorBoard(everyKindOfValue(), folder));
    std::string events;  // as one message with each event as field 1, which needs no schema either
    for (std::size_t offset = 0; offset < file.size();) {
        const std::uint64_t length = protobuf::littleEndian(file.substr(offset, 8));
        protobuf::putBytes(events, 1, file.substr(offset + event_file::kHeadBytes, length));
        offset += event_file::kHeadBytes + length + event_file::kTailBytes;
    }
    write("events", events);
    const std::string at = "cd '" + folder.string() + "' && ";
    ASSERT_EQ(std::system((at + "protoc --decode_raw <events >text").c_str()), 0);
    const std::string text = read(folder / "text");
    EXPECT_EQ(text.find("1 {\n  1: 0x41d954fc40100000\n  3: \"brain.Event:2\"\n}\n"), 0u) << text.substr(0, 200);  // 1700000000.25
    const auto has = [&](const std::string& lines) { EXPECT_NE(text.find(lines), std::string::npos) << lines << "\n" << text; };
    has("  2: 10\n  5 {\n    1 {\n      1: \"loss\"\n      2: 0x40100000\n");  // 2.25
    has("1: \"loss\"\n      2: 0x7fc00000\n");                                 // NaN
    has("1: \"loss\"\n      2: 0xff800000\n");                                 // -Inf
    has("1: \"grad_norm\"\n      2: 0x7f800000\n");                            // +Inf
    has("1: \"loss_scale\"\n      2: 0x5d800000\n");                           // 2^60
    has("1: \"val_loss\"\n      2: 0x7f800000\n");
}

}  // namespace
}  // namespace mantissa
