// SPDX-License-Identifier: GPL-3.0-or-later
// Fills the panel with the content of a lesson's place.
#include <QAccessible>
#include <QButtonGroup>
#include <QFileInfo>
#include <QGridLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>
#include <numeric>
#include <utility>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/lessons/lesson_panel.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

/// Number of a bundled lesson, from 1; 0: the lesson came from a file.
int numberOf(const Lesson& lesson) {
    const auto& all = shownLessons();
    if (lesson.source != lesson.name) return 0;
    const auto it = std::find_if(all.begin(), all.end(), [&](const BundledLesson& bundled) { return bundled.name == lesson.name; });
    return it == all.end() ? 0 : static_cast<int>(it - all.begin()) + 1;
}

}  // namespace

QString LessonPanel::nextLesson() const {
    const auto& all = shownLessons();
    const auto number = static_cast<std::size_t>(numberOf(*m_player->lesson()));
    return number == 0 || number == all.size() ? QString() : QString::fromStdString(all[number].name);
}

void LessonPanel::refreshPlace() {
    if (!m_player->isPlaying()) return;
    m_isEndAnnounced = false;
    const Lesson& lesson = *m_player->lesson();
    const LessonPlace& place = m_player->place();
    const LessonStep& step = m_player->step();
    m_title->setText(QString::fromStdString(lesson.title));
    const int number = numberOf(lesson);
    m_number->setText(number > 0 ? tr("Lesson %1 of %2").arg(number).arg(shownLessons().size()) : tr("Lesson from a file"));
    m_dots->setPosition(static_cast<int>(place.step), static_cast<int>(lesson.steps.size()));
    m_phase->setText(!step.question ? tr("Read") : place.isRevealed ? tr("Answer") : tr("Predict"));
    m_stepTitle->setText(QString::fromStdString(step.title));
    const QFileInfo file(QString::fromStdString(m_player->lesson()->source));
    const QString folder = file.isFile() ? file.absolutePath() : QString();  // a bundled lesson has no pictures
    m_prose->setProse(place.isRevealed ? std::string() : step.shown.prose, folder);
    m_reveal->setProse(place.isRevealed ? step.reveal.prose : std::string(), folder);
    m_question->setVisible(step.question.has_value());
    m_question->setText(step.question ? wordsOf(step.question->text) : QString());

    for (QAbstractButton* button : m_group->buttons()) m_group->removeButton(button);
    emptyLayout(m_answers->layout());
    m_answers->setVisible(step.question.has_value());
    if (step.question) {
        int letter = 0;
        for (const LessonChoice& choice : step.question->choices) {
            auto* card = new AnswerCard(letter, wordsOf(choice.text), m_answers);
            m_group->addButton(card, letter++);
            m_answers->layout()->addWidget(card);
        }
    }
    refreshAnswers();
    writeKeyHints();
    refreshHidden();
    m_scroll->verticalScrollBar()->setValue(0);
    m_back->setEnabled(canGoBack(*m_player));
    const bool asks = step.question && !place.isRevealed;
    m_next->setText(isAtEnd(*m_player) ? nextLesson().isEmpty() ? tr("Finish") : tr("Next lesson")
                    : asks ? tr("Next: reveal")
                                       : tr("Next"));
    m_next->setAccessibleName(m_next->text());
    refreshState();
}

