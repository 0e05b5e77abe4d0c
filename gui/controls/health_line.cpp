// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/health_line.h"

#include <QEvent>
#include <QGridLayout>

#include "engine/precision/scaler.h"
#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr int kHealthLines = 2, kHealthPixels = 42;

std::int64_t growthInterval(const RunState& state) {
    return resolvedScaler(state.info.settings.training.scaler).growthInterval;
}

}  // namespace

Health healthOf(const RunState& state) {
    const auto cause = state.health.cause(state.examinations, state.firstNonFinite);
    return state.health.verdict(state.info, state.nextScale, state.cleanSteps, cause, state.stopReason.toStdString(), state.silentMatter());
}

HealthSign signOf(const Health& health) {
    if (health.severity == Severity::Bad) return {QStringLiteral("warning"), IconInk::Danger};
    return {health.severity == Severity::Good ? QStringLiteral("check") : QStringLiteral("info"), IconInk::Ink2};
}

QString titleOf(const Health& health) {
    return health.verdict == Verdict::SilentFailure ? QObject::tr("Silent failure") : engineText(health.title);
}

QString withinSentence(const QString& title) {
    return title.left(1).toLower() + title.mid(1);
}

bool isOver(const RunState& state) {
    return state.isWatched() && !isOpen(state.info.watch.link);
}

QString shortHealthText(const RunState& state) {
    const Health health = healthOf(state);
    const QString title = titleOf(health);
    if (health.verdict == Verdict::Steady && growthInterval(state) > 0 && !isOver(state))
        return QObject::tr("%1 · steady, %2 of %3 clean")
            .arg(scaleText(state.nextScale), groupedText(state.cleanSteps), groupedText(growthInterval(state)));
    const bool isScaled = state.info.scalerPreset != "none" && health.verdict != Verdict::NotStarted;
    return isScaled ? scaleText(state.nextScale) + QStringLiteral(" · ") + withinSentence(title) : title;
}

QString catchingUpText(const SessionModel& session, const RunState& state) {
    constexpr std::int64_t kMostApart = 64;  // devices run several steps of one run before they switch to the next
    const bool isOnItsWay = state.isLive() && session.state().state == LabState::Training && session.state().lockstep &&
                            session.stepCount() - state.stepCount() > kMostApart;
    if (!isOnItsWay || !state.stopReason.isEmpty()) return {};
    return QObject::tr("Catching up: step %1 of %2.").arg(groupedText(state.stepCount()), groupedText(session.stepCount()));
}

QString shownAfterAnswer() {
    return QObject::tr("health is shown after the answer");
}

std::optional<std::int64_t> stepToAskOf(const RunState& state) {
    const Health health = healthOf(state);
    const auto cause = state.health.cause(state.examinations, state.firstNonFinite);
    const auto nonFinite = health.severity == Severity::Bad && cause ? std::optional(cause->step) : std::nullopt;
    if (health.verdict == Verdict::SilentFailure && state.hasSteps()) {
        if (const auto matter = state.silentMatter(); matter && matter->step >= 0) return matter->step;
        if (const Examination* found = state.silentFinding()) return found->step;
        return state.gaugedStep >= 0 ? state.gaugedStep : nonFinite.value_or(state.stepCount() - 1);
    }
    if (nonFinite) return nonFinite;
    if (const Examination* found = state.badExamination()) return found->step;
    const auto burst = state.lastSkipStep();
    return burst ? burst : state.firstNonFiniteStep();
}

HealthLine::HealthLine(QWidget* badge, QWidget* parent) : QWidget(parent), m_badge(badge) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(1);
    m_icon = new IconLabel(this, 14);
    m_text = makeWrappedLabel({}, "body2", this);
    m_text->setTextFormat(Qt::RichText);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setMinimumWidth(1);
    const auto makeLink = [this](const QString& text) {
        QPushButton* link = makeButton(text, {}, {}, this);
        link->setProperty("look", "inline");
        link->setCursor(Qt::PointingHandCursor);
        return link;
    };
    m_why = makeLink(tr("Why?"));
    m_rewind = makeLink(tr("Rewind"));
    auto* links = makeColumn(0);
    links->addWidget(m_why, 0, Qt::AlignRight);
    links->addWidget(m_rewind, 0, Qt::AlignRight);
    links->addStretch();
    grid->addWidget(m_badge, 0, 0, 1, 2);
    grid->addWidget(m_icon, 1, 0, Qt::AlignTop);
    grid->addWidget(m_text, 1, 1, Qt::AlignTop);
    grid->addLayout(links, 0, 2, 2, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(1, 1);
    m_badge->installEventFilter(this);
    m_text->installEventFilter(this);  // links beside it appear and disappear
    setFixedHeight(kHealthPixels);
    connect(m_why, &QPushButton::clicked, this, [this] { emit whyRequested(m_whyStep); });
    connect(m_rewind, &QPushButton::clicked, this, [this] { emit rewindRequested(m_wrongStep); });
}

