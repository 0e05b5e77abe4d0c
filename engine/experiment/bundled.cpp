// SPDX-License-Identifier: Apache-2.0
// The bundled experiments, and loading one by name or path.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/experiment/experiment.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"
#include "resources/embedded.h"

namespace mantissa {
namespace {

/// "experiments/10-four-formats.json", or with a language "experiments/de/10-four-formats.json" -> "four-formats"; empty for other files.
/// The leading number sets the order.
std::string bundledName(std::string_view path, const std::string& language = {}) {
    const std::string folder = "experiments/" + (language.empty() ? "" : language + "/");
    constexpr std::string_view kEnding = ".json";
    if (!path.starts_with(folder) || !path.ends_with(kEnding)) return "";
    path = path.substr(folder.size(), path.size() - folder.size() - kEnding.size());
    return path.find('/') != std::string_view::npos ? "" : std::string(path.substr(path.find('-') + 1));
}

const EmbeddedFile* bundledFile(const std::string& name, const std::string& language = {}) {
    const auto files = embeddedFiles();
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const EmbeddedFile& file) { return !name.empty() && bundledName(file.path, language) == name; });
    return found == files.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<BundledExperiment>& bundledExperiments() {
    static const std::vector<BundledExperiment> kBundled = [] {
        std::vector<BundledExperiment> all;
        std::vector<std::shared_ptr<const Dataset>> held;  // most use the same data set
        for (const EmbeddedFile& file : embeddedFiles()) {
            const std::string name = bundledName(file.path);
            if (name.empty()) continue;
            const Experiment experiment = parseExperiment(file.text(), name);
            all.push_back({name, experiment.title, experiment.description, dataText(experiment), experiment.lookFor, experiment.group});
            held.insert(held.end(), experiment.data.begin(), experiment.data.end());
        }
        return all;
    }();
    return kBundled;
}

bool isBundledExperiment(const std::string& name) {
    return bundledFile(name) != nullptr;
}

const std::vector<std::string>& experimentGroups() {
    static const std::vector<std::string> kGroups{"precision", "range", "scaler", "mistakes", "eight-bits", "models"};
    return kGroups;
}

std::optional<ExperimentWords> translatedWords(const std::string& bundledName, const std::string& language) {
    const EmbeddedFile* file = language.empty() ? nullptr : bundledFile(bundledName, language);
    if (file == nullptr) return std::nullopt;
    const Json words = readJson(file->text(), bundledName + " (" + language + ")");
    return ExperimentWords{words.at("title"), words.at("description"), words.at("look_for")};
}

std::string readTextFile(const std::string& path, const std::string& kind, const std::function<std::vector<std::string>()>& bundled) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        throw InputError(path, "", "there is no such file, and no bundled " + kind + " of this name" + didYouMean(path, bundled()));
    if (!std::filesystem::is_regular_file(status)) throw InputError(path, "", "is not a file");
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (!error && bytes > kMaxJsonBytes)
        throw InputError(path, "", "is larger than " + std::to_string(kMaxJsonBytes >> 20) + " MiB, the most that is read");
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || (bytes > 0 && !(text << in.rdbuf()))) throw InputError(path, "", "cannot be read");
    return std::move(text).str();
}

std::string loadExperimentText(const std::string& nameOrPath, std::string& sourceOut, std::filesystem::path& folderOut) {
    sourceOut = nameOrPath;
    folderOut.clear();
    if (const EmbeddedFile* file = bundledFile(nameOrPath)) return std::string(file->text());
    folderOut = std::filesystem::path(nameOrPath).parent_path();
    return readTextFile(nameOrPath, "experiment", [] {
        std::vector<std::string> names;
        for (const BundledExperiment& bundled : bundledExperiments()) names.push_back(bundled.name);
        return names;
    });
}

}  // namespace mantissa
