// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/wandb_file.h"

#include <zlib.h>

#include "engine/exchange/protobuf.h"

namespace mantissa::wandb_file {

std::uint32_t checkSum(unsigned char kind, std::string_view bytes) {
    const uLong ofKind = crc32_z(crc32_z(0, nullptr, 0), &kind, 1);
    return static_cast<std::uint32_t>(crc32_z(ofKind, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void appendRecord(std::string& file, std::string_view payload) {
    bool isFirst = true;
    do {
        std::uint64_t left = kBlockBytes - file.size() % kBlockBytes;
        if (left < kPieceHeadBytes) {
            file.append(left, '\0');
            left = kBlockBytes;
        }
        const std::string_view piece = payload.substr(0, left - kPieceHeadBytes);
        payload.remove_prefix(piece.size());
        const unsigned char kind = payload.empty() ? (isFirst ? Full : Last) : (isFirst ? First : Middle);
        protobuf::putLittleEndian(file, checkSum(kind, piece), 4);
        protobuf::putLittleEndian(file, piece.size(), 2);
        file += static_cast<char>(kind);
        file += piece;
        isFirst = false;
    } while (!payload.empty());
}

}  // namespace mantissa::wandb_file
