// SPDX-License-Identifier: GPL-3.0-or-later
// The Present layout: the plots alone, for presentations. Above them are the title, the progress and the way out, and a chip for each run;
// below them the training settings; at the right, optionally, a lesson. Everything is enlarged by one factor. GUI thread only.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "gui/app/actions.h"
#include "gui/app/run_chips.h"
#include "gui/controls/delay.h"
#include "gui/controls/parts.h"

class QMenu;

namespace mantissa::gui {

class PlotBoard;

class PresentPage : public QWidget {
    Q_OBJECT
public:
    PresentPage(SessionModel* session, const Actions& actions, QWidget* parent);
    void setSlim(bool slim);

    /// Takes the plots and the messages over them until `release`.
    void take(PlotBoard* board);
    /// Releases the plots; the caller puts them back into their place.
    void release();
    /// Sets the widget at the right, such as a lesson; null: none. It is enlarged too, and not owned.
    void setSide(QWidget* side);
    QWidget* side() const { return m_side; }
    /// Sets a lesson's title in place of the experiment's; empty: no lesson.
    void setLessonTitle(const QString& title);

    /// Sets the visible plots by key; none: those that the experiment suggests.
    void setPlots(const std::vector<std::string>& keys);
    std::vector<std::string> plots() const { return m_plots.empty() ? suggestedPlots() : m_plots; }

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

    SessionModel* m_session;
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
    Delay m_delay{100};  // faster changes cannot be read
    std::vector<std::string> m_plots;
    bool m_isSlim = false;
    bool m_isEnlarging = false;
};

}  // namespace mantissa::gui