void HealthLine::withhold() {
    m_icon->setIcon(QStringLiteral("eye-off"), IconInk::Ink2);
    const QString words = shownAfterAnswer();
    say({}, words.left(1).toUpper() + words.mid(1) + u'.');
    m_why->hide();
    m_rewind->hide();
}

void HealthLine::say(const QString& title, const QString& sentence) {
    if (title == m_title && sentence == m_sentence) return;
    m_title = title;
    m_sentence = sentence;
    fit();
}

/// Fixed height of two lines, or of one line below a change: a growing card would move the others under the pointer.
void HealthLine::fit() {
    QFont bold = m_text->font();
    bold.setWeight(QFont::DemiBold);
    const int height = (kHealthLines - (m_badge->isHidden() ? 0 : 1)) * QFontMetrics(bold).lineSpacing();
    m_text->setFixedHeight(height);
    const QString title = m_title.isEmpty() ? QString()
                                            : QStringLiteral("<span style='color:%1;font-weight:600'>%2</span>")
                                                  .arg(Theme::current().danger.name(), m_title.toHtmlEscaped());
    const QString shown = cutAtWord(m_sentence, [&](const QString& words) {
        return fitsRich(title + words.toHtmlEscaped(), m_text->font(), {m_text->width(), height});
    });
    m_text->setText(title + shown.toHtmlEscaped());
    m_text->setToolTip(shown == m_sentence ? QString() : m_title + m_sentence);
    m_text->setAccessibleName(m_title + m_sentence);
}

void HealthLine::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

bool HealthLine::eventFilter(QObject* watched, QEvent* event) {
    const bool isOther = event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent;
    if (watched == m_text ? event->type() == QEvent::Resize : isOther) fit();
    return QWidget::eventFilter(watched, event);
}

void HealthLine::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) fit();
}

void HealthLine::show(const SessionModel& session, const RunState& state) {
    const Health health = healthOf(state);
    const HealthSign sign = signOf(health);
    m_icon->setIcon(sign.icon, sign.ink);
    // A failure has its name in red as its heading; any other state is one plain sentence.
    const QString title = engineText(health.title), sentence = engineText(health.sentence);
    const bool isNamed = sentence.startsWith(title);  // "Not finite since step 3 ...": the sentence contains the name
    const QString onItsWay = health.severity == Severity::Bad ? QString() : catchingUpText(session, state);
    if (!onItsWay.isEmpty())
        say({}, onItsWay);
    else if (health.severity != Severity::Bad)
        say({}, sentence);
    else
        say(isNamed ? title : title + u'.', isNamed ? sentence.mid(title.size()) : u' ' + sentence);
    const auto why = stepToAskOf(state);
    m_why->setVisible(why.has_value());
    if (why && std::exchange(m_whyStep, *why) != *why) {
        m_why->setAccessibleName(QObject::tr("Why? Examine step %1 of %2").arg(groupedText(*why), state.name()));
        m_why->setToolTip(m_why->accessibleName());
    }
    // Only a failure offers a rewind.
    const auto cause = state.health.cause(state.examinations, state.firstNonFinite);
    const auto wrong = cause ? std::optional(cause->step) : state.lastSkipStep();
    const bool isOffered = health.severity == Severity::Bad && wrong && state.canRewindTo(*wrong);
    m_rewind->setVisible(isOffered);
    if (!isOffered) return;
    m_wrongStep = *wrong;
    m_rewind->setToolTip(QObject::tr("Rewind to step %1").arg(groupedText(*wrong)));
    m_rewind->setAccessibleName(QObject::tr("Rewind %1 to step %2").arg(state.name(), groupedText(*wrong)));
}

}  // namespace mantissa::gui
