// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the panel and handles its keys and sizes. Its content is filled in lesson_panel_place.cpp.
#include "gui/lessons/lesson_panel.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>

#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kRefreshMs = 50;  // progress and claims during training

/// The action's key with an arrow symbol: "Alt →".
QString keyText(const QAction* action) {
    if (!action || action->shortcut().isEmpty()) return {};
    QString text = action->shortcut().toString(QKeySequence::NativeText);
    const std::pair<Qt::Key, QChar> arrows[] = {{Qt::Key_Left, u'←'}, {Qt::Key_Right, u'→'}, {Qt::Key_Up, u'↑'}, {Qt::Key_Down, u'↓'}};
    for (const auto& [key, arrow] : arrows) {
        const QString name = QKeySequence(key).toString(QKeySequence::NativeText);
        if (text == name) return arrow;
        if (text.endsWith(u'+' + name)) return text.chopped(name.size() + 1) + u' ' + arrow;
    }
    return text;
}

/// Whether the widget takes typed letters.
bool isTextField(const QWidget& widget) {
    const auto* text = qobject_cast<const QTextEdit*>(&widget);
    const auto* plain = qobject_cast<const QPlainTextEdit*>(&widget);
    const auto* list = qobject_cast<const QComboBox*>(&widget);
    return qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QAbstractSpinBox*>(&widget) || (text && !text->isReadOnly()) ||
           (plain && !plain->isReadOnly()) || (list && list->isEditable());
}

}  // namespace

LessonPanel::LessonPanel(SessionModel* session, LessonPlayer* player, QWidget* parent)
    : QWidget(parent), m_session(session), m_player(player), m_timer(kRefreshMs) {
    setAccessibleName(tr("Lesson"));
    setProperty("kind", "surface");
    setAttribute(Qt::WA_StyledBackground);
    setFixedWidth(kWidth);
    setFocusPolicy(Qt::ClickFocus);
    auto* row = makeRow(0, {}, this);
    row->addWidget(makeRule(Qt::Vertical, this));
    m_pages = new QStackedWidget(this);
    row->addWidget(m_pages, 1);
    m_listPage = new QWidget(m_pages);
    m_lessonPage = new QWidget(m_pages);
    m_pages->addWidget(m_listPage);
    m_pages->addWidget(m_lessonPage);
    buildList();
    buildLesson();
    qApp->installEventFilter(this);  // for lesson keys that work with any focus
    setFocusProxy(m_next);           // after a click in the panel, answer keys and Enter work
    applySizes();

    connect(&m_timer, &Delay::timeout, this, &LessonPanel::refreshState);
    connect(player, &LessonPlayer::placeChanged, this, &LessonPanel::refreshPlace);
    connect(player, &LessonPlayer::choiceChanged, this, &LessonPanel::refreshAnswers);
    connect(player, &LessonPlayer::stateChanged, &m_timer, &Delay::begin);
    connect(player, &LessonPlayer::settled, this, &LessonPanel::refreshState);
    connect(session, &SessionModel::recordsAppended, &m_timer, &Delay::begin);
    connect(session, &SessionModel::runChanged, &m_timer, &Delay::begin);
    connect(session, &SessionModel::runsChanged, this, &LessonPanel::refreshHidden);
    connect(session, &SessionModel::experimentLoaded, this, &LessonPanel::refreshHidden);
    connect(session, &SessionModel::runRewound, &m_timer, &Delay::begin);
    connect(session, &SessionModel::stepExamined, &m_timer, &Delay::begin);
    refreshPlace();
}

