// SPDX-License-Identifier: GPL-3.0-or-later
// What an export of the runs would write, written by the engine into a folder that goes again: its files, and the beginning of what can be
// read of them. GUI thread only.
#pragma once

#include <QTemporaryDir>
#include <QWidget>
#include <memory>

#include "gui/link/engine_client.h"

class QLabel;
class QScrollArea;
class QStackedWidget;
class QPlainTextEdit;
class QTimer;

namespace mantissa::gui {

class ExportPreview : public QWidget {
    Q_OBJECT
public:
    ExportPreview(Lab* lab, EngineClient* engine, QWidget* parent);
    /// The files in the folder, one a line with its size; the others' number where there are more. Empty until they are there.
    QString files() const { return m_files; }

public slots:
    /// Asks for the files of a format, as ExportRuns names it; empty: there is nothing to see.
    void showFormat(const QString& format);

signals:
    void filesChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void finish();
    void draw();
    void say(const QString& sentence);

    Lab* m_lab;
    EngineClient* m_engine;
    QStackedWidget* m_pages;
    QLabel *m_said, *m_page;
    QScrollArea* m_pageArea;
    QPlainTextEdit* m_text;
    QString m_format, m_files;
    std::shared_ptr<QTemporaryDir> m_folder;  // shared with the engine's answer: it may still be writing when nobody looks any more
    QTimer* m_redraw;
    int m_drawnWidth = 0;       // px, of the report
    double m_drawnRatio = 1;    // pixels of the screen to one of these
    std::uint64_t m_asked = 0;  // 0: nothing is on its way
};

}  // namespace mantissa::gui
