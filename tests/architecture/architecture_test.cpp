// SPDX-License-Identifier: Apache-2.0
// The layers, held to by reading the include lines of every source file and the needed libraries of the built programs; and the words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct SourceFile {
    std::string path;  // from the root: "engine/plan/plan.h"
    std::vector<std::string> lines;
};

bool isUnder(const std::string& path, const std::string& folder) {
    return path.rfind(folder + "/", 0) == 0;
}
bool isUnderAny(const std::string& path, const std::vector<std::string>& folders) {
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) { return isUnder(path, folder); });
}

/// Which folders each folder may include from, besides itself. The longest key that matches a file's path counts.
const std::map<std::string, std::vector<std::string>>& allowed() {
    static const std::vector<std::string> kValues{"engine/experiment", "engine/telemetry", "engine/diagnosis", "engine/precision",
                                                  "engine/models",     "engine/data",      "engine/graph"};
    static const auto join = [](std::vector<std::string> a, const std::vector<std::string>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    static const std::map<std::string, std::vector<std::string>> kAllowed{
        {"kernels", {"kernels"}},
        {"resources", {"resources"}},
        {"engine/graph", {"kernels"}},
        {"engine/models", {"kernels", "engine/graph"}},
        {"engine/precision", {"kernels", "engine/graph"}},
        {"engine/data", {"kernels", "resources"}},
        {"engine/telemetry", {"kernels/dtype"}},
        {"engine/diagnosis", {"kernels/dtype", "engine/precision", "engine/telemetry"}},
        {"engine/plan", {"kernels", "engine/graph", "engine/precision", "engine/telemetry", "engine/diagnosis"}},
        {"engine/training",
         {"kernels", "engine/graph", "engine/models", "engine/precision", "engine/data", "engine/telemetry", "engine/diagnosis",
          "engine/plan"}},
        {"engine/rl",
         {"kernels", "engine/graph", "engine/models", "engine/precision", "engine/diagnosis", "engine/plan", "engine/training"}},
        // training/settings.h and its values only; see trainsOnlyThroughSettings
        {"engine/experiment", join(kValues, {"kernels", "resources", "engine/training"})},
        {"engine/lessons", {"engine/experiment", "engine/telemetry", "engine/diagnosis", "kernels/dtype", "resources"}},
        {"engine/recording", {"engine/experiment", "engine/telemetry"}},
        {"engine/session", join(kValues, {"kernels", "engine/training", "engine/plan", "engine/recording", "engine/exchange", "engine/wire",
                                          "engine/attach", "engine/lessons"})},
        {"engine/attach",
         {"engine/wire", "engine/experiment", "engine/data", "engine/telemetry", "engine/diagnosis", "engine/precision", "kernels/dtype"}},
        {"engine/exchange", join(kValues, {"engine/recording", "kernels"})},
        {"engine/wire", {"engine/experiment", "engine/telemetry", "engine/diagnosis", "kernels/dtype"}},
        {"engine/bench", {"kernels", "engine"}},
        {"engine/cli", {"kernels", "engine"}},
        {"packaging", {"engine/cli", "engine/experiment", "engine/lessons", "engine/telemetry"}},
        {"gui",
         {"gui", "engine/experiment", "engine/lessons", "engine/telemetry", "engine/diagnosis", "engine/wire", "engine/precision",
          "kernels/dtype"}},
    };
    return kAllowed;
}

struct Include {
    bool isQuoted = false;
    std::string path;  // empty: the line is no include line
};

Include includeOf(const std::string& line) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::smatch match;
    if (!std::regex_search(line, match, kInclude)) return {};
    return {match[1].str() == "\"", match[2].str()};
}

/// Qt's moc writes these for a class that is declared in a .cpp.
bool isGenerated(const std::string& include) {
    return include.ends_with(".moc");
}