void LessonPanel::buildLesson() {
    auto* column = makeColumn(0, {}, m_lessonPage);

    auto* head = makeColumn(6, {16, 12, 16, 10});
    m_title = makeWrappedLabel({}, "", m_lessonPage);
    head->addWidget(m_title);
    auto* line = makeRow(8);
    m_number = makeLabel({}, "body2", m_lessonPage);
    line->addWidget(m_number, 1);
    m_reset = makeButton(tr("Reset"), QStringLiteral("reset"), tr("This step again, as the lesson has it"), m_lessonPage);
    m_leave = makeButton(tr("Close"), {}, tr("Close the lesson; the experiment stays open"), m_lessonPage);
    m_reset->setToolTip(tr("This step again, as the lesson has it (R)"));
    m_leave->setToolTip(tr("Close the lesson; the experiment stays open"));
    for (QPushButton* button : {m_reset, m_leave}) line->addWidget(button);
    head->addLayout(line);
    column->addLayout(head);
    column->addWidget(makeRule(Qt::Horizontal, m_lessonPage));

    auto* content = new QWidget;
    auto* body = makeColumn(10, {16, 12, 16, 12}, content);
    auto* steps = new QHBoxLayout;
    m_dots = new StepDots(content);
    m_phase = makeLabel({}, "body2", content);
    steps->addWidget(m_dots);
    steps->addStretch(1);
    steps->addWidget(m_phase);
    body->addLayout(steps);
    m_stepTitle = makeWrappedLabel({}, "", content);
    body->addWidget(m_stepTitle);
    m_prose = new LessonText(tr("Text of the step"), content);
    body->addWidget(m_prose);
    m_question = makeWrappedLabel({}, "", content);
    body->addWidget(m_question);
    m_result = makeWrappedLabel({}, "", content);
    body->addWidget(m_result);
    m_answers = new QWidget(content);
    makeColumn(0, {}, m_answers);
    m_group = new QButtonGroup(this);
    body->addWidget(m_answers);
    m_reveal = new LessonText(tr("What came out, and why"), content);
    body->addWidget(m_reveal);
    m_claims = new QWidget(content);
    m_claims->setAccessibleName(tr("Measured here"));
    makeColumn(0, {}, m_claims);
    body->addWidget(m_claims);
    m_others = makeWrappedLabel({}, "body2", content);
    body->addWidget(m_others);
    m_hidden = new QWidget(content);
    m_hidden->setAccessibleName(tr("Runs that are hidden until the answer"));
    auto* chips = new QGridLayout(m_hidden);
    chips->setColumnStretch(kChipsInARow, 1);
    chips->setContentsMargins(0, 0, 0, 0);
    body->addWidget(m_hidden);
    body->addStretch(1);
    m_scroll = makeScroll(content, m_lessonPage);
    column->addWidget(m_scroll, 1);
    column->addWidget(makeRule(Qt::Horizontal, m_lessonPage));

    auto* foot = makeColumn(8, {16, 10, 16, 12});
    m_note = makeWrappedLabel({}, "body2", m_lessonPage);
    foot->addWidget(m_note);
    m_goOn =
        makeButton(tr("Go on training"), QStringLiteral("train"), tr("Go on training to the step that the lesson needs"), m_lessonPage);
    foot->addWidget(m_goOn, 0, Qt::AlignLeft);
    m_progressText = makeLabel({}, "body2", m_lessonPage);
    foot->addWidget(m_progressText);
    m_progress = new TrainingLine(m_lessonPage);
    foot->addWidget(m_progress);
    m_keyHints = new QWidget(m_lessonPage);
    makeRow(6, {}, m_keyHints);
    m_votesHint = makeWrappedLabel(tr("The answer's letter or a click adds a vote, with Shift it takes one back."), "body2", m_lessonPage);
    foot->addWidget(m_votesHint);
    auto* hints = new QHBoxLayout;
    hints->addWidget(m_keyHints, 1);
    m_votes = makeButton(tr("Count votes"), {}, tr("Count the votes of a room for each answer"), m_lessonPage);
    m_votes->setCheckable(true);
    hints->addWidget(m_votes);
    foot->addLayout(hints);
    auto* buttons = makeRow(8);
    m_back = makeButton(tr("Back"), QStringLiteral("chevron-left"), tr("Back"), m_lessonPage);
    m_next = makeButton(tr("Next"), {}, tr("Next"), m_lessonPage);
    m_next->setProperty("look", "primary");
    buttons->addWidget(m_back);
    buttons->addWidget(m_next, 1);
    foot->addLayout(buttons);
    column->addLayout(foot);

    connect(m_reset, &QPushButton::clicked, m_player, &LessonPlayer::reset);
    connect(m_leave, &QPushButton::clicked, this, &LessonPanel::closeRequested);
    connect(m_back, &QPushButton::clicked, m_player, &LessonPlayer::back);
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (!goForward()) emit finishRequested();
    });
    connect(m_group, &QButtonGroup::idClicked, this, [this](int answer) {
        if (m_player->isCounting()) m_player->vote(answer, QApplication::keyboardModifiers() & Qt::ShiftModifier ? -1 : 1);
    });
    connect(m_goOn, &QPushButton::clicked, m_player, &LessonPlayer::goOn);
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool isChecked) {
        if (isChecked && !m_player->isCounting()) m_player->choose(id);
    });
    for (LessonText* text : {m_prose, m_reveal}) connect(text, &QTextBrowser::anchorClicked, this, &LessonPanel::linkRequested);
}

