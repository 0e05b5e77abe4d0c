// SPDX-License-Identifier: Apache-2.0
// Frames of the Python probe as messages. Their sender is not trusted: every length, count and number has a bound. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/attach/probe_messages.h"

namespace mantissa {

inline constexpr std::size_t kMaxWatchedTensors = 100'000;  // of one run
inline constexpr std::size_t kMaxProbeText = 1024;          // bytes of a name or a sentence; the rest is cut off

/// The payload of one frame; nothing for a type that this version does not know. Throws WireError.
std::optional<ProbeMessage> decodeProbeMessage(std::span<const std::uint8_t> payload);

/// What the lab may ask of a probe: statistics of the next step, or its operations.
enum class ProbeRequest : std::uint8_t { LookNow, CaptureStep };
/// A whole frame, length included.
std::vector<std::uint8_t> encode(ProbeRequest request);

}  // namespace mantissa
