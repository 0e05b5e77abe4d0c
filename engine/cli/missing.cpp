// SPDX-License-Identifier: Apache-2.0
// Messages of commands about an incomplete recording.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/recording/recording.h"

namespace mantissa {

int sayWhatIsMissing(const Recording& recording, const std::string& path, const std::string& leftOut) {
    const bool hasSteps = recording.stepsRead() > 0;
    const std::string missing = recording.missing(), &whyReadOnly = recording.whyReadOnly();
    const bool isDamage = !whyReadOnly.empty() && missing.starts_with(whyReadOnly);
    std::string sentence = missing.empty() ? whyReadOnly : missing;
    if (!hasSteps && !isDamage) sentence = sentence.empty() ? "it holds no step" : sentence + "; it holds no step";
    if (!leftOut.empty()) sentence += (sentence.empty() ? "" : "; ") + leftOut;
    if (!sentence.empty()) std::cerr << "mantissa: " << path << ": " << sentence << '\n';
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
