// SPDX-License-Identifier: Apache-2.0
// A bundled experiment under test: shortened, from other seeds, and what its captions speak of, measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa::test {

/// Seeds of what is statistical.
inline const std::vector<int> kThreeSeeds{1, 2, 3};

/// Trained to its end, which is `steps` when that is above 0; seed 0: the file's own seeds.
class BundledFixture : public SessionFixture {
public:
    explicit BundledFixture(const std::string& name, std::int64_t steps = 0, int seed = 0) {
        std::string source;
        std::filesystem::path folder;
        Json json = Json::parse(loadExperimentText(name, source, folder));
        if (seed > 0) {
            json["data"]["seed"] = seed;
            if (!json["init"].contains("weights")) json["init"]["seed"] = seed;
        }
        if (steps > 0) {
            json["steps"] = steps;
            Json kept = Json::array();
            for (const Json& event : json.value("events", Json::array())) {
                if (event["step"].get<std::int64_t>() < steps) kept.push_back(event);
            }
            if (!kept.empty()) json["events"] = kept;
            if (kept.empty()) json.erase("events");
        }
        load(json.dump());
        m_steps = json["steps"].get<std::int64_t>();
    }
    void train() { trainTo(m_steps); }

    /// Of the steps [begin, end); an end of 0 is the run's.
    double meanLoss(const std::string& run, std::size_t begin, std::size_t end = 0) {
        const auto& steps = recordsOf(run);
        end = end == 0 ? steps.size() : end;
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum += steps.at(i).loss;
        return sum / static_cast<double>(end - begin);
    }
    /// Of the last hundred steps.
    double endLoss(const std::string& run) { return meanLoss(run, recordsOf(run).size() - 100); }
    std::int64_t skips(const std::string& run, std::size_t begin = 0, std::size_t end = 0) {
        const auto& steps = recordsOf(run);
        end = end == 0 ? steps.size() : end;
        return std::count_if(steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.begin() + static_cast<std::ptrdiff_t>(end),
                             [](const StepRecord& record) { return record.skipped(); });
    }
    /// The first non-finite tensor that was told of the run.
    std::optional<FirstNonFinite> firstNonFinite(const std::string& run) {
        for (const NonFiniteFound& found : all<NonFiniteFound>()) {
            if (found.run == this->run(run).id) return found.first;
        }
        return std::nullopt;
    }
    /// Of the run's last validation.
    StepRecord validation(const std::string& run) {
        const auto& steps = recordsOf(run);
        const auto last = std::find_if(steps.rbegin(), steps.rend(), [](const StepRecord& r) { return (r.flags & kFlagValidated) != 0; });
        EXPECT_NE(last, steps.rend()) << run << " has not been validated";
        return last == steps.rend() ? StepRecord{} : *last;
    }

private:
    std::int64_t m_steps = 0;
};

/// |a / b - 1|
inline double apart(double a, double b) {
    return std::fabs(a / b - 1);
}

}  // namespace mantissa::test