/// What is wrong with a file's include lines; empty when nothing is.
std::vector<std::string> includeBreaches(const SourceFile& file) {
    std::vector<std::string> breaches;
    const std::pair<const std::string, std::vector<std::string>>* rule = nullptr;
    for (const auto& entry : allowed()) {
        if (isUnder(file.path, entry.first) && (rule == nullptr || entry.first.size() > rule->first.size())) rule = &entry;
    }
    if (rule == nullptr) return {file.path + " lies in a folder that the table of layers does not know"};
    for (const std::string& line : file.lines) {
        const auto [isQuoted, include] = includeOf(line);
        if (include.empty()) continue;
        const auto breach = [&, include = include](const std::string& why) {
            breaches.push_back(file.path + " includes " + include + ": " + why);
        };
        const bool isOurs = isUnderAny(include, {"kernels", "engine", "gui", "resources", "packaging"});
        if (isQuoted && !isOurs && !isGenerated(include)) breach("paths begin at the root, and others' headers stand in <>");
        if (isOurs && !isUnder(include, rule->first) && !isUnderAny(include, rule->second)) breach("against the direction of the layers");
        if (isUnder(file.path, "engine/experiment") && isUnder(include, "engine/training") && include != "engine/training/settings.h") {
            breach("the window links the experiment, so of training it may know the settings alone");
        }
        if (std::regex_search(include, std::regex("^(Q[A-Z]|Qt)")) && !isUnder(file.path, "gui")) breach("only gui sees Qt");
        if (include == "qcustomplot.h" && !isUnder(file.path, "gui/plots")) breach("only gui/plots sees QCustomPlot");
        if (std::regex_search(include, std::regex("^(cuda|cublas|cudnn|nvtx)")) && !isUnder(file.path, "kernels/cuda"))
            breach("only kernels/cuda sees CUDA");
        if (std::regex_search(include, std::regex("^(oneapi/|dnnl|omp\\.h)")) && !isUnder(file.path, "kernels/cpu"))
            breach("only kernels/cpu sees oneDNN and OpenMP");
        if (include == "sqlite3.h" && !isUnder(file.path, "engine/recording")) breach("only engine/recording sees SQLite");
    }
    return breaches;
}

std::string licenceOf(const std::string& path) {
    return isUnder(path, "gui") ? "GPL-3.0-or-later" : "Apache-2.0";
}

const std::set<std::string> kSourceEndings{".h", ".cpp", ".cu", ".cuh"};

SourceFile fileOf(const std::string& path) {
    SourceFile file{path, {}};
    std::ifstream in(fs::path(MANTISSA_SOURCE_DIR) / path);
    for (std::string line; std::getline(in, line);) file.lines.push_back(line);
    return file;
}

/// The files with these endings in folders of the source tree, with their lines.
std::vector<SourceFile> filesOf(const std::vector<std::string>& folders, const std::set<std::string>& endings) {
    std::vector<SourceFile> files;
    for (const std::string& folder : folders) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(MANTISSA_SOURCE_DIR) / folder)) {
            if (!entry.is_regular_file() || !endings.contains(entry.path().extension().string())) continue;
            files.push_back(fileOf(fs::relative(entry.path(), MANTISSA_SOURCE_DIR).string()));
        }
    }
    return files;
}

/// The NEEDED entries of a program's dynamic section.
std::vector<std::string> neededLibraries(const std::string& program) {
    const std::string command = "readelf -d '" MANTISSA_BIN_DIR "/" + program + "'";
    FILE* pipe = popen(command.c_str(), "r");
    std::vector<std::string> libraries;
    char line[512];
    while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) {
        std::cmatch match;
        if (std::regex_search(line, match, std::regex(R"(\(NEEDED\).*\[(.+)\])"))) libraries.push_back(match[1].str());
    }
    if (pipe != nullptr) pclose(pipe);
    return libraries;
}

void expectNone(const std::string& program, const std::string& pattern) {
    const auto libraries = neededLibraries(program);
    ASSERT_FALSE(libraries.empty()) << program << " was not read";
    for (const std::string& library : libraries)
        EXPECT_FALSE(std::regex_search(library, std::regex(pattern))) << program << " needs " << library;
}