void LessonPanel::buildList() {
    auto* column = makeColumn(0, {}, m_listPage);
    auto* head = makeRow(8, {16, 12, 16, 10});
    QLabel* title = makeLabel(tr("Lessons"), "lead", m_listPage);
    head->addWidget(title, 1);
    QPushButton* file = makeButton(tr("Open file…"), {}, tr("Open a lesson file"), m_listPage);
    QPushButton* close = makeButton(tr("Close"), {}, tr("Close the list of lessons"), m_listPage);
    head->addWidget(file);
    head->addWidget(close);
    column->addLayout(head);
    column->addWidget(makeRule(Qt::Horizontal, m_listPage));
    auto* content = new QWidget;
    m_entries = makeColumn(8, {16, 12, 16, 12}, content);
    column->addWidget(makeScroll(content, m_listPage), 1);
    connect(file, &QPushButton::clicked, this, &LessonPanel::fileRequested);
    connect(close, &QPushButton::clicked, this, &LessonPanel::closePage);
}

/// Returns from the list to the lesson being played.
void LessonPanel::closePage() {
    const bool isListOverLesson = m_pages->currentWidget() == m_listPage && m_player->isPlaying();
    isListOverLesson ? showLesson() : emit closeRequested();
}

void LessonPanel::showList(const QStringList& finished) {
    emptyLayout(m_entries);
    int number = 0;
    QWidget* first = nullptr;
    for (const BundledLesson& lesson : shownLessons()) {
        const QString name = QString::fromStdString(lesson.name);
        const QString length = tr("%1 steps · about %2 minutes").arg(lesson.steps).arg(lesson.minutes);
        auto* entry = new LessonEntry(++number, QString::fromStdString(lesson.title), wordsOf(lesson.summary), length,
                                      finished.contains(name), m_entries->parentWidget());
        connect(entry, &QPushButton::clicked, this, [this, name] { emit lessonRequested(name); });
        m_entries->addWidget(entry);
        if (!first) first = entry;
    }
    m_entries->addStretch(1);
    m_pages->setCurrentWidget(m_listPage);
    if (first) first->setFocus(Qt::OtherFocusReason);
}

void LessonPanel::showLesson() {
    m_pages->setCurrentWidget(m_lessonPage);
}

// ---- Sizes ----

void LessonPanel::setPresenting(bool isPresenting, bool isSlim) {
    if (m_isPresenting == isPresenting && m_isSlim == isSlim) return;
    m_isPresenting = isPresenting;
    m_isSlim = isSlim;
    countVotes();
    setMinimumWidth(!isPresenting ? kWidth : isSlim ? kLeastSlim : 420);
    setMaximumWidth(isPresenting ? QWIDGETSIZE_MAX : kWidth);
    applySizes();
    refreshPlace();
}

