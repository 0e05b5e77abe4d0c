// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of a lesson: its prose, its question, the answers and, after the reveal, the measured results. Without a lesson it lists the
// available ones. GUI thread only.
#pragma once

#include <QUrl>
#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/lessons/lesson_parts.h"
#include "gui/lessons/lesson_player.h"

class QButtonGroup;
class QScrollArea;
class QStackedWidget;

namespace mantissa::gui {

class LessonPanel : public QWidget {
    Q_OBJECT
public:
    static constexpr int kChipsInARow = 2;
    static constexpr int kLeastSlim = 390;  // in presentations of little height
    static constexpr int kWidth = 360;      // beside the plots of the Explore layout

    LessonPanel(SessionModel* session, LessonPlayer* player, QWidget* parent);

    /// Switches to the presentation form: large type and buttons, at the full available width. While a lesson plays, the keys of
    /// presenters' clickers (arrows, PageUp, PageDown) then navigate it from anywhere in the window.
    void setPresenting(bool isPresenting, bool isSlim = false);
    /// Sets the actions for next, back and counting votes; their keys are shown at the buttons.
    void setActions(const QAction* next, const QAction* back, QAction* votes);
    /// Shows the list of lessons, those in `finished` with a tick.
    void showList(const QStringList& finished);
    /// Shows the current lesson.
    void showLesson();
    /// Goes to the reveal, the next step or the next lesson. Returns false at the end.
    bool goForward();
    bool canGoForward() const { return m_player->isPlaying() && (!isAtEnd(*m_player) || !nextLesson().isEmpty()); }

signals:
    void lessonRequested(const QString& name);  // from the list, or the next lesson
    void fileRequested();
    void closeRequested();                 // closes the list or the lesson
    void finishRequested();                // Next was pressed at the end of the last lesson
    void linkRequested(const QUrl& link);  // a page of the guide, or an address

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildLesson();
    void buildList();
    void closePage();
    void applySizes();
    void writeKeyHints();
    void refreshPlace();
    const LessonSizes& sizes() const { return LessonSizes::of(m_isPresenting, m_tightness); }
    void applyTextSizes();
    void fitAnswers();
    void refreshAnswers();
    void refreshState();
    void refreshClaims();
    void refreshHidden();
    QString nextLesson() const;  // the next bundled lesson; empty: none
    std::optional<int> answerOfKey(int key) const;
    void take(int answer, int votes);
    bool isEndVisible() const;
    void announceEnd();
    void countVotes();
    bool takesKey(const QKeyEvent& key) const;

    SessionModel* m_session;
    LessonPlayer* m_player;
    bool m_isPresenting = false;
    bool m_isSlim = false;
    bool m_isEndAnnounced = false;  // that the lesson ends here; the next key goes on
    int m_tightness = 0;            // of the text's sizes
    QStackedWidget* m_pages;
    QWidget* m_listPage;
    QVBoxLayout* m_entries = nullptr;
    QWidget* m_lessonPage;
    QLabel *m_title = nullptr, *m_number = nullptr, *m_phase = nullptr, *m_stepTitle = nullptr, *m_question = nullptr, *m_result = nullptr,
           *m_others = nullptr;  // answers that are neither right nor chosen
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
    QStringList m_shownClaims;  // so that unchanged claims are not recreated at every step
    Delay m_timer;
};

}  // namespace mantissa::gui
