// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/live_session.h"

#include <algorithm>

namespace mantissa::gui {

QString smallExperiment() {
    return QStringLiteral(R"({"title": "Two formats", "data": {"name": "digits", "batch_size": 16}, "model": {"kind": "mlp", "hidden": [8]},
        "steps": 400, "runs": [{"name": "wide", "precision": "fp32"}, {"name": "narrow", "precision": "fp16", "scaler": {"preset": "pytorch"}}]})");
}

bool LiveSession::begin() {
    engine.start(QStringLiteral("two"), smallExperiment());
    return QTest::qWaitFor([this] { return session.state().state == LabState::Paused && session.runs().size() == 2; }, kPatienceMs);
}

bool LiveSession::reaches(std::int64_t count) {
    return QTest::qWaitFor(
        [&] {
            return std::all_of(session.runs().begin(), session.runs().end(), [&](const auto& run) { return run->stepCount() >= count; });
        },
        kPatienceMs);
}

bool LiveSession::settles() {
    const auto isSettled = [](const auto& run) { return run->pending.empty() && run->answered.empty(); };
    return QTest::qWaitFor([&] { return std::all_of(session.runs().begin(), session.runs().end(), isSettled); }, kPatienceMs);
}

}  // namespace mantissa::gui
