// SPDX-License-Identifier: Apache-2.0
// From a path to its runs: which files, and which format each has.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "engine/exchange/event_file.h"
#include "engine/exchange/event_import.h"
#include "engine/exchange/imported_run.h"
#include "engine/exchange/protobuf.h"
#include "engine/exchange/run_builder.h"
#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{8} << 30;
constexpr int kMaxFolderDepth = 16, kMaxEntries = 100'000;

/// A regular file, open, with its size known.
struct InputFile {
    std::ifstream stream;
    std::uint64_t bytes = 0;

    explicit InputFile(const fs::path& path) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status)) throw InputError(path.string(), "", "there is no such file");
        if (!fs::is_regular_file(status)) throw InputError(path.string(), "", "is not a file");
        const std::uintmax_t size = fs::file_size(path, error);
        if (!error && size > kMaxFileBytes) {
            throw InputError(path.string(), "", "is larger than " + std::to_string(kMaxFileBytes >> 30) + " GiB, the most that is read");
        }
        stream.open(path, std::ios::binary);
        if (error || !stream) throw InputError(path.string(), "", "cannot be read");
        bytes = size;
    }
};

/// The name of the folder that a file lies in: event files have no better one.
std::string folderOf(const fs::path& file) {
    return fs::absolute(file).lexically_normal().parent_path().filename().string();
}

enum class Format { Csv, JsonLines, Events, TrainerState, Log };

/// What the first bytes say: a record's length that its check sum confirms, an object, or else text.
Format formatOf(InputFile& file, const std::string& source) {
    constexpr std::uint64_t kMostOfABeginning = 8u << 20;  // a log begins with what is no step: the settings, once for each rank
    constexpr std::size_t kHead = 4096;                    // further on, a byte 0 has a line of its own to be complained of
    std::string begin(std::min(file.bytes, kMostOfABeginning), '\0');
    file.stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    file.stream.seekg(0);
    if (begin.empty()) throw InputError(source, "", "is empty");
    const std::string_view head = std::string_view(begin).substr(0, event_file::kHeadBytes);
    if (head.size() == event_file::kHeadBytes && protobuf::littleEndian(head.substr(8)) == event_file::maskedCrc32c(head.substr(0, 8))) {
        return Format::Events;
    }
    if (begin.starts_with("SQLite format 3")) throw InputError(source, "", "is a data base; a recording is opened, not imported");
    if (std::string_view(begin).substr(0, kHead).find('\0') != std::string_view::npos)
        throw InputError(source, "", "is neither CSV, JSON lines nor an event file of TensorBoard");
    const std::string_view text = std::string_view(begin).substr(begin.starts_with("\xef\xbb\xbf") ? 3 : 0);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{') {
        // In JSON lines the first line holds a whole object.
        const std::string_view line = text.substr(first, text.find('\n', first) - first);
        return line.find_first_not_of(" \t\r", 1) == std::string_view::npos ? Format::TrainerState : Format::JsonLines;
    }
    if (first != std::string_view::npos && text[first] == '[') {
        throw InputError(source, "", "is a list in JSON; in JSON lines each line is an object of its own");
    }
    return isTrainersLog(text) ? Format::Log : Format::Csv;
}

ImportedRun importFile(const fs::path& path) {
    const std::string source = path.string();
    InputFile file(path);
    switch (formatOf(file, source)) {
        case Format::Events:
            return readEvents(file.stream, file.bytes, source);
        case Format::JsonLines:
            return readJsonLines(file.stream, source);
        case Format::TrainerState:
            return readTrainerState(file.stream, source);
        case Format::Log:
            return readTrainersLog(file.stream, source);
        case Format::Csv:
            break;
    }
    return readCsv(file.stream, source);
}

/// Regular files below a folder, in the order of their names. Links are not followed: they could lead in circles.
std::vector<fs::path> filesBelow(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    int entries = 0;
    auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (++entries > kMaxEntries) throw InputError(folder.string(), "", "holds more than " + std::to_string(kMaxEntries) + " files");
        if (entry.depth() >= kMaxFolderDepth) entry.disable_recursion_pending();
        if (entry->symlink_status(error).type() == fs::file_type::regular) files.push_back(entry->path());
    }
    if (error) throw InputError(folder.string(), "", "cannot be read: " + error.message());
    std::sort(files.begin(), files.end());
    return files;
}

/// N of "checkpoint-N"; nothing for another folder.
std::optional<std::int64_t> checkpointOf(const fs::path& folder) {
    constexpr std::string_view kPrefix = "checkpoint-";
    const std::string name = folder.filename().string();
    std::int64_t step = 0;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
    return error == std::errc() && end == name.data() + name.size() ? std::optional(step) : std::nullopt;
}

