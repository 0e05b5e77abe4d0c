// SPDX-License-Identifier: Apache-2.0
// A recording's runs as tables that SQL reads. Removed runs are omitted; steps repeated after a rewind replace the earlier ones. One thread
// at a time.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/recording/query_tables.h"
#include "engine/recording/recording.h"

namespace mantissa {

struct RecordingTable {
    std::string name, content;  // a sentence
    std::vector<std::string> columns;
};

/// The tables "runs", "steps" (with the columns of the CSV, and which of them are NaN), "events", "changes", "nonfinite", "notes" and
/// "facts". Each but the last has the columns `run`, a number, and `name`.
const std::vector<RecordingTable>& recordingTables();

/// Returns these tables without rows.
std::unique_ptr<QueryTables> emptyTables();

/// Reads a recording, from a damaged one what can be read, and adds the rows of the tables in `wanted`. Returns what is left out
/// (recordedRuns).
std::string fillTables(QueryTables& tables, const Recording& recording, const std::set<std::string>& wanted);

}  // namespace mantissa
