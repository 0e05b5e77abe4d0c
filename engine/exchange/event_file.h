// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files: records, each framed by its length and two check sums, of protocol-buffer messages. The numbers of fields are
// those of tensorflow's event.proto, summary.proto and tensor.proto. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::event_file {

/// The name's part that TensorBoard looks for.
inline constexpr std::string_view kNamePart = "tfevents";
inline constexpr std::string_view kFileVersion = "brain.Event:2";
/// Length (8 bytes) and its check sum before the payload, the payload's check sum after it.
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
/// As records carry it: rotated right by 15 bits, plus 0xa282ead8, so that a sum over data that holds sums stays a good one.
std::uint32_t maskedCrc32c(std::string_view bytes);

void appendRecord(std::string& file, std::string_view payload);

}  // namespace mantissa::event_file