void LessonPanel::applySizes() {
    m_tightness = m_isSlim ? 1 : 0;
    applyTextSizes();
    const int small = sizes().small;
    writeSize(m_title, sizes().title, true);
    for (QLabel* label : {m_number, m_phase, m_note, m_progressText, m_votesHint}) writeSize(label, small, false);
    m_leave->setVisible(!m_isPresenting);  // Present has its own close button and title
    m_title->setVisible(!m_isPresenting);
    m_dots->setSizes(sizes());
    // The style sheet's buttons with heights for a projector; colours are unchanged.
    const QString big = QStringLiteral(
        "QPushButton { font-size: %1px; min-height: %2px; padding: 0 16px; } QPushButton:focus { min-height: %3px; padding: 0 15px; }");
    const auto sized = [&](QPushButton* button, int type, int height) {
        button->setStyleSheet(m_isPresenting ? big.arg(type).arg(height).arg(height - 2) : QString());
        button->setIconSize(button->text().isEmpty() || button->icon().isNull() ? button->iconSize()
                            : m_isPresenting                                    ? QSize(26, 20)
                                                                                : QSize(18, 14));
    };
    for (QPushButton* button : {m_back, m_next}) sized(button, m_isSlim ? 18 : 24, m_isSlim ? 44 : 62);
    for (QPushButton* button : {m_reset, m_leave, m_goOn, m_votes}) sized(button, m_isSlim ? 16 : 20, m_isSlim ? 32 : 40);
    for (QPushButton* button : {m_back, m_next})
        if (!m_isPresenting)
            button->setStyleSheet(QStringLiteral("QPushButton { min-height: 30px; } QPushButton:focus { min-height: 28px; }"));
    writeKeyHints();
}

void LessonPanel::setActions(const QAction* next, const QAction* back, QAction* votes) {
    m_nextAction = next;
    m_backAction = back;
    m_votesAction = votes;
    showKeyInToolTip(m_votes, votes);
    connect(m_votes, &QPushButton::clicked, votes, &QAction::trigger);
    connect(votes, &QAction::toggled, this, &LessonPanel::countVotes);
    for (const QAction* action : {next, back}) connect(action, &QAction::changed, this, &LessonPanel::writeKeyHints);
    writeKeyHints();
}

/// Votes are counted in Present alone, which has the button for it; coming back to Present counts on.
void LessonPanel::countVotes() {
    if (!m_votesAction) return;
    m_votesAction->setEnabled(m_isPresenting && m_player->isPlaying());
    m_player->setCounting(m_isPresenting && m_votesAction->isChecked());
}

/// Present uses the fixed keys of clickers; the desk uses the configured keys.
void LessonPanel::writeKeyHints() {
    emptyLayout(m_keyHints->layout());
    const auto hint = [this](const QString& key, const QString& meaning) {
        if (key.isEmpty()) return;
        for (QLabel* label : {makeLabel(key, "key", m_keyHints), makeLabel(meaning, "body2", m_keyHints)}) {
            writeSize(label, LessonSizes::of(m_isPresenting, m_isSlim ? 1 : 0).small, false);
            m_keyHints->layout()->addWidget(label);
        }
    };
    hint(m_isPresenting ? QStringLiteral("→") : keyText(m_nextAction), tr("next"));
    hint(m_isPresenting ? QStringLiteral("←") : keyText(m_backAction), tr("back"));
    if (m_isPresenting && m_player->isQuestionOpen()) hint(QStringLiteral("↑"), tr("votes"));
    static_cast<QHBoxLayout*>(m_keyHints->layout())->addStretch(1);
}

void LessonPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_timer.begin();
}

// ---- Keys ----

std::optional<int> LessonPanel::answerOfKey(int key) const {
    if (!m_player->isQuestionOpen() || m_pages->currentWidget() != m_lessonPage) return std::nullopt;
    const int count = static_cast<int>(m_player->step().question->choices.size());
    for (const int first : {static_cast<int>(Qt::Key_A), static_cast<int>(Qt::Key_1)})
        if (key >= first && key < first + count) return key - first;
    return std::nullopt;
}

bool LessonPanel::takesKey(const QKeyEvent& key) const {
    if (key.modifiers() & ~Qt::KeypadModifier) return false;
    // In Present, Escape leaves Present; the lesson stays open. A key pressed by mistake does not lose an open question.
    if (key.key() == Qt::Key_Escape) return m_pages->currentWidget() == m_listPage || !(m_isPresenting || m_player->isQuestionOpen());
    return m_pages->currentWidget() == m_lessonPage && (key.key() == Qt::Key_R || answerOfKey(key.key()));
}

