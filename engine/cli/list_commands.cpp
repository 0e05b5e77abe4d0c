// SPDX-License-Identifier: Apache-2.0
// experiments, devices: lists; the schema of experiment files.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/schema.h"
#include "engine/precision/policy.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

int listExperiments(bool json) {
    if (json) {
        OrderedJson list = OrderedJson::array();
        for (const BundledExperiment& e : bundledExperiments())
            list.push_back({{"name", e.name},
                            {"title", e.title},
                            {"description", e.description},
                            {"data", e.data},
                            {"look_for", e.lookFor},
                            {"group", e.group}});
        std::cout << OrderedJson{{"experiments", list}}.dump() << '\n';
        return kExitDone;
    }
    for (const BundledExperiment& e : bundledExperiments())
        std::cout << e.name << "\n  " << e.title << "\n  " << e.description << "\n  " << e.lookFor << "\n  Data: " << e.data << "\n\n";
    std::cout << "mantissa train NAME trains one; the first is the default.\n";
    return kExitDone;
}

/// The policy of `"precision": "auto"` on a device.
struct AutoChoice {
    std::string precision, scaler, reason;
};
AutoChoice autoChoice(const DeviceInfo& device) {
    const Policy policy = resolvePolicy({.policy = "auto", .overrides = {}}, *openDevice(device.name));
    return {policy.name, defaultScaler(policy.name).preset, policy.reason};
}

int listDevices(bool json) {
    if (json) {
        OrderedJson list = OrderedJson::array();
        for (const DeviceInfo& d : allDevices()) {
            OrderedJson entry{{"name", d.name}, {"available", d.available}};
            if (d.available) {
                entry["description"] = d.description;
                entry["threads"] = d.threads;
                const AutoChoice choice = autoChoice(d);
                entry["auto"] = {{"precision", choice.precision}, {"scaler", choice.scaler}, {"reason", choice.reason}};
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
        if (!d.available) continue;
        const AutoChoice choice = autoChoice(d);
        std::cout << "  precision auto: " << choice.precision << ", scaler " << choice.scaler << ": " << choice.reason << '\n';
    }
    return kExitDone;
}

int printSchema() {
    std::cout << experimentSchema().dump(2) << '\n';
    return kExitDone;
}

std::shared_ptr<bool> addJson(CLI::App& command) {
    auto json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "one JSON object on standard output");
    return json;
}

}  // namespace

void addExperiments(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("experiments", "List the bundled experiments, or print the schema of experiment files");
    const auto json = addJson(*command);
    const auto schema = std::make_shared<bool>(false);
    command->add_flag("--schema", *schema, "the JSON Schema of experiment files, for editors and programs")->excludes("--json");
    command->callback([&work, json, schema] { work = [json, schema] { return *schema ? printSchema() : listExperiments(*json); }; });
}
void addDevices(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("devices", "List the backends, or why one is not there");
    const auto json = addJson(*command);
    command->callback([&work, json] { work = [json] { return listDevices(*json); }; });
}

}  // namespace mantissa
