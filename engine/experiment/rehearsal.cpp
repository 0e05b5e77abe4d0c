// SPDX-License-Identifier: Apache-2.0
// Applies an experiment's events in the order of their steps, so that none can fail during training.
#include <algorithm>

#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {

std::optional<ImpossibleEvent> findImpossibleEvent(const Experiment& experiment) {
    std::vector<std::size_t> order(experiment.events.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return experiment.events[a].step < experiment.events[b].step; });
    for (RunSettings run : experiment.runs) {
        for (const std::size_t index : order) {
            const ScheduledChange& event = experiment.events[index];
            if (event.run != run.name) continue;
            if (event.step >= run.training.steps) return ImpossibleEvent{index, "/step", "is after the run's last step"};
            for (const auto& [pointer, value] : event.set) {
                try {
                    run = withChange(run, pointer, value);
                    if (!isInjection(pointer) || experiment.data.empty()) continue;
                    const auto dataset = loadDataset(run.training.data);  // the experiment holds it
                    if (const auto problem = whyNotInjected(run, pointer, value, dataset.get()))
                        return ImpossibleEvent{index, "/set" + pointerStep(pointer) + problem->below, problem->sentence};
                } catch (const InputError& error) {
                    return ImpossibleEvent{index, "/set" + pointerStep(pointer), error.sentence()};
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace mantissa
