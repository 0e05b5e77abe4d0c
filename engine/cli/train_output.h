// SPDX-License-Identifier: Apache-2.0
// The output of `train`: CSV rows during the run, then table, JSON, weights and report. One thread.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "engine/exchange/report_run.h"
#include "engine/session/session.h"

namespace mantissa {

/// A run's output. Of a long run only enough records for the report's plots are kept.
struct RunOutput : ExportedRun {
    RunTally tally;
    std::vector<std::ofstream> csv;  // in the order of the folders
};

/// Creates a folder. Throws UsageError if it cannot.
void makeFolder(const std::filesystem::path& folder);

class TrainOutput {
public:
    /// Writes CSV rows into `csvFolder` and `reportFolder` during the run; either may be empty. Throws UsageError if one cannot be created.
    TrainOutput(const Experiment& experiment, DeviceInfo device, const std::filesystem::path& csvFolder,
                const std::filesystem::path& reportFolder);

    void addRun(const RunInfo& info);
    RunOutput& runOf(RunId id) { return m_runs.at(id); }
    const std::map<RunId, RunOutput>& runs() const { return m_runs; }
    void add(const StepsRecorded& steps);
    void finish(double wallSeconds);

    void saveWeights(const Session& session, const std::filesystem::path& folder) const;
    /// Writes the report into its folder. Throws RunError if that fails.
    void writeReport() const;
    std::string json() const;
    std::string table() const;
    /// The sentence of a failure without a NaN, "fp16: Finite, but updates are lost. ...", by the run's latest gauges; empty: none.
    std::string silentMatterText(RunId id) const;
    std::string stopReasons() const;  // "fp16: reason; ...", empty if all runs finished

private:
    Experiment m_experiment;
    DeviceInfo m_device;
    std::filesystem::path m_reportFolder;
    std::vector<std::filesystem::path> m_csvFolders;
    double m_wallSeconds = 0;
    std::map<RunId, RunOutput> m_runs;

    void toEachCsv(RunOutput& run, const std::function<void(std::ofstream&)>& write) const;
};

/// Progress of the runs on standard error: a bar on a terminal, otherwise an occasional line.
class Progress {
public:
    explicit Progress(bool isSilent);
    void begin(const std::vector<RunInfo>& runs);
    void show(const RunOutput& run);
    /// Writes a separate line above the bar; nothing if empty.
    void say(const std::string& line);
    /// Writes a problem at once, even if silent, and only once; nothing if empty.
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
