// SPDX-License-Identifier: Apache-2.0
// A lab with the real engine behind it, as the window has it.
#pragma once

#include <QTest>

#include "gui/link/engine_client.h"

namespace mantissa::gui {

/// Generous: a test machine may be busy with a build.
inline constexpr int kPatienceMs = 60000;

struct LiveLab {
    Lab lab;
    EngineClient engine;

    explicit LiveLab(const QStringList& commandLine = {QStringLiteral(MANTISSA_ENGINE), QStringLiteral("serve")})
        : engine(&lab, commandLine) {}

    /// Loads a small experiment: two runs, fp32 and fp16, on few steps; paused.
    bool begin();
    /// Every run has done `count` steps.
    bool reaches(std::int64_t count);
    /// Every request has been answered, and the runs' settings are those that came of it.
    bool settles();
};

/// The experiment that `begin` loads.
QString smallExperiment();

}  // namespace mantissa::gui