struct Term {
    std::vector<std::string> words;
    std::string instead;
    std::vector<std::string> paths = {""};  // beginnings of the paths where it holds
};

/// Words that are not the field's, as in plainWords. "card" is also a widget, and "turned" is also English: they hold where they were a GPU
/// and a transpose.
const std::vector<Term>& privateTerms() {
    static const std::vector<Term> kWords{
        {{"census", "a look", "the look", "each look", "auto look", "is look", "looks of", "the looks"}, "statistics, observer, run style"},
        {{"only looked at", "is looked at", "are looked at"}, "read-only, measured"},
        {{"corridor", "corridors", "bears"}, "usable loss scales, overflow threshold"},
        {{"twin", "twins", "parting"}, "run comparison, first divergence"},
        {{"tape", "tapes"}, "timeline"},
        {{"deed", "deeds", "connect hands"}, "user action, plot interaction"},
        {{"wish", "wished", "wishes"}, "requested"},
        {{"settled on", "in force"}, "resolved, effective, current"},
        {{"ceiling", "ceilings"}, "measured peak, maxScale"},
        {{"swallow", "swallows", "swallowed", "standing weights", "wasted"}, "lost updates, unchanged weights, skipped"},
        {{"under way", "any behind"}, "pending, lagging"},
        {{"catch up", "catches up", "catching up", "caught up"}, "re-run"},
        {{"give up", "gives up", "giving up", "given up", "gave up"}, "stop"},
        {{"put back", "puts back", "putting back"}, "restore"},
        {{"bad step", "bad steps"}, "non-finite step"},
        {{"news", "for want of", "anew", "whoever", "stranger", "strangers"}, "change, without, again, anyone"},
        {{"turned"}, "transposed, rotated", {"kernels/", "engine/plan/"}},
        {{"card", "cards"}, "GPU", {"kernels/", "packaging/", "CMakeLists.txt"}},
        {{"nvidia card", "nvidia s card", "nvidia s cards", "graphics card", "emulated card", "any card", "no card", "such card",
          "try card", "has card", "card does", "a card of"},
         "GPU",
         {"engine/", "gui/picker/", "README.md", "CONTRIBUTING.md", "resources/"}},
    };
    return kWords;
}

struct Contract {
    std::string path, words, why;
};
const std::vector<Contract>& keptWords() {
    static const std::vector<Contract> kKept{
        {"engine/wire/", "wish", "key of the wire"},
        {"engine/wire/", "ceiling", "key of the wire"},
        {"engine/wire/", "swallowed", "key of the wire"},
        {"engine/wire/", "is look", "key of the wire"},
        {"", "run caught up", "event of the wire"},
        {"", "ceiling tflops", "key of train --json"},
        {"", "swallowed updates", "experiment, and a gauge in --json"},
        {"engine/diagnosis/", "standing weights", "gauge in --json"},
        {"engine/cli/", "wasted steps", "key of race --json"},
        {"engine/recording/", "given up", "state in recordings"},
        {"", "twins", "alias of the command compare"},
        {"engine/cli/", "fits a card of", "help of plan --card"},
        {"engine/cli/", "gives up to", "as far as"},
        {"resources/lessons/", "its twin in fp", "run of a lesson"},
        {"gui/", "catching up", "state of a new run, which trains up to the others"},
        {"gui/", "catches up", "the same"},
        {"engine/", "bad steps / h", "file"},
        {"engine/", "list bad steps / cpp", "file"},
        {"engine/", "then put back / h", "file"},
        {"README.md", "tape light x / png", "file"},
    };
    return kKept;
}

/// " is bad step / ": the words of prose, camelCase and snake_case in lower case, across lines; a slash for punctuation.
std::string plainWords(const SourceFile& file) {
    std::string words = " ";
    for (const std::string& line : file.lines) {
        bool wasLower = false;
        for (const unsigned char c : line + '\n') {
            if ((std::isalpha(c) == 0 || (std::isupper(c) != 0 && wasLower)) && words.back() != ' ') words += ' ';
            if (std::isalpha(c) != 0) words += static_cast<char>(std::tolower(c));
            if (std::string_view(".,;:?!()[]{}\"<>=&|+").find(static_cast<char>(c)) != std::string_view::npos) words += "/ ";
            wasLower = std::islower(c) != 0;
        }
    }
    return words;
}