void LessonPanel::refreshAnswers() {
    const bool isRevealed = m_player->isPlaying() && m_player->place().isRevealed;
    m_result->setVisible(isRevealed);
    m_others->setVisible(isRevealed);
    m_votes->hide();
    m_votesHint->hide();
    if (!m_player->isPlaying() || !m_player->step().question) return fitAnswers();
    const std::vector<int> votes = m_player->votes();
    const int allVotes = std::accumulate(votes.begin(), votes.end(), 0);
    const bool isCounting = m_player->isCounting();
    m_votes->setVisible(m_isPresenting && m_player->isQuestionOpen());
    m_votes->setChecked(isCounting);
    m_votes->setText(isCounting ? tr("Stop counting") : tr("Count votes"));
    m_votesHint->setVisible(isCounting && m_player->isQuestionOpen());
    const auto chosen = m_player->choice();
    const auto& choices = m_player->step().question->choices;
    QString right;
    QStringList others;
    for (QAbstractButton* button : m_group->buttons()) {
        const int answer = m_group->id(button);
        const LessonChoice& choice = choices[static_cast<std::size_t>(answer)];
        const bool isMine = chosen == answer;
        if (isMine != button->isChecked()) {
            m_group->setExclusive(isMine);  // otherwise the last choice could not be cleared
            button->setChecked(isMine);
            m_group->setExclusive(true);
        }
        const QString letter = QChar(u'A' + answer);
        if (choice.isRight) right = letter;
        const bool hasVotes = allVotes > 0 || (isCounting && !isRevealed);
        const int ownVotes = votes.empty() ? 0 : votes[static_cast<std::size_t>(answer)];
        static_cast<AnswerCard*>(button)->setVotes(isCounting, hasVotes ? std::optional(ownVotes) : std::nullopt, allVotes);
        const bool isExplained = isMine || choice.isRight || (allVotes > 0 && ownVotes > 0);
        if (!isExplained) others << tr("Not %1: %2\n%3").arg(letter, wordsOf(choice.text), wordsOf(choice.why)).trimmed();
        button->setVisible(!isRevealed || isExplained);
        static_cast<AnswerCard*>(button)->setVerdict(!isRevealed      ? AnswerCard::Verdict::Open
                                                     : choice.isRight ? AnswerCard::Verdict::Right
                                                                      : AnswerCard::Verdict::Wrong,
                                                     isRevealed ? wordsOf(choice.why) : QString());
    }
    if (!isRevealed) return fitAnswers();
    m_others->setText(others.join(QStringLiteral("\n\n")));
    const bool isRight = chosen && choices[static_cast<std::size_t>(*chosen)].isRight;
    const int rightVotes = votes.empty() ? 0 : votes[static_cast<std::size_t>(right.front().unicode() - u'A')];
    m_result->setText(allVotes > 0 ? tr("It was %1: %2 of %3 votes.").arg(right).arg(rightVotes).arg(allVotes)
                      : !chosen    ? tr("It was %1.").arg(right)
                      : isRight    ? tr("Right: %1, as you said.").arg(right)
                                   : tr("Not %1: it was %2.").arg(QChar(u'A' + *chosen)).arg(right));
    fitAnswers();
    if (m_isPresenting)
        QTimer::singleShot(0, m_answers, [this, answer = right.front().unicode() - u'A'] {
            if (QAbstractButton* card = m_group->button(answer)) m_scroll->ensureWidgetVisible(card);
        });
    QAccessibleEvent alert(m_result, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void LessonPanel::applyTextSizes() {
    const LessonSizes& all = sizes();
    writeSize(m_stepTitle, m_isPresenting ? all.text : all.question, true);
    writeSize(m_question, m_isPresenting ? all.question : all.question - 1, true);
    writeSize(m_result, all.text, true);
    writeSize(m_others, all.small, false);
    m_prose->setSizes(all);
    m_reveal->setSizes(all);
    m_answers->layout()->setSpacing(all.gap);
    m_claims->layout()->setSpacing(all.gap / 2);
    m_hidden->layout()->setSpacing(all.gap / 2);
    for (QAbstractButton* button : m_group->buttons()) static_cast<AnswerCard*>(button)->setSizes(all);
}

/// In Present, all answers of an open question are on screen: in smaller type if needed, and without the step's text if that is not enough.
/// The explained answers are too, if the smallest type is enough.
void LessonPanel::fitAnswers() {
    const bool isAsked = m_isPresenting && m_player->isPlaying() && m_player->step().question, isOpen = m_player->isQuestionOpen();
    const int loosest = m_isSlim ? 1 : 0;
    const auto fits = [&](int tightness, bool isFolded) {
        m_tightness = tightness;
        m_prose->setFolded(isFolded);
        applyTextSizes();
        QLayout* body = m_scroll->widget()->layout();
        m_lessonPage->layout()->activate();
        m_answers->updateGeometry();  // the cards invalidate only their own layout
        body->activate();
        return body->totalHeightForWidth(m_scroll->viewport()->width()) <= m_scroll->viewport()->height();
    };
    setUpdatesEnabled(false);
    bool isFitted = fits(loosest, false) || !isAsked;
    for (const bool isFolded : {false, true})
        for (int tightness = isFolded ? loosest : loosest + 1; !isFitted && tightness <= LessonSizes::kTightest; ++tightness)
            isFitted = (!isFolded || isOpen) && fits(tightness, isFolded);
    if (!isFitted && !isOpen) fits(loosest, false);
    setUpdatesEnabled(true);
}

void LessonPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_isPresenting) fitAnswers();
}

