// SPDX-License-Identifier: Apache-2.0
// Files that were made to exhaust or to break their reader, one or more for each reader: with 2 GB of address space each ends in one
// sentence and exit code 2 or 3.
#include <sys/stat.h>

#include <algorithm>

#include "engine/recording/recorder.h"
#include "engine/wire/wire.h"
#include "tests/engine/cli/program.h"
#include "tests/engine/data/data_files.h"
#include "tests/engine/recording/recordings.h"
#include "tests/support/sanitized.h"

namespace mantissa {
namespace {

constexpr const char* kBound = "ulimit -v 2000000;";
constexpr const char* kTooLarge = "there is not enough memory for the data set";

std::string repeated(const std::string& text, std::size_t count) {
    std::string all;
    all.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

/// JSON of ten million lists, all empty: 30 MB, which take gigabytes once they are values.
std::string emptyLists() {
    return "[" + repeated("[],", 10'000'000) + "[]]";
}

class Hostile : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (test::kIsSanitized) GTEST_SKIP() << "sanitizers reserve terabytes";
    }
    /// `said`: a part of the sentence.
    void expectRefused(const std::string& arguments, const std::string& said) const {
        SCOPED_TRACE(arguments);
        const Outcome outcome = run(arguments, "", kBound);
        EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3) << outcome.exitCode << ": " << outcome.err.substr(0, 1000);
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err.substr(0, 1000);
        EXPECT_LT(outcome.err.size(), 1000u);
        EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err.substr(0, 1000);
    }
    /// An experiment on data of that name in the folder `data`, which is made.
    void expectDataRefused(const std::string& set, const std::string& said) const {
        write("e.json", R"({"data": {"name": ")" + set + R"(", "path": "data"}, "runs": [{"name": "a"}]})");
        expectRefused("train e.json --steps 1 --quiet", said);
    }
    std::filesystem::path data() const {
        std::filesystem::create_directories(folder / "data");
        return folder / "data";
    }
    /// A file with a hole behind what it holds.
    void writeSparse(const std::string& name, const std::string& begin, std::uintmax_t bytes) const {
        write(name, begin);
        std::filesystem::resize_file(folder / name, bytes);
    }
};

