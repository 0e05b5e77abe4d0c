// SPDX-License-Identifier: GPL-3.0-or-later
// Of the export dialog: the records of all runs as files in a folder, written by the engine.
#pragma once

#include <QWidget>

#include "gui/link/engine_client.h"

class QLabel;
class QPushButton;

namespace mantissa::gui {

class ComboBox;

class DataPage : public QWidget {
    Q_OBJECT
public:
    DataPage(Lab* lab, EngineClient* engine, QWidget* parent);
    /// Asks the engine for the files of the chosen format.
    void exportTo(const QString& folder);

private:
    void refresh();
    void say(const QString& text, bool isProblem);

    EngineClient* m_engine;
    ComboBox* m_format;
    QLabel *m_note, *m_said;
    QPushButton* m_export;
    QString m_folder;
    std::uint64_t m_asked = 0;  // 0: nothing is on its way
    bool m_isRefused = false;
};

}  // namespace mantissa::gui
