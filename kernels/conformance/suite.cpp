// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/suite.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/runner.h"

namespace mantissa::conformance {
namespace {

/// Counts the failed cases for each value of one dimension: layouts, or kinds of input.
class Tally {
public:
    explicit Tally(std::string dimension) : m_dimension(std::move(dimension)) {}
    void add(const std::string& value, bool failed) { m_failed[value] += failed ? 1 : 0; }
    /// "only in layout A' B or A' B'", or "not in inputs whole", when some of the values have failures and others have none.
    std::string pattern() const {
        const auto failing =
            static_cast<std::size_t>(std::count_if(m_failed.begin(), m_failed.end(), [](const auto& entry) { return entry.second > 0; }));
        const std::size_t passing = m_failed.size() - failing;
        if (failing == 0 || passing == 0) return "";
        const bool namesFailing = failing <= passing;
        std::string values;
        for (const auto& [value, failures] : m_failed) {
            if ((failures > 0) == namesFailing) values += (values.empty() ? "" : " or ") + (value.empty() ? "plain" : value);
        }
        return (namesFailing ? "only in " : "not in ") + m_dimension + " " + values;
    }

private:
    std::string m_dimension;
    std::map<std::string, std::size_t> m_failed;
};

class CheckRun {
public:
    CheckRun(const Check& check, Backend& backend) : m_backend(backend) {
        m_result.operation = check.operation;
        m_result.format = check.format;
    }

    void run(const Case& test) {
        std::string reason;
        const CaseOutcome outcome = outcomeOf(test, reason);
        if (!reason.empty()) {
            if (m_result.notOffered++ == 0) m_result.reason = reason;
            return;
        }
        ++m_result.cases;
        if (const MatmulDesc* product = productInBlocks(test.desc)) ++m_result.implementations[m_backend.blockMultiplication(*product).how];
        for (const Comparison& comparison : outcome.comparisons) note(comparison, test);
        const bool failed = !outcome.failures.empty();
        m_layouts.add(test.layout, failed);
        m_inputs.add(std::string(inputsName(test.inputs)), failed);
        if (!failed) return;
        ++m_result.failedCases;
        for (const Failure& failure : outcome.failures) keep(failure);
    }

    CheckResult finish() {
        m_result.elements = m_margins.size();
        m_result.percentile50 = percentile(m_margins, 0.50);
        m_result.percentile99 = percentile(m_margins, 0.99);
        for (const Tally* tally : {&m_layouts, &m_inputs}) {
            if (const std::string pattern = tally->pattern(); !pattern.empty())
                m_result.pattern += (m_result.pattern.empty() ? "" : ", ") + pattern;
        }
        return std::move(m_result);
    }

private:
    /// Why a case does not apply to this backend; empty if it does.
    std::string refusalOf(const Case& test) const {
        if (const Support support = m_backend.supports(test.desc); !support.supported) return support.reason;
        if (!test.followers.empty() && !m_backend.fuses(partsOf(test))) return "the backend computes the parts one by one";
        if (test.inputs == Inputs::Subnormal) return m_backend.departures(test.desc).subnormals;
        return test.inputs == Inputs::NonFinite ? m_backend.departures(test.desc).nonFinite : "";
    }

    /// A library's refusal is a failed case. If the device does not respond afterwards, the error names the case. `reason`: why it was not
    /// run.
    CaseOutcome outcomeOf(const Case& test, std::string& reason) {
        try {
            reason = refusalOf(test);
            return reason.empty() ? runCase(test, m_backend) : CaseOutcome{};
        } catch (DeviceError& error) {
            if (answers()) return {.comparisons = {}, .failures = {{Fault::Threw, nameOf(test), error.reason}}};
            error.reason = m_result.operation + " " + m_result.format + ", " + nameOf(test) + ": " + error.reason;
            throw;
        }
    }

    bool answers() {
        try {
            m_backend.createQueue()->wait();
            return true;
        } catch (const DeviceError&) {
            return false;
        }
    }

    Backend& m_backend;
    CheckResult m_result;
    std::vector<double> m_margins;
    Tally m_layouts{"layout"}, m_inputs{"inputs"};

    void note(const Comparison& comparison, const Case& test) {
        m_margins.insert(m_margins.end(), comparison.margins.begin(), comparison.margins.end());
        if (!comparison.refusal.empty() || (comparison.margin <= m_result.margin && !m_result.worstWhere.empty())) return;
        m_result.margin = comparison.margin;
        m_result.worstError = std::fabs(comparison.worstActual - comparison.worstExpected);
        m_result.worstLimit = comparison.worstLimit;
        m_result.worstWhere = nameOf(test);
    }

    void keep(const Failure& failure) {
        constexpr std::size_t kKept = 8;
        const bool isKnown = std::any_of(m_result.failures.begin(), m_result.failures.end(),
                                         [&](const Failure& known) { return known.fault == failure.fault; });
        if (!isKnown || m_result.failures.size() < kKept) m_result.failures.push_back(failure);
    }
};

}  // namespace

std::string CheckResult::sentence() const {
    if (failures.empty()) return "";
    const Failure& first = failures.front();
    return operation + " " + format + ": " + std::string(faultName(first.fault)) + " (" + first.where + ")" +
           (pattern.empty() ? "" : "; " + pattern) + "; " + std::to_string(failedCases) + " of " + std::to_string(cases) + " cases";
}

CheckResult runCheck(const Check& check, Backend& backend, Extent extent) {
    CheckRun run(check, backend);
    check.cases(extent, [&run](const Case& test) { run.run(test); });
    return run.finish();
}

std::vector<Check> allChecks() {
    std::vector<Check> checks;
    for (const auto add :
         {addProducts, addElementwise, addMovement, addStatistics, addQuantizing, addBlockFormats, addLosses, addUnscale, addOptimizers,
          addAttention, addFusedAttention, addNorms, addCombining, addConvolutions, addBatchNorms, addPools, addSteps, addFusions})
        add(checks);
    std::stable_sort(checks.begin(), checks.end(), [](const Check& a, const Check& b) { return a.dtype < b.dtype; });
    return checks;
}

}  // namespace mantissa::conformance
