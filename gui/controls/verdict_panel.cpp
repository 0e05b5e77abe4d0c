// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/verdict_panel.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "engine/precision/scaler.h"
#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_list.h"

namespace mantissa::gui {
namespace {
constexpr int kTextLines = 2;  // of each text

}  // namespace

VerdictPanel::VerdictPanel(SessionModel* session, QWidget* parent) : QWidget(parent), m_session(session) {
    setAccessibleName(tr("Scaler verdict"));
    auto* column = makeColumn(4, {}, this);
    auto* head = makeRow(6);
    head->addWidget(makeLabel(tr("Scaler verdict"), "title", this), 1);
    m_sample = new RunSample(this);
    m_name = makeLabel({}, "body2", this);
    addWidgets(head, {m_sample, m_name});
    column->addLayout(head);

    auto* line = makeRow(8);
    m_sign = new IconLabel(this, 14);
    m_headline = makeLabel({}, "headline", this);
    m_count = makeLabel({}, "secondary", this);
    addWidgets(line, {m_sign, m_headline});
    line->addWidget(m_count, 1, Qt::AlignVCenter);
    column->addLayout(line);

    m_bar = new QWidget(this);  // placeholder; the panel paints the bar
    m_bar->setFixedHeight(4);
    column->addWidget(m_bar);
    m_sentence = makeWrappedLabel({}, "body2", this);
    m_skips = makeWrappedLabel({}, "secondary", this);
    for (QLabel* label : {m_sentence, m_skips}) {
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        label->setMinimumWidth(1);
        label->installEventFilter(this);
    }
    column->addWidget(m_sentence);
    auto* foot = makeRow(8);
    m_why = makeButton(tr("Open in Diagnose"), QStringLiteral("info"), tr("Open in Diagnose"), this);
    QSizePolicy policy = m_why->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_why->setSizePolicy(policy);
    m_why->hide();
    foot->addWidget(m_skips, 1, Qt::AlignTop);
    foot->addWidget(m_why, 0, Qt::AlignTop);
    column->addLayout(foot);
    connect(m_why, &QPushButton::clicked, this, [this] { emit whyRequested(m_whyRun, m_whyStep); });

    connect(&m_delay, &QTimer::timeout, this, &VerdictPanel::refresh);
    connectEach(session, &m_delay, &Delay::begin, &SessionModel::recordsAppended, &SessionModel::runChanged, &SessionModel::seriesReset,
                &SessionModel::runRewound, &SessionModel::runsChanged, &SessionModel::selectionChanged, &SessionModel::experimentLoaded);
    refresh();
}

void VerdictPanel::setFrozen(bool frozen) {
    m_isFrozen = frozen;
    if (!frozen) refresh();
}

const RunState* VerdictPanel::subject() const {
    const RunState* selected = m_session->run(m_session->selected());
    if (selected && !selected->isRecorded() && !selected->isWithheld && hasLossScaler(selected->info)) return selected;
    for (const auto& run : m_session->runs())
        if (!run->isRecorded() && !run->isWithheld && hasLossScaler(run->info)) return run.get();
    return nullptr;
}

void VerdictPanel::refresh() {
    if (m_isFrozen) return;
    const RunState* run = subject();
    setAllVisible({m_sample, m_name, m_sign, m_headline, m_count}, run != nullptr);
    // Without a run the sentence moves up, and the space for the headline is below it.
    m_headline->ensurePolished();
    layout()->setContentsMargins(0, 0, 0, run ? 0 : QFontMetrics(m_headline->font()).height() + layout()->spacing());
    m_share = -1;
    const auto why = run ? stepToAskOf(*run) : std::nullopt;
    m_why->setVisible(why.has_value());
    if (why) {
        m_whyRun = run->id;
        m_whyStep = *why;
        m_why->setToolTip(tr("Examine step %1 of %2").arg(groupedText(*why), run->name()));
    }
    if (!run) {
        m_sentenceText = tr("No run scales its loss.");
        m_skipsText.clear();
        fitTexts();
        update();
        return;
    }
    const Health health = healthOf(*run);
    const HealthSign sign = signOf(health);
    m_identity = run->identity;
    m_sample->setIdentity(run->identity);
    // A fork's name lists all its changes; it must not widen the panel beyond its dock.
    m_name->setText(m_name->fontMetrics().elidedText(run->name(), Qt::ElideRight, kPanelNamePixels));
    m_name->setToolTip(run->name());
    m_sign->setIcon(sign.icon, sign.ink);
    // The sentence below names the failure; a full title would widen the panel beyond its dock.
    m_headline->setText(titleOf(health));
    m_sentenceText = engineText(health.sentence);
    const auto skips = run->skipCount();
    m_skipsText =
        (skips == 0   ? tr("No step skipped so far.")
         : skips == 1 ? tr("1 step skipped, step %1.").arg(groupedText(run->skippedSteps.back()))
                      : tr("%1 steps skipped so far, the last at step %2.").arg(groupedText(skips), groupedText(run->skippedSteps.back())));
    m_count->clear();
    if (run->info.scalerIsDynamic && !isOver(*run)) {
        const ScalerPreset scaler = resolvedScaler(run->info.settings.training.scaler);
        const std::int64_t interval = scaler.growthInterval;
        if (interval > 0) m_count->setText(tr("%1 of %2 clean steps").arg(groupedText(run->cleanSteps), groupedText(interval)));
        // The count is shown above; the sentence names the next scale.
        const double grown = std::min(run->nextScale * scaler.growthFactor, scaler.maxScale);
        if (health.verdict == Verdict::Steady && interval > run->cleanSteps && grown > run->nextScale) {
            m_sentenceText = tr("It grows to %1 after %2 more.").arg(scaleText(grown), groupedText(interval - run->cleanSteps));
        }
        m_share = interval > 0 ? qBound(0.0, static_cast<double>(run->cleanSteps) / static_cast<double>(interval), 1.0) : -1;
    }
    fitTexts();
    update();
}

void VerdictPanel::fitTexts() {
    showInLines(m_sentence, m_sentenceText, kTextLines);
    showInLines(m_skips, m_skipsText, kTextLines);
}

bool VerdictPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) fitTexts();
    return QWidget::eventFilter(watched, event);
}

void VerdictPanel::paintEvent(QPaintEvent*) {
    if (m_share < 0) return;
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track = QRectF(m_bar->geometry()).adjusted(0, 0.5, 0, -0.5);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, 1.5, 1.5);
    painter.setBrush(theme.run(m_identity).color);
    if (m_share > 0)
        painter.drawRoundedRect(QRectF(track.left(), track.top(), qMax(3.0, track.width() * m_share), track.height()), 1.5, 1.5);
}

}  // namespace mantissa::gui