void LessonPanel::refreshHidden() {
    const auto runs = hiddenRuns(*m_player, *m_session);
    emptyLayout(m_hidden->layout());
    m_hidden->setVisible(!runs.empty() && !m_isPresenting);  // Present has them above its plots
    for (const RunState* run : runs) {
        auto* chip = new HiddenRunChip(run->name(), run->identity, m_hidden);
        chip->setSizes(sizes());
        const int place = static_cast<QGridLayout*>(m_hidden->layout())->count();
        static_cast<QGridLayout*>(m_hidden->layout())->addWidget(chip, place / kChipsInARow, place % kChipsInARow);
    }
    m_timer.begin();
}

void LessonPanel::refreshState() {
    if (!m_player->isPlaying()) return;
    const auto progress = m_player->progress();
    const bool isPaused = progress && progress->isPaused;
    m_progress->setVisible(progress.has_value());
    m_progressText->setVisible(progress.has_value());
    m_goOn->setVisible(isPaused);
    if (progress) {
        m_progress->setProgress(progress->done, progress->until);
        m_progressText->setText(isPaused ? tr("paused at step %1 of %2").arg(groupedText(progress->done), groupedText(progress->until))
                                         : tr("training to step %1").arg(groupedText(progress->until)));
    }
    const bool isTouched = m_player->isTouched();
    m_note->setVisible(!m_player->problem().isEmpty() || m_isEndAnnounced || isTouched);
    m_note->setText(
        !m_player->problem().isEmpty() ? m_player->problem()
        : m_isEndAnnounced
            ? tr("This is the end of the lesson. One more press: “%1”.").arg(m_next->text())
            : tr("You have trained or changed these runs. Next continues with the lesson's own settings; Reset restores this step."));
    refreshClaims();
}

void LessonPanel::refreshClaims() {
    auto claims = m_player->claims();
    // A room reads the explanation; only what does not hold is new for it.
    if (m_isPresenting) std::erase_if(claims, [](const LessonPlayer::CheckedClaim& each) { return each.result.holds; });
    QStringList shown{QString::number(m_isPresenting)};
    for (const auto& [claim, result] : claims)
        shown << QString::fromStdString(claim->place() + (result.holds ? " holds " : " fails ") + result.measured + result.problem);
    if (std::exchange(m_shownClaims, shown) == shown) return;
    QLayout* column = m_claims->layout();
    emptyLayout(column);
    m_claims->setVisible(!claims.empty());
    if (claims.empty()) return;
    const LessonSizes& all = sizes();
    QLabel* title = makeLabel(tr("Measured here"), "", m_claims);
    title->setFont(pixelFont(font(), all.small, true));
    column->addWidget(title);
    for (const auto& [claim, result] : claims) {
        auto* row = new QWidget(m_claims);
        auto* line = makeRow(all.gap, {}, row);
        auto* sign = new IconLabel(row, all.small + 2);
        sign->setIcon(result.holds ? QStringLiteral("check") : QStringLiteral("info"), result.holds ? IconInk::AccentText : IconInk::Ink2);
        line->addWidget(sign, 0, Qt::AlignTop);
        auto* words = makeColumn(0);
        const QString measured = shownText(QString::fromStdString(result.measured)), problem = QString::fromStdString(result.problem);
        QLabel* value = makeWrappedLabel({}, "", row);
        value->setFont(pixelFont(font(), all.small, result.holds));
        value->setText(result.holds ? measured : tr("not in this run: %1").arg(problem.isEmpty() ? measured : problem));
        QLabel* text = makeWrappedLabel({}, "body2", row);
        text->setFont(pixelFont(font(), m_isPresenting ? all.small - 2 : kTagPixels));
        const QString sentence = engineText(claim->words());
        text->setText(sentence.left(1).toUpper() + sentence.mid(1));
        words->addWidget(text);
        words->addWidget(value);
        line->addLayout(words, 1);
        row->setAccessibleName(result.holds ? tr("Holds: %1").arg(measured) : value->text());
        column->addWidget(row);
    }
    if (m_isPresenting) fitAnswers();
}

}  // namespace mantissa::gui
