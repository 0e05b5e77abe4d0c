// SPDX-License-Identifier: Apache-2.0
// `train` and `serve` are killed at random moments while they train: their recordings have every step up to a quarter of a second before.
// MANTISSA_KILLS=70 asks for 70 kills of each; without it there are four.
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <random>
#include <thread>

#include "tests/engine/cli/program.h"
#include "tests/engine/cli/served.h"
#include "tests/support/files_in_memory.h"
#include "tests/support/killed_recording.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

class ProgramKills : public ProgramTest {
protected:
    ProgramKills() { test::keepFilesInMemory(); }

    std::mt19937 m_random{20261125};

    static int count() {
        const char* const asked = std::getenv("MANTISSA_KILLS");
        return asked != nullptr ? std::atoi(asked) : 4;
    }
    static std::string experiment(int kill) {
        return test::kKilledExperiments[static_cast<std::size_t>(kill) % std::size(test::kKilledExperiments)];
    }
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(m_random); }
};

TEST_F(ProgramKills, ServeLosesAQuarterOfASecondAtMost) {
    std::signal(SIGPIPE, SIG_IGN);
    std::int64_t worstNs = 0, steps = 0;
    for (int kill = 0; kill < count(); ++kill) {
        SCOPED_TRACE(std::to_string(kill) + ": " + experiment(kill));
        const auto recordings = folder / std::to_string(kill);
        test::SentSteps sent;
        std::int64_t killedNs = 0;
        {
            Served engine(MANTISSA_PROGRAM, recordings.string(), (folder / "stderr").string());
            const auto collect = [&](const Event& event) { return sent.take(event), false; };
            ASSERT_TRUE(engine.waitFor([](const Event& event) { return std::holds_alternative<Hello>(event); }));
            ASSERT_EQ(engine.done(LoadExperiment{experiment(kill), ""}), "");
            engine.send(Train{});
            ASSERT_TRUE(engine.waitFor([&](const Event& event) { return sent.take(event), sent.count() > 0; }));
            engine.waitFor(collect, std::chrono::milliseconds(between(0, 700)));
            if (kill % 2 == 1) {  // and goes back, forks and changes settings on the way
                engine.send(SetInstrumentation{Instrumentation::Full});
                engine.send(RewindRuns{-1, 2});
                engine.send(ForkRun{0, 1, {{"/optimizer/lr", 0.01}}, "fork", 0});
                engine.send(ChangeSetting{0, "/optimizer/lr", 0.02});
                engine.send(Train{});
                engine.waitFor(collect, std::chrono::milliseconds(between(0, 1500)));
            }
            killedNs = engine.kill();
            engine.waitFor(collect);
        }
        const test::Loss loss = test::lossOf(sent, killedNs, test::onlyRecordingIn(recordings));
        EXPECT_LE(loss.ns, test::kMayLoseNs);
        worstNs = std::max(worstNs, loss.ns);
        steps += loss.recordedSteps;
    }
    std::cout << count() << " kills of serve, " << steps << " steps recorded, the oldest step lost was " << worstNs / 1'000'000
              << " ms old\n";
}

/// What a process writes while it lives, by when it was seen: bytes of a file at moments.
class WatchedFile {
public:
    explicit WatchedFile(std::filesystem::path path) : m_path(std::move(path)) {}
    void readSize() {
        std::error_code missing;
        const auto bytes = std::filesystem::file_size(m_path, missing);
        if (!missing && (m_seen.empty() || m_seen.back().second != bytes)) m_seen.emplace_back(test::nowNs(), bytes);
    }
    bool hasRows() const { return m_seen.size() > 1; }
    /// The moment at which the first `bytes` bytes were seen there.
    std::int64_t seenNs(std::uintmax_t bytes) const {
        for (const auto& [ns, size] : m_seen)
            if (size >= bytes) return ns;
        return INT64_MAX;
    }

private:
    std::filesystem::path m_path;
    std::vector<std::pair<std::int64_t, std::uintmax_t>> m_seen;
};

TEST_F(ProgramKills, TrainLosesAQuarterOfASecondAtMost) {
    std::int64_t worstNs = 0;
    std::size_t steps = 0;
    for (int kill = 0; kill < count(); ++kill) {
        SCOPED_TRACE(std::to_string(kill) + ": " + experiment(kill));
        const auto own = folder / std::to_string(kill), recording = own / "a.mantissa", csv = own / "csv";
        std::filesystem::create_directories(csv);
        const pid_t child = fork();
        if (child == 0) {
            execl(MANTISSA_PROGRAM, MANTISSA_PROGRAM, "train", experiment(kill).c_str(), "--quiet", "--record", recording.c_str(), "--csv",
                  csv.c_str(), static_cast<char*>(nullptr));
            _exit(127);
        }
        std::vector<std::pair<std::string, WatchedFile>> files;
        auto end = Clock::now() + std::chrono::minutes(2);
        for (bool hasBegun = false; Clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
            if (files.empty() && std::filesystem::exists(recording)) {
                for (const auto& entry : std::filesystem::directory_iterator(csv))
                    files.emplace_back(entry.path().filename(), entry.path());
            }
            for (auto& [name, file] : files) file.readSize();
            const bool begins =
                !hasBegun && std::any_of(files.begin(), files.end(), [](const auto& file) { return file.second.hasRows(); });
            if (begins) end = Clock::now() + std::chrono::milliseconds(between(0, 1500));
            hasBegun = hasBegun || begins;
        }
        const std::int64_t killedNs = test::nowNs();
        ::kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        ASSERT_FALSE(files.empty());
        const Outcome exported = run("export '" + recording.string() + "' --to csv --out '" + (own / "again").string() + "'");
        const bool holdsNone = exported.err.find("it holds no step") != std::string::npos;  // killed with its first ones
        ASSERT_EQ(exported.exitCode, holdsNone ? 3 : 0) << exported.err;
        for (const auto& [name, file] : files) {
            const std::string was = read(csv / name), is = read(own / "again" / name);
            std::size_t row = 0;
            for (std::size_t begin = was.find('\n') + 1, line = was.find('\n', begin); line != std::string::npos;
                 begin = line + 1, line = was.find('\n', begin), ++row) {
                const std::string_view text(was.data() + begin, line + 1 - begin);
                if (begin + text.size() <= is.size() && is.compare(begin, text.size(), text) == 0) continue;
                ASSERT_GE(begin, is.size()) << name << ", row " << row << " was recorded otherwise";
                const std::int64_t seen = file.seenNs(line + 1);
                if (seen == INT64_MAX) break;  // written after the last time that it was read
                worstNs = std::max(worstNs, killedNs - seen);
                break;
            }
            steps += row;
        }
        EXPECT_LE(worstNs, test::kMayLoseNs);
    }
    std::cout << count() << " kills of train, " << steps << " steps, the oldest step lost was " << worstNs / 1'000'000 << " ms old\n";
}

}  // namespace
}  // namespace mantissa
