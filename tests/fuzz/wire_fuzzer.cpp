// SPDX-License-Identifier: Apache-2.0
// The wire in both directions against bytes of any kind. The first byte of the input says what the others are: a command's frame without
// its length, an event's, or a stream of either, which arrives in pieces. A message that is read can be said, and is the same when it is
// read again.
#include <algorithm>

#include "engine/wire/wire.h"
#include "tests/fuzz/refusal.h"

namespace {

using namespace mantissa;

template <class Decode>
void expectSaidAgain(std::span<const std::uint8_t> payload, Decode decode) {
    const std::vector<std::uint8_t> frame = encode(decode(payload));
    require(encode(decode(std::span(frame).subspan(4))) == frame);
}

void take(std::span<const std::uint8_t> payload, bool isCommand) {
    if (isCommand) {
        expectSaidAgain(payload, decodeCommand);
    } else {
        expectSaidAgain(payload, decodeEvent);
    }
}

void takeStream(std::span<const std::uint8_t> stream, bool isCommand) {
    constexpr std::size_t kPiece = 61;
    FrameReader reader;
    while (!stream.empty()) {
        const auto piece = stream.first(std::min(stream.size(), kPiece));
        stream = stream.subspan(piece.size());
        reader.append(piece);
        while (const auto payload = reader.next()) take(*payload, isCommand);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::span rest(data + 1, size - 1);
    const bool isCommand = data[0] % 2 == 0, isStream = data[0] / 2 % 2 == 1;
    expectReadOrRefused<WireError>([&] { isStream ? takeStream(rest, isCommand) : take(rest, isCommand); });
    return 0;
}
