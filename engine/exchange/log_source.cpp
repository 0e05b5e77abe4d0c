// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

/// Detects changes of a file.
struct FileState {
    bool exists = false;
    std::uint64_t device = 0, number = 0;  // identify the file: another file may take its name
    std::int64_t bytes = 0, changedNs = 0;
    bool operator==(const FileState&) const = default;
    bool isSameFile(const FileState& other) const { return exists && other.exists && device == other.device && number == other.number; }
};

FileState stateOf(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return {};
    return {true, found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec};
}

/// A file that is read incrementally, as long as the part already read is unchanged.
class GrowingFile {
public:
    GrowingFile(fs::path path, LogFormat format) : m_path(std::move(path)), m_format(format) {}

    const fs::path& path() const { return m_path; }
    bool exists() const { return m_state.exists; }
    std::string name() const { return m_reader == nullptr ? "" : m_reader->name(); }

    /// Rewritten: the file is the same, but the part already read has changed.
    enum class Change { None, Grown, Another, Rewritten };
    Change check() {
        const FileState now = stateOf(m_path.string());
        if (now == m_state) return Change::None;
        const bool wasRead = m_reader != nullptr, isSame = m_state.isSameFile(now) || !wasRead;
        m_state = now;
        if (!now.exists) return Change::None;
        const bool isShorter = wasRead && static_cast<std::uint64_t>(now.bytes) < m_sampledTo;
        if (!isSame) return Change::Another;
        return !isShorter && (!wasRead || isAsRead()) ? Change::Grown : Change::Rewritten;
    }
    /// Reads the file from its beginning.
    void readWhole(RunBuilder& builder, bool mayGrow) {
        m_reader = makeLogReader(m_format, builder, m_path.string());
        readOn(mayGrow);
    }
    void readOn(bool mayGrow) {
        InputFile file(m_path);
        file.stream.seekg(static_cast<std::streamoff>(m_reader->position()));
        try {
            m_reader->read(file.stream, file.bytes, mayGrow);
        } catch (const InputError&) {
            sampleTo(file.bytes);  // a refused file that grows does not count as rewritten
            throw;
        }
        if (mayGrow) sampleTo(m_reader->position());
    }
    bool hasReader() const { return m_reader != nullptr; }

private:
    static constexpr std::uint64_t kSampleBytes = 256;
    fs::path m_path;
    LogFormat m_format;
    FileState m_state;
    std::unique_ptr<LogReader> m_reader;
    std::uint64_t m_sampledTo = 0;  // end of the part already read; for a refused file, its size
    std::string m_samples;          // beginning and end of that part

    /// Some programs rewrite the whole file, for example with each new column of a CSV file.
    bool isAsRead() const { return m_samples == samplesNow(); }
    void sampleTo(std::uint64_t end) {
        m_sampledTo = end;
        m_samples = samplesNow();
    }
    std::string samplesNow() const {
        const std::uint64_t count = std::min(m_sampledTo, kSampleBytes);
        std::string samples(2 * count, '\0');
        std::ifstream in(m_path, std::ios::binary);
        in.read(samples.data(), static_cast<std::streamsize>(count));
        in.seekg(static_cast<std::streamoff>(m_sampledTo - count));
        in.read(samples.data() + count, static_cast<std::streamsize>(count));
        return samples;
    }
};

/// The files of one run, in order: a program that is restarted writes another event file.
class GrowingRun : public LogSource {
public:
    GrowingRun(const FoundLog& found, LogFormat format, std::string name) : m_format(format) {
        m_source = found.path.string();
        m_runs.push_back({std::move(name), newBuilder()});
        GrowingRun::setFiles(found);
    }

    void setFiles(const FoundLog& found) override {
        // If a file was removed, the run consists of the remaining files.
        const auto isGone = [&](const GrowingFile& file) {
            return std::find(found.files.begin(), found.files.end(), file.path()) == found.files.end();
        };
        m_isToBeReadAgain = std::erase_if(m_files, isGone) > 0 || m_isToBeReadAgain;
        for (const fs::path& path : found.files) {
            const auto byPath = [](const GrowingFile& file, const fs::path& other) { return file.path() < other; };
            const auto place = std::lower_bound(m_files.begin(), m_files.end(), path, byPath);
            if (place != m_files.end() && place->path() == path) continue;
            m_isToBeReadAgain = m_isToBeReadAgain || place != m_files.end();  // it replaces steps of earlier files
            m_files.insert(place, GrowingFile(path, m_format));
        }
    }