TEST_F(Hostile, Experiments) {
    write("lists.json", emptyLists());
    expectRefused("plan lists.json", "lists.json: ");
    write("deep.json", repeated("[", 5'000'000));
    expectRefused("plan deep.json", "deep.json: ");
    writeSparse("hole.json", "{", 3'000'000'000);
    expectRefused("plan hole.json", "hole.json: ");
    std::string runs = R"({"runs": [{"name": "0"})";
    for (int i = 1; i < 100'000; ++i) runs += R"(,{"name": ")" + std::to_string(i) + "\"}";
    write("runs.json", runs + "]}");
    expectRefused("plan runs.json", "runs.json: ");
    expectRefused("plan /dev/zero", "/dev/zero: ");
    expectRefused("plan .", ": ");
}

TEST_F(Hostile, Weights) {
    const auto file = [](const std::string& header) {
        std::string bytes;
        for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(header.size() >> shift);
        return bytes + header;
    };
    write("e.json", R"({"init": {"weights": "w.safetensors"}, "runs": [{"name": "a"}]})");
    const std::string command = "train e.json --steps 1 --quiet";
    write("w.safetensors", file(emptyLists()));
    expectRefused(command, "w.safetensors");
    write("w.safetensors", repeated("\xff", 8) + "{}");
    expectRefused(command, "w.safetensors");
    writeSparse("w.safetensors", repeated("\x7f", 4) + repeated(std::string(1, '\0'), 4) + "{", 3'000'000'000);
    expectRefused(command, "w.safetensors");
    write("w.safetensors",
          file(R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 18446744073709551615]}})"));
    expectRefused(command, "w.safetensors");
}

TEST_F(Hostile, Arrays) {
    data();
    write("data/y.npy", npyFile(npyHeader("<i8", "(2,)"), packed<std::int64_t>({0, 1})));
    for (const char* shape : {"(1099511627776,)", "(2, 4611686018427387904)", "(-1, 5)", "(4294967296, 4294967296, 4294967296)"}) {
        write("data/x.npy", npyFile(npyHeader("<f4", shape), "0000"));
        expectDataRefused("npy", "x.npy: ");
    }
    write("data/x.npy", npyFile(npyHeader("<f4", "(" + repeated("1,", 20'000'000) + ")"), "0000", 2));
    expectDataRefused("npy", "x.npy: ");
    writeSparse("data/x.npy", npyFile(npyHeader("<f4", "(1000000, 1000)"), ""), 4'000'000'128);
    expectDataRefused("npy", kTooLarge);
}

TEST_F(Hostile, Mnist) {
    data();
    for (const char* part : {"train", "t10k"}) {
        write("data/" + std::string(part) + "-images-idx3-ubyte", idxFile({3, 2, 2}, "012345678901"));
        write("data/" + std::string(part) + "-labels-idx1-ubyte", idxFile({3}, std::string("\0\1\2", 3)));
    }
    std::filesystem::remove(data() / "train-images-idx3-ubyte");
    const auto expectImages = [&](const std::vector<std::uint32_t>& shape, std::size_t bytes, const std::string& said) {
        write("data/train-images-idx3-ubyte.gz", gzip(idxFile(shape, std::string(bytes, '\0'))));
        expectDataRefused("mnist", said);
    };
    expectImages({1, 1, 1}, 100'000'000, "its header promises 17 bytes, but it has more");
    expectImages({3, 20'000, 16'667}, 1'000'000, "bytes of gzip cannot hold");
    expectImages({0xffffffff, 0xffffffff, 2}, 1'000'000, "its header promises");
    write("data/train-labels-idx1-ubyte", idxFile({40'000}, std::string(40'000, '\1')));
    expectImages({40'000, 160, 156}, 998'400'000, kTooLarge);  // 4 GB of fp32, which a larger machine would hold
}

TEST_F(Hostile, CifarAndText) {
    data();
    for (const char* name :
         {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"})
        writeSparse("data/" + std::string(name), "", 3073ULL * 1'000'000);
    expectDataRefused("cifar10", kTooLarge);
    std::filesystem::remove_all(data());
    writeSparse("data", "a", 1'000'000'000);
    write("e.json", R"({"data": {"name": "text", "path": "data", "tokens": "bytes"}, "model": {"kind": "gpt"}, "runs": [{"name": "a"}]})");
    expectRefused("train e.json --steps 1 --quiet", kTooLarge);
    expectRefused("train e.json --steps 1 --quiet --set /data/path=/dev/zero", "/dev/zero");
}

TEST_F(Hostile, Recordings) {
    const auto expectEach = [&](const std::string& name) {
        for (const char* command : {"replay", "diagnose"}) expectRefused(std::string(command) + " " + name, name);
        expectRefused("export " + name + " --to csv --out out", name);
    };
    writeSparse("hole.mantissa", "SQLite format 3", 3'000'000'000);
    expectEach("hole.mantissa");
    write("none.mantissa", "");
    expectEach("none.mantissa");
    {
        Recorder recorder((folder / "lists.mantissa").string(), {}, {});
        recorder.append(LogEntry{.kind = "command", .body = {{"name", "x"}}});
    }
    const std::string sql = "UPDATE log SET body = '[' || replace(hex(zeroblob(5000000)), '00', '[],') || '[]]'";
    EXPECT_EQ(test::askSql((folder / "lists.mantissa").string(), sql), "");
    expectEach("lists.mantissa");
    // SQLite opens a journal that lies beside a data base, and a pipe has no end.
    { Recorder recorder((folder / "piped.mantissa").string(), {}, {}); }
    ASSERT_EQ(::mkfifo((folder / "piped.mantissa-journal").c_str(), 0600), 0);
    expectEach("piped.mantissa");
    expectRefused("query piped.mantissa 'SELECT 1'", "piped.mantissa");
    std::filesystem::copy_file(MANTISSA_GOLDEN "/logs-trackio.db", folder / "t.db");
    ASSERT_EQ(::mkfifo((folder / "t.db-journal").c_str(), 0600), 0);
    std::filesystem::create_symlink(folder / "t.db", folder / "link.db");
    for (const char* name : {"t.db", "link.db"}) expectRefused(std::string("attach --quiet ") + name, "t.db: cannot be read");
}

TEST_F(Hostile, WeightsAndRecordingsWithLittleMemory) {
    const std::string lists = "[" + repeated("[],", 900'000) + "[]]";
    const std::string header = R"({"a":)" + lists + "}";
    std::string length(8, '\0');
    for (std::size_t i = 0; i < 4; ++i) length[i] = static_cast<char>(header.size() >> (8 * i));
    write("w.safetensors", length + header);
    write("e.json", R"({"init": {"weights": "w.safetensors"}, "runs": [{"name": "a"}]})");
    {
        Recorder recorder((folder / "r.mantissa").string(), {}, {});
        recorder.append(LogEntry{.kind = "run", .body = {{"name", "x"}}});
    }
    const std::string sql = "UPDATE log SET body = '[' || replace(hex(zeroblob(450000)), '00', '[],') || '[]]'";
    EXPECT_EQ(test::askSql((folder / "r.mantissa").string(), sql), "");
    for (const int kilobytes : {140'000, 165'000, 200'000, 220'000, 280'000})
        for (const char* arguments : {"train e.json --steps 1 --quiet", "replay r.mantissa", "export r.mantissa --to csv --out o"}) {
            const Outcome outcome =
                shell("ulimit -v " + std::to_string(kilobytes) + "; timeout 60 '" MANTISSA_PROGRAM "' " + arguments + " >stdout 2>stderr");
            EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3)
                << outcome.exitCode << ", " << kilobytes << ' ' << arguments << ": " << outcome.err.substr(0, 1000);
        }
}

TEST_F(Hostile, FramesWithLittleMemory) {
    // 900 000 empty lists, which fit or do not; texts within texts, for which a reader may call itself each time
    const std::string lists = std::string("\x9a\x00\x0d\xbb\xa0", 5) + repeated("\x80", 900'000), parts = repeated("\x7f", 100'000),
                      bytes = repeated("\x5f", 100'000);
    for (const std::string& payload : {lists, parts, bytes}) {
        std::string length(4, '\0');
        for (std::size_t i = 0; i < 4; ++i) length[i] = static_cast<char>(payload.size() >> (8 * i));
        write("frames", length + payload);
        write("frames.mprobe", length + payload);
        for (const int kilobytes : {2'000'000, 300'000, 200'000, 150'000}) {
            const std::string bound = "ulimit -v " + std::to_string(kilobytes) + "; timeout 60 '" MANTISSA_PROGRAM "' ";
            for (const char* command : {"serve --no-recording <frames", "attach frames.mprobe --quiet"}) {
                const Outcome outcome = shell(bound + command + " >stdout 2>stderr");
                EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3)
                    << outcome.exitCode << ", " << kilobytes << ' ' << command << ": " << outcome.err.substr(0, 1000);
            }
        }
    }
}

TEST_F(Hostile, Lessons) {
    write("steps.md", "# Lesson\n" + repeated("\n## Step\n", 2'000'000));
    expectRefused("lesson steps.md", "is larger than 1 MiB");
    write("steps.md", "# Lesson\n" + repeated("\n## Step\n", 100'000));
    expectRefused("lesson steps.md", "steps.md:1: no experiment");
    writeSparse("hole.md", "# Lesson\n", 3'000'000'000);
    expectRefused("lesson hole.md", "hole.md");
    expectRefused("lesson /dev/zero", "/dev/zero");
}

TEST_F(Hostile, Commands) {
    const auto length = [](std::uint32_t bytes) {
        std::string text(4, '\0');
        for (std::size_t i = 0; i < 4; ++i) text[i] = static_cast<char>(bytes >> (8 * i));
        return text;
    };
    // CBOR: a list of ten million empty lists; lists within lists; a text of 4 GB; no end
    const std::string lists = std::string("\x9a\x00\x98\x96\x80", 5) + repeated("\x80", 10'000'000), deep = repeated("\x81", 10'000'000),
                      text = std::string("\x7a\xff\xff\xff\xff", 5) + "x";
    for (const std::string& payload : {lists, deep, text}) {
        for (const std::uint32_t said : {static_cast<std::uint32_t>(payload.size()), 0xffffffffU}) {
            write("frames", length(said) + payload);
            const Outcome outcome = shell(std::string(kBound) + " timeout 60 '" MANTISSA_PROGRAM "' serve <frames >stdout 2>stderr");
            EXPECT_TRUE(outcome.exitCode == 2 || outcome.exitCode == 3) << outcome.exitCode << ": " << outcome.err.substr(0, 1000);
            EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err.substr(0, 1000);
        }
    }
}

}  // namespace
}  // namespace mantissa
