// SPDX-License-Identifier: Apache-2.0
// What `train` leaves behind: CSV rows as they come, then table, JSON, weights and report. One thread.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>

#include "engine/exchange/exported_run.h"
#include "engine/session/session.h"

namespace mantissa {

struct RunOutput : ExportedRun {
    std::ofstream csv;
};

/// Throws UsageError when it cannot be made.
void makeFolder(const std::filesystem::path& folder);

class TrainOutput {
public:
    /// `csvFolder` may be empty. Throws RunError when it cannot be written to.
    TrainOutput(const Experiment& experiment, DeviceInfo device, std::filesystem::path csvFolder);

    void addRun(const RunInfo& info);
    RunOutput& runOf(RunId id) { return m_runs.at(id); }
    const std::map<RunId, RunOutput>& runs() const { return m_runs; }
    void add(const StepsRecorded& steps);
    void finish(double wallSeconds);

    void saveWeights(const Session& session, const std::filesystem::path& folder) const;
    void writeReport(const std::filesystem::path& folder) const;
    std::string json() const;
    std::string table() const;
    /// "fp16: Finite, but updates are lost. ..." where the run's latest gauges say so; empty: they do not.
    std::string silentMatterText(RunId id) const;
    std::string stopReasons() const;  // "fp16: reason; ...", empty when all went on to the end

private:
    Experiment m_experiment;
    DeviceInfo m_device;
    std::filesystem::path m_csvFolder;
    double m_wallSeconds = 0;
    std::map<RunId, RunOutput> m_runs;
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
