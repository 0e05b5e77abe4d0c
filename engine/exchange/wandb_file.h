// SPDX-License-Identifier: Apache-2.0
// W&B's offline files: a header, then blocks of 32 KiB with pieces of records, as in LevelDB's log, with zlib's crc32 as checksum. Field
// numbers from wandb_internal.proto (wandb 0.31). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::wandb_file {

/// ":W&B", then 0xBEE1 in two little-endian bytes, and the version.
inline constexpr std::string_view kHead{":W&B\xe1\xbe\x00", 7};
inline constexpr std::string_view kMark = kHead.substr(0, 4);
inline constexpr std::uint64_t kBlockBytes = 32768;
/// Header of a piece: checksum over kind and bytes (4 bytes), length (2), kind (1). Fewer remaining bytes of a block are unused.
inline constexpr std::uint64_t kPieceHeadBytes = 7;
enum PieceKind : unsigned char { Full = 1, First = 2, Middle = 3, Last = 4 };

namespace record {
inline constexpr int kHistory = 2, kRun = 17;
}
namespace history {
inline constexpr int kItem = 1, kStep = 2;
}
namespace step {
inline constexpr int kNumber = 1;
}
namespace item {
inline constexpr int kKey = 1, kNestedKey = 2, kInteger = 5, kNumber = 6, kText = 7, kJson = 8,
                     kValueJson = 16;  // kInteger is zigzag-encoded
}
namespace run {
inline constexpr int kId = 1, kDisplayName = 8;
}

/// The checksum of a piece.
std::uint32_t checkSum(unsigned char kind, std::string_view bytes);

/// Appends a record, split into pieces if it does not fit into the rest of a block.
void appendRecord(std::string& file, std::string_view payload);

}  // namespace mantissa::wandb_file
