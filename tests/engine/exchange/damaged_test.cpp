// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, foreign or made to harm: one sentence with the place, and never more memory than the file has bytes.
#include "engine/exchange/event_file.h"
#include "engine/exchange/log_files.h"
#include "engine/exchange/protobuf.h"
#include "engine/experiment/experiment.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {
namespace {

struct Case {
    std::string content;
    std::string says;  // the sentence, or its beginning
};

class Damaged : public ExchangeTest {
protected:
    void expectRefused(const std::vector<Case>& cases) const {
        for (const auto& [content, says] : cases) {
            const std::string path = write("file", content);
            try {
                importRuns(path);
                ADD_FAILURE() << "accepted: " << content.substr(0, 100);
            } catch (const InputError& error) {
                EXPECT_EQ(error.source(), path);
                EXPECT_EQ(error.sentence().substr(0, says.size()), says) << content.substr(0, 100);
                EXPECT_EQ(error.sentence().find('\n'), std::string::npos);
            }
        }
    }
};

TEST_F(Damaged, Csv) {
    expectRefused({
        {"", "is empty"},
        {"\n\n", "has no values of a known metric"},
        {"loss\n", "has no values of a known metric"},
        {"1,2,3\n4,5,6\n", "has no values of a known metric, such as loss, val_loss, loss_scale, grad_norm, lr (not shown: 1, 2, 3)"},
        {"step,loss\n1\n2,3\n", "line 2: has 1 cells where the first line has 2"},
        {"step,loss\n1,2,3\n", "line 2: has 3 cells where the first line has 2"},
        {"step,loss\n1,two\n", "line 2: loss is 'two', which is no number"},
        {"step;loss\n1;0,5\n", "line 2: loss is '0,5', which is no number: decimals begin with a point"},
        {"step,loss\n1,0x10\n", "line 2: loss is '0x10', which is no number"},
        {"step,loss\n1,1 2\n", "line 2: loss is '1 2', which is no number"},
        {"step,loss\n1,--1\n", "line 2: loss is '--1', which is no number"},
        {"step,loss\n1,1e999\n", "line 2: loss is '1e999', which is beyond what a double can hold"},
        {"step,loss\n,1\n", "line 2: step is '', which is no number"},
        {"step,loss\n1.5,1\n", "line 2: the step is no whole number from 0 on"},
        {"step,loss\n-1,1\n", "line 2: the step is no whole number from 0 on"},
        {"step,loss\nnan,1\n", "line 2: the step is no whole number from 0 on"},
        {"step,loss\n1e300,1\n", "line 2: the step is no whole number from 0 on"},
        {"step,loss\n5,1\n\n5,2\n", "line 4: step 5 after step 5: steps must ascend"},
        {"step,loss\n5,1\n4,2\n", "line 3: step 4 after step 5: steps must ascend"},
        {"step,loss\n1,\"a\nb\"\n", "line 2: loss is 'a_b', which is no number"},
        {"loss,loss\n1,2\n", "line 1: two columns are named 'loss'"},
        {"loss,\"text\n1,2\n", "line 1: a quote is not closed"},
        {"loss,\"a\"b\n1,2\n", "line 1: something follows a closing quote"},
        {"loss,text\n1,\"" + std::string(1 << 21, 'x') + "\"\n", "line 2: longer than 1048576 bytes"},
        {"loss," + std::string(2000, 'n') + "\n1,2\n", "line 1: a name of 2000 bytes"},
        {"loss\n1\n\n" + std::string(5000, '2') + "\n", "line 4: loss is '2222222222222222222222222222222222222222...', which is beyond"},
        {std::string("loss\n1\n\0\n", 9), "is neither CSV, JSON lines, an event file of TensorBoard, a file of W&B nor one of trackio"},
        {"loss\n" + std::string(5000, '\n') + std::string(1, '\0') + "\n", "line 5002: a byte 0"},
        {"\x89PNG\r\n\x1a\n", "has no values of a known metric"},
        {"SQLite format 3", "cannot be read: it is damaged"},
    });
    std::string names = "loss", row = "1";
    for (int i = 0; i < 10'001; ++i) names += ",n" + std::to_string(i), row += ",2";
    expectRefused({{names + "\n" + row + "\n", "line 1: more than 10000 different names"}});
}

TEST_F(Damaged, JsonLines) {
    std::string deep = "{\"loss\":1,\"a\":";
    for (int i = 0; i < 70; ++i) deep += "[";
    const std::string head = R"({"schema":"mantissa-run","version":)";
    expectRefused({
        {"{\"loss\":1}\n{\"loss\":}\n{\"loss\":2}\n", "line 2: not JSON"},
        {"{\"loss\":1}\n[1]\n{\"loss\":2}\n", "line 2: is no object"},
        {"{\"loss\":1}\n{\"loss\":1,\"loss\":2}\n{}\n", "line 2: at /loss: key is there twice"},
        {"{\"loss\":1}\n" + deep + "\n{}\n", "line 2: at /a/0"},
        {"{\"loss\":1e999}\n{}\n", "line 1: at /loss: number 1e999 is beyond what a double can hold"},
        {"{\"step\":3,\"loss\":1}\n{\"step\":2,\"loss\":1}\n", "line 2: step 2 after step 3: steps must ascend"},
        {"{\"step\":0.5,\"loss\":1}\n", "line 1: the step is no whole number"},
        {"{\"step\":-1,\"loss\":1}\n", "line 1: the step is no whole number"},
        {"{\"step\":\"NaN\",\"loss\":1}\n", "line 1: the step is no whole number"},
        {"{\"loss\":\"\xff\"}\n{}\n", "line 1: not JSON"},
        {"{\"loss\": Nan}\n{}\n", "line 1: not JSON"},
        {"{\"loss\": +Infinity}\n{}\n", "line 1: not JSON"},
        {"{\"loss\": 1", "has no values of a known metric, such as loss, val_loss, loss_scale, grad_norm, lr (the last line is cut"},
        {"{\"text\":1}\n", "has no values of a known metric"},
        {"[{\"loss\":1}]", "is a list in JSON"},
        {"{\"loss\":\"" + std::string(1 << 21, 'x') + "\"}\n", "line 1: longer than 1048576 bytes"},
        {head + "2}\n{\"step\":1,\"loss\":2}\n", "line 1: it was written by a newer version of mantissa"},
        {head + "\"1\"}\n{\"step\":1,\"loss\":2}\n", "line 1: it was written by a newer version of mantissa"},
    });
}

TEST_F(Damaged, EventFiles) {
    const std::string whole = read(writeTensorBoard(everyKindOfValue(), folder));
    const std::uint64_t first = event_file::kHeadBytes + protobuf::littleEndian(whole.substr(0, 8)) + event_file::kTailBytes;
    const auto recordOf = [](const std::string& message) {
        std::string record;
        event_file::appendRecord(record, message);
        return record;
    };
    const auto flipped = [&](std::size_t at) {
        std::string bytes = whole;
        bytes[at] ^= 1;
        return bytes;
    };
    const auto lengthOf = [](std::uint64_t length) {
        std::string bytes;
        protobuf::putLittleEndian(bytes, length, 8);
        protobuf::putLittleEndian(bytes, event_file::maskedCrc32c(bytes), 4);
        return bytes;
    };
    std::string oldVersion, longTag, valueOf, negative;
    protobuf::putBytes(oldVersion, 3, "brain.Event:3");
    protobuf::putBytes(longTag, 1, std::string(2000, 't'));
    protobuf::putBytes(valueOf, 1, longTag);
    const std::string tagged = [&] {
        std::string message;
        protobuf::putBytes(message, 5, valueOf);
        return message;
    }();
    {
        std::string value, summary;
        protobuf::putBytes(value, 1, "loss");
        protobuf::putFloat(value, 2, 1);
        protobuf::putBytes(summary, 1, value);
        protobuf::putVarint(negative, 2, ~std::uint64_t{0});
        protobuf::putBytes(negative, 5, summary);
    }
    const std::string at = "byte " + std::to_string(first) + ": ";
    expectRefused({
        {flipped(first), at + "the check sum of a record's length is wrong"},
        {flipped(first + 9), at + "the check sum of a record's length is wrong"},
        {flipped(first + 20), at + "a record's check sum is wrong"},
        {flipped(0), "is neither CSV, JSON lines, an event file of TensorBoard, a file of W&B nor one of trackio"},
        {whole.substr(0, first), "has no values of a known metric"},
        {lengthOf(~std::uint64_t{0}), "has no values of a known metric"},  // longer than the file: it is cut
        {lengthOf(~std::uint64_t{0} - 3) + whole, "has no values of a known metric"},
        {recordOf(oldVersion), "byte 0: its version is none that is known"},
        {recordOf("\x0a"), "byte 0: an event that breaks off"},
        {recordOf("\x0b"), "byte 0: an event that breaks off"},
        {recordOf("\x2a\x02\x0a\x05"), "byte 0: a summary that breaks off"},
        {recordOf("\x2a\x04\x0a\x02\x0a\x09"), "byte 0: a value that breaks off"},
        {recordOf(std::string(11, '\xff')), "byte 0: an event that breaks off"},
        {recordOf(tagged), "byte 0: a name of 2000 bytes"},
        {recordOf(negative), "byte 0: step -1: steps count from 0"},
    });
    for (std::size_t length = 0; length < whole.size(); length += 7) {  // cut anywhere: what is whole is read, or a sentence
        try {
            const auto runs = importRuns(write("file", whole.substr(0, length)));
            EXPECT_LE(seriesOf(runs[0], Metric::Loss)->steps.size(), 6u);
        } catch (const InputError&) {
            EXPECT_LT(length, first + 300);
        }
    }
}

TEST_F(Damaged, Places) {
    const auto sentenceOf = [](const std::string& path) {
        try {
            importRuns(path);
        } catch (const InputError& error) {
            return error.sentence();
        }
        return std::string("accepted");
    };
    EXPECT_EQ(sentenceOf(folder / "missing"), "there is no such file");
    EXPECT_EQ(sentenceOf("/dev/zero"), "is not a file");
    EXPECT_EQ(sentenceOf(folder), kNoLogs);
    std::filesystem::create_directory_symlink(folder, folder / "circle");
    write("events.tfevents", "");
    EXPECT_EQ(sentenceOf(folder), "has no values of a known metric, such as loss, val_loss, loss_scale, grad_norm, lr");
}

}  // namespace
}  // namespace mantissa
