// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_follower.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/exchange/log_source.h"
#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

using FollowClock = std::chrono::steady_clock;

/// Pause between searches of a folder: at least this time, and this multiple of the last search's time.
constexpr std::chrono::milliseconds kBetweenSearches(500);
constexpr int kSearchShare = 8;

}  // namespace

struct LogFollower::Impl {
    struct Reported {
        int number = -1;  // -1: nothing was reported yet
        std::string name, remark, trouble;
    };
    struct Followed {
        FoundLog::Kind kind = FoundLog::Kind::File;
        std::filesystem::path path;
        std::unique_ptr<LogSource> source;
        std::string problem;
        bool wasReported = false;
        std::string trouble;             // last reported
        std::vector<Reported> reported;  // per run
    };
    std::string path;
    bool isFolder = false;
    std::vector<Followed> logs;
    int nextNumber = 0;
    FollowClock::time_point nextSearch{};
    bool wasMissing = false;

    void search() {
        const auto begin = FollowClock::now();
        for (const FoundLog& found : findLogs(path)) {
            const auto known = std::find_if(logs.begin(), logs.end(),
                                            [&](const Followed& log) { return log.kind == found.kind && log.path == found.path; });
            if (known != logs.end())
                known->source->setFiles(found);
            else
                logs.push_back({.kind = found.kind, .path = found.path, .source = makeLogSource(found)});
        }
        nextSearch = FollowClock::now() + std::max<FollowClock::duration>(kBetweenSearches, (FollowClock::now() - begin) * kSearchShare);
    }

    void searchAgain() {
        const bool isMissing = std::any_of(logs.begin(), logs.end(), [](const Followed& log) { return !log.source->missing().empty(); });
        const bool isNewlyMissing = isMissing && !std::exchange(wasMissing, isMissing);
        wasMissing = isMissing;
        if (!isFolder || (!isNewlyMissing && FollowClock::now() < nextSearch)) return;
        try {
            search();
        } catch (const InputError&) {  // its files report that it is missing
            nextSearch = FollowClock::now() + kBetweenSearches;
        }
    }

    /// Appends the changes of a log's runs. `isRead`: something was read since the last call.
    void report(Followed& log, bool isRead, std::vector<LogChange>& changes) {
        const std::string missing = log.source->missing();
        const std::string trouble = missing.empty() ? log.problem : missing + ": has gone; it is read again when it is back";
        if (std::exchange(log.wasReported, true) && !isRead && trouble == log.trouble) return;
        log.trouble = trouble;
        const std::vector<LogRun>& runs = log.source->runs();
        log.reported.resize(runs.size());
        for (std::size_t i = 0; i < runs.size(); ++i) {
            Reported& reported = log.reported[i];
            LogChange each{.run = reported.number,
                           .name = fitRunName(runs[i].name),
                           .path = log.path.string(),
                           .values = runs[i].builder->takeChange(),
                           .trouble = trouble};
            // Other files in a folder may be no logs.
            const bool isRun = !isFolder || log.kind != FoundLog::Kind::File || !each.values.series.empty();
            if (reported.number < 0 && !isRun) continue;
            const bool isChanged = each.values.backTo >= 0 || !each.values.series.empty() || each.values.remark != reported.remark ||
                                   each.name != reported.name;
            each.isNew = reported.number < 0;
            if (!each.isNew && !isChanged && each.trouble == reported.trouble) continue;
            if (each.isNew) each.run = reported.number = nextNumber++;
            reported.name = each.name;
            reported.remark = each.values.remark;
            reported.trouble = each.trouble;
            changes.push_back(std::move(each));
        }
    }
};

LogFollower::LogFollower(const std::string& path) : m_impl(std::make_unique<Impl>()) {
    Impl& t = *m_impl;
    t.path = path;
    t.isFolder = std::filesystem::is_directory(path);
    t.search();
    if (t.logs.empty()) throw InputError(path, "", kNoLogs);
    for (Impl::Followed& log : t.logs) log.source->read(true);
}

LogFollower::~LogFollower() = default;

std::vector<LogChange> LogFollower::poll() {
    Impl& t = *m_impl;
    t.searchAgain();
    std::vector<LogChange> changes;
    for (Impl::Followed& log : t.logs) {
        bool isRead = true;
        try {
            isRead = log.source->read(true);
            if (!log.source->isRefused()) log.problem.clear();
        } catch (const InputError& error) {
            log.problem = error.what();
        }
        t.report(log, isRead, changes);
    }
    return changes;
}

}  // namespace mantissa
