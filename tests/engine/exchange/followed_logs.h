// SPDX-License-Identifier: Apache-2.0
// A follower's listener, and logs that grow.
#pragma once

#include <map>

#include "engine/exchange/log_files.h"
#include "engine/exchange/log_follower.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {

/// Keeps what a follower reports, as the window does.
class Listener {
public:
    struct Run {
        std::string name, trouble, remark;
        std::map<std::string, std::map<std::int64_t, double>> series;
    };
    std::map<int, Run> runs;
    std::size_t values = 0;  // that were reported

    explicit Listener(const std::string& path) : m_follower(path) {}

    /// How many values have come.
    std::size_t poll() {
        std::size_t count = 0;
        for (const LogChange& change : m_follower.poll()) {
            EXPECT_EQ(runs.contains(change.run), !change.isNew);
            Run& run = runs[change.run];
            run.name = change.name, run.trouble = change.trouble, run.remark = change.values.remark;
            if (change.values.backTo >= 0)
                for (auto& [name, series] : run.series) series.erase(series.lower_bound(change.values.backTo), series.end());
            for (const ImportedSeries& each : change.values.series) {
                auto& series = run.series[each.source];
                for (std::size_t i = 0; i < each.steps.size(); ++i) {
                    EXPECT_TRUE(series.empty() || series.rbegin()->first < each.steps[i]) << each.source << " " << each.steps[i];
                    series[each.steps[i]] = each.values[i];
                }
                count += each.steps.size();
            }
        }
        values += count;
        return count;
    }
    const std::map<std::int64_t, double>& of(const std::string& name, int run = 0) { return runs.at(run).series[name]; }

private:
    LogFollower m_follower;
};

class Follow : public ExchangeTest {
protected:
    static std::string golden(const std::string& name) { return read(std::string(MANTISSA_GOLDEN) + "/" + name); }
    void append(const std::string& path, const std::string& bytes) const { std::ofstream(path, std::ios::binary | std::ios::app) << bytes; }

    /// Grows the file by pieces: at the end all that an import gives was told, once.
    void expectFollowed(const std::string& name, const std::string& whole, std::size_t piece) {
        SCOPED_TRACE(name + " by " + std::to_string(piece));
        std::filesystem::remove(folder / name);
        const std::string path = write(name, "");
        Listener listener(path);
        listener.poll();
        ASSERT_EQ(listener.runs.size(), 1u) << "an empty log is waited for";
        for (std::size_t at = 0; at < whole.size(); at += piece) {
            append(path, whole.substr(at, piece));
            listener.poll();
        }
        const ImportedRun expected = importRuns(path).at(0);
        std::size_t count = 0;
        for (const ImportedSeries& series : expected.series) {
            const auto& told = listener.of(series.source);
            ASSERT_EQ(told.size(), series.steps.size()) << series.source;
            for (std::size_t i = 0; i < series.steps.size(); ++i)
                expectSame(told.at(series.steps[i]), series.values[i], series.source + " " + std::to_string(series.steps[i]));
            count += series.steps.size();
        }
        EXPECT_EQ(listener.runs[0].trouble, "");
        EXPECT_EQ(listener.poll(), 0u);
        EXPECT_LE(listener.values, 2 * count) << "little is told twice";
    }
};

inline std::string csvOf(int rows, int from = 0) {
    std::string text = from == 0 ? "step,loss,lr,\"perplexity, all\"\r\n" : "";
    for (int i = from; i < rows; ++i)
        text += std::to_string(i) + "," + std::to_string(1.0 / (i + 1)) + ",0.5," + std::to_string(i) + "\r\n";
    return text;
}

inline const std::string kGrowingLines =
    "using world size: 1\n"
    " [2026-01-01 10:00:00] iteration       10/     100 | lm loss: 1.084567E+01 | loss scale: 65536.0 | number of skipped iterations:   2 "
    "|\n"
    "saving checkpoint\n"
    " [2026-01-01 10:00:20] iteration       20/     100 | lm loss: nan | loss scale: 32768.0 | number of skipped iterations:   1 |\n"
    " [2026-01-01 10:00:40] iteration       30/     100 | lm loss: 9 | loss scale: 32768.0 | number of skipped iterations:   0 |\n";

}  // namespace mantissa