    bool read(bool mayGrow) override {
        std::vector<GrowingFile*> grown;
        bool isAnother = std::exchange(m_isBeingRewritten, false);
        for (GrowingFile& file : m_files) {
            const GrowingFile::Change change = file.check();
            isAnother = isAnother || change == GrowingFile::Change::Another;
            m_isBeingRewritten = m_isBeingRewritten || change == GrowingFile::Change::Rewritten;
            // Values of later files replace those added to an earlier file.
            if (change == GrowingFile::Change::Grown && file.hasReader() && &file != &m_files.back())
                m_isToBeReadAgain = true;
            else if (change == GrowingFile::Change::Grown)
                grown.push_back(&file);
            if (!mayGrow && !file.exists()) InputFile missing(file.path());  // throws InputError
        }
        if (m_isBeingRewritten && !isAnother) return false;  // the next read may find a complete file: avoids flickering curves
        m_isBeingRewritten = false;
        const auto begin = std::chrono::steady_clock::now();
        if (m_isToBeReadAgain && begin >= m_nextWhole) isAnother = true;
        if (isAnother) {
            m_isToBeReadAgain = false;
            const std::shared_ptr<RunBuilder> before = std::move(m_runs[0].builder);
            m_runs[0].builder = newBuilder();
            m_isRefused = false;
            const auto goOn = [&] { m_runs[0].builder->goOnFrom(*before); };
            try {
                for (GrowingFile& file : m_files)
                    if (file.exists()) guarded([&] { file.readWhole(*m_runs[0].builder, mayGrow); });
            } catch (const InputError&) {
                goOn();
                throw;
            }
            goOn();
            m_nextWhole = begin + (std::chrono::steady_clock::now() - begin) * kWholeShare;
        } else if (!m_isRefused) {
            for (GrowingFile* file : grown)
                guarded([&] { file->hasReader() ? file->readOn(mayGrow) : file->readWhole(*m_runs[0].builder, mayGrow); });
        }
        for (const GrowingFile& file : m_files)
            if (const std::string name = file.name(); !name.empty()) m_runs[0].name = name;
        return isAnother || !grown.empty();
    }

    std::string missing() const override {
        const auto gone = std::find_if(m_files.begin(), m_files.end(), [](const GrowingFile& file) { return !file.exists(); });
        return gone == m_files.end() ? "" : gone->path().string();
    }

private:
    LogFormat m_format;
    std::string m_source;
    std::vector<GrowingFile> m_files;
    bool m_isBeingRewritten = false, m_isToBeReadAgain = false;
    static constexpr int kWholeShare = 8;  // pause before all is read again, in multiples of the reading time
    std::chrono::steady_clock::time_point m_nextWhole{};

    std::shared_ptr<RunBuilder> newBuilder() const { return std::make_shared<RunBuilder>(m_source, stepBackOf(m_format)); }
    template <class Read>
    void guarded(Read read) {
        try {
            read();
        } catch (const InputError&) {
            m_isRefused = true;
            throw;
        }
    }
};

/// Files that the Trainer rewrites as a whole: of its latest checkpoint's and its own, uses the one with the later step.
class TrainerSource : public LogSource {
public:
    TrainerSource(const FoundLog& found, std::string name) {
        m_runs.push_back({std::move(name), std::make_shared<RunBuilder>(found.path.string(), RunBuilder::StepBack::Replaces)});
        TrainerSource::setFiles(found);
    }

    void setFiles(const FoundLog& found) override {
        if (found.files == m_files && found.others == m_others) return;
        m_files = found.files;
        m_others = found.others;
        m_states.clear();
    }

    bool read(bool mayGrow) override {
        std::vector<FileState> states;
        for (const fs::path& file : m_files) states.push_back(stateOf(file.string()));
        if (states == m_states) return false;
        m_states = std::move(states);
        if (mayGrow && !missing().empty()) return false;
        std::shared_ptr<RunBuilder> best;
        for (const fs::path& file : m_files) {
            auto builder = std::make_shared<RunBuilder>(file.string(), RunBuilder::StepBack::Replaces);
            try {
                InputFile in(file);
                readTrainerState(in.stream, file.string(), *builder);
            } catch (const InputError&) {
                // It may be incomplete: at the next read it has changed, or it is refused.
                m_isRefused = !mayGrow || m_failed == m_states;
                if (m_isRefused) throw;
                m_failed = std::exchange(m_states, {});
                return false;
            }
            if (best == nullptr || builder->lastStep() >= best->lastStep()) best = std::move(builder);
        }
        m_failed.clear();
        m_isRefused = false;
        if (m_others > 0)
            best->addRemark(std::to_string(m_others) + (m_others == 1 ? " other trainer_state.json is" : " other trainer_state.json are") +
                            " left out");
        best->goOnFrom(*m_runs[0].builder);
        m_runs[0].builder = std::move(best);
        return true;
    }

    std::string missing() const override {
        for (std::size_t i = 0; i < m_states.size(); ++i)
            if (!m_states[i].exists) return m_files[i].string();
        return "";
    }

private:
    std::vector<fs::path> m_files;
    std::size_t m_others = 0;
    std::vector<FileState> m_states, m_failed;  // of the last read; of the last failure
};

/// The runs of a trackio database, in the order of their names.
class TrackioSource : public LogSource {
public:
    /// SQLite's write-ahead log is beside the file itself, not beside a link to it.
    explicit TrackioSource(const std::string& path)
        : m_path(fs::weakly_canonical(path).string()), m_reader(std::make_unique<TrackioReader>(m_path)) {}

    void setFiles(const FoundLog&) override {}