bool LessonPanel::event(QEvent* event) {
    // Single letters are keys of the window; with focus in the panel they choose answers.
    if (event->type() == QEvent::ShortcutOverride && takesKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void LessonPanel::keyPressEvent(QKeyEvent* event) {
    if (!takesKey(*event)) return QWidget::keyPressEvent(event);
    if (event->key() == Qt::Key_Escape) return closePage();
    if (event->key() == Qt::Key_R) return m_player->reset();
    if (!event->isAutoRepeat()) take(*answerOfKey(event->key()), 1);
}

bool LessonPanel::eventFilter(QObject* watched, QEvent* event) {
    // The lines below the answers come and go.
    if (m_isPresenting && !m_isEndAnnounced && event->type() == QEvent::Resize && watched == m_scroll->viewport() &&
        static_cast<QResizeEvent*>(event)->oldSize().height() != m_scroll->viewport()->height())
        QTimer::singleShot(0, this, &LessonPanel::fitAnswers);
    const bool isKey = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    const auto* widget = isKey ? qobject_cast<QWidget*>(watched) : nullptr;
    if (!widget || !m_player->isPlaying() || widget->window() != window() || !m_lessonPage->isVisible() || isTextField(*widget))
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const Qt::KeyboardModifiers modifiers = key->modifiers() & ~Qt::KeypadModifier;
    const auto answer = key->key() >= Qt::Key_A ? answerOfKey(key->key()) : std::nullopt;  // digits only in the panel
    const bool isVote = answer && modifiers == Qt::ShiftModifier && m_player->isCounting();
    // Presentation clickers send keys without modifiers.
    const bool isNext = m_isPresenting && (key->key() == Qt::Key_Right || key->key() == Qt::Key_PageDown);
    const bool isBack = m_isPresenting && (key->key() == Qt::Key_Left || key->key() == Qt::Key_PageUp);
    const bool isScroll = m_isPresenting && (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) && !m_player->isQuestionOpen();
    const bool isCount = m_isPresenting && key->key() == Qt::Key_Up && m_player->isQuestionOpen();
    if (!isVote && (modifiers != Qt::NoModifier || !(answer || isNext || isBack || isScroll || isCount))) return false;
    event->accept();
    if (event->type() == QEvent::ShortcutOverride || ((answer || isNext || isCount) && key->isAutoRepeat())) return true;
    if (answer)
        take(*answer, isVote ? -1 : 1);
    else if (isCount)
        m_votes->click();
    else if (isScroll)
        m_scroll->verticalScrollBar()->triggerAction(key->key() == Qt::Key_Down ? QAbstractSlider::SliderPageStepAdd
                                                                                : QAbstractSlider::SliderPageStepSub);
    else if (isNext && !isEndVisible())
        m_scroll->verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
    else if (isNext && isAtEnd(*m_player) && !m_isEndAnnounced)
        announceEnd();  // one press too many does not open the next lesson before the class
    else
        isNext ? m_next->click() : m_player->back();
    return true;
}

/// Returns whether the end of the page is on screen, so that the next key need not scroll.
bool LessonPanel::isEndVisible() const {
    const QScrollBar* bar = m_scroll->verticalScrollBar();
    return m_isEndAnnounced || m_player->isQuestionOpen() || bar->value() >= bar->maximum();  // the announcement itself takes room
}

void LessonPanel::announceEnd() {
    m_isEndAnnounced = true;
    m_next->setFocus(Qt::TabFocusReason);
    refreshState();
}

bool LessonPanel::goForward() {
    if (!m_player->isPlaying()) return false;
    const QString next = isAtEnd(*m_player) ? nextLesson() : QString();
    if (isAtEnd(*m_player) && next.isEmpty()) return false;
    next.isEmpty() ? m_player->next() : emit lessonRequested(next);
    return true;
}

void LessonPanel::take(int answer, int votes) {
    m_player->isCounting() ? m_player->vote(answer, votes) : m_player->choose(answer);
}

}  // namespace mantissa::gui
