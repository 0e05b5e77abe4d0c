// SPDX-License-Identifier: GPL-3.0-or-later
// A timer for work that would be done too often: it ends once after each start. GUI thread only.
#pragma once

#include <QTimer>

namespace mantissa::gui {

class Delay : public QTimer {
public:
    explicit Delay(int milliseconds, QObject* parent = nullptr) : QTimer(parent) {
        setSingleShot(true);
        setInterval(milliseconds);
    }
    /// Starts it, unless it runs already.
    void begin() {
        if (!isActive()) start();
    }
};

}  // namespace mantissa::gui