    bool read(bool mayGrow) override {
        const std::vector<FileState> states{stateOf(m_path), stateOf(m_path + "-wal")};
        const bool isChanged = states != m_states;
        if (!isChanged && !std::exchange(m_isReadOnceMore, false)) return false;
        const bool isSame = m_states.empty() || m_states[0].isSameFile(states[0]);
        m_states = states;
        if (!states[0].exists && mayGrow) return false;
        m_isReadOnceMore = isChanged;  // a commit may become visible after its bytes
        try {
            if (!isSame || m_reader->isOutdated()) m_reader = std::make_unique<TrackioReader>(m_path);
            m_reader->read();
        } catch (const InputError&) {
            takeAll();
            // A writer may be active: the file is read again at the next call.
            m_isRefused = !mayGrow || !m_hasRead || ++m_failures > kMostFailures;
            m_isReadOnceMore = !m_isRefused;
            if (m_isRefused) throw;
            return true;
        }
        m_hasRead = true;
        m_failures = 0;
        m_isRefused = false;
        takeAll();
        return true;
    }

    std::string missing() const override { return m_states.empty() || m_states[0].exists ? "" : m_path; }

private:
    static constexpr int kMostFailures = 8;
    std::string m_path;
    std::unique_ptr<TrackioReader> m_reader;
    std::vector<FileState> m_states;  // of the file and its write-ahead log
    bool m_hasRead = false, m_isReadOnceMore = false;
    int m_failures = 0;
    std::map<std::string, std::size_t> m_places;  // indices of runs by their ids

    void takeAll() {
        for (const auto& [id, run] : m_reader->runs()) take(id, run);
    }
    void take(const std::string& id, const TrackioReader::Run& run) {
        const auto [place, isNew] = m_places.emplace(id, m_runs.size());
        if (isNew) m_runs.push_back({run.name, run.builder});
        LogRun& ours = m_runs[place->second];
        if (ours.builder == run.builder) return;
        run.builder->goOnFrom(*ours.builder);  // the file was replaced
        ours.builder = run.builder;
    }
};

/// A file whose format is detected from its beginning.
class FileSource : public LogSource {
public:
    explicit FileSource(const FoundLog& found) : m_found(found) {
        const std::string source = found.path.string();
        m_runs.push_back({found.path.stem().string(), std::make_shared<RunBuilder>(source, RunBuilder::StepBack::Replaces)});
    }

    void setFiles(const FoundLog&) override {}
    const std::vector<LogRun>& runs() const override { return m_inner == nullptr || m_inner->runs().empty() ? m_runs : m_inner->runs(); }
    std::string missing() const override {
        if (m_inner != nullptr) return m_inner->missing();
        return m_state.exists ? "" : m_found.path.string();
    }
    bool isRefused() const override { return m_inner == nullptr ? m_isRefused : m_inner->isRefused(); }

    bool read(bool mayGrow) override {
        const bool isNew = m_inner == nullptr && recognize(mayGrow);
        return (m_inner != nullptr && m_inner->read(mayGrow)) || isNew;
    }

private:
    FoundLog m_found;
    FileState m_state;
    bool m_hasChecked = false, m_isUnknown = false;
    std::unique_ptr<LogSource> m_inner;  // null until its format is known

    /// False if the file is unchanged since the last attempt.
    bool recognize(bool mayGrow) {
        const std::string source = m_found.path.string();
        const FileState now = stateOf(source);
        const bool isUnchanged = m_hasChecked && (now == m_state || !now.exists);
        m_state = now;
        if (isUnchanged) return false;
        InputFile file(m_found.path);
        m_hasChecked = true;
        m_isRefused = true;
        const std::optional<FileFormat> format = formatOf(file, source, mayGrow);
        m_isRefused = false;
        if (!format) {
            constexpr std::uint64_t kMostOfALine = 256;  // an incomplete first line may be as long
            if (file.bytes > kMostOfALine && !std::exchange(m_isUnknown, true))
                m_runs[0].builder->addRemark("no column and no line of a known log yet");
            return true;
        }
        const bool isNamedByFolder =
            format->kind == FileKind::TrainerState || (format->kind == FileKind::Log && format->log == LogFormat::Events);
        const std::string name = isNamedByFolder ? folderNameOf(m_found.path) : m_found.path.stem().string();
        if (format->kind == FileKind::Log)
            m_inner = std::make_unique<GrowingRun>(m_found, format->log, name);
        else if (format->kind == FileKind::Trackio)
            m_inner = std::make_unique<TrackioSource>(source);
        else
            m_inner = std::make_unique<TrainerSource>(m_found, name);
        return true;
    }
};

}  // namespace

std::unique_ptr<LogSource> makeLogSource(const FoundLog& found) {
    switch (found.kind) {
        case FoundLog::Kind::File:
            break;
        case FoundLog::Kind::Events:
            return std::make_unique<GrowingRun>(found, LogFormat::Events, found.name);
        case FoundLog::Kind::TrainerFolder:
            return std::make_unique<TrainerSource>(found, found.name);
    }
    return std::make_unique<FileSource>(found);
}

}  // namespace mantissa
