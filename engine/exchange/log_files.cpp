// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_files.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "engine/exchange/event_file.h"
#include "engine/exchange/imported_run.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/protobuf.h"
#include "engine/exchange/trackio_import.h"
#include "engine/exchange/trimmed.h"
#include "engine/exchange/wandb_file.h"
#include "engine/experiment/experiment.h"
#include "engine/recording/foreign_database.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{8} << 30;
constexpr int kMaxFolderDepth = 16, kMaxEntries = 100'000;
constexpr std::string_view kStateFile = "trainer_state.json";
constexpr std::string_view kStatisticsPrefix = "nvdlfw_inspect_globalrank-";

/// Regular files below a folder, in the order of their names. Links are not followed: they may form cycles.
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

/// N of "checkpoint-N"; nullopt for another folder.
std::optional<std::int64_t> checkpointOf(const fs::path& folder) {
    constexpr std::string_view kPrefix = "checkpoint-";
    const std::string name = folder.filename().string();
    std::int64_t step = 0;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
    return error == std::errc() && end == name.data() + name.size() ? std::optional(step) : std::nullopt;
}

std::vector<FoundLog> eventFolders(const fs::path& folder, const std::vector<fs::path>& files) {
    std::map<fs::path, std::vector<fs::path>> byFolder;
    for (const fs::path& file : files)
        if (file.filename().string().find(event_file::kNamePart) != std::string::npos) byFolder[file.parent_path()].push_back(file);
    std::vector<FoundLog> found;
    std::error_code error;
    for (auto& [runFolder, ofRun] : byFolder) {
        const bool isTop = fs::equivalent(runFolder, folder, error);
        const std::string name = isTop ? folderNameOf(ofRun.front()) : runFolder.lexically_relative(folder).string();
        found.push_back({FoundLog::Kind::Events, runFolder, std::move(ofRun), name});
    }
    return found;
}

/// A run per output folder of a Trainer: its latest checkpoint's file, and its own file. Each history includes those of the earlier
/// checkpoints.
std::vector<FoundLog> trainerFolders(const fs::path& folder, const std::vector<fs::path>& files) {
    struct States {
        std::optional<fs::path> own, latest;
        std::int64_t step = -1;  // of `latest`
        std::size_t count = 0;
    };
    std::map<fs::path, States> outputs;
    for (const fs::path& file : files) {
        if (file.filename() != kStateFile) continue;
        const auto step = checkpointOf(file.parent_path());
        States& states = outputs[step ? file.parent_path().parent_path() : file.parent_path()];
        ++states.count;
        if (!step)
            states.own = file;
        else if (*step > states.step)
            states.step = *step, states.latest = file;
    }
    std::vector<FoundLog> found;
    for (const auto& [output, states] : outputs) {
        const fs::path below = output.lexically_relative(folder);
        const bool isBelow = !below.empty() && *below.begin() != "." && *below.begin() != "..";
        FoundLog log{FoundLog::Kind::TrainerFolder, output, {}, isBelow ? below.string() : folderNameOf(folder / "file"), states.count - 1};
        if (states.latest) log.files.push_back(*states.latest);
        if (states.own) log.files.push_back(*states.own);
        found.push_back(std::move(log));
    }
    return found;
}