std::int64_t lastStepOf(const ImportedRun& run) {
    std::int64_t last = -1;
    for (const ImportedSeries& series : run.series) last = std::max(last, series.steps.back());
    return last;
}

/// A run for each output folder of a Trainer: the furthest of its checkpoints, or its own file, whichever has more steps. The history of
/// one holds those of the checkpoints before.
std::vector<ImportedRun> importTrainerStates(const fs::path& folder, const std::vector<fs::path>& files) {
    struct States {
        std::optional<fs::path> own, latest;
        std::int64_t step = -1, count = 0;  // of the latest; of all
    };
    std::map<fs::path, States> outputs;
    for (const fs::path& file : files) {
        if (file.filename() != "trainer_state.json") continue;
        const auto step = checkpointOf(file.parent_path());
        States& states = outputs[step ? file.parent_path().parent_path() : file.parent_path()];
        ++states.count;
        if (!step)
            states.own = file;
        else if (*step > states.step)
            states.step = *step, states.latest = file;
    }
    std::vector<ImportedRun> runs;
    for (const auto& [output, states] : outputs) {
        const fs::path below = output.lexically_relative(folder);
        const bool isBelow = !below.empty() && *below.begin() != "." && *below.begin() != "..";
        const std::string name = isBelow ? below.string() : folderOf(folder / "file");
        const auto read = [&](const fs::path& path) {
            InputFile file(path);
            return readTrainerState(file.stream, path.string(), name);
        };
        ImportedRun run = read(states.latest ? *states.latest : *states.own);
        if (states.latest && states.own)
            if (ImportedRun own = read(*states.own); lastStepOf(own) >= lastStepOf(run)) run = std::move(own);
        if (states.count > 1)
            run.remark += (run.remark.empty() ? "" : "; ") + std::to_string(states.count - 1) +
                          (states.count == 2 ? " other trainer_state.json is" : " other trainer_state.json are") + " left out";
        runs.push_back(std::move(run));
    }
    return runs;
}

std::vector<ImportedRun> importFolder(const fs::path& folder) {
    const std::vector<fs::path> files = filesBelow(folder);
    std::map<fs::path, std::vector<fs::path>> eventFiles;  // by their folder
    for (const fs::path& file : files) {
        if (file.filename().string().find(event_file::kNamePart) != std::string::npos) eventFiles[file.parent_path()].push_back(file);
    }
    std::vector<ImportedRun> runs;
    std::error_code error;
    for (const auto& [runFolder, ofRun] : eventFiles) {
        RunBuilder builder(runFolder.string(), RunBuilder::StepBack::Replaces);
        EventImport reader(builder);
        for (const fs::path& path : ofRun) {
            InputFile file(path);
            reader.read(file.stream, file.bytes, path.string());
        }
        const bool isTop = fs::equivalent(runFolder, folder, error);
        runs.push_back(builder.finish(isTop ? folderOf(ofRun.front()) : runFolder.lexically_relative(folder).string()));
    }
    if (!eventFiles.empty()) return runs;
    if (runs = importTrainerStates(folder, files); !runs.empty()) return runs;
    for (const fs::path& file : files) {
        const std::string ending = file.extension().string();
        const bool isRun = ending == ".csv" || ending == ".tsv" || ending == ".jsonl";
        if (isRun && fs::equivalent(file.parent_path(), folder, error)) runs.push_back(importFile(file));
    }
    return runs;
}

}  // namespace

ImportedRun readEvents(std::istream& in, std::uint64_t bytes, const std::string& source) {
    RunBuilder builder(source, RunBuilder::StepBack::Replaces);
    EventImport(builder).read(in, bytes, source);
    return builder.finish(folderOf(source));
}

std::vector<ImportedRun> importRuns(const std::string& path) {
    std::error_code error;
    std::vector<ImportedRun> runs;
    if (fs::is_directory(path, error)) {
        runs = importFolder(path);
        if (runs.empty())
            throw InputError(path, "", "holds no event files of TensorBoard, no trainer_state.json, and no .csv or .jsonl files");
    } else {
        runs.push_back(importFile(path));
    }
    const std::string remark = runs.front().remark;
    std::erase_if(runs, [](const ImportedRun& run) { return run.series.empty(); });
    if (runs.empty()) {
        throw InputError(path, "",
                         "has no values of a known metric, such as loss, val_loss, loss_scale, grad_norm, lr" +
                             (remark.empty() ? "" : " (" + remark + ")"));
    }
    return runs;
}

}  // namespace mantissa
