// SPDX-License-Identifier: GPL-3.0-or-later
// The left dock: one card per run or, in a small window, the slim list with the selected run's controls and further panels below it.
#pragma once

#include <QGridLayout>
#include <QScrollArea>
#include <QWidget>
#include <functional>

#include "gui/controls/delay.h"
#include "gui/controls/run_card.h"
#include "gui/controls/run_list.h"

namespace mantissa::gui {

class RunsDock : public QWidget {
    Q_OBJECT
public:
    RunsDock(SessionModel* session, EngineClient* engine, QWidget* parent);

    static constexpr int kWidth = 344;
    static constexpr int kSlimWidth = 300;

    void setSlim(bool slim);
    bool isSlim() const { return m_isSlim; }
    /// Returns the layout for the panels of the right dock in the slim form.
    QGridLayout* slimPanels() const { return m_slimPanels; }
    void setEngineAlive(bool alive);
    /// Shows pending changes at once.
    void refreshNow();
    /// Starts editing the selected run's name.
    void renameSelected();

signals:
    void rewindRequested(int run, qint64 step);
    /// Emitted when the user requests an examination of a step.
    void whyRequested(int run, qint64 step);
    void runPointed(int run);  // -1: none

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuildCards();
    bool hasFocusInOtherCard(RunId run) const;
    void dropCards(const std::function<bool(const RunCard*)>& isGone);
    void refreshHeading();
    void refreshLive();
    void refreshSlim();
    void fitSlim();
    RunCard* cardOf(RunId run) const;

    SessionModel* m_session;
    EngineClient* m_engine;
    QLabel* m_heading;
    QPushButton* m_add;
    QScrollArea* m_cardArea;
    QVBoxLayout* m_cardColumn;
    std::vector<RunCard*> m_cards;
    RunId m_addedRun = -1;  // until it is selected
    QScrollArea* m_slimArea;
    RunList* m_list;
    RunNote* m_slimNote;
    QPushButton* m_slimWhy;
    std::int64_t m_slimWhyStep = -1;
    RunControls* m_slimControls;
    QGridLayout* m_slimPanels;
    Delay m_delay{100};  // faster changes cannot be read
    bool m_isSlim = false;
    bool m_isAlive = true;
};

}  // namespace mantissa::gui