/// The private words of a file, each with the words around it.
std::vector<std::string> privateWordsIn(const SourceFile& file) {
    std::string words = plainWords(file);
    for (const Contract& kept : keptWords())
        for (std::size_t at = 0; file.path.starts_with(kept.path) && (at = words.find(' ' + kept.words + ' ', at)) != std::string::npos;)
            words.replace(at, kept.words.size() + 2, " / ");
    std::vector<std::string> found;
    for (const Term& term : privateTerms()) {
        if (std::none_of(term.paths.begin(), term.paths.end(), [&](const std::string& path) { return file.path.starts_with(path); }))
            continue;
        for (const std::string& word : term.words)
            for (std::size_t at = 0; (at = words.find(' ' + word + ' ', at)) != std::string::npos; ++at)
                found.push_back(file.path + ": '" + word + "' in '" + words.substr(std::max<std::size_t>(at, 20) - 20, 60) +
                                "': " + term.instead);
    }
    return found;
}

TEST(Architecture, IncludesPointOneWay) {
    const auto files = filesOf({"kernels", "engine", "gui", "resources", "packaging"}, kSourceEndings);
    ASSERT_GT(files.size(), 60u);
    for (const SourceFile& file : files) {
        for (const std::string& breach : includeBreaches(file)) ADD_FAILURE() << breach;
    }
}

TEST(Architecture, ABreachIsFound) {
    EXPECT_TRUE(includeBreaches({"engine/plan/good.cpp", {"#include \"kernels/backend.h\"", "#include <vector>"}}).empty());
    for (const SourceFile& bad : std::vector<SourceFile>{{"kernels/cpu/bad.cpp", {"#include \"engine/plan/plan.h\""}},
                                                         {"engine/plan/bad.cpp", {"#include \"engine/training/trainer.h\""}},
                                                         {"engine/session/bad.cpp", {"#include <QString>"}},
                                                         {"engine/session/bad.cpp", {"#include <sqlite3.h>"}},
                                                         {"engine/recording/bad.cpp", {"#include \"engine/session/session.h\""}},
                                                         {"gui/app/bad.cpp", {"#include \"engine/session/session.h\""}},
                                                         {"gui/app/bad.cpp", {"#include <qcustomplot.h>"}},
                                                         {"engine/training/bad.cpp", {"#include <oneapi/dnnl/dnnl.hpp>"}},
                                                         {"engine/experiment/bad.cpp", {"#include \"engine/training/trainer.h\""}},
                                                         {"engine/plan/bad.cpp", {"  #  include <cuda_runtime.h>"}},
                                                         {"engine/plan/bad.cpp", {"#include \"plan.h\""}},
                                                         {"engine/plan/bad.cpp", {"#include \"../training/trainer.h\""}},
                                                         {"engine/unknown/bad.cpp", {"#include <vector>"}}}) {
        EXPECT_EQ(includeBreaches(bad).size(), 1u) << bad.path << ": " << bad.lines[0];
    }
}

TEST(Architecture, EachFileNamesItsLicence) {
    for (const SourceFile& file : filesOf({"kernels", "engine", "gui", "resources", "tests", "packaging"}, kSourceEndings)) {
        ASSERT_FALSE(file.lines.empty()) << file.path;
        EXPECT_NE(file.lines[0].find("SPDX-License-Identifier: " + licenceOf(file.path)), std::string::npos) << file.path;
    }
}

TEST(Architecture, FilesStayShort) {
    for (const SourceFile& file : filesOf({"kernels", "engine", "gui", "packaging"}, kSourceEndings))
        EXPECT_LE(file.lines.size(), 450u) << file.path << " is asking to be split along its meaning";
}

