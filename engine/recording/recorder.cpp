// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/recorder.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>

#include "engine/recording/database.h"
#include "engine/recording/recording_file.h"
#include "engine/recording/schema.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRetryAfter = std::chrono::seconds(1);
constexpr auto kPublishInterval = std::chrono::seconds(1);
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20;    // while the file cannot be written: about half a million steps
constexpr std::size_t kMostSnapshotBytes = std::size_t{256} << 20;  // waiting for a slow disk; later ones are dropped

std::string textOf(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// RFC 4122, version 4: random except for six bits.
std::string newUuid() {
    constexpr char kHex[] = "0123456789abcdef";
    std::random_device random;
    std::string uuid;
    for (int digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) uuid += '-';
        const unsigned nibble = random() & 15u;
        uuid += kHex[digit == 12 ? 4u : digit == 16 ? 8u | (nibble & 3u) : nibble];
    }
    return uuid;
}

std::string nowText() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string machineText() {
    std::string text;
    if (utsname names{}; uname(&names) == 0) text = std::string(names.sysname) + " " + names.release + " " + names.machine + ", ";
    text += std::to_string(std::thread::hardware_concurrency()) + " cores";
    const std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    if (bytes > 0) text += ", " + std::to_string((bytes + (1 << 29)) >> 30) + " GiB";
    return text;
}

std::string buildText() {
#if defined(__clang__)
    const std::string compiler = "clang " __clang_version__;
#else
    const std::string compiler = "gcc " __VERSION__;
#endif
    return compiler + ", SQLite " + sqlite3_libversion();
}

/// The caller's facts and those it lacks: uuid, started (UTC, "2026-11-21T22:05:33Z"), version, build (compiler, SQLite), machine (system,
/// cores, memory).
std::map<std::string, std::string> withOwnFacts(std::map<std::string, std::string> facts) {
    facts.merge(std::map<std::string, std::string>{
        {kUuidKey, newUuid()}, {"started", nowText()}, {"version", MANTISSA_VERSION}, {"build", buildText()}, {"machine", machineText()}});
    return facts;
}

}  // namespace

struct Recorder::Impl {
    Impl(std::unique_ptr<RecordingFile> recordingFile, Publish publishState);
    ~Impl();

    /// Adds something to the queue.
    template <class Put>
    void append(Put put) {
        bool isFirst = false;
        {
            std::lock_guard lock(mutex);
            if (!state.isRecording) return;
            isFirst = waiting.isEmpty();
            put();
        }
        if (isFirst) wake.notify_one();
    }

    // Used by the writing thread:
    void write();
    bool takeWhenDue(Clock::time_point due);
    void commit();
    void handle(const std::string& why);
    void endEarly();
    void settle(const std::string& problem, bool isRecording = true);
    void publishWhenDue();

    std::unique_ptr<RecordingFile> file;
    const Publish publish;
    Arrivals unsaved;     // taken from the queue, but not in the file yet
    std::string trouble;  // why they are not in the file
    RecordingState published;
    Clock::time_point publishedAt{};

    mutable std::mutex mutex;  // guards the following
    std::condition_variable wake, settled;
    Arrivals waiting;
    std::int64_t appendedSteps;  // rows, of the whole recording
    RecordingState state;
    std::uint64_t flushesAsked = 0, flushesTaken = 0, flushesDone = 0;
    bool isEnding = false;

    std::thread thread;
};

Recorder::Impl::Impl(std::unique_ptr<RecordingFile> recordingFile, Publish publishState)
    : file(std::move(recordingFile)), publish(std::move(publishState)), appendedSteps(file->steps()) {
    settle("");
    published = state;
    publishedAt = Clock::now();
    thread = std::thread([this] { write(); });
}

Recorder::Impl::~Impl() {
    {
        std::lock_guard lock(mutex);
        isEnding = true;
    }
    wake.notify_one();
    thread.join();
}

void Recorder::Impl::write() {
    Clock::time_point due = Clock::now();
    bool isLast = false;
    while (!isLast) {
        isLast = takeWhenDue(due);
        due = Clock::now() + std::chrono::milliseconds(kCommitMs);
        if (state.isRecording && (isLast || !unsaved.isEmpty())) commit();
        file->foldWhenDue();
        if (!state.problem.empty()) due = Clock::now() + kRetryAfter;
        if (isLast && !unsaved.isEmpty()) endEarly();
        publishWhenDue();
        {
            std::lock_guard lock(mutex);
            flushesDone = flushesTaken;
        }
        settled.notify_all();
    }
    file->close(state.isRecording);
}

