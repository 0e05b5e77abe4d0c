// SPDX-License-Identifier: Apache-2.0
// The lessons compiled into the program, and finding one by name or path.
#include <algorithm>
#include <map>

#include "engine/experiment/fields.h"
#include "engine/lessons/lesson.h"
#include "resources/embedded.h"

namespace mantissa {
namespace {

struct BundledFile {
    std::string language;  // empty: English
    std::string name;      // "lost-updates"
    const EmbeddedFile* file = nullptr;
};

/// Parses "lessons/05-lost-updates.md" and "lessons/de/05-lost-updates.md"; the leading number sets the order.
std::vector<BundledFile> bundledFiles() {
    constexpr std::string_view kFolder = "lessons/", kEnding = ".md";
    std::vector<BundledFile> files;
    for (const EmbeddedFile& file : embeddedFiles()) {
        std::string_view path = file.path;
        if (!path.starts_with(kFolder) || !path.ends_with(kEnding)) continue;
        path = path.substr(kFolder.size(), path.size() - kFolder.size() - kEnding.size());
        const std::size_t slash = path.find('/');
        const std::string_view language = slash == std::string_view::npos ? "" : path.substr(0, slash);
        path = path.substr(slash + 1);
        files.push_back({std::string(language), std::string(path.substr(path.find('-') + 1)), &file});
    }
    return files;
}

/// null if there is no such lesson or translation
const EmbeddedFile* fileOf(const std::vector<BundledFile>& files, const std::string& name, const std::string& language) {
    const auto it =
        std::find_if(files.begin(), files.end(), [&](const BundledFile& each) { return each.name == name && each.language == language; });
    return it == files.end() ? nullptr : it->file;
}

void translateBundled(const std::vector<BundledFile>& files, Lesson& lesson, const std::string& language) {
    const EmbeddedFile* words = language.empty() ? nullptr : fileOf(files, lesson.name, language);
    if (words) translateLesson(lesson, words->text(), lesson.name + " (" + language + ")");
}

std::vector<std::string> lessonNames() {
    std::vector<std::string> names;
    for (const BundledLesson& bundled : bundledLessons()) names.push_back(bundled.name);
    return names;
}

}  // namespace

const std::vector<BundledLesson>& bundledLessons(const std::string& language) {
    static const std::map<std::string, std::vector<BundledLesson>> kBundled = [] {
        std::map<std::string, std::vector<BundledLesson>> all;
        const auto held = parseExperiment(R"({"data": {"name": "digits"}, "runs": [{"name": "digits"}]})", "digits").data;  // most use it
        const std::vector<BundledFile> files = bundledFiles();
        for (const BundledFile& each : files) all[each.language];
        for (const BundledFile& each : files) {
            if (!each.language.empty()) continue;
            const Lesson english = readLesson(each.file->text(), each.name);
            for (auto& [spoken, lessons] : all) {
                Lesson lesson = english;
                translateBundled(files, lesson, spoken);
                lessons.push_back({each.name, lesson.title, lesson.summary, lesson.minutes, lesson.steps.size()});
            }
        }
        return all;
    }();
    const auto it = kBundled.find(language);
    return it == kBundled.end() ? kBundled.at("") : it->second;
}

Lesson loadLesson(const std::string& nameOrPath, const std::string& language) {
    const std::vector<BundledFile> files = bundledFiles();
    if (const EmbeddedFile* file = fileOf(files, nameOrPath, "")) {
        Lesson lesson = readLesson(file->text(), nameOrPath);
        translateBundled(files, lesson, language);
        return lesson;
    }
    return readLesson(readTextFile(nameOrPath, "lesson", lessonNames), nameOrPath, std::filesystem::path(nameOrPath).parent_path());
}

}  // namespace mantissa
