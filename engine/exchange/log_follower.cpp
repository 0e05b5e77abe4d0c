// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_follower.h"

#include <algorithm>
#include <chrono>

#include "engine/exchange/log_source.h"
#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

using FollowClock = std::chrono::steady_clock;

/// A folder is looked through again after this time, and after so many times as long as it took.
constexpr std::chrono::milliseconds kBetweenLooks(500);
constexpr int kLookShare = 8;

}  // namespace

struct LogFollower::Impl {
    struct Told {
        int number = -1;  // -1: nothing was reported yet
        std::string name, remark, trouble;
    };
    struct Followed {
        FoundLog::Kind kind = FoundLog::Kind::File;
        std::filesystem::path path;
        std::unique_ptr<LogSource> source;
        std::string problem;
        std::vector<Told> told;  // of its runs
    };
    std::string path;
    bool isFolder = false;
    std::vector<Followed> logs;
    int nextNumber = 0;
    FollowClock::time_point nextLook{};

    void look() {
        const auto begin = FollowClock::now();
        for (const FoundLog& found : findLogs(path)) {
            const auto known = std::find_if(logs.begin(), logs.end(),
                                            [&](const Followed& log) { return log.kind == found.kind && log.path == found.path; });
            if (known != logs.end())
                known->source->setFiles(found);
            else
                logs.push_back({found.kind, found.path, makeLogSource(found), "", {}});
        }
        nextLook = FollowClock::now() + std::max<FollowClock::duration>(kBetweenLooks, (FollowClock::now() - begin) * kLookShare);
    }

    void lookAgain() {
        const bool isMissing = std::any_of(logs.begin(), logs.end(), [](const Followed& log) { return !log.source->missing().empty(); });
        if (!isFolder || (!isMissing && FollowClock::now() < nextLook)) return;
        try {
            look();
        } catch (const InputError&) {  // it has gone: its files say so
            nextLook = FollowClock::now() + kBetweenLooks;
        }
    }

    void report(Followed& log, std::vector<LogNews>& news) {
        const std::vector<LogRun>& runs = log.source->runs();
        log.told.resize(runs.size());
        const std::string missing = log.source->missing();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            Told& told = log.told[i];
            LogNews each{.run = told.number,
                         .name = fitRunName(runs[i].name),
                         .path = log.path.string(),
                         .values = runs[i].builder->takeNews(),
                         .trouble = {}};
            each.trouble = !missing.empty() ? missing + ": has gone; it is read again when it is back" : log.problem;
            // A file of a folder may be anything.
            const bool isRun = !isFolder || log.kind != FoundLog::Kind::File || !each.values.series.empty();
            if (told.number < 0 && !isRun) continue;
            const bool isChanged =
                each.values.backTo >= 0 || !each.values.series.empty() || each.values.remark != told.remark || each.name != told.name;
            each.isNew = told.number < 0;
            if (!each.isNew && !isChanged && each.trouble == told.trouble) continue;
            if (each.isNew) each.run = told.number = nextNumber++;
            told.name = each.name;
            told.remark = each.values.remark;
            told.trouble = each.trouble;
            news.push_back(std::move(each));
        }
    }
};

LogFollower::LogFollower(const std::string& path) : m_impl(std::make_unique<Impl>()) {
    Impl& t = *m_impl;
    t.path = path;
    t.isFolder = std::filesystem::is_directory(path);
    t.look();
    if (t.logs.empty()) throw InputError(path, "", kNoLogs);
    for (Impl::Followed& log : t.logs) log.source->read(true);
}

LogFollower::~LogFollower() = default;

std::vector<LogNews> LogFollower::poll() {
    Impl& t = *m_impl;
    t.lookAgain();
    std::vector<LogNews> news;
    for (Impl::Followed& log : t.logs) {
        try {
            log.source->read(true);
            if (!log.source->isRefused()) log.problem.clear();
        } catch (const InputError& error) {
            log.problem = error.what();
        }
        t.report(log, news);
    }
    return news;
}

}  // namespace mantissa
