// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files: records of protocol-buffer messages, each framed by its length and two checksums. Field numbers from
// tensorflow's event.proto, summary.proto and tensor.proto. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::event_file {

/// The part of a file name by which TensorBoard finds event files.
inline constexpr std::string_view kNamePart = "tfevents";
inline constexpr std::string_view kFileVersion = "brain.Event:2";
/// Sizes of a record's frame: length (8 bytes) and its checksum before the payload, the payload's checksum after it.
inline constexpr std::uint64_t kHeadBytes = 12, kTailBytes = 4;

namespace event {
inline constexpr int kWallTime = 1, kStep = 2, kFileVersionText = 3, kSummary = 5;
}
namespace summary {
inline constexpr int kValue = 1;
}
namespace value {
inline constexpr int kTag = 1, kSimpleValue = 2, kHistogram = 5, kTensor = 8, kMetadata = 9;
}
namespace metadata {
inline constexpr int kPluginData = 1, kPluginName = 1;
}
namespace histogram {  // HistogramProto
inline constexpr int kMin = 1, kMax = 2, kCount = 3;
}
namespace tensor {
inline constexpr int kDtype = 1, kContent = 4, kFloats = 5, kDoubles = 6;
inline constexpr std::uint64_t kFloat32 = 1, kFloat64 = 2;
}  // namespace tensor

/// CRC-32C (Castagnoli); of "123456789" it is e3069283.
std::uint32_t crc32c(std::string_view bytes);
/// The checksum of records: rotated right by 15 bits, plus 0xa282ead8, so that a checksum of data with embedded checksums stays effective.
std::uint32_t maskedCrc32c(std::string_view bytes);

void appendRecord(std::string& file, std::string_view payload);

}  // namespace mantissa::event_file
