// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/event_file.h"

#include <array>
#include <bit>

#include "engine/exchange/protobuf.h"

namespace mantissa::event_file {
namespace {

constexpr std::array<std::uint32_t, 256> makeTable() {
    constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? kReversedPolynomial : 0);
        table[byte] = sum;
    }
    return table;
}
constexpr std::array<std::uint32_t, 256> kTable = makeTable();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t sum = ~0u;
    for (const char c : bytes) sum = sum >> 8 ^ kTable[(sum ^ static_cast<unsigned char>(c)) & 0xff];
    return ~sum;
}

std::uint32_t maskedCrc32c(std::string_view bytes) {
    return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

void appendRecord(std::string& file, std::string_view payload) {
    std::string length;
    protobuf::putLittleEndian(length, payload.size(), 8);
    file += length;
    protobuf::putLittleEndian(file, maskedCrc32c(length), 4);
    file += payload;
    protobuf::putLittleEndian(file, maskedCrc32c(payload), 4);
}

}  // namespace mantissa::event_file
