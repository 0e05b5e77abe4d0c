// SPDX-License-Identifier: Apache-2.0
// The tables of a recording, and the mapping of a step's record to a row: every value is restored bit for bit. Internal to
// engine/recording.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/experiment/messages.h"
#include "engine/recording/database.h"

namespace mantissa {

inline constexpr std::int64_t kApplicationId = 0x4d747361;  // "Mtsa", at byte 68 of the file
inline constexpr std::int64_t kSchemaVersion = 1;

struct TableText {
    const char* name;
    const char* sql;
};
/// The tables. SQL never parses text: `body` and `head` are JSON for readers.
inline constexpr std::array<TableText, 4> kTables{{
    {"facts", "CREATE TABLE facts(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT"},
    {"steps",
     "CREATE TABLE steps(seq INTEGER PRIMARY KEY, run INTEGER NOT NULL, step INTEGER NOT NULL, samples INTEGER NOT NULL, "
     "skipped_total INTEGER NOT NULL, memory_bytes INTEGER NOT NULL, flags INTEGER NOT NULL, classes INTEGER NOT NULL, "
     "wall_s REAL, loss REAL, val_loss REAL, val_accuracy REAL, loss_scale REAL, grad_norm REAL, lr REAL, step_ms REAL, "
     "samples_per_s REAL) STRICT"},
    {"log",
     "CREATE TABLE log(seq INTEGER PRIMARY KEY, steps_before INTEGER NOT NULL, kind TEXT NOT NULL, run INTEGER NOT NULL, "
     "step INTEGER NOT NULL, body TEXT NOT NULL) STRICT"},
    {"snapshots",
     "CREATE TABLE snapshots(seq INTEGER PRIMARY KEY, steps_before INTEGER NOT NULL, run INTEGER NOT NULL, step INTEGER NOT NULL, "
     "head TEXT NOT NULL, state BLOB NOT NULL) STRICT"},
}};

/// Keys of facts about the recording itself; their values change.
inline constexpr const char* kUuidKey = "uuid";  // of the recording; this one stays
inline constexpr const char* kStateKey = "state";
inline constexpr const char* kStepsAtCloseKey = "steps_at_close";  // rows of steps at the last close
inline constexpr const char* kLogKey = "log";                      // idOfLog of the log that belongs to the file
/// Values of kStateKey: while it is written; after it was closed; after it was closed without its last values; after a reader has folded
/// the log of an unclosed recording.
inline constexpr const char *kStateOpen = "open", *kStateClosed = "closed", *kStateStopped = "given_up", *kStateRecovered = "recovered";

/// The columns of `steps` in the order of bindStep and readStep.
inline constexpr const char* kStepColumns =
    "seq, run, step, samples, skipped_total, memory_bytes, flags, classes, wall_s, loss, val_loss, val_accuracy, loss_scale, grad_norm, "
    "lr, step_ms, samples_per_s";
inline constexpr int kStepColumnCount = 17;

/// Sets a fact. Throws SqlError.
void setFact(Database& database, const char* key, const std::string& value);
/// Fills an INSERT into `steps`.
void bindStep(Statement& insert, std::int64_t seq, RunId run, const StepRecord& record);
/// Reads a row of kStepColumns; returns false if no writer can have written it.
bool readStep(sqlite3_stmt* row, RunId& run, StepRecord& record);

}  // namespace mantissa
