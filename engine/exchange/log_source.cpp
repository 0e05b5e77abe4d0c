// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

/// By which a file is seen to have changed.
struct FileState {
    bool exists = false;
    std::uint64_t device = 0, number = 0;  // of the file itself: another one may take its name
    std::int64_t bytes = 0, changedNs = 0;
    bool operator==(const FileState&) const = default;
    bool isSameFile(const FileState& other) const { return exists && other.exists && device == other.device && number == other.number; }
};

FileState stateOf(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return {};
    return {true, found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec};
}

/// A file that is read on from where it stopped, as long as what was read of it is still there.
class GrowingFile {
public:
    GrowingFile(fs::path path, LogFormat format) : m_path(std::move(path)), m_format(format) {}

    const fs::path& path() const { return m_path; }
    bool exists() const { return m_state.exists; }
    std::string name() const { return m_reader == nullptr ? "" : m_reader->name(); }

    /// Rewritten: it is the same file, and what was read of it is not there any more.
    enum class Change { None, Grown, Another, Rewritten };
    Change look() {
        const FileState now = stateOf(m_path.string());
        if (now == m_state) return Change::None;
        const bool wasRead = m_reader != nullptr, isSame = m_state.isSameFile(now) || !wasRead;
        m_state = now;
        if (!now.exists) return Change::None;
        const bool isShorter = wasRead && static_cast<std::uint64_t>(now.bytes) < m_reader->position();
        if (!isSame) return Change::Another;
        return !isShorter && (!wasRead || isAsRead()) ? Change::Grown : Change::Rewritten;
    }
    /// The same from its beginning.
    void readAnew(RunBuilder& builder, bool mayGrow) {
        m_reader = makeLogReader(m_format, builder, m_path.string());
        readOn(mayGrow);
    }
    void readOn(bool mayGrow) {
        InputFile file(m_path);
        file.stream.seekg(static_cast<std::streamoff>(m_reader->position()));
        m_reader->read(file.stream, file.bytes, mayGrow);
        if (mayGrow) m_samples = samplesNow();
    }
    bool hasReader() const { return m_reader != nullptr; }

private:
    static constexpr std::uint64_t kSampleBytes = 256;
    fs::path m_path;
    LogFormat m_format;
    FileState m_state;
    std::unique_ptr<LogReader> m_reader;
    std::string m_samples;  // of what was read: its beginning and its end

    /// A program may write the whole file again, as some do with each new column of a CSV file.
    bool isAsRead() const { return m_samples == samplesNow(); }
    std::string samplesNow() const {
        const std::uint64_t end = m_reader->position(), count = std::min(end, kSampleBytes);
        std::string samples(2 * count, '\0');
        std::ifstream in(m_path, std::ios::binary);
        in.read(samples.data(), static_cast<std::streamsize>(count));
        in.seekg(static_cast<std::streamoff>(end - count));
        in.read(samples.data() + count, static_cast<std::streamsize>(count));
        return samples;
    }
};

/// Files of one run, in their order: a program that was started again writes another event file.
class GrowingRun : public LogSource {
public:
    GrowingRun(const FoundLog& found, LogFormat format, std::string name) : m_format(format) {
        m_source = found.path.string();
        m_runs.push_back({std::move(name), newBuilder()});
        GrowingRun::setFiles(found);
    }

    void setFiles(const FoundLog& found) override {
        for (const fs::path& path : found.files) {
            const bool isKnown = std::any_of(m_files.begin(), m_files.end(), [&](const GrowingFile& file) { return file.path() == path; });
            if (!isKnown) m_files.emplace_back(path, m_format);
        }
    }

    void read(bool mayGrow) override {
        std::vector<GrowingFile*> grown;
        bool isAnother = std::exchange(m_isBeingRewritten, false);
        for (GrowingFile& file : m_files) {
            const GrowingFile::Change change = file.look();
            isAnother = isAnother || change == GrowingFile::Change::Another;
            m_isBeingRewritten = m_isBeingRewritten || change == GrowingFile::Change::Rewritten;
            if (change == GrowingFile::Change::Grown) grown.push_back(&file);
            if (!mayGrow && !file.exists()) InputFile missing(file.path());  // which says so
        }
        if (m_isBeingRewritten && !isAnother) return;  // until the next time it may be whole: curves do not come and go
        m_isBeingRewritten = false;
        if (isAnother) {
            const std::shared_ptr<RunBuilder> before = std::move(m_runs[0].builder);
            m_runs[0].builder = newBuilder();
            m_isRefused = false;
            const auto goOn = [&] { m_runs[0].builder->goOnFrom(*before); };
            try {
                for (GrowingFile& file : m_files)
                    if (file.exists()) guarded([&] { file.readAnew(*m_runs[0].builder, mayGrow); });
            } catch (const InputError&) {
                goOn();
                throw;
            }
            goOn();
        } else if (!m_isRefused) {
            for (GrowingFile* file : grown)
                guarded([&] { file->hasReader() ? file->readOn(mayGrow) : file->readAnew(*m_runs[0].builder, mayGrow); });
        }
        for (const GrowingFile& file : m_files)
            if (const std::string name = file.name(); !name.empty()) m_runs[0].name = name;
    }

    std::string missing() const override {
        const auto gone = std::find_if(m_files.begin(), m_files.end(), [](const GrowingFile& file) { return !file.exists(); });
        return gone == m_files.end() ? "" : gone->path().string();
    }

private:
    LogFormat m_format;
    std::string m_source;
    std::vector<GrowingFile> m_files;
    bool m_isBeingRewritten = false;

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

/// What the Trainer writes anew each time: of its checkpoints' files and its own, the one that goes furthest.
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

