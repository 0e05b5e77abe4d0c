// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/health_line.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "engine/precision/scaler.h"
#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

std::int64_t growthInterval(const RunState& state) {
    return scalerInForce(state.info.settings.training.scaler).growthInterval;
}

/// What is broken is headed by its name in red; everything else is one plain sentence.
QString richText(const Health& health) {
    const QString title = engineText(health.title), sentence = engineText(health.sentence);
    if (health.severity != Severity::Bad) return sentence.toHtmlEscaped();
    const bool isNamed = sentence.startsWith(title);  // "Not finite since step 3 ...": the name stands there already
    return QStringLiteral("<span style='color:%1;font-weight:600'>%2</span>%3")
        .arg(Theme::current().danger.name(), (isNamed ? title : title + u'.').toHtmlEscaped(),
             (isNamed ? sentence.mid(title.size()) : u' ' + sentence).toHtmlEscaped());
}

}  // namespace

Health healthOf(const RunState& state) {
    return state.health.verdict(state.info, state.nextScale, state.cleanSteps, state.firstNonFinite, state.stopReason.toStdString(),
                                state.gauges());
}

HealthSign signOf(const Health& health) {
    switch (health.severity) {
        case Severity::Good:
            return {QStringLiteral("check"), IconInk::Ink2};
        case Severity::Note:
            return {QStringLiteral("info"), IconInk::Ink2};
        case Severity::Bad:
            break;
    }
    return {QStringLiteral("warning"), IconInk::Danger};
}

QString shortHealthText(const RunState& state) {
    const Health health = healthOf(state);
    const QString title = health.verdict == Verdict::SilentFailure ? QObject::tr("Silent failure") : engineText(health.title);
    if (health.verdict == Verdict::Steady && growthInterval(state) > 0)
        return QObject::tr("%1 · steady, %2 of %3 clean")
            .arg(scaleText(state.nextScale), groupedText(state.cleanSteps), groupedText(growthInterval(state)));
    const bool isScaled = state.info.scalerPreset != "none" && health.verdict != Verdict::NotStarted;
    return isScaled ? scaleText(state.nextScale) + QStringLiteral(" · ") + title.left(1).toLower() + title.mid(1) : title;
}

QString shownAfterAnswer() {
    return QObject::tr("health is shown after the answer");
}

std::optional<std::int64_t> stepToAskOf(const RunState& state) {
    if (healthOf(state).severity == Severity::Bad)
        if (const auto nonFinite = state.firstNonFiniteStep()) return nonFinite;
    for (auto it = state.examinations.rbegin(); it != state.examinations.rend(); ++it)
        if (it->wasSkipped || !it->card.tensor.empty()) return it->step;
    if (!state.skippedSteps.empty()) return state.skippedSteps.back();
    return state.firstNonFiniteStep();
}

HealthLine::HealthLine(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_icon = new IconLabel(this, 14);
    m_text = makeLabel({}, "body2", this);
    m_text->setWordWrap(true);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setContentsMargins(0, 0, 0, 0);
    words->setSpacing(0);
    words->addWidget(m_text);
    m_rewind = makeButton({}, {}, {}, this);
    m_rewind->setProperty("look", "link");
    m_rewind->setCursor(Qt::PointingHandCursor);
    words->addWidget(m_rewind, 0, Qt::AlignLeft);
    row->addLayout(words, 1);
    m_why = makeButton(tr("Why?"), {}, {}, this);
    m_why->setProperty("look", "inline");
    m_why->setCursor(Qt::PointingHandCursor);
    row->addWidget(m_why, 0, Qt::AlignTop);
    connect(m_why, &QPushButton::clicked, this, [this] { emit whyWished(m_whyStep); });
    connect(m_rewind, &QPushButton::clicked, this, [this] { emit rewindWished(m_wrongStep); });
}

void HealthLine::withhold() {
    m_icon->setIcon(QStringLiteral("eye-off"), IconInk::Ink2);
    const QString words = shownAfterAnswer();
    m_text->setText(words.left(1).toUpper() + words.mid(1) + u'.');
    m_why->hide();
    m_rewind->hide();
}

void HealthLine::show(const RunState& state) {
    const Health health = healthOf(state);
    const HealthSign sign = signOf(health);
    m_icon->setIcon(sign.icon, sign.ink);
    m_text->setTextFormat(Qt::RichText);
    m_text->setText(richText(health));
    const auto why = stepToAskOf(state);
    m_why->setVisible(why.has_value());
    if (why && std::exchange(m_whyStep, *why) != *why) {
        m_why->setAccessibleName(QObject::tr("Why? Look at step %1 of %2").arg(groupedText(*why), state.name()));
        m_why->setToolTip(m_why->accessibleName());
    }
    // Only what is broken asks for a way back.
    const auto nonFinite = state.firstNonFiniteStep(), wrong = nonFinite ? nonFinite : state.lastSkipStep();
    const bool isOffered = health.severity == Severity::Bad && wrong && state.canRewindTo(*wrong);
    m_rewind->setVisible(isOffered);
    if (!isOffered) return;
    m_wrongStep = *wrong;
    m_rewind->setText(QObject::tr("Rewind to step %1").arg(groupedText(*wrong)));
    m_rewind->setAccessibleName(QObject::tr("Rewind %1 to step %2").arg(state.name(), groupedText(*wrong)));
}

}  // namespace mantissa::gui
