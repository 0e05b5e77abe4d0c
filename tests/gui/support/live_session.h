// SPDX-License-Identifier: Apache-2.0
// A session model connected to the real engine, as in the window.
#pragma once

#include <QTest>

#include "gui/link/engine_client.h"

namespace mantissa::gui {

/// Timeout in ms, long enough for a machine that is busy with a build.
inline constexpr int kPatienceMs = 60000;

struct LiveSession {
    SessionModel session;
    EngineClient engine;

    explicit LiveSession(const QStringList& commandLine = {QStringLiteral(MANTISSA_ENGINE), QStringLiteral("serve")})
        : engine(&session, commandLine) {}

    /// Loads a small experiment: two runs, fp32 and fp16, on few steps; paused.
    bool begin();
    /// Waits until every run has done `count` steps.
    bool reaches(std::int64_t count);
    /// Waits until every request is answered and the runs' settings are updated.
    bool settles();
};

/// Returns the experiment that `begin` loads.
QString smallExperiment();

}  // namespace mantissa::gui
