// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/live_lab.h"

#include <algorithm>

namespace mantissa::gui {

QString smallExperiment() {
    return QStringLiteral(R"({"title": "Two formats", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [8]},
        "steps": 400, "runs": [{"name": "wide", "precision": "fp32"}, {"name": "narrow", "precision": "fp16", "scaler": {"preset": "pytorch"}}]})");
}

bool LiveLab::begin() {
    engine.start(QStringLiteral("two"), smallExperiment());
    return QTest::qWaitFor([this] { return lab.state().state == LabState::Paused && lab.runs().size() == 2; }, kPatienceMs);
}

bool LiveLab::reaches(std::int64_t count) {
    return QTest::qWaitFor(
        [&] { return std::all_of(lab.runs().begin(), lab.runs().end(), [&](const auto& run) { return run->stepCount() >= count; }); },
        kPatienceMs);
}

bool LiveLab::settles() {
    const auto isSettled = [](const auto& run) { return run->pending.empty() && run->answered.empty(); };
    return QTest::qWaitFor([&] { return std::all_of(lab.runs().begin(), lab.runs().end(), isSettled); }, kPatienceMs);
}

}  // namespace mantissa::gui
