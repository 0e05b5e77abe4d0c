// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/change_badge.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {
constexpr int kFreshMs = 10000, kBadgeHeight = 20;

/// "FP16", "loss scale 2²⁰", "clip 0.5": every setting but the precision is named.
QString subject(const QString& pointer, const QString& label, const QString& value) {
    if (pointer == u"/precision" || label.isEmpty()) return value;
    return value.isEmpty() ? label : label + u' ' + value;
}

QString labelOf(const QString& pointer) {
    static const std::pair<QLatin1String, QLatin1String> kNames[] = {{QLatin1String("/optimizer/lr"), QLatin1String("lr")},
                                                                     {QLatin1String("/clip_grad_norm"), QLatin1String("clip")},
                                                                     {QLatin1String("/scaler/scale"), QLatin1String("loss scale")},
                                                                     {QLatin1String("/scaler/preset"), QLatin1String("scaler")},
                                                                     {QLatin1String("/scaler/growth_factor"), QLatin1String("growth")},
                                                                     {QLatin1String("/scaler/backoff_factor"), QLatin1String("backoff")},
                                                                     {QLatin1String("/scaler/growth_interval"), QLatin1String("interval")}};
    for (const auto& [key, name] : kNames)
        if (pointer == key) return engineText(name.data());
    static const QLatin1String kOverride("/precision/overrides/");
    if (pointer.startsWith(kOverride)) return {};  // the request names the layer: "layers.7 in FP32"
    return pointer;
}

}  // namespace

ChangeBadge::ChangeBadge(SessionModel* session, QStringList prefixes, QWidget* parent)
    : QWidget(parent), m_session(session), m_prefixes(std::move(prefixes)), m_fade(kFreshMs) {
    auto* layout = makeRow(5, {6, 3, 8, 3}, this);
    m_icon = new IconLabel(this, 12);
    m_label = makeLabel({}, "small", this);
    layout->addWidget(m_icon);
    layout->addWidget(m_label, 1);
    m_label->setMinimumWidth(1);  // long texts are cut and never widen the dock
    m_label->installEventFilter(this);
    setFixedHeight(kBadgeHeight);
    connect(&m_fade, &QTimer::timeout, this, [this] {
        m_isFresh = false;
        refresh();
        emit freshChanged();
    });
    connect(session, &SessionModel::markersChanged, this, &ChangeBadge::checkForChange);
    refresh();
}

bool ChangeBadge::covers(const QString& pointer) const {
    return std::ranges::any_of(m_prefixes, [&](const QString& prefix) { return pointer.startsWith(prefix); });
}

void ChangeBadge::bind(RunId run) {
    m_run = run;
    m_seenMarkers = m_session->markers().size();
    m_isFresh = false;
    m_problem.clear();
    m_fade.stop();
    refresh();
}

void ChangeBadge::setProblem(const QString& sentence) {
    m_problem = sentence;
    refresh();
}

void ChangeBadge::checkForChange() {
    // Markers of a removed run leave the list; the remaining ones have been seen.
    m_seenMarkers = std::min(m_seenMarkers, m_session->markers().size());
    bool hasChanges = false;
    for (; m_seenMarkers < m_session->markers().size(); ++m_seenMarkers) {
        const Marker& marker = m_session->markers()[m_seenMarkers];
        if (marker.run != m_run || !covers(marker.pointer)) continue;
        if (std::exchange(m_freshStep, marker.step) != marker.step || !m_isFresh) m_freshPointers.clear(), m_freshSubjects.clear();
        m_isFresh = true;  // other changes of the step join it
        m_freshPointers << marker.pointer;
        m_freshSubjects << subject(marker.pointer, engineText(marker.label.toStdString()), shownText(engineText(marker.to.toStdString())));
        hasChanges = true;
    }
    if (!hasChanges) return;
    m_problem.clear();
    m_fade.start();
    refresh();
    emit freshChanged();
}

void ChangeBadge::refresh() {
    const RunState* state = m_session->run(m_run);
    const PendingChange* pending = nullptr;
    if (state)
        for (const PendingChange& change : state->pending)
            if (covers(change.pointer)) pending = &change;
    m_isPending = false;
    if (!m_problem.isEmpty())
        show(m_problem, QStringLiteral("warning"), IconInk::Danger, "danger");
    else if (pending) {
        m_isPending = true;
        show(tr("%1 pending · from the next step").arg(subject(pending->pointer, labelOf(pending->pointer), pending->requested)),
             QStringLiteral("clock"), IconInk::AccentText, "badge");
    } else if (m_isFresh)
        show(tr("%1 effective at step %2").arg(m_freshSubjects.join(QStringLiteral(", ")), groupedText(m_freshStep)),
             QStringLiteral("check"), IconInk::AccentText, "badge");
    else
        m_text.clear(), hide();
}

void ChangeBadge::show(const QString& text, const QString& icon, IconInk ink, const char* kind) {
    m_icon->setIcon(icon, ink);
    setStyleProperty(m_label, "kind", kind);
    if (std::exchange(m_text, text) != text) sayAloud(this, text);
    setVisible(true);
    fit();
    update();
}

void ChangeBadge::fit() {
    const QString shown = m_label->fontMetrics().elidedText(m_text, Qt::ElideRight, m_label->width());
    m_label->setText(shown);
    setToolTip(shown == m_text ? QString() : m_text);
}

bool ChangeBadge::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return QWidget::eventFilter(watched, event);
}

void ChangeBadge::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(Qt::NoPen);
    if (m_isPending) {
        pen = QPen(theme.accent, 1);
        pen.setDashPattern({3, 2});
    }
    painter.setPen(pen);
    painter.setBrush(m_problem.isEmpty() ? theme.accentWeak : theme.dangerFill);
    QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    // The badge is as wide as its text.
    box.setWidth(qMin(box.width(), m_label->x() + m_label->sizeHint().width() + 8.0));
    painter.drawRoundedRect(box, 4, 4);
}

}  // namespace mantissa::gui
