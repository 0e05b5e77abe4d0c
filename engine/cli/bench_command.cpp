// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>

#include "engine/bench/bench.h"
#include "engine/cli/commands.h"
#include "engine/telemetry/joined.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

nlohmann::ordered_json toJson(const BenchResult& r) {
    nlohmann::ordered_json entry{{"name", r.name}, {"what", r.what}, {"rival", r.rival}};
    if (!r.skipped.empty()) {
        entry["skipped"] = r.skipped;
        return entry;
    }
    entry.update({{"unit", r.unit},
                  {"ours_median", r.ours},
                  {"ours_p99", r.oursP99},
                  {"rival_median", r.theirs},
                  {"rival_p99", r.theirsP99},
                  {"ratio", r.ratio},
                  {"ratio_is", r.ratioName},
                  {"limit", r.limit},
                  {"reached", r.passes()}});
    if (r.tflops > 0) entry["tflops"] = r.tflops;
    if (r.products > 0) entry["products"] = r.products;
    return entry;
}

int bench(const std::string& name, bool json, double seconds, const std::string& device) {
    if (device != "cpu" && name != "diagnosis" && name != "switch")
        throw UsageError("bench: --device: 'diagnosis' and 'switch' alone are measured on other devices than the CPU");
    const DeviceInfo info = openDevice(device)->device();  // throws before minutes of measuring if unavailable
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"benchmark", "ours", "p99", "products", "rival", "p99", "unit", "ratio", "limit", ""}};
    std::string notes;
    bool isKnown = false;
    for (const Benchmark& benchmark : benchmarks(seconds, [&] { return openDevice(device); })) {
        if (!name.empty() && benchmark.name != name) continue;
        isKnown = true;
        if (!json) std::cerr << "measuring " << benchmark.name << ": " << benchmark.summary << '\n';
        for (const BenchResult& r : benchmark.run()) {
            list.push_back(toJson(r));
            if (!r.skipped.empty()) {
                notes += r.name + ": skipped: " + r.skipped + '\n';
                continue;
            }
            rows.push_back({r.name, fixed(r.ours, 2), fixed(r.oursP99, 2), r.products > 0 ? fixed(r.products, 2) : "", fixed(r.theirs, 2),
                            fixed(r.theirsP99, 2), r.unit, fixed(r.ratio, 3), (r.isAtLeast ? ">= " : "<= ") + fixed(r.limit, 2),
                            r.passes() ? "reached" : "missed"});
            notes += r.name + ": " + r.what + "; rival: " + r.rival + "; ratio: " + r.ratioName +
                     (r.tflops > 0 ? "; ours: " + numberText(r.tflops, 3) + " TFLOP/s" : "") + '\n';
        }
    }
    if (!isKnown) throw UsageError("bench: '" + name + "' is not a benchmark (" + joined(benchmarks(), ", ", &Benchmark::name) + ")");
    if (json) {
        std::cout << nlohmann::ordered_json{{"device", {{"name", info.name}, {"description", info.description}, {"threads", info.threads}}},
                                            {"results", list}}
                         .dump()
                  << '\n';
    } else {
        std::cout << info.description << "\n\n" << alignedTable(rows) << '\n' << notes;
    }
    return kExitDone;
}

}  // namespace

void addBench(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("bench", "Measure ratios against named rivals, paired in one run");
    auto name = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command->add_option("NAME", *name, "one of: " + joined(benchmarks(), ", ", &Benchmark::name) + " (all when absent)");
    command->add_flag("--json", *json, "one JSON object on standard output");
    auto seconds = std::make_shared<double>(8);
    command->add_option("--seconds", *seconds, "how long the window is measured (8)")->check(CLI::Range(2.0, 3600.0));
    auto device = std::make_shared<std::string>("cpu");
    command->add_option("--device", *device, "cpu or cuda:0: where the statistics of 'diagnosis' and the changes of 'switch' are timed")
        ->capture_default_str();
    command->callback([&work, name, json, seconds, device] { work = [=] { return bench(*name, *json, *seconds, *device); }; });
}

}  // namespace mantissa
