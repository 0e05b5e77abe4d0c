// SPDX-License-Identifier: Apache-2.0
// Single values of an experiment's JSON, read with a sentence for each that is wrong. Used by the table of fields.
// Pure functions; any thread. All throw BadValue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/experiment/fields.h"

namespace mantissa {

inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000;

[[noreturn]] void refuse(const std::string& sentence);

/// A value's kind for a sentence: "text", "a list", or the number itself.
std::string kindOf(const Json& value);
/// Words with spaces between.
std::string listed(const std::vector<std::string>& words);

double readNumber(const Json& value);
std::int64_t readInteger(const Json& value, std::int64_t least, std::int64_t most);
std::string readText(const Json& value);
bool readFlag(const Json& value);
/// Names and paths: UTF-8, not empty, at most `most` bytes, no control characters.
std::string readPlainText(const Json& value, std::size_t most);
/// `what` names the choice in the sentence: "precision 'fp17' is not known, only ...".
std::string readChoice(const Json& value, const char* what, const std::vector<std::string>& known);

enum class Bound { Any, NotNegative, Positive, BelowOne, UpToOne };
void check(double number, Bound bound);

/// `precision` (precision_field.cpp): a policy's name, or an object where there is more to say.
void readPrecision(RunSettings& run, const Json& value);
Json writePrecision(const PrecisionSettings& precision);

/// `optimizer.schedule` (schedule_field.cpp). Nothing is written for a rate that stays as it is.
void readSchedule(RunSettings& run, const Json& value);
std::optional<Json> writeSchedule(const RunSettings& run);
/// What a schedule of that kind can be given, its kind first.
std::vector<FieldPart> scheduleParts(const std::string& kind);

}  // namespace mantissa
