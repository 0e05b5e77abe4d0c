// SPDX-License-Identifier: GPL-3.0-or-later
// Handles Qt's messages while it opens the display. Main thread only.
#pragma once

#include <QtGlobal>

namespace mantissa::gui {

/// Withholds Qt's messages while QApplication is created. If no display can be opened, Qt would print several lines and abort; this prints
/// one sentence and ends the program with kExitNoDisplay. Otherwise the destructor prints the messages.
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
