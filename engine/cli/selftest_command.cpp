// SPDX-License-Identifier: Apache-2.0
// selftest: the conformance suite on this machine's device, in its short form by default; on a GPU also trains small runs and compares them
// with the CPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/training/agreement.h"
#include "kernels/conformance/gradient_check.h"
#include "kernels/conformance/suite.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Outcome {
    DeviceInfo device;
    std::vector<conformance::GradientCheck> gradients;
    std::vector<conformance::CheckResult> results;
    std::vector<Agreement> training;  // against the CPU; empty on the CPU itself
    double seconds = 0;

    bool holds() const {
        const auto isGood = [](const auto& check) { return check.holds(); };
        return std::all_of(gradients.begin(), gradients.end(), isGood) && std::all_of(results.begin(), results.end(), isGood) &&
               std::all_of(training.begin(), training.end(), isGood);
    }
    /// The gradient closest to its limit.
    const conformance::GradientCheck& worstGradient() const {
        return *std::max_element(gradients.begin(), gradients.end(), [](const auto& a, const auto& b) { return !(b.worst <= a.worst); });
    }
};

struct Request {
    std::string device = "auto";
    conformance::Extent extent = conformance::Extent::Short;
    std::string only;  // checks whose "format operation" contains this; excludes training
    bool printsProgress = false;
};

void printProgress(const Request& request, const std::string& name, bool holds, double seconds) {
    if (!request.printsProgress) return;
    std::fprintf(stderr, "%s: %s, %.1f s\n", name.c_str(), holds ? "holds" : "FAILS", seconds);
}

