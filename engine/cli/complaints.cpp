// SPDX-License-Identifier: Apache-2.0
// What commands write to standard error.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/data/one_line.h"
#include "engine/recording/recording.h"

namespace mantissa {
namespace {

/// Whether a byte of UTF-8 continues a character.
bool isWithinCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The sentence on one line, without the middle of a very long one.
std::string shortLine(std::string_view sentence) {
    constexpr std::size_t kHead = 700, kTail = 300;
    if (sentence.size() <= kHead + kTail) return oneLine(sentence);
    std::size_t head = kHead, tail = sentence.size() - kTail;
    constexpr std::size_t kLongestRest = 3;  // bytes of a character after its first
    while (head > kHead - kLongestRest && isWithinCharacter(sentence[head])) --head;
    while (tail < sentence.size() - kTail + kLongestRest && isWithinCharacter(sentence[tail])) ++tail;
    return oneLine(sentence.substr(0, head)) + " ... " + oneLine(sentence.substr(tail));
}

}  // namespace

void complain(std::string_view sentence) {
    std::cerr << "mantissa: " << shortLine(sentence) << '\n';
}

int sayWhatIsMissing(const Recording& recording, const std::string& path, const std::string& leftOut) {
    const bool hasSteps = recording.stepsRead() > 0;
    const std::string missing = recording.missing(), &whyReadOnly = recording.whyReadOnly();
    const bool isDamage = !whyReadOnly.empty() && missing.starts_with(whyReadOnly);
    std::string sentence = missing.empty() ? whyReadOnly : missing;
    if (!hasSteps && !isDamage) sentence = sentence.empty() ? "it holds no step" : sentence + "; it holds no step";
    if (!leftOut.empty()) sentence += (sentence.empty() ? "" : "; ") + leftOut;
    if (!sentence.empty()) complain(path + ": " + sentence);
    return hasSteps && leftOut.empty() && !recording.isIncomplete() ? kExitDone : kExitCouldNotGoOn;
}

void complainOf(const Recording& recording, const std::string& path, const std::exception& error) {
    const auto* input = dynamic_cast<const InputError*>(&error);
    const bool isOfFile = input != nullptr && (input->source().empty() || input->source() == path);
    const std::string pointer = isOfFile ? input->pointer() : "", sentence = isOfFile ? input->sentence() : error.what();
    const std::string missing = recording.missing(), &whyReadOnly = recording.whyReadOnly();
    const bool isSaid = !whyReadOnly.empty() && sentence.ends_with(whyReadOnly);
    const std::string& reason = missing.empty() ? whyReadOnly : missing;
    const InputError named(path, pointer, sentence + (reason.empty() || isSaid ? "" : ": " + reason));
    if (recording.isIncomplete() || input == nullptr) throw RunError(named.what());
    throw named;
}

}  // namespace mantissa
