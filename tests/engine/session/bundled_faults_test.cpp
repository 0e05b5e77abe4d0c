// SPDX-License-Identifier: Apache-2.0
// The library of planted faults (faults/library.json): each fault's cause was written down before its first run, and is held against what
// an examination says of it. MANTISSA_FAULTS_TABLE: a file that gets a line of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/diagnosis/verdict.h"
#include "engine/session/diagnose.h"
#include "engine/training/remedies.h"
#include "tests/engine/session/faults/fault_library.h"

namespace mantissa {
namespace {

constexpr std::int64_t kHeld = 200;  // steps after the examined one at whose end a remedy is judged: 100 more than it was tried for

/// What became of one fault; nothing: the library does not ask for it.
struct Outcome {
    std::string name, said, remedy;
    bool isJudged = false;
    std::optional<bool> isNamed, isTold, isMended;
};

class Faults : public ::testing::Test {
protected:
    FaultLibrary library;
    std::shared_ptr<Backend> backend = createCpuBackend();

    Experiment parsed(Library experiment) const {
        experiment["steps"] = experiment["steps"].get<std::int64_t>() + kHeld;  // a remedy is followed beyond the end
        return parseExperiment(library.textOf(experiment), "fault.json");
    }

    Diagnosed examined(const Library& experiment, const Library& fault) const {
        Experiment parsedExperiment = parsed(experiment);
        parsedExperiment.runs.front().training.steps -= kHeld;
        DiagnoseRequest request{.run = "run"};
        if (fault.contains("step") && fault["step"].is_number()) request.step = fault["step"].get<std::int64_t>();
        return diagnose(parsedExperiment, backend, request);
    }

    // ---- What a remedy does ----

    struct Course {
        double loss = NAN;        // mean of the last ten steps
        std::int64_t broken = 0;  // steps of the last hundred that were not finite and not skipped
    };
    static Course courseOf(LiveRun& run, std::vector<StepRecord>& records, std::int64_t until) {
        while (run.canStep() && run.nextStep() < until) run.step();
        run.flush();
        const std::size_t count = records.size(), last = std::min<std::size_t>(10, count);
        Course course{.loss = meanLossOfTaken(records.end() - static_cast<std::ptrdiff_t>(last), records.end())};
        for (std::size_t i = count - std::min<std::size_t>(100, count); i < count; ++i)
            course.broken += isNonFiniteStep(records[i]) && !records[i].skipped() ? 1 : 0;
        return course;
    }
    static bool changesData(const Library& fault) { return fault.contains("fault") && fault["fault"].contains("/data/path"); }
    /// Where the fault lies in what a format makes of given weights or data: the same in FP32.
    Library wideOf(const Library& fault) const {
        Library experiment = library.faultyOf(fault);
        experiment["precision"] = "fp32";
        for (const char* key : {"scaler", "eval_precision", "events"}) experiment.erase(key);
        return experiment;
    }
    Course healthyCourse(const Library& experiment, std::int64_t until) const {
        std::vector<StepRecord> records;
        LiveRun run(0, parsed(experiment).runs.front(), backend, [&](Event&& event) {
            if (auto* steps = std::get_if<StepsRecorded>(&event))
                records.insert(records.end(), steps->records.begin(), steps->records.end());
        });
        return courseOf(run, records, until);
    }
    Course courseWith(const Library& experiment, const Remedy& remedy, std::int64_t step) const {
        const Experiment faulty = parsed(experiment);
        std::vector<StepRecord> records;
        const auto keep = [&](Event&& event) {
            if (auto* steps = std::get_if<StepsRecorded>(&event))
                records.insert(records.end(), steps->records.begin(), steps->records.end());
        };
        if (remedy.pointer.starts_with("/model/")) {  // a run from the start
            const RunSettings changed = withInitialChange(faulty.runs.front(), remedy.pointer, Json::parse(remedy.value));
            LiveRun anew(0, changed, backend, keep);
            anew.schedule(faulty.events);
            return courseOf(anew, records, step + kHeld);
        }
        LiveRun parent(0, faulty.runs.front(), backend, keep);
        std::vector<ScheduledChange> events = faulty.events;
        std::vector<SettingChange> changes;  // those of the step itself come before the remedy, which they would undo
        std::erase_if(events, [&](const ScheduledChange& event) {
            if (event.step != step || remedy.rewindTo >= 0 || !remedy.pointer.starts_with(event.set.front().first)) return false;
            for (const auto& [pointer, value] : event.set) changes.push_back({pointer, value});
            return true;
        });
        parent.schedule(events);
        while (parent.canStep() && parent.nextStep() < step) parent.step();
        if (!remedy.pointer.empty()) changes.push_back({remedy.pointer, Json::parse(remedy.value)});
        const auto run = LiveRun::fork(1, parent, remedy.rewindTo >= 0 ? remedy.rewindTo : step, "run", changes);
        while (run->isLagging()) run->rerun();
        records.clear();
        if (remedy.pointer == kResetStatisticsPointer) run->step();  // which may be the one that breaks them
        for (const SettingChange& change : changes) run->change(0, change.pointer, change.value);
        return courseOf(*run, records, step + kHeld);
    }

