// SPDX-License-Identifier: Apache-2.0
// What `train` leaves behind: CSV rows as they come, then table, JSON, weights and report. One thread.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "engine/exchange/report_run.h"
#include "engine/session/session.h"

namespace mantissa {

/// A run as `train` knows it. Of a long run only some of the records are kept, enough for the report's plots.
struct RunOutput : ExportedRun {
    RunTally tally;
    std::vector<std::ofstream> csv;  // in the order of the folders
};

/// Throws UsageError when it cannot be made.
void makeFolder(const std::filesystem::path& folder);

class TrainOutput {
public:
    /// Rows go into `csvFolder` and `reportFolder` as they come; either may be empty. Throws UsageError when one cannot be made.
    TrainOutput(const Experiment& experiment, DeviceInfo device, const std::filesystem::path& csvFolder,
                const std::filesystem::path& reportFolder);

    void addRun(const RunInfo& info);
    RunOutput& runOf(RunId id) { return m_runs.at(id); }
    const std::map<RunId, RunOutput>& runs() const { return m_runs; }
    void add(const StepsRecorded& steps);
    void finish(double wallSeconds);

    void saveWeights(const Session& session, const std::filesystem::path& folder) const;
    /// Into the report's folder. Throws RunError when that fails.
    void writeReport() const;
    std::string json() const;
    std::string table() const;
    /// "fp16: Finite, but updates are lost. ..." where the run's latest gauges say so; empty: they do not.
    std::string silentMatterText(RunId id) const;
    std::string stopReasons() const;  // "fp16: reason; ...", empty when all went on to the end

private:
    Experiment m_experiment;
    DeviceInfo m_device;
    std::filesystem::path m_reportFolder;
    std::vector<std::filesystem::path> m_csvFolders;
    double m_wallSeconds = 0;
    std::map<RunId, RunOutput> m_runs;

    void toEachCsv(RunOutput& run, const std::function<void(std::ofstream&)>& write) const;
};

/// A bar on a terminal; elsewhere a line now and then. Writes to standard error.
class Progress {
public:
    explicit Progress(bool isSilent);
    void begin(const std::vector<RunInfo>& runs);
    void show(const RunOutput& run);
    /// A line of its own, above what is written over; empty: none.
    void say(const std::string& line);
    /// A problem that must not wait for the end, said once, whatever is silent; empty: none.
    void warn(const std::string& problem);
    void end();

private:
    std::string m_warned;
    bool m_isSilent, m_isTerminal;
    std::int64_t m_totalSteps = 0;
    std::map<RunId, std::int64_t> m_done;
    std::map<RunId, std::string> m_losses;
    std::chrono::steady_clock::time_point m_last{};
};

}  // namespace mantissa
