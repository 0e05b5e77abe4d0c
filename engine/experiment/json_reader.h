// SPDX-License-Identifier: Apache-2.0
// Strict JSON: refuses, with its place, input that nlohmann's reader accepts silently. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace mantissa {

inline constexpr std::size_t kMaxJsonBytes = 1u << 20;  // far above any experiment file, far below a frame of the wire
inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 1'000'000;  // each takes up to 170 bytes, and two of its text

/// Reads one JSON value. Throws InputError for: syntax errors (with line and column), repeated keys, depth over kMaxJsonDepth, numbers
/// outside double, more than kMaxJsonValues values, text over `maxBytes`.
Json readJson(std::string_view text, const std::string& source, std::size_t maxBytes = kMaxJsonBytes);

/// Reads one CBOR value under these rules; the encoding of strings is not checked, and strings in parts are refused. Throws InputError.
Json readCbor(std::span<const std::uint8_t> bytes);

/// Returns `token` as one step of a JSON pointer: with a leading "/", and ~ and / escaped.
std::string pointerStep(std::string_view token);
std::string pointerStep(std::size_t index);

/// Returns the unescaped steps of a pointer. Throws InputError for an invalid pointer.
std::vector<std::string> pointerTokens(const std::string& pointer, const std::string& source);

/// Sets `value` at `pointer` and creates missing objects; array elements must exist. Throws InputError.
void setAt(Json& document, const std::string& pointer, const Json& value, const std::string& source);

}  // namespace mantissa