bool beginsAsTrainersLog(const fs::path& file) {
    constexpr std::size_t kBeginning = 1u << 20;
    std::string text(kBeginning, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    return isTrainersLog(std::string_view(text).substr(0, static_cast<std::size_t>(in.gcount())));
}

std::vector<FoundLog> otherFiles(const fs::path& folder, const std::vector<fs::path>& files) {
    std::vector<FoundLog> found;
    std::error_code error;
    for (const fs::path& file : files) {
        const std::string ending = file.extension().string();
        const bool isAtTop = fs::equivalent(file.parent_path(), folder, error);
        const bool isStatistics = ending == ".log" && file.filename().string().starts_with(kStatisticsPrefix);
        // Files with the first four endings are often no training logs, so their contents are checked.
        const auto isRun = [&] {
            if (ending == ".db") return isTrackio(file.string());
            if (ending == ".log" || ending == ".txt" || ending == ".out") return beginsAsTrainersLog(file);
            return ending == ".csv" || ending == ".tsv" || ending == ".jsonl";
        };
        if (ending == ".wandb" || isStatistics || (isAtTop && isRun())) found.push_back({FoundLog::Kind::File, file, {file}, ""});
    }
    return found;
}

constexpr std::size_t kMostOfAHeader = std::size_t{1} << 20;  // some ten thousand columns

/// Whether a text's first line names a step column or a known metric.
bool namesColumns(std::string_view text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || end > kMostOfAHeader) return false;
    std::string_view line = text.substr(0, end);
    const std::size_t separator = line.find_first_of(",;\t");
    while (separator != std::string_view::npos && !line.empty()) {
        const std::size_t next = line[0] == '"' ? line.find_first_of("\",;\t", 1) : line.find_first_of(",;\t");
        std::string_view cell = trimmed(line.substr(0, next));
        if (cell.starts_with('"')) cell.remove_prefix(1);
        if (cell.ends_with('"')) cell.remove_suffix(1);
        if (stepNameRank(cell) || metricFromName(cell)) return true;
        if (next == std::string_view::npos) break;
        line.remove_prefix(next + 1);
    }
    return false;
}

}  // namespace

InputFile::InputFile(const fs::path& path) {
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

std::optional<FileFormat> formatOf(InputFile& file, const std::string& source, bool mayGrow) {
    constexpr std::uint64_t kMostOfABeginning = 8u << 20;  // a log may begin with the settings of each rank
    constexpr std::size_t kHead = 4096;                    // beyond it, a byte 0 is reported with its line
    const auto log = [](LogFormat format) { return FileFormat{FileKind::Log, format}; };
    std::string begin(std::min(file.bytes, kMostOfABeginning), '\0');
    file.stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    file.stream.seekg(0);
    if (begin.empty() && !mayGrow) throw InputError(source, "", "is empty");
    if (begin.starts_with(wandb_file::kMark)) return log(LogFormat::Wandb);
    if (isSqlite(begin)) return FileFormat{FileKind::Trackio, {}};
    const std::string_view head = std::string_view(begin).substr(0, event_file::kHeadBytes);
    if (head.size() == event_file::kHeadBytes && protobuf::littleEndian(head.substr(8)) == event_file::maskedCrc32c(head.substr(0, 8))) {
        return log(LogFormat::Events);
    }
    if (mayGrow && head.size() < event_file::kHeadBytes) return std::nullopt;
    if (std::string_view(begin).substr(0, kHead).find('\0') != std::string_view::npos)
        throw InputError(source, "", "is neither CSV, JSON lines, an event file of TensorBoard, a file of W&B nor one of trackio");
    const std::string_view text = std::string_view(begin).substr(begin.starts_with("\xef\xbb\xbf") ? 3 : 0);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{') {
        // In JSON lines the first line is a complete object.
        const std::size_t end = text.find('\n', first);
        const std::string_view line = text.substr(first, end - first);
        const bool isOpenAlone = line.find_first_not_of(" \t\r", 1) == std::string_view::npos;
        if (mayGrow && isOpenAlone && end == std::string_view::npos) return std::nullopt;
        return isOpenAlone ? FileFormat{FileKind::TrainerState, {}} : log(LogFormat::JsonLines);
    }
    if (isTrainersLog(text)) return log(LogFormat::Lines);
    if (first != std::string_view::npos && text[first] == '[' && !mayGrow) {
        throw InputError(source, "", "is a list in JSON; in JSON lines each line is an object of its own");
    }
    if (!mayGrow || namesColumns(text)) return log(LogFormat::Csv);
    if (begin.size() == kMostOfABeginning)
        throw InputError(source, "", "has no line of a known log in its first " + std::to_string(kMostOfABeginning >> 20) + " MiB");
    return std::nullopt;
}

std::vector<FoundLog> findLogs(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return {{FoundLog::Kind::File, path, {path}, ""}};
    const std::vector<fs::path> files = filesBelow(path);
    std::vector<FoundLog> found = eventFolders(path, files);
    if (found.empty()) found = trainerFolders(path, files);
    if (found.empty()) found = otherFiles(path, files);
    return found;
}

}  // namespace mantissa
