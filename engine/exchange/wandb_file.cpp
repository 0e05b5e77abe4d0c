// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/wandb_file.h"

#include <algorithm>
#include <array>

#include "engine/exchange/protobuf.h"

namespace mantissa::wandb_file {
namespace {

constexpr std::array<std::uint32_t, 256> makeCrc32Table() {
    constexpr std::uint32_t kReversedPolynomial = 0xedb88320;
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? kReversedPolynomial : 0);
        table[byte] = sum;
    }
    return table;
}
constexpr std::array<std::uint32_t, 256> kCrc32Table = makeCrc32Table();

}  // namespace

std::uint32_t checkSum(unsigned char kind, std::string_view bytes) {
    std::uint32_t sum = ~0u;
    const auto take = [&sum](unsigned char byte) { sum = sum >> 8 ^ kCrc32Table[(sum ^ byte) & 0xff]; };
    take(kind);
    for (const char c : bytes) take(static_cast<unsigned char>(c));
    return ~sum;
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
