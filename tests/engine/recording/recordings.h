// SPDX-License-Identifier: Apache-2.0
// What the tests of recordings share: a folder of its own, steps made of their number, and what a file holds as one list.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "engine/recording/recorder.h"

namespace mantissa::test {

class RecordingTest : public ::testing::Test {
protected:
    RecordingTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_recording_XXXXXX").string();
        folder = mkdtemp(pattern.data());
        path = (folder / "a.mantissa").string();
    }
    ~RecordingTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    std::filesystem::path folder;
    std::string path;
};

/// A run's step as training would give it: no value twice, none of few digits but those that are so.
inline StepRecord syntheticStep(std::int64_t step) {
    StepRecord record;
    const double x = static_cast<double>(step);
    record.step = step;
    record.samples = 64 * (step + 1);
    record.wallSeconds = 0.0007 * x + 1e-5 * std::sin(x);
    record.loss = 2.3 * std::exp(-x / 5000) + 0.01 * std::sin(7 * x);
    record.lossScale = std::ldexp(1.0, 16 + static_cast<int>(step / 2000 % 8));
    record.skippedTotal = step / 500;
    record.gradNorm = 1.5 + std::sin(3 * x);
    record.lr = 0.001;
    record.stepMs = 0.7 + 0.01 * std::sin(11 * x);
    record.samplesPerSecond = 64000 / record.stepMs;
    record.memoryBytes = 1'234'567;
    if (step % 100 == 99) {
        record.flags = kFlagValidated;
        record.validationLoss = record.loss * 1.1;
        record.validationAccuracy = 0.5 + 0.4 * std::sin(x);
    }
    return record;
}

inline const std::vector<double StepRecord::*>& realMembers() {
    static const std::vector<double StepRecord::*> kMembers{
        &StepRecord::wallSeconds, &StepRecord::loss, &StepRecord::validationLoss, &StepRecord::validationAccuracy, &StepRecord::lossScale,
        &StepRecord::gradNorm,    &StepRecord::lr,   &StepRecord::stepMs,         &StepRecord::samplesPerSecond};
    return kMembers;
}

/// To the last bit; a NaN is a NaN whatever its payload. `epoch` is no part of a recording.
inline void expectSame(const StepRecord& expected, const StepRecord& found) {
    EXPECT_EQ(expected.step, found.step);
    EXPECT_EQ(expected.samples, found.samples);
    EXPECT_EQ(expected.skippedTotal, found.skippedTotal);
    EXPECT_EQ(expected.memoryBytes, found.memoryBytes);
    EXPECT_EQ(expected.flags, found.flags);
    for (const auto member : realMembers()) {
        if (std::isnan(expected.*member)) {
            EXPECT_TRUE(std::isnan(found.*member)) << expected.step;
        } else {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(expected.*member), std::bit_cast<std::uint64_t>(found.*member))
                << expected.step << ": " << expected.*member << " became " << found.*member;
        }
    }
}

struct ReadStep {
    RunId run = 0;
    StepRecord record;
};
using ReadItem = std::variant<ReadStep, LogEntry>;

inline std::vector<ReadItem> itemsOf(const Recording& recording) {
    std::vector<ReadItem> items;
    recording.read({[&](RunId run, std::span<const StepRecord> records) {
                        for (const StepRecord& record : records) items.push_back(ReadStep{run, record});
                    },
                    [&](const LogEntry& entry) { items.push_back(entry); }});
    return items;
}

inline std::vector<ReadStep> stepsOf(const Recording& recording) {
    std::vector<ReadStep> steps;
    for (const ReadItem& item : itemsOf(recording))
        if (const auto* step = std::get_if<ReadStep>(&item)) steps.push_back(*step);
    return steps;
}

/// `count` steps of run 0, an entry after each hundredth, and a snapshot.
inline void record(Recorder& recorder, std::int64_t first, std::int64_t count) {
    for (std::int64_t step = first; step < first + count; ++step) {
        if (step % 100 == 0) recorder.append({.kind = "note", .run = 0, .step = step, .body = {{"at", step}}});
        const StepRecord made = syntheticStep(step);
        recorder.append(0, std::span(&made, 1));
    }
    recorder.append({.run = 0, .step = first + count, .head = {{"scale", 65536}}, .state = std::vector<std::byte>(5000, std::byte{7})});
}

/// The first column of the first row, as text: "ok" for PRAGMA integrity_check.
inline std::string askSql(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
    sqlite3_stmt* statement = nullptr;
    std::string answer;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
        answer = sqlite3_errmsg(database);
    } else if (sqlite3_step(statement) == SQLITE_ROW) {
        const auto* text = sqlite3_column_text(statement, 0);
        answer = text == nullptr ? "NULL" : reinterpret_cast<const char*>(text);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return answer;
}

/// The sentence of the InputError, "" when there is none.
template <class Action>
std::string refusalOf(Action action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace mantissa::test
