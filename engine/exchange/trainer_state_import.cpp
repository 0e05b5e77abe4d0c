// SPDX-License-Identifier: Apache-2.0
// Hugging Face's trainer_state.json: one object, whose `log_history` has an object for each log of the Trainer.
#include <iterator>

#include "engine/exchange/imported_run.h"
#include "engine/exchange/json_numbers.h"
#include "engine/exchange/log_reader.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/run_builder.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxStateBytes = 256u << 20;
constexpr const char* kHistory = "log_history";

}  // namespace

void readTrainerState(std::istream& in, const std::string& source, RunBuilder& builder) {
    in.seekg(0, std::ios::end);
    const std::streamoff bytes = in.tellg();
    if (bytes > static_cast<std::streamoff>(kMaxStateBytes))
        throw InputError(source, "",
                         "is larger than " + std::to_string(kMaxStateBytes >> 20) + " MiB, the most that is read of such a file");
    in.seekg(0);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Json state;
    try {
        state = readJson(quoteNonFinite(text), "", kMaxStateBytes);
    } catch (const InputError& error) {
        throw InputError(source, error.pointer(), error.sentence());
    }
    const auto history = state.find(kHistory);
    if (!state.is_object() || history == state.end() || !history->is_array())
        throw InputError(source, "", "is one JSON object, and has no list 'log_history' as Hugging Face's trainer_state.json has");
    std::uint64_t entry = 0;
    for (const Json& each : *history) {
        const FilePlace place{"entry", ++entry};
        if (!each.is_object()) refuseAt(source, place, "is no object");
        const auto step = each.find("step");
        if (step == each.end() || !step->is_number()) continue;
        const std::int64_t at = readStep(step->get<double>(), source, place);
        for (const auto& [key, value] : each.items()) {
            const std::optional<double> number = looseNumberOf(value);
            if (!number || stepNameRank(key)) continue;
            if (const int column = builder.columnOf(key, place); column >= 0) builder.add(column, at, *number, place);
        }
    }
}

}  // namespace mantissa
