// SPDX-License-Identifier: GPL-3.0-or-later
// The lesson beside the plots: its prose, its question, the answers and, after the reveal, what was measured. Without a lesson it is the
// list of those there are. GUI thread only.
#pragma once

#include <QPointer>
#include <QTimer>
#include <QUrl>
#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/lessons/lesson_parts.h"
#include "gui/lessons/lesson_player.h"

class QButtonGroup;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace mantissa::gui {

class TrainingLine;

class LessonPanel : public QWidget {
    Q_OBJECT
public:
    static constexpr int kChipsInARow = 2;
    static constexpr int kLeastSlim = 390;  // before a room with a picture of little height
    static constexpr int kWidth = 360;      // beside the plots of the Explore layout

    LessonPanel(Lab* lab, LessonPlayer* player, QWidget* parent);

    /// For a projector: large type, large buttons, as wide as it is given. While a lesson plays the keys of presenters' clickers (arrows,
    /// PageUp, PageDown) then lead through it from anywhere in the window.
    void setPresenting(bool isPresenting, bool isSlim = false);
    /// Whose keys lead on and back at the desk, and what counts votes; they are named with the buttons.
    void setActions(const QAction* next, const QAction* back, QAction* votes);
    /// The list of lessons, those in `finished` with a tick.
    void showList(const QStringList& finished);
    /// What is played.
    void showLesson();
    /// The reveal, the next step or the next lesson; false: there is nothing after this.
    bool goForward();
    bool canGoForward() const { return m_player->isPlaying() && (!m_player->isAtEnd() || !nextLesson().isEmpty()); }

signals:
    void lessonRequested(const QString& name);  // of the list, or the next one
    void fileRequested();
    void closeRequested();                 // of the list, or of the lesson
    void finishRequested();                // by a press on Next at the end of the last lesson
    void linkRequested(const QUrl& link);  // a page of the guide, or an address

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void buildLesson();
    void buildList();
    void closePage();
    void applySizes();
    void writeKeyHints();
    QLabel* makeWords(const char* kind, QWidget* parent) const;  // of several lines, without a size of its own
    void refreshPlace();
    void refreshAnswers();
    void refreshState();
    void refreshClaims();
    void refreshHidden();
    void later();
    QString nextLesson() const;  // the bundled one after this; empty: there is none
    std::optional<int> answerOfKey(int key) const;
    void take(int answer, int votes);
    bool takesKey(const QKeyEvent& key) const;

    Lab* m_lab;
    LessonPlayer* m_player;
    bool m_isPresenting = false;
    bool m_isSlim = false;
    QStackedWidget* m_pages;
    QWidget* m_listPage;
    QVBoxLayout* m_entries = nullptr;
    QWidget* m_lessonPage;
    QLabel *m_title = nullptr, *m_number = nullptr, *m_phase = nullptr, *m_stepTitle = nullptr, *m_question = nullptr, *m_result = nullptr,
           *m_others = nullptr;  // answers that were neither right nor chosen
    StepDots* m_dots = nullptr;
    QScrollArea* m_scroll = nullptr;
    LessonText *m_prose = nullptr, *m_reveal = nullptr;
    QWidget *m_answers = nullptr, *m_claims = nullptr, *m_hidden = nullptr;
    QButtonGroup* m_group = nullptr;
    QLabel *m_note = nullptr, *m_progressText = nullptr;
    TrainingLine* m_progress = nullptr;
    QPushButton *m_votes = nullptr, *m_next = nullptr, *m_back = nullptr, *m_reset = nullptr, *m_leave = nullptr, *m_goOn = nullptr;
    QWidget* m_keyHints = nullptr;
    QLabel* m_votesHint = nullptr;
    QAction* m_votesAction = nullptr;
    const QAction *m_nextAction = nullptr, *m_backAction = nullptr;
    QStringList m_shownClaims;  // so that what stands is not made anew with every step
    QTimer m_timer;
};

}  // namespace mantissa::gui
