// SPDX-License-Identifier: GPL-3.0-or-later
// The Present layout: the plots alone, for a room. Above them what it is about, how far it is and the way out; a chip for each run; below
// them what was trained how. At the right there is room for a lesson. Everything is larger than at a desk, by one factor. GUI thread only.
#pragma once

#include <QTimer>
#include <QWidget>
#include <string>
#include <vector>

#include "gui/app/actions.h"
#include "gui/app/run_chips.h"
#include "gui/controls/parts.h"

class QMenu;
class QVBoxLayout;

namespace mantissa::gui {

class PlotBoard;

class PresentPage : public QWidget {
    Q_OBJECT
public:
    PresentPage(Lab* lab, const Actions& actions, QWidget* parent);

    /// Type is so many times as large as at a desk.
    static constexpr double kScale = 1.6;
    /// In a window of little height, where the same share of the wall takes fewer pixels.
    static constexpr double kSlimScale = 1.25;
    void setSlim(bool slim);

    /// Takes the plots, with the messages over them, for as long as it is shown.
    void take(PlotBoard* board);
    /// Gives them back to nobody: the caller puts them where they were.
    void release();
    /// What stands at the right, as a lesson; null: nothing. It is as large as the rest, and not owned.
    void setSide(QWidget* side);
    QWidget* side() const { return m_side; }
    /// In the place of the experiment's title; empty: no lesson is played.
    void setLessonTitle(const QString& title);

    /// The plots that are shown, by key; none: as the experiment suggests.
    void setPlots(const std::vector<std::string>& keys);
    std::vector<std::string> plots() const;

signals:
    void plotsChosen(const std::vector<std::string>& keys);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void enlarge();
    void refresh();
    void refreshSteps();
    void refreshTrain();
    void fillPlotMenu();
    void showPlots();
    std::vector<std::string> suggestedPlots() const;
    QString captionText() const;
    void fitWords();

    Lab* m_lab;
    const Actions& m_actions;
    PlotBoard* m_board = nullptr;
    QLabel* m_title;
    QLabel* m_steps;
    QPushButton *m_train, *m_pair, *m_show, *m_reset, *m_leave;
    QMenu* m_menu;
    RunChips* m_chips;
    QVBoxLayout* m_middle;
    QLabel* m_words;
    QLabel* m_caption;
    QWidget* m_sideRule;
    QWidget* m_sideSlot;
    QWidget* m_side = nullptr;
    QString m_lessonTitle;
    QTimer m_stepTimer;
    std::vector<std::string> m_plots;
    bool m_isSlim = false;
    bool m_isEnlarging = false;
};

}  // namespace mantissa::gui
