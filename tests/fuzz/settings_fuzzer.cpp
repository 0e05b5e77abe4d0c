// SPDX-License-Identifier: Apache-2.0
// The reader of other trainers' settings against text of any kind. What is read is an experiment that can be written.
#include <cstdint>
#include <optional>

#include "engine/exchange/settings_import.h"
#include "tests/fuzz/refusal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    const std::string text(reinterpret_cast<const char*>(data), size);
    // Two files where there is a byte that no text has.
    const std::size_t cut = std::min(text.find('\xff'), text.size());
    std::vector<SettingsFile> files{{"a.json", text.substr(0, cut)}};
    if (cut < text.size()) files.push_back({"b.json", text.substr(cut + 1)});
    std::optional<ImportedSettings> imported;
    expectReadOrRefused<InputError>([&] { imported = importSettings(files, "imported"); });
    if (imported) require(!writeExperiment(imported->experiment).empty());
    return 0;
}
