// SPDX-License-Identifier: Apache-2.0
// Imports trackio's database: a file per project, with a row of JSON for each log of one of its runs. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/exchange/run_builder.h"

namespace mantissa {

class TrackioReader {
public:
    struct Run {
        std::string name;
        std::shared_ptr<RunBuilder> builder;
        bool hasLeftOutRows = false;
    };
    explicit TrackioReader(std::string path) : m_path(std::move(path)) {}

    /// Reads the rows added since the last call. Throws InputError.
    void read();
    /// The runs by trackio's id, or by name if a file has no ids.
    const std::map<std::string, Run>& runs() const { return m_runs; }
    /// Whether rows that were read no longer exist, as after the file was replaced; then a new reader is needed.
    bool isOutdated() const;

private:
    std::string m_path;
    std::map<std::string, Run> m_runs;
    std::int64_t m_last = 0;  // row that was read

    Run& runOf(const std::string& id, const std::string& name);
    void takeRow(Run& run, std::int64_t step, std::string_view metrics, FilePlace place);
};

/// Whether the file is a database with trackio's table. It may be unreadable now, and readable later.
bool isTrackio(const std::string& path);

}  // namespace mantissa
