// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/event_lines.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/event_model.h"

namespace mantissa::gui {
namespace {

constexpr int kTickLength = 6;  // px
constexpr double kBoxHeight = 21, kMarkerSlot = 22, kPadding = 8, kFlagGap = 6;

QPen eventPen() {
    QPen pen(Theme::current().ink3, 1, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({4, 3});
    return pen;
}

constexpr qsizetype kFullNote = 36, kBriefNote = 14;  // characters of a note on its flag; the tool tip and the list show all

QString shortened(const QString& text, qsizetype letters) {
    return text.size() <= letters ? text : text.left(letters - 1).trimmed() + u'\u2026';
}

}  // namespace

QString FlagStrip::Flag::brief() const {
    if (isNote()) return shortened(changes.front(), kBriefNote);
    return changes.size() == 1 ? changes.front() : QStringLiteral("%1 +%2").arg(changes.front()).arg(changes.size() - 1);
}

QString FlagStrip::Flag::full() const {
    const QString words = isNote() ? shortened(changes.front(), kFullNote) : brief();
    return name.isEmpty() ? words : QStringLiteral("%1: %2").arg(name, words);
}

void EventLines::draw(QCPPainter* painter) {
    painter->setPen(eventPen());
    for (const QCPAxisRect* rect : rects) {
        const QCPAxis* x = rect->axis(QCPAxis::atBottom);
        int drawnAt = -1;
        for (const double place : places) {
            if (!x->range().contains(place)) continue;
            const int pixel = static_cast<int>(std::lround(x->coordToPixel(place)));
            if (pixel == drawnAt) continue;
            painter->drawLine(QPointF(pixel, rect->top()), QPointF(pixel, rect->bottom()));
            drawnAt = pixel;
        }
    }
    if (rects.empty()) return;
    painter->setPen(QPen(Theme::current().ink3, 1));
    const QCPAxis* x = rects.front()->axis(QCPAxis::atBottom);
    for (const double place : ticks) {
        if (!x->range().contains(place)) continue;
        const int pixel = static_cast<int>(std::lround(x->coordToPixel(place)));
        painter->drawLine(QPointF(pixel, rects.front()->top() - kTickLength), QPointF(pixel, rects.front()->top() - 1));
    }
}

void FlagStrip::moveTo(QCPAxisRect* rect, int distance) {
    m_rect = rect;
    m_distance = distance;
    setParentLayerable(rect);
}

void FlagStrip::setMarkers(const SessionModel& session, const std::vector<PlacedMarker>& markers, const std::vector<PlacedNote>& notes,
                           const std::vector<PlacedCheckpoint>& checkpoints, const Span& x, bool withRunNames) {
    m_flags.clear();
    m_sizes.clear();
    const QFontMetricsF metrics(font(kTickPixels));
    const StepToPixel toPixel{x, static_cast<double>(m_rect->left()), static_cast<double>(m_rect->width())};
    double longest = 0;
    for (const auto& [marker, place] : markers) {
        const RunState* run = session.run(marker->run);
        // more steps to train change nothing of the curves
        if (!run || !x.contains(place) || marker->pointer == QLatin1String("/steps")) continue;
        const QString setting = engineText(marker->label.toStdString());
        if (m_flags.empty() || m_flags.back().run != marker->run || m_flags.back().step != marker->step)
            m_flags.push_back({run->identity, marker->run, marker->step, place, run->name(), {}, setting});
        m_flags.back().changes << changeText(*marker);
        if (m_flags.back().setting != setting) m_flags.back().setting.clear();
        longest = std::max(longest, metrics.horizontalAdvance(setting + QStringLiteral(": ")));
    }
    for (const auto& [note, place] : notes) {
        if (!x.contains(place)) continue;
        const RunState* run = session.run(note->run);
        m_flags.push_back({-1, note->run, note->step, place, run ? run->name() : QString(), {QString::fromStdString(note->text)}, {}});
    }
    for (const auto& [run, step, place] : checkpoints)
        if (x.contains(place)) m_flags.push_back({run->identity, run->id, step, place, run->name(), {QObject::tr("checkpoint")}, {}});
    std::stable_sort(m_flags.begin(), m_flags.end(), [](const Flag& a, const Flag& b) { return a.x < b.x; });
    for (const Flag& flag : m_flags) {
        const double brief = kMarkerSlot + metrics.horizontalAdvance(flag.brief()) + kPadding;
        const double full = kMarkerSlot + metrics.horizontalAdvance(flag.full()) + kPadding;
        m_sizes.push_back({toPixel(flag.x), withRunNames ? full : brief, brief, kMarkerSlot});
    }
    const double folded = kPadding * 2 + longest + metrics.horizontalAdvance(QObject::tr("%1 changes").arg(99));
    m_places = placeFlags(m_sizes, m_rect->left() - 1, m_rect->right() + 1, kFlagGap, folded);
}

QRectF FlagStrip::boxOf(const FlagPlace& place) const {
    return {std::round(place.left) + 0.5, m_rect->top() - m_distance - kHeight + 0.5, std::round(place.width), kBoxHeight};
}

QString FlagStrip::foldedText(const FlagPlace& place) const {
    if (place.form == FlagForm::Marker) return QStringLiteral("+%1").arg(place.count);
    const QString changes = QObject::tr("%1 changes").arg(place.count);
    const auto first = m_flags.begin() + static_cast<std::ptrdiff_t>(place.first);
    const bool isOne = std::all_of(first, first + static_cast<std::ptrdiff_t>(place.count),
                                   [&](const Flag& flag) { return flag.setting == first->setting; });
    return isOne && !first->setting.isEmpty() ? first->setting + QStringLiteral(": ") + changes : changes;
}

QString FlagStrip::textAt(QPointF position) const {
    for (const FlagPlace& place : m_places) {
        if (!boxOf(place).contains(position)) continue;
        QStringList lines;
        for (std::size_t i = place.first; i < m_flags.size() && lines.size() < 12; ++i) {
            // Folded flags are consecutive, up to the next place.
            if (i >= place.first + place.count) break;
            const QString name = m_flags[i].name.isEmpty() ? QObject::tr("note") : m_flags[i].name;
            lines << QObject::tr("step %1  %2: %3").arg(groupedText(m_flags[i].step), name, m_flags[i].changes.join(QStringLiteral(", ")));
        }
        if (place.count > 12) lines << QObject::tr("and %1 more").arg(groupedText(static_cast<std::int64_t>(place.count) - 12));
        return lines.join(u'\n');
    }
    return {};
}

void FlagStrip::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    painter->setClipping(false);
    painter->setFont(font(kTickPixels));
    for (const FlagPlace& place : m_places) {
        const QRectF box = boxOf(place);
        const double x = std::round(m_sizes[place.first].x);
        painter->setAntialiasing(false);
        painter->setPen(eventPen());
        painter->drawLine(QPointF(x, box.bottom()), QPointF(x, m_rect->top()));
        painter->setAntialiasing(true);
        painter->setPen(QPen(theme.controlBorder, 1));
        painter->setBrush(theme.surface);
        painter->drawRoundedRect(box, 3, 3);
        painter->setPen(theme.ink);
        if (place.count > 1) {
            painter->drawText(box, Qt::AlignCenter, foldedText(place));
            continue;
        }
        const Flag& flag = m_flags[place.first];
        const QPointF sign(box.left() + kMarkerSlot / 2, box.center().y());
        if (flag.isNote())
            drawNoteSign(*painter, sign, theme.ink2);
        else
            drawRunMarker(*painter, sign, 7, theme.run(flag.identity), theme.surface);
        painter->setPen(theme.ink);
        if (place.form == FlagForm::Marker) continue;
        const bool isFull = place.form == FlagForm::Full && m_sizes[place.first].full > m_sizes[place.first].brief;
        painter->drawText(box.adjusted(kMarkerSlot, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, isFull ? flag.full() : flag.brief());
    }
}

}  // namespace mantissa::gui
