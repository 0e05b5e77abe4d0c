// SPDX-License-Identifier: Apache-2.0
// The reader of text as tokens against bytes of any kind: the tokens together make the text again. The first byte of the input says whether
// they are characters or bytes, and how long a window is.
#include "engine/data/readers.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    static InputFolder folder;
    Cutter input(data, size);
    const std::uint8_t first = input.byte();
    const std::string text(input.rest());
    folder.write("text.txt", text);
    const DataSettings settings{.name = "text",
                                .path = folder.path() + "/text.txt",
                                .context = 1 + first / 2 % 16,
                                .tokens = first % 2 == 0 ? "characters" : "bytes"};
    expectReadOrRefused<DataError>([&] {
        const TokenData tokens = readText(settings).data.tokens;
        require(tokens.vocabulary.decode(tokens.train) + tokens.vocabulary.decode(tokens.validation) == text);
        require(tokens.windows(tokens.train) > 0 && tokens.windows(tokens.validation) > 0);
    });
    std::size_t badByte = 0;
    const std::string shown = shownText(text);  // of any text, as a terminal gets it
    decodeUtf8(shown, badByte);
    require(badByte == shown.size());
    return 0;
}
