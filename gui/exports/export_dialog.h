// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog "Export": the plots as a picture, recorded data of the runs as files, a run's settings as a program for another framework, a
// page each. The first page needs no engine. Non-modal. GUI thread only.
#pragma once

#include <QDialog>

#include "gui/link/engine_client.h"

class QStackedWidget;
class QTabBar;

namespace mantissa::gui {

class PlotBoard;

class ExportDialog : public QDialog {
    Q_OBJECT
public:
    enum Page { Picture, Data, Program };
    ExportDialog(SessionModel* session, EngineClient* engine, const PlotBoard* board, QWidget* parent);
    void showPage(Page page);

private:
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
};

}  // namespace mantissa::gui
