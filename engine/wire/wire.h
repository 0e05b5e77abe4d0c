// SPDX-License-Identifier: Apache-2.0
// Commands and events on a byte stream: u32 little-endian length, then one CBOR object. Pure functions; any thread.
// A versioned Hello comes first. A frame over 16 MiB, a malformed frame or a wrong version throws WireError with a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa {

/// Prefix of the engine's message on standard error when its device has failed, before it ends.
inline constexpr const char* kDeviceFailure = "the device cannot go on: ";

inline constexpr std::int32_t kProtocolVersion = 21;
inline constexpr std::size_t kMaxFrameBytes = 16u << 20;

/// An error in a message, in one line.
class WireError : public std::runtime_error {
public:
    explicit WireError(const std::string& sentence) : std::runtime_error(oneLine(sentence)) {}
};

/// Encodes a whole frame, length included. Throws WireError above kMaxFrameBytes.
std::vector<std::uint8_t> frameOf(const Json& message);
std::vector<std::uint8_t> encode(const Command& command);
std::vector<std::uint8_t> encode(const Event& event);

/// The content of a frame as JSON: {"type", "body"}. Steps have no such form.
Json messageOf(const CommandBody& body);
Json messageOf(const Event& event);
/// Converts a message to valid JSON text: non-finite numbers become words, bytes become text. `eventOf` reads it with Missing::IsDefault.
void makeStorable(Json& message);
/// How a missing field is treated: an error between engine and window, which have one version; the default value in a recording, which may
/// be older than the field.
enum class Missing { IsRefused, IsDefault };
/// Reads an event. Throws WireError.
Event eventOf(const Json& message, Missing missing = Missing::IsRefused);

/// Decodes the payload of one frame. Throws WireError.
Command decodeCommand(std::span<const std::uint8_t> payload);
Event decodeEvent(std::span<const std::uint8_t> payload);

/// Collects bytes as they arrive and returns whole payloads.
class FrameReader {
public:
    void append(std::span<const std::uint8_t> bytes);
    /// The next whole payload, or nothing yet. Throws WireError for a length over kMaxFrameBytes.
    std::optional<std::vector<std::uint8_t>> next();
    bool hasPartial() const;

private:
    std::vector<std::uint8_t> m_bytes;
    std::size_t m_begin = 0;
};

}  // namespace mantissa
