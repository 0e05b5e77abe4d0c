// SPDX-License-Identifier: Apache-2.0
// A recording's runs as tables that SQL reads. Removed runs are omitted; steps repeated after a rewind replace the earlier ones. One thread
// at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/recording/query_tables.h"
#include "engine/recording/recording.h"

namespace mantissa {

struct RecordingTable {
    std::string name, content;  // a sentence
    std::vector<std::string> columns;
};

/// The tables "runs", "steps" (with the columns of the CSV), "changes", "nonfinite", "notes" and "facts". Each but the last has the columns
/// `run`, a number, and `name`.
const std::vector<RecordingTable>& recordingTables();

/// Returns the tables filled from a recording; from a damaged one, what can be read.
std::unique_ptr<QueryTables> tablesOf(const Recording& recording);

}  // namespace mantissa
