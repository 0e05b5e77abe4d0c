// SPDX-License-Identifier: Apache-2.0
// Signals that ask for an end: what was trained is written out, and the exit code says which it was.
#include <nlohmann/json.hpp>

#include "engine/recording/recording.h"
#include "program.h"
#include "served.h"

namespace mantissa {
namespace {

const std::string kFileLimit = "mantissa: ended early because a file would exceed the size limit (ulimit -f)\n";

class Signals : public ProgramTest {
protected:
    /// Lets `command` run until `file` is there, and a little longer; then sends it the signal. The exit code is the command's.
    Outcome interrupted(const std::string& command, const std::string& signal, const std::string& file) {
        return shell("{ '" MANTISSA_PROGRAM "' " + command + " >stdout 2>stderr & pid=$!; for i in $(seq 600); do [ -e " + file +
                     " ] && break; sleep 0.1; done; sleep 0.5; kill -" + signal + " $pid; wait $pid; }");
    }
    std::string endless() { return write("e.json", R"({"model": {"hidden": [16]}, "steps": 100000000, "runs": [{"name": "run"}]})"); }
};

TEST_F(Signals, TrainWritesOutWhatItHas) {
    endless();
    for (const auto& [signal, code] : {std::pair<std::string, int>("TERM", 143), std::pair<std::string, int>("HUP", 129),
                                       std::pair<std::string, int>("INT", 130), std::pair<std::string, int>("XFSZ", 153)}) {
        SCOPED_TRACE(signal);
        const Outcome ended = interrupted("train e.json --record a.mantissa --save-weights w --report r --json", signal, "a.mantissa");
        EXPECT_EQ(ended.exitCode, code) << ended.err;
        EXPECT_EQ(ended.err, signal == "XFSZ" ? kFileLimit : "");
        EXPECT_GT(nlohmann::json::parse(ended.out)["runs"][0]["steps"].get<std::int64_t>(), 0);
        EXPECT_TRUE(std::filesystem::exists(folder / "w/run.safetensors"));
        EXPECT_TRUE(std::filesystem::exists(folder / "r/index.html"));
        EXPECT_FALSE(std::filesystem::exists(folder / "a.mantissa-wal")) << "the recording is closed";
        for (const char* name : {"a.mantissa", "w", "r"}) std::filesystem::remove_all(folder / name);
    }
}

// A supervisor and a terminal may each send one.
TEST_F(Signals, MoreOfThemLoseNothing) {
    endless();
    for (const auto& [signals, code] : {std::pair<std::string, int>("-TERM $pid; sleep 0.005; kill -HUP $pid; kill -TERM", 143),
                                        std::pair<std::string, int>("-INT $pid; sleep 0.01; kill -INT $pid; sleep 0.05; kill -INT", 130)}) {
        SCOPED_TRACE(signals);
        const Outcome ended = shell("{ '" MANTISSA_PROGRAM
                                    "' train e.json --record a.mantissa --save-weights w --report r --quiet >stdout 2>stderr & "
                                    "pid=$!; for i in $(seq 600); do [ -e a.mantissa ] && break; sleep 0.1; done; sleep 0.5; kill " +
                                    signals + " $pid; wait $pid; }");
        EXPECT_EQ(ended.exitCode, code) << ended.err;
        EXPECT_TRUE(std::filesystem::exists(folder / "w/run.safetensors"));
        EXPECT_TRUE(std::filesystem::exists(folder / "r/index.html"));
        EXPECT_FALSE(std::filesystem::exists(folder / "a.mantissa-wal")) << "the recording is closed";
        for (const char* name : {"a.mantissa", "w", "r"}) std::filesystem::remove_all(folder / name);
    }
}

TEST_F(Signals, CtrlCAgainAfterTwoSecondsWaitsForNothing) {
    write("e.json", R"({"model": {"hidden": [16]}, "steps": 10, "runs": [{"name": "run"}]})");
    std::filesystem::create_directory(folder / "out");
    const Outcome ended = shell("mkfifo out/run.csv; { '" MANTISSA_PROGRAM
                                "' train e.json --csv out --quiet >stdout 2>stderr & pid=$!; "
                                // a shell that has not become the program yet catches signals, too
                                "for i in $(seq 300); do grep -q mantissa /proc/$pid/comm && "
                                "grep -q 'SigCgt:.*[2367abef]$' /proc/$pid/status && break; sleep 0.1; done; "
                                "kill -INT $pid; sleep 2.5; kill -0 $pid && kill -INT $pid; "
                                "for i in $(seq 100); do kill -0 $pid || break; sleep 0.1; done 2>/dev/null; "
                                "kill -KILL $pid 2>/dev/null; wait $pid; }");
    EXPECT_EQ(ended.exitCode, 130) << "no program reads the pipe that it opens";
}

TEST_F(Signals, AFileBeyondItsLimitEndsTraining) {
    endless();
    const Outcome ended = shell("ulimit -f 400; timeout 100 '" MANTISSA_PROGRAM "' train e.json --csv out --quiet >stdout 2>stderr");
    EXPECT_EQ(ended.exitCode, 153) << ended.err;
    // A recording's writes are tried again, so what is said depends on whether they still fail at the end.
    const Outcome recorded =
        shell("ulimit -f 400; timeout 100 '" MANTISSA_PROGRAM "' train e.json --record a.mantissa --quiet >stdout 2>stderr");
    EXPECT_EQ(recorded.exitCode, 153) << recorded.err;
    EXPECT_TRUE(recorded.err == kFileLimit || recorded.err.find("recording was stopped") != std::string::npos) << recorded.err;
    EXPECT_EQ(run("query a.mantissa 'SELECT count(*) FROM steps' --csv").out.rfind("count(*)\n", 0), 0u) << "it can be read";
}

TEST_F(Signals, TheEngineClosesItsRecording) {
    for (const auto& [signal, code] : {std::pair(SIGTERM, 143), std::pair(SIGHUP, 129), std::pair(SIGXFSZ, 153)}) {
        SCOPED_TRACE(signal);
        const std::filesystem::path recordings = folder / std::to_string(signal);
        std::filesystem::remove(folder / "stderr");
        Served engine(MANTISSA_PROGRAM, recordings.string(), (folder / "stderr").string());
        ASSERT_EQ(engine.done(LoadExperiment{"test", R"({"model": {"hidden": [16]}, "steps": 100000000, "runs": [{"name": "run"}]})"}), "");
        ASSERT_EQ(engine.done(Train{}), "");
        ASSERT_TRUE(engine.trainsTo(0, 100));
        engine.signal(signal);
        EXPECT_EQ(engine.end(), code);
        EXPECT_EQ(read(folder / "stderr"), signal == SIGXFSZ ? kFileLimit : "");
        int files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(recordings)) {
            ++files;
            EXPECT_EQ(entry.path().extension(), ".mantissa") << "nothing is left beside it";
            const Recording recording(entry.path().string());
            EXPECT_EQ(recording.missing(), "");
            EXPECT_GT(recording.summary().steps, 100);
        }
        EXPECT_EQ(files, 1);
    }
}

}  // namespace
}  // namespace mantissa
