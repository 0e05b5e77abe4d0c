// SPDX-License-Identifier: GPL-3.0-or-later
// What Qt says while it looks for a display. Main thread only.
#pragma once

#include <QtGlobal>

namespace mantissa::gui {

/// Holds Qt's messages back while QApplication is made. Where no window can be opened, Qt would print several lines and abort: one sentence
/// is printed instead, and the program ends with kExitNoDisplay. Where a window can be opened, the messages are printed at the end of its
/// life.
class DisplayMessages {
public:
    static constexpr int kExitNoDisplay = 3;

    DisplayMessages();
    ~DisplayMessages();
    DisplayMessages(const DisplayMessages&) = delete;
    DisplayMessages& operator=(const DisplayMessages&) = delete;

private:
    QtMessageHandler m_before;
};

}  // namespace mantissa::gui
