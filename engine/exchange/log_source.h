// SPDX-License-Identifier: Apache-2.0
// Reads runs from one place: a file of any format, a folder of event files, or an output folder of a Trainer. Each `read` skips unchanged
// files. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/exchange/log_files.h"
#include "engine/exchange/trackio_import.h"

namespace mantissa {

/// A run, as read so far.
struct LogRun {
    std::string name;
    std::shared_ptr<RunBuilder> builder;
};

class LogSource {
public:
    virtual ~LogSource() = default;
    /// Reads new content. Returns whether anything was read. `mayGrow` as in LogReader. Throws InputError; earlier content is kept.
    virtual bool read(bool mayGrow) = 0;
    /// Sets its current files.
    virtual void setFiles(const FoundLog& found) = 0;
    /// Runs in the order in which they were found; none is removed.
    virtual const std::vector<LogRun>& runs() const { return m_runs; }
    /// A file that no longer exists; empty: all exist.
    virtual std::string missing() const = 0;
    /// Whether the latest `read` of new content threw; reading continues when the file has changed.
    virtual bool isRefused() const { return m_isRefused; }

protected:
    std::vector<LogRun> m_runs;
    bool m_isRefused = false;
};

std::unique_ptr<LogSource> makeLogSource(const FoundLog& found);

}  // namespace mantissa
