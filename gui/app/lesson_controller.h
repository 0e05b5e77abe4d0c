// SPDX-License-Identifier: GPL-3.0-or-later
// Opens lessons, handles their requests to the window, and announces the experiments that they replace. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class FileController;
class LayoutController;
class NumberCard;
class PresentController;
class TrainingController;

class LessonController : public QObject, WindowParts {
    Q_OBJECT
public:
    LessonController(const WindowParts& parts, TrainingController* training, FileController* files, LayoutController* arrangement,
                     PresentController* presentation);
    /// Opens a bundled lesson or a lesson's file. An error is shown above the plots, and the current state stays.
    void open(const QString& nameOrPath);

private:
    void connectPanel();
    void connectPlayer();
    void askFile();
    void fillMenu();
    void showLessons();  // to choose from
    void closeLessons();
    void showPanels();
    void showPanel(bool shown);
    void placePanel();
    void lessonChanged();
    void announceClosed();

    TrainingController* m_training;
    FileController* m_files;
    LayoutController* m_arrangement;
    PresentController* m_presentation;
    NumberCard* m_number = nullptr;  // over the plots
    QString m_putAwayRecording;      // of the experiment that the lesson has closed; empty: nothing was recorded
};

}  // namespace mantissa::gui
