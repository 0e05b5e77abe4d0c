// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_maker.h"

namespace mantissa {

std::unique_ptr<LiveRun> RunMaker::live(RepeatableRun repeatable) const {
    auto run = std::make_unique<LiveRun>(std::move(repeatable), [&outbox = m_outbox](Event&& event) { outbox.emit(std::move(event)); });
    run->preferInstrumentation(instrumentation);
    run->setExamining(examining);
    run->useClock(m_clock);
    return run;
}

std::unique_ptr<LiveRun> RunMaker::make(RunId id, const RunSettings& settings) const {
    return atWeights(settings.training.init.weights, [&] { return live(RepeatableRun(id, settings, m_backend)); });
}

std::unique_ptr<LiveRun> RunMaker::recorded(const RunsWay& way, std::vector<RunPoint> points) const {
    return live(RepeatableRun::recorded(way, std::move(points), m_backend));
}

}  // namespace mantissa