TEST(Architecture, WordsAreTheFields) {
    const std::set<std::string> texts{".h", ".cpp", ".cu", ".cuh", ".py", ".cmake", ".txt", ".md", ".sh", ".in"};
    auto files = filesOf({"kernels", "engine", "gui", "packaging", "resources/guide", "resources/lessons"}, texts);
    for (const char* path : {"README.md", "CONTRIBUTING.md", "CMakeLists.txt"}) files.push_back(fileOf(path));
    for (const SourceFile& file : files)
        for (const std::string& word : privateWordsIn(file)) ADD_FAILURE() << word;
}

TEST(Architecture, APrivateWordIsFound) {
    const auto count = [](const char* path, const char* line) { return privateWordsIn({path, {line}}).size(); };
    for (const char* line : {"bool isBadStep;", "keep_bad_step", "The bad\tstep.", "for want of it", "m_ceiling"})
        EXPECT_EQ(count("engine/plan/bad.cpp", line), 1u) << line;
    EXPECT_EQ(privateWordsIn({"gui/app/bad.cpp", {"// a run that catches", "// up"}}).size(), 0u) << "kept there";
    EXPECT_EQ(privateWordsIn({"engine/plan/bad.cpp", {"// a run that catches", "// up"}}).size(), 1u);
    EXPECT_EQ(count("kernels/cuda/bad.cu", "the card's memory"), 1u);
    for (const char* line : {"the tapered wishbone", "RunCaughtUp", "mantissa train swallowed-updates"})
        EXPECT_EQ(count("engine/plan/good.cpp", line), 0u) << line;
}

/// A label made elsewhere would guess whether a name is rich text, which could open any file, through an image.
TEST(Architecture, LabelsAreMadeInOnePlace) {
    const std::regex made("new QLabel\\b|\\bQLabel [a-z_]+[;({]");
    int places = 0;
    for (const SourceFile& file : filesOf({"gui"}, kSourceEndings))
        for (const std::string& line : file.lines)
            if (std::regex_search(line, made)) {
                ++places;
                EXPECT_EQ(file.path, "gui/controls/parts.cpp") << line;
            }
    EXPECT_EQ(places, 1);
}

TEST(Architecture, NothingIsLeftForLater) {
    const std::regex unfinished(std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X)\\b");
    const std::set<std::string> texts{".h", ".cpp", ".cu", ".cuh", ".md", ".txt", ".cmake", ".json", ".sh", ".svg", ".xml"};
    for (const SourceFile& file :
         filesOf({"kernels", "engine", "gui", "resources/guide", "resources/experiments", "tests", "packaging"}, texts)) {
        for (const std::string& line : file.lines) EXPECT_FALSE(std::regex_search(line, unfinished)) << file.path << ": " << line;
    }
}

TEST(Architecture, WhatGitIgnoresIsInNoImage) {
    const auto patternsOf = [](const std::string& file) {
        std::ifstream in(fs::path(MANTISSA_SOURCE_DIR) / file);
        std::set<std::string> patterns;
        for (std::string line; std::getline(in, line);) {  // "/build/" and "build" are the same folder to their readers
            if (!line.empty() && line[0] != '#') patterns.insert(std::regex_replace(line, std::regex("^/|/$"), ""));
        }
        return patterns;
    };
    const std::set<std::string> inNoImage = patternsOf(".dockerignore"), ignored = patternsOf(".gitignore");
    ASSERT_TRUE(ignored.contains("build"));
    for (const std::string& pattern : ignored) EXPECT_TRUE(inNoImage.contains(pattern)) << pattern;
}

TEST(Architecture, TheCommandLineNeedsNoWindowAndNoGpuLibraries) {
    expectNone("mantissa", "Qt|qcustomplot|cuda|cublas|cudnn|nvidia");
}

#if defined(MANTISSA_HAS_LAB)
TEST(Architecture, TheWindowHoldsNoEngineLibraries) {
    expectNone("mantissa-lab", "dnnl|gomp|cuda|cublas|cudnn|nvidia");
}
#endif

}  // namespace
