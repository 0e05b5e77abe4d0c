// SPDX-License-Identifier: Apache-2.0
// Names of runs: valid names, unused names, and their file names.
#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/experiment/fields.h"

namespace mantissa {
namespace {

const RunSettings* takenBy(const std::vector<RunSettings>& runs, const std::string& name) {
    const std::string stem = fileStem(name);
    for (const RunSettings& run : runs) {
        if (fileStem(run.name) == stem) return &run;
    }
    return nullptr;
}

/// "a" for "a 2" if there is a run "a", so that a copy of a copy gets the next number; else the name itself.
std::string copiedName(const std::vector<RunSettings>& runs, const std::string& name) {
    const std::size_t space = name.rfind(' ');
    if (space == std::string::npos || name.find_first_not_of("0123456789", space + 1) != std::string::npos) return name;
    const std::string original = name.substr(0, space);
    const bool isThere = std::any_of(runs.begin(), runs.end(), [&](const RunSettings& run) { return run.name == original; });
    return isThere ? original : name;
}

}  // namespace

void checkFreeName(const std::vector<RunSettings>& runs, const std::string& name, const std::string& source, const std::string& pointer) {
    try {
        RunSettings probe;
        fieldAt("/name")->read(probe, name);
    } catch (const BadValue& bad) {
        throw InputError(source, pointer, bad.sentence);
    }
    const RunSettings* other = takenBy(runs, name);
    if (other == nullptr) return;
    if (other->name == name) throw InputError(source, pointer, "there is another run '" + name + "'");
    throw InputError(source, pointer, "'" + name + "' and '" + other->name + "' would share the file " + fileStem(name) + ".csv");
}

std::string freeName(const std::vector<RunSettings>& runs, const std::string& name) {
    const std::string base = copiedName(runs, name);
    std::string candidate = name;
    for (int number = 2; takenBy(runs, candidate) != nullptr; ++number) {
        const std::string ending = " " + std::to_string(number);
        candidate = cutToBytes(base, kMaxNameBytes - ending.size()) + ending;
    }
    return candidate;
}

std::string cutToBytes(const std::string& text, std::size_t most) {
    std::size_t kept = std::min(text.size(), most);
    while (kept > 0 && kept < text.size() && (text[kept] & 0xc0) == 0x80) --kept;
    return text.substr(0, kept);
}

std::string fileStem(const std::string& runName) {
    std::string stem = runName;
    for (char& c : stem) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
        const bool isPlain = isLetter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '+';
        if (!isPlain) c = '_';
    }
    return stem;
}

std::filesystem::path runFile(const std::filesystem::path& folder, const std::string& runName, const char* ending) {
    return folder / (fileStem(runName) + ending);
}

}  // namespace mantissa
