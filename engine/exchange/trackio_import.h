// SPDX-License-Identifier: Apache-2.0
// trackio's data base: a file a project, with a row of JSON for each time that one of its runs logged. One thread.
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

    /// Takes in the rows that have come since the last call. Throws InputError.
    void read();
    /// By trackio's id, or by their names where a file has none.
    const std::map<std::string, Run>& runs() const { return m_runs; }
    /// Whether rows that were read are gone, as after the file was replaced: it is to be read by another reader.
    bool isOutdated() const;

private:
    std::string m_path;
    std::map<std::string, Run> m_runs;
    std::int64_t m_last = 0;  // row that was read

    Run& runOf(const std::string& id, const std::string& name);
    void takeRow(Run& run, std::int64_t step, std::string_view metrics, FilePlace place);
};

/// Whether the file is a data base with trackio's table. It may not be readable now, and be one later.
bool isTrackio(const std::string& path);

}  // namespace mantissa
