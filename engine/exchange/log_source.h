// SPDX-License-Identifier: Apache-2.0
// Runs from one place: a file of any format, a folder of event files, or an output folder of a Trainer. It is read when it is asked to, and
// what is not changed is not read again. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/exchange/log_files.h"
#include "engine/exchange/trackio_import.h"

namespace mantissa {

/// One of them, as far as it has been read.
struct LogRun {
    std::string name;
    std::shared_ptr<RunBuilder> builder;
};

class LogSource {
public:
    virtual ~LogSource() = default;
    /// Reads what has come, and returns whether anything was read. `mayGrow` as in LogReader. Throws InputError; what was read before
    /// stays.
    virtual bool read(bool mayGrow) = 0;
    /// Which files it has now.
    virtual void setFiles(const FoundLog& found) = 0;
    /// In the order in which they came; none goes.
    virtual const std::vector<LogRun>& runs() const { return m_runs; }
    /// A file of it that is not there any more; empty: all are there.
    virtual std::string missing() const = 0;
    /// Whether the latest `read` that found something new threw: more is read when the file is another one.
    virtual bool isRefused() const { return m_isRefused; }

protected:
    std::vector<LogRun> m_runs;
    bool m_isRefused = false;
};

std::unique_ptr<LogSource> makeLogSource(const FoundLog& found);

}  // namespace mantissa
