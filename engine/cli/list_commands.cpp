// SPDX-License-Identifier: Apache-2.0
// experiments, devices, formats: what there is.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/experiment/experiment.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

int listExperiments(bool json) {
    if (json) {
        OrderedJson list = OrderedJson::array();
        for (const BundledExperiment& e : bundledExperiments())
            list.push_back({{"name", e.name}, {"title", e.title}, {"description", e.description}});
        std::cout << OrderedJson{{"experiments", list}}.dump() << '\n';
        return kExitDone;
    }
    for (const BundledExperiment& e : bundledExperiments()) std::cout << e.name << "\n  " << e.title << "\n  " << e.description << "\n\n";
    std::cout << "mantissa train NAME trains one; the first is the default.\n";
    return kExitDone;
}

int listDevices(bool json) {
    if (json) {
        OrderedJson list = OrderedJson::array();
        for (const DeviceInfo& d : allDevices()) {
            OrderedJson entry{{"name", d.name}, {"available", d.available}};
            if (d.available) {
                entry["description"] = d.description;
                entry["threads"] = d.threads;
            } else {
                entry["reason"] = d.reason;
            }
            list.push_back(std::move(entry));
        }
        std::cout << OrderedJson{{"devices", list}}.dump() << '\n';
        return kExitDone;
    }
    for (const DeviceInfo& d : allDevices()) {
        std::cout << d.name << (d.available ? ": " + d.description : ": not available: " + d.reason) << '\n';
    }
    return kExitDone;
}

std::string brief(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

int listFormats(bool json) {
    if (json) {
        OrderedJson list = OrderedJson::array();
        for (const Dtype dtype : kAllDtypes) {
            const DtypeFacts& f = facts(dtype);
            list.push_back({{"name", f.name},
                            {"exponent_bits", f.exponentBits},
                            {"mantissa_bits", f.mantissaBits},
                            {"bias", f.bias},
                            {"storage_bits", f.storageBits},
                            {"storable", f.isStorable},
                            {"max", f.maxFinite},
                            {"min_normal", f.minNormal},
                            {"min_subnormal", f.minSubnormal},
                            {"epsilon", f.epsilon},
                            {"overflow_from", f.overflowFrom},
                            {"flush_below", f.flushBelow}});
        }
        std::cout << OrderedJson{{"formats", list}}.dump() << '\n';
        return kExitDone;
    }
    std::vector<std::vector<std::string>> rows{
        {"format", "sign+exp+mantissa", "bias", "max", "min normal", "min subnormal", "epsilon", "Inf from", "0 up to"}};
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        rows.push_back({std::string(f.name), "1+" + std::to_string(f.exponentBits) + "+" + std::to_string(f.mantissaBits),
                        std::to_string(f.bias), brief(f.maxFinite), brief(f.minNormal), brief(f.minSubnormal), brief(f.epsilon),
                        brief(f.overflowFrom), brief(f.flushBelow)});
    }
    std::cout << alignedTable(rows)
              << "\nepsilon: the gap above 1. Inf from, 0 up to: what round to nearest even turns into Inf, and into 0.\n"
                 "tf32 is a compute dtype: products round their operands to it, tensors stay fp32.\n";
    return kExitDone;
}

void addList(CLI::App& app, Work& work, const char* name, const char* help, int (*list)(bool)) {
    CLI::App* command = app.add_subcommand(name, help);
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "one JSON object on standard output");
    command->callback([&work, json, list] { work = [json, list] { return list(*json); }; });
}

}  // namespace

void addExperiments(CLI::App& app, Work& work) {
    addList(app, work, "experiments", "List the bundled experiments", listExperiments);
}
void addDevices(CLI::App& app, Work& work) {
    addList(app, work, "devices", "List the backends, or why one is not there", listDevices);
}
void addFormats(CLI::App& app, Work& work) {
    addList(app, work, "formats", "List the facts of each number format", listFormats);
}

}  // namespace mantissa
