// SPDX-License-Identifier: Apache-2.0
// The tables of a recording, and how a step's record lies in a row: every value comes back bit for bit. Internal to engine/recording.
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
/// Text is never parsed in SQL: `body` and `head` are JSON for whoever reads them.
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

/// Facts of the recording itself, and not of what is recorded. Their values change.
inline constexpr const char* kStateKey = "state";
inline constexpr const char* kStepsAtCloseKey = "steps_at_close";  // rows of steps when it was closed last
/// Values of the state: while it is written to; once it was closed, or closed without what came last; once a reader has folded the log of
/// one that was not closed.
inline constexpr const char *kStateOpen = "open", *kStateClosed = "closed", *kStateGivenUp = "given_up", *kStateRecovered = "recovered";

/// The columns of `steps` in the order that bindStep and readStep count on.
inline constexpr const char* kStepColumns =
    "seq, run, step, samples, skipped_total, memory_bytes, flags, classes, wall_s, loss, val_loss, val_accuracy, loss_scale, grad_norm, "
    "lr, step_ms, samples_per_s";
inline constexpr int kStepColumnCount = 17;

/// Throws SqlError.
void setFact(Database& database, const char* key, const std::string& value);
/// Fills an INSERT into `steps`.
void bindStep(Statement& insert, std::int64_t seq, RunId run, const StepRecord& record);
/// A row of kStepColumns; false when no row that was ever written looks so.
bool readStep(sqlite3_stmt* row, RunId& run, StepRecord& record);

}  // namespace mantissa
