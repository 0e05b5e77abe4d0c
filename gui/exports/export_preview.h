// SPDX-License-Identifier: GPL-3.0-or-later
// A preview of an export, which the engine writes into a temporary folder: its files, and the beginning of their readable content. GUI
// thread only.
#pragma once

#include <QTemporaryDir>
#include <QWidget>
#include <memory>

#include "gui/link/engine_client.h"

class QLabel;
class QScrollArea;
class QStackedWidget;
class QPlainTextEdit;

namespace mantissa::gui {

class Delay;

/// Creates a read-only view of a text file's lines.
QPlainTextEdit* makeFileView(const QString& accessibleName, QWidget* parent);

class ExportPreview : public QWidget {
    Q_OBJECT
public:
    ExportPreview(SessionModel* session, EngineClient* engine, QWidget* parent);
    /// Returns the files in the folder, a line each with its size, and the number of the rest. Empty until they are written.
    QString files() const { return m_files; }

public slots:
    /// Requests the files of a format, as named in ExportRuns; empty: no preview.
    void showFormat(const QString& format);

signals:
    void filesChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void finish();
    void draw();
    void say(const QString& sentence);

    SessionModel* m_session;
    EngineClient* m_engine;
    QStackedWidget* m_pages;
    QLabel *m_said, *m_page;
    QScrollArea* m_pageArea;
    QPlainTextEdit* m_text;
    QString m_format, m_files;
    std::shared_ptr<QTemporaryDir> m_folder;  // shared with the engine's answer: the engine may still write when the preview is closed
    Delay* m_redraw;
    int m_drawnWidth = 0;       // width of the report in px
    double m_drawnRatio = 1;    // device pixel ratio
    std::uint64_t m_asked = 0;  // 0: none pending
};

}  // namespace mantissa::gui