/// Sleeps until there is something to write or to emit, and takes the queue. Returns true for the last time.
bool Recorder::Impl::takeWhenDue(Clock::time_point due) {
    std::unique_lock lock(mutex);
    while (!isEnding && flushesAsked == flushesDone) {
        Clock::time_point until = Clock::time_point::max();
        if (!waiting.isEmpty() || !unsaved.isEmpty()) until = due;
        if (const auto fold = file->foldDue()) until = std::min(until, *fold);
        if (state != published) until = std::min(until, publishedAt + kPublishInterval);
        if (Clock::now() >= until) break;
        if (until == Clock::time_point::max()) {
            wake.wait(lock);
        } else {
            wake.wait_until(lock, until);
        }
    }
    flushesTaken = flushesAsked;
    if (state.isRecording) unsaved.append(std::move(waiting));
    return isEnding;
}

void Recorder::Impl::commit() {
    try {
        if (file->hasMoved()) {
            settle(file->path() + " was taken away while it was being recorded; it is being saved again");
            publishWhenDue();
            file->saveAgain();
        }
        file->write(unsaved);
        unsaved = {};
        settle("");
    } catch (const std::exception& error) {
        handle(error.what());
    }
}

/// Keeps unwritten data up to a limit: snapshots are dropped first, which only makes rewinds slower.
void Recorder::Impl::handle(const std::string& why) {
    const std::int64_t saved = file->steps();
    trouble = why + "; " + file->path() + " holds " + std::to_string(saved) + (saved == 1 ? " step" : " steps") + " of all runs together";
    if (unsaved.bytes() > kMostWaitingBytes) unsaved.snapshots.clear();
    if (unsaved.bytes() > kMostWaitingBytes) return endEarly();
    settle("recording waits, because of this: " + trouble + "; the rest is kept in memory");
}

void Recorder::Impl::endEarly() {
    unsaved = {};
    settle("recording was stopped, because of this: " + trouble, false);
}

void Recorder::Impl::settle(const std::string& problem, bool isRecording) {
    const std::int64_t bytes = file->bytes();
    std::lock_guard lock(mutex);
    state = {file->path(), bytes, file->steps(), problem, isRecording};
    if (!isRecording) waiting = {};
}

void Recorder::Impl::publishWhenDue() {
    const bool isUrgent = state.problem != published.problem || state.isRecording != published.isRecording;
    if (!isUrgent && (state == published || Clock::now() < publishedAt + kPublishInterval)) return;
    published = state;
    publishedAt = Clock::now();
    if (publish) publish(published);
}

Recorder::Recorder(const std::string& path, const std::map<std::string, std::string>& facts, Publish publish)
    : m_impl(std::make_unique<Impl>(RecordingFile::create(path, withOwnFacts(facts)), std::move(publish))) {}
Recorder::Recorder(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Recorder::~Recorder() = default;

std::unique_ptr<Recorder> Recorder::resume(const std::string& path, Publish publish) {
    return std::unique_ptr<Recorder>(new Recorder(std::make_unique<Impl>(RecordingFile::goOn(path), std::move(publish))));
}

void Recorder::append(RunId run, std::span<const StepRecord> records) {
    if (records.empty()) return;
    m_impl->append([&] {
        for (const StepRecord& record : records) m_impl->waiting.steps.push_back({run, record});
        m_impl->appendedSteps += static_cast<std::int64_t>(records.size());
    });
}

void Recorder::append(LogEntry entry) {
    std::string body = textOf(entry.body);
    m_impl->append([&] {
        m_impl->waiting.entries.push_back({m_impl->appendedSteps, std::move(entry.kind), entry.run, entry.step, std::move(body)});
    });
}

void Recorder::append(StoredSnapshot snapshot) {
    std::string head = textOf(snapshot.head);
    m_impl->append([&] {
        auto& waiting = m_impl->waiting.snapshots;
        std::size_t bytes = 0;
        for (const auto& earlier : waiting) bytes += earlier.state.size();
        if (bytes > kMostSnapshotBytes) return;
        waiting.push_back({m_impl->appendedSteps, snapshot.run, snapshot.step, std::move(head), std::move(snapshot.state)});
    });
}

void Recorder::flush() {
    std::unique_lock lock(m_impl->mutex);
    const std::uint64_t ticket = ++m_impl->flushesAsked;
    m_impl->wake.notify_one();
    m_impl->settled.wait(lock, [&] { return m_impl->flushesDone >= ticket; });
}

RecordingState Recorder::state() const {
    std::lock_guard lock(m_impl->mutex);
    return m_impl->state;
}

}  // namespace mantissa
