// SPDX-License-Identifier: Apache-2.0
// Readers of single JSON values for the table of fields. Pure functions; any thread. They throw BadValue with a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/experiment/fields.h"

namespace mantissa {

inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000;

[[noreturn]] void refuse(const std::string& sentence);

/// Describes a value for a sentence: "text", "a list", or the number itself.
std::string kindOf(const Json& value);
/// Joins words with spaces.
std::string listed(const std::vector<std::string>& words);

enum class Bound { Any, NotNegative, Positive, BelowOne, UpToOne };
double readNumber(const Json& value, Bound bound = Bound::Any);
std::int64_t readInteger(const Json& value, std::int64_t least, std::int64_t most);
std::string readText(const Json& value);
bool readFlag(const Json& value);
/// Reads a name or path: UTF-8, not empty, at most `most` bytes, no control characters.
std::string readPlainText(const Json& value, std::size_t most);
/// Reads one of `known`. `what` names the choice in the error: "precision 'fp17' is not known, only ...".
std::string readChoice(const Json& value, const char* what, const std::vector<std::string>& known);

/// Reads `precision` (precision_field.cpp): a policy's name, or an object.
void readPrecision(RunSettings& run, const Json& value);
Json writePrecision(const PrecisionSettings& precision);
Json precisionSchema();

/// Reads `optimizer.schedule` (schedule_field.cpp). `writeSchedule` returns nothing for a constant rate.
void readSchedule(RunSettings& run, const Json& value);
std::optional<Json> writeSchedule(const RunSettings& run);
Json scheduleSchema();
/// The keys of a schedule of that kind, the kind first.
std::vector<FieldPart> scheduleParts(const std::string& kind);

}  // namespace mantissa