    void read(bool mayGrow) override {
        std::vector<FileState> states;
        for (const fs::path& file : m_files) states.push_back(stateOf(file.string()));
        if (states == m_states) return;
        m_states = std::move(states);
        if (mayGrow && !missing().empty()) return;
        std::shared_ptr<RunBuilder> best;
        for (const fs::path& file : m_files) {
            InputFile in(file);
            auto builder = std::make_shared<RunBuilder>(file.string(), RunBuilder::StepBack::Replaces);
            try {
                readTrainerState(in.stream, file.string(), *builder);
            } catch (const InputError&) {
                // It may be half written: the next time it is another one, or it is as it will stay.
                m_isRefused = !mayGrow || m_failed == m_states;
                if (m_isRefused) throw;
                m_failed = std::exchange(m_states, {});
                return;
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
    }

    std::string missing() const override {
        for (std::size_t i = 0; i < m_states.size(); ++i)
            if (!m_states[i].exists) return m_files[i].string();
        return "";
    }

private:
    std::vector<fs::path> m_files;
    std::size_t m_others = 0;
    std::vector<FileState> m_states, m_failed;  // as they were read; as they could not be
};

/// Of several runs, in the order of their names.
class TrackioSource : public LogSource {
public:
    explicit TrackioSource(std::string path) : m_path(std::move(path)), m_reader(std::make_unique<TrackioReader>(m_path)) {}

    void setFiles(const FoundLog&) override {}

    void read(bool mayGrow) override {
        const std::vector<FileState> states{stateOf(m_path), stateOf(m_path + "-wal")};
        if (states == m_states) return;
        const bool isSame = m_states.empty() || m_states[0].isSameFile(states[0]);
        m_states = states;
        if (!states[0].exists && mayGrow) return;
        if (!isSame || m_reader->isOutdated()) m_reader = std::make_unique<TrackioReader>(m_path);
        try {
            m_reader->read();
        } catch (const InputError&) {
            // Its writer may be in the middle of it: the next time it is read in any case.
            m_isRefused = !mayGrow || ++m_failures > kMostFailures;
            if (m_isRefused) throw;
            m_states.clear();
            return;
        }
        m_failures = 0;
        m_isRefused = false;
        for (const auto& [id, run] : m_reader->runs()) take(id, run);
    }

    std::string missing() const override { return m_states.empty() || m_states[0].exists ? "" : m_path; }

private:
    static constexpr int kMostFailures = 8;
    std::string m_path;
    std::unique_ptr<TrackioReader> m_reader;
    std::vector<FileState> m_states;  // of the file and its write-ahead log
    int m_failures = 0;
    std::map<std::string, std::size_t> m_places;  // of runs by their ids

    void take(const std::string& id, const TrackioReader::Run& run) {
        const auto [place, isNew] = m_places.emplace(id, m_runs.size());
        if (isNew) m_runs.push_back({run.name, run.builder});
        LogRun& ours = m_runs[place->second];
        if (ours.builder == run.builder) return;
        run.builder->goOnFrom(*ours.builder);  // the file was made anew
        ours.builder = run.builder;
    }
};

/// A file of any format, once its beginning tells which one.
class FileSource : public LogSource {
public:
    explicit FileSource(const FoundLog& found) : m_found(found) {
        const std::string source = found.path.string();
        m_runs.push_back({found.path.stem().string(), std::make_shared<RunBuilder>(source, RunBuilder::StepBack::Replaces)});
    }

    void setFiles(const FoundLog&) override {}
    const std::vector<LogRun>& runs() const override { return m_inner == nullptr ? m_runs : m_inner->runs(); }
    std::string missing() const override {
        if (m_inner != nullptr) return m_inner->missing();
        return m_state.exists ? "" : m_found.path.string();
    }
    bool isRefused() const override { return m_inner == nullptr ? m_isRefused : m_inner->isRefused(); }

    void read(bool mayGrow) override {
        if (m_inner == nullptr) recognize(mayGrow);
        if (m_inner != nullptr) m_inner->read(mayGrow);
    }

private:
    FoundLog m_found;
    FileState m_state;
    bool m_hasLooked = false;
    std::unique_ptr<LogSource> m_inner;  // null: not told yet

    void recognize(bool mayGrow) {
        const std::string source = m_found.path.string();
        const FileState now = stateOf(source);
        const bool isUnchanged = m_hasLooked && (now == m_state || !now.exists);
        m_state = now;
        if (isUnchanged) return;
        InputFile file(m_found.path);
        m_hasLooked = true;
        m_isRefused = true;
        const std::optional<FileFormat> format = formatOf(file, source, mayGrow);
        m_isRefused = false;
        if (!format) return;
        const bool isNamedByFolder =
            format->kind == FileKind::TrainerState || (format->kind == FileKind::Log && format->log == LogFormat::Events);
        const std::string name = isNamedByFolder ? folderNameOf(m_found.path) : m_found.path.stem().string();
        if (format->kind == FileKind::Log)
            m_inner = std::make_unique<GrowingRun>(m_found, format->log, name);
        else if (format->kind == FileKind::Trackio)
            m_inner = std::make_unique<TrackioSource>(source);
        else
            m_inner = std::make_unique<TrainerSource>(m_found, name);
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
