// SPDX-License-Identifier: Apache-2.0
// Decodes frames of the Python probe. The sender is not trusted: every length, count and number has a bound. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/attach/probe_messages.h"

namespace mantissa {

inline constexpr std::size_t kMaxWatchedTensors = 100'000;  // per run
inline constexpr std::size_t kMaxProbeText = 1024;          // bytes of a name or a sentence; the rest is cut off

/// Decodes the payload of one frame; returns nothing for an unknown message type. Throws WireError.
std::optional<ProbeMessage> decodeProbeMessage(std::span<const std::uint8_t> payload);

/// A request to a probe: statistics of the next step, or its operations.
enum class ProbeRequest : std::uint8_t { MeasureNow, CaptureStep };
/// Encodes a whole frame, length included.
std::vector<std::uint8_t> encode(ProbeRequest request);

}  // namespace mantissa
