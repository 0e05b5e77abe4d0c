// SPDX-License-Identifier: Apache-2.0
// The lessons inside the program, and finding one by name or path.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/experiment/fields.h"
#include "engine/lessons/lesson.h"
#include "resources/embedded.h"

namespace mantissa {
namespace {

constexpr std::uintmax_t kMaxLessonBytes = 1u << 20;  // as of an experiment

/// "lessons/05-swallowed-updates.md" -> "swallowed-updates"; empty for other files. The number in front is the order.
std::string lessonName(std::string_view path) {
    constexpr std::string_view kFolder = "lessons/", kEnding = ".md";
    if (!path.starts_with(kFolder) || !path.ends_with(kEnding)) return "";
    path = path.substr(kFolder.size(), path.size() - kFolder.size() - kEnding.size());
    return std::string(path.substr(path.find('-') + 1));
}

std::string readLessonFile(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        std::vector<std::string> names;
        for (const BundledLesson& bundled : bundledLessons()) names.push_back(bundled.name);
        throw InputError(path, "", "there is no such file, and no bundled lesson of this name" + didYouMean(path, names));
    }
    if (!std::filesystem::is_regular_file(path, error)) throw InputError(path, "", "is not a file");
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error || bytes > kMaxLessonBytes) throw InputError(path, "", "is larger than 1 MiB, the most that is read");
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || (bytes > 0 && !(text << in.rdbuf()))) throw InputError(path, "", "cannot be read");
    return std::move(text).str();
}

}  // namespace

const std::vector<BundledLesson>& bundledLessons() {
    static const std::vector<BundledLesson> kBundled = [] {
        std::vector<BundledLesson> all;
        const auto held = parseExperiment(R"({"data": {"name": "digits"}, "runs": [{"name": "digits"}]})", "digits").data;  // most have it
        for (const EmbeddedFile& file : embeddedFiles()) {
            const std::string name = lessonName(file.path);
            if (name.empty()) continue;
            const Lesson lesson = readLesson(file.text(), name);
            all.push_back({name, lesson.title, lesson.summary, lesson.minutes, lesson.steps.size()});
        }
        return all;
    }();
    return kBundled;
}

Lesson loadLesson(const std::string& nameOrPath) {
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (!nameOrPath.empty() && lessonName(file.path) == nameOrPath) return readLesson(file.text(), nameOrPath);
    }
    return readLesson(readLessonFile(nameOrPath), nameOrPath, std::filesystem::path(nameOrPath).parent_path());
}

}  // namespace mantissa