    /// Finite, and the loss no worse than 1.1 times that of a run that never had the fault; below 0.02 losses are the batches' noise.
    bool mends(const Library& fault, const Library& experiment, const Remedy& remedy, std::int64_t step, std::string& how) const {
        const Course with = courseWith(experiment, remedy, step);
        Course healthy = healthyCourse(library.healthyOf(fault), step + kHeld);
        if (fault.contains("weights") || changesData(fault))
            healthy.loss = std::fmax(healthy.loss, healthyCourse(wideOf(fault), step + kHeld).loss);
        const bool isKept = with.broken == 0 && with.loss <= std::max(1.1 * healthy.loss, healthy.loss + 0.02);
        std::ostringstream text;
        text << remedy.label.english() << " (" << remedy.loss << "; held " << with.loss << ", broken " << with.broken << ", healthy "
             << healthy.loss << ")";
        how = text.str();
        return isKept;
    }

    static bool holds(const Library& list, const std::string& name) {
        return std::any_of(list.begin(), list.end(), [&](const Library& each) { return each == name; });
    }

    Outcome outcomeOf(const Library& fault) const {
        const Library& truth = fault["truth"];
        Outcome outcome{.name = fault["name"], .said = "", .remedy = ""};
        const Library experiment = library.faultyOf(fault);
        const Diagnosed found = examined(experiment, fault);
        const Examination& e = found.examination;
        if (found.run.empty()) {
            outcome.said = "nothing";
        } else {
            outcome.said = std::string(verdictName(e.verdict.kind)) + (e.verdict.isNormalProbing ? " (normal)" : "");
            for (const SilentFinding& each : e.silent) outcome.said += std::string(", ") + silentName(each.kind) + " " + each.tensor;
            outcome.said += " at step " + std::to_string(e.step) + " " + e.card.tensor;
        }
        const bool isSilent = e.verdict.kind == StepVerdict::SilentFailure;
        outcome.isJudged = !found.run.empty() && !e.verdict.isNormalProbing && holds(truth["verdict"], verdictName(e.verdict.kind));
        const Library kinds = truth.value("silent", Library::array());
        const bool isOnlySilent = truth["verdict"].size() == 1 && truth["verdict"].front() == "silent failure";
        if (isSilent && !kinds.empty()) {  // by what heads the verdict: one of several findings is easily among the right ones
            const bool isHeadlineRight = !e.silent.empty() && holds(kinds, silentName(e.silent.front().kind));
            outcome.isJudged = outcome.isJudged && isHeadlineRight;
        }
        if (isOnlySilent) outcome.isTold = outcome.isJudged;
        const std::string layer = truth.value("layer", ""), tensor = truth.value("tensor", "");
        if (!layer.empty() || !tensor.empty()) {
            const auto is = [&](const std::string& l, const std::string& t) {
                return (layer.empty() || l == layer) && (tensor.empty() || t == tensor);
            };
            outcome.isNamed =
                is(e.card.layer, e.card.tensor) ||
                std::any_of(e.silent.begin(), e.silent.end(), [&](const auto& each) { return is(each.layer, each.tensor); }) ||
                (!tensor.empty() && e.verdict.explanation.english().find(tensor) != std::string::npos) ||
                (tensor.empty() && e.verdict.explanation.english().find(layer) != std::string::npos);
        }
        if (truth.value("mendable", false)) {
            outcome.isMended = false;
            for (const Remedy& remedy : e.remedies) {
                if (!remedy.helps || remedy.steps == 0) continue;
                outcome.isMended = mends(fault, experiment, remedy, e.step, outcome.remedy);
                break;
            }
            if (outcome.remedy.empty()) {
                outcome.remedy = "none helps:";
                for (const Remedy& each : e.remedies)
                    outcome.remedy += " " + each.label.english() + ": " + each.sentence.english() + " " + std::to_string(each.loss) + ";";
            }
        }
        return outcome;
    }
};

std::string mark(const std::optional<bool>& value) {
    return !value ? "-" : *value ? "yes" : "NO";
}

TEST_F(Faults, AreNamedJudgedToldAndMended) {
    std::ofstream table;
    if (const char* const file = std::getenv("MANTISSA_FAULTS_TABLE")) table.open(file);
    std::map<std::string, std::pair<int, int>> counts;
    const auto count = [&](const std::string& what, const std::optional<bool>& value) {
        if (!value) return;
        ++counts[what].second;
        counts[what].first += *value ? 1 : 0;
    };
    std::size_t index = 0;
    for (const Library& fault : library.faults()) {
        if (!FaultLibrary::isWanted(fault["name"], index++, 5)) continue;
        const auto start = std::chrono::steady_clock::now();
        Outcome outcome{.name = fault["name"], .said = "", .remedy = ""};
        try {
            outcome = outcomeOf(fault);
        } catch (const std::exception& error) {
            outcome.said = error.what();
        }
        count("named", outcome.isNamed);
        count("judged", outcome.isJudged);
        count("told", outcome.isTold);
        count("mended", outcome.isMended);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::ostringstream line;
        line << outcome.name << " | " << fault["truth"]["verdict"].dump() << " " << fault["truth"].value("silent", Library::array()).dump()
             << " | " << outcome.said << " | " << outcome.remedy << " | named " << mark(outcome.isNamed) << ", judged "
             << mark(outcome.isJudged) << ", mended " << mark(outcome.isMended) << " | " << seconds << " s\n";
        table << line.str() << std::flush;
        if (!outcome.isJudged || !outcome.isNamed.value_or(true) || !outcome.isMended.value_or(true)) std::cout << line.str();
    }
    for (const auto& [what, of] : counts) std::cout << what << " " << of.first << " of " << of.second << "\n";
    const auto share = [&](const std::string& what) {
        return counts[what].second == 0 ? 1.0 : static_cast<double>(counts[what].first) / static_cast<double>(counts[what].second);
    };
    if (!FaultLibrary::wanted().empty() && FaultLibrary::wanted() != "all") return;
    EXPECT_EQ(share("named"), 1);
    EXPECT_GE(share("judged"), 0.95);
    EXPECT_GE(share("told"), 0.9);
    EXPECT_GE(share("mended"), 0.9);
}

TEST_F(Faults, HealthyRunsRaiseNoAlarm) {
    std::size_t index = 0;
    for (const Library& healthy : library.healthy()) {
        if (!FaultLibrary::isWanted(healthy["name"], index++, 5)) continue;
        const Diagnosed found = examined(library.healthyOf(healthy), healthy);
        const Examination& e = found.examination;
        if (found.run.empty()) continue;  // no step of the whole run was bad, and nothing is lost at its end
        const bool isNormal = healthy.value("normal_skip", false) && e.verdict.isNormalProbing;
        EXPECT_TRUE(isNormal || e.verdict.kind == StepVerdict::Sound)
            << healthy["name"] << ": " << verdictName(e.verdict.kind) << ": " << e.verdict.explanation.english();
    }
}

}  // namespace
}  // namespace mantissa
