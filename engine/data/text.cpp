// SPDX-License-Identifier: Apache-2.0
// Text, from the program or a file, as a stream of characters or bytes.
#include "engine/data/embedded_file.h"
#include "engine/data/files.h"
#include "engine/data/readers.h"

namespace mantissa {
namespace {

constexpr std::int64_t kMostTextBytes = std::int64_t{1} << 30;  // takes four times as much memory, and indices have 32 bits

/// `what` names the text in errors.
Dataset tokensFrom(std::string_view text, const DataSettings& settings, const std::string& what) {
    if (text.empty()) throw DataError("path", what + ": is empty");
    Dataset data;
    data.kind = DataKind::Tokens;
    data.tokens.context = settings.context;
    std::vector<std::int32_t> all;
    if (settings.tokens == "bytes") {
        all = Vocabulary{}.encode(text);
    } else {
        std::size_t badByte = 0;
        const std::vector<char32_t> characters = decodeUtf8(text, badByte);
        if (badByte < text.size())
            throw DataError("path", what + ": byte " + std::to_string(badByte) + " is not UTF-8 (\"tokens\": \"bytes\" takes any file)");
        data.tokens.vocabulary = vocabularyOf(characters);
        all = tokensOf(data.tokens.vocabulary, characters);
    }
    const std::int64_t fewest = fewestTokens(settings.context);
    if (static_cast<std::int64_t>(all.size()) < fewest) {
        throw DataError("context", what + ": has " + std::to_string(all.size()) + " " + settings.tokens + ", windows of " +
                                       std::to_string(settings.context) + " need " + std::to_string(fewest));
    }
    splitTokens(data.tokens, std::move(all));
    return data;
}

}  // namespace

ReadData readOpticks(const DataSettings& settings) {
    ReadData read{tokensFrom(embeddedText("data/opticks.txt"), settings, "opticks"), {}};
    read.data.credit = "Isaac Newton: Opticks, fourth edition, London 1730";
    return read;
}

ReadData readText(const DataSettings& settings) {
    const std::filesystem::path file = settings.path;
    ReadData read{tokensFrom(readFile(file, kMostTextBytes), settings, file.string()), {file}};
    read.data.credit = file.string();
    return read;
}

}  // namespace mantissa