Outcome runSuite(const std::shared_ptr<Backend>& backend, const Request& request) {
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome{.device = backend->device(), .gradients = conformance::checkReferenceGradients(), .results = {}, .training = {}};
    const auto elapsed = [&start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    for (const conformance::Check& check : conformance::allChecks()) {
        const std::string name = check.format + " " + check.operation;
        if (name.find(request.only) == std::string::npos) continue;
        outcome.results.push_back(conformance::runCheck(check, *backend, request.extent));
        printProgress(request, name, outcome.results.back().holds(), elapsed());
    }
    if (outcome.results.empty()) throw UsageError("selftest: --only: no check has '" + request.only + "' in its row");
    if (const auto cpu = createCpuBackend(); request.only.empty() && cpu->device().name != backend->device().name) {
        for (const AgreementRun& run : agreementRuns()) {
            outcome.training.push_back(compareTraining(run, backend, cpu));
            printProgress(request, "training " + run.name, outcome.training.back().holds(), elapsed());
        }
    }
    outcome.seconds = elapsed();
    return outcome;
}

std::string text(const char* format, double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

OrderedJson toJson(const conformance::CheckResult& r) {
    OrderedJson entry{
        {"format", r.format},
        {"operation", r.operation},
        {"cases", r.cases},
        {"cases_not_offered", r.notOffered},
        {"elements", r.elements},
        {"error_over_limit", {{"p50", jsonNumber(r.percentile50)}, {"p99", jsonNumber(r.percentile99)}, {"max", jsonNumber(r.margin)}}},
        {"worst_error", jsonNumber(r.worstError)},
        {"limit", jsonNumber(r.worstLimit)},
        {"where", r.worstWhere},
        {"holds", r.holds()}};
    if (r.notOffered > 0) entry["reason"] = r.reason;
    if (!r.implementations.empty()) entry["implementations"] = r.implementations;
    if (r.holds()) return entry;
    entry["cases_failed"] = r.failedCases;
    entry["pattern"] = r.pattern;
    for (const conformance::Failure& failure : r.failures)
        entry["failures"].push_back(
            {{"fault", conformance::faultName(failure.fault)}, {"where", failure.where}, {"detail", failure.detail}});
    return entry;
}

void printJson(const Outcome& outcome) {
    OrderedJson checks = OrderedJson::array();
    for (const conformance::CheckResult& r : outcome.results) checks.push_back(toJson(r));
    OrderedJson training = OrderedJson::array();
    for (const Agreement& a : outcome.training)
        training.push_back({{"run", a.name},
                            {"steps", a.steps},
                            {"difference_over_limit", jsonNumber(a.worst)},
                            {"worst_step", a.worstStep},
                            {"holds", a.holds()}});
    const conformance::GradientCheck& worst = outcome.worstGradient();
    std::cout
        << OrderedJson{{"device",
                        {{"name", outcome.device.name}, {"description", outcome.device.description}, {"threads", outcome.device.threads}}},
                       {"holds", outcome.holds()},
                       {"seconds", outcome.seconds},
                       {"reference_gradients",
                        {{"count", outcome.gradients.size()},
                         {"worst", jsonNumber(worst.worst)},
                         {"limit", worst.limit},
                         {"which", worst.gradient},
                         {"holds", worst.holds()}}},
                       {"checks", checks},
                       {"training", training}}
               .dump()
        << '\n';
}

std::vector<std::string> rowOf(const conformance::CheckResult& r) {
    const std::string verdict = !r.holds() ? "FAILS" : !r.isOffered() ? "not offered" : "holds";
    if (!r.isOffered()) return {r.format, r.operation, "0", "", "", "", "", "", verdict};
    const bool isExact = r.worstLimit == 0 && r.margin == 0;
    return {r.format,
            r.operation,
            std::to_string(r.cases),
            std::to_string(r.elements),
            isExact ? "0" : text("%.2e", r.worstError),
            isExact ? "exact" : text("%.2e", r.worstLimit),
            isExact ? "" : text("%.4f", r.percentile99),
            isExact ? "" : text("%.4f", r.margin),
            verdict};
}

void printTable(const Outcome& outcome) {
    std::vector<std::vector<std::string>> rows{
        {"format", "operation", "cases", "elements", "worst error", "its limit", "99 % of limit", "worst of limit", "verdict"}};
    std::string notes;
    std::size_t cases = 0, failing = 0;
    for (const conformance::CheckResult& r : outcome.results) {
        rows.push_back(rowOf(r));
        cases += r.cases;
        failing += r.holds() ? 0 : 1;
        if (!r.holds()) notes += r.sentence() + '\n';
        if (r.notOffered > 0)
            notes += r.operation + " " + r.format + ": " + std::to_string(r.notOffered) + " cases not offered: " + r.reason + '\n';
    }
    for (const Agreement& a : outcome.training) {
        notes += "trains as the CPU does, " + a.name + ", " + std::to_string(a.steps) + " steps: " + text("%.3f", a.worst) +
                 " of the limit at step " + std::to_string(a.worstStep) + (a.holds() ? "\n" : ": FAILS\n");
        failing += a.holds() ? 0 : 1;
    }
    const conformance::GradientCheck& worst = outcome.worstGradient();
    if (!worst.holds()) notes += "the reference itself is wrong: the gradient of " + worst.gradient + '\n';
    std::cout << outcome.device.name << ": " << outcome.device.description << "\n\n"
              << alignedTable(rows) << '\n'
              << notes << "The reference's own " << outcome.gradients.size() << " gradients against central differences: worst "
              << text("%.1e", worst.worst) << ", limit " << text("%.0e", worst.limit) << ".\n"
              << outcome.results.size() + outcome.training.size() << " checks, " << cases << " cases, " << text("%.1f", outcome.seconds)
              << " s: " << (outcome.holds() ? "all hold" : std::to_string(failing) + " FAIL") << ".\n";
}

}  // namespace

void addSelftest(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("selftest", "Check every operation on this machine against a reference in double");
    auto request = std::make_shared<Request>();
    auto full = std::make_shared<bool>(false);
    auto json = std::make_shared<bool>(false);
    command->add_option("--device", request->device, "auto, cpu or cuda:0");
    command->add_option("--only", request->only, "the checks whose row, \"fp16 matmul\", has this text in it; without training");
    command->add_flag("--progress", request->printsProgress, "one line on standard error for each check as it ends");
    command->add_flag("--full", *full, "more and larger shapes, as in training: a minute");
    command->add_flag("--json", *json, "one JSON object on standard output");
    command->callback([&work, request, full, json] {
        work = [request, full, json] {
            if (*full) request->extent = conformance::Extent::Full;
            const Outcome outcome = runSuite(openDevice(request->device), *request);
            (*json ? printJson : printTable)(outcome);
            return outcome.holds() ? kExitDone : kExitCouldNotGoOn;
        };
    });
}

}  // namespace mantissa
