// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/event_model.h"

#include <algorithm>

#include "gui/controls/number_text.h"
#include "gui/plots/marker_text.h"

namespace mantissa::gui {
namespace {

Glyph glyphOf(const std::string& cls) {
    return cls == "+Inf" ? Glyph::PositiveInf : cls == "-Inf" ? Glyph::NegativeInf : Glyph::NaN;
}

QString burstText(const SkipBurst& burst) {
    if (burst.count == 1) return QObject::tr("step %1 skipped").arg(groupedText(burst.first));
    return QObject::tr("%1 steps skipped, %2 to %3").arg(groupedText(burst.count), groupedText(burst.first), groupedText(burst.last));
}

bool isSame(const LabEvent& a, const LabEvent& b) {
    return a.kind == b.kind && a.step == b.step && a.run == b.run && a.text == b.text;
}

}  // namespace

void appendBursts(std::vector<SkipBurst>& bursts, const std::vector<std::int64_t>& skippedSteps, std::size_t from) {
    for (std::size_t i = from; i < skippedSteps.size(); ++i) {
        const std::int64_t step = skippedSteps[i];
        if (bursts.empty() || step - bursts.back().last > kBurstGap) bursts.push_back({step, step, 0});
        bursts.back().last = step;
        ++bursts.back().count;
    }
}

EventModel::EventModel(const Lab* lab, QObject* parent) : QAbstractTableModel(parent), m_lab(lab) {
    refresh();
}

void EventModel::restart() {
    m_skips.clear();
    refresh();
}

std::vector<LabEvent> EventModel::collect() {
    std::vector<LabEvent> events;
    for (const Marker& marker : m_lab->markers())
        if (const RunState* run = m_lab->run(marker.run); run && !run->isWithheld)
            events.push_back({LabEvent::Kind::Change, marker.step, marker.run, tr("%1: %2 is effective").arg(run->name(), changeText(marker))});
    std::erase_if(m_skips, [this](const auto& entry) { return !m_lab->run(entry.first); });
    for (const auto& run : m_lab->runs()) {
        if (run->isWithheld) continue;
        if (run->info.parent >= 0) {
            const RunState* parent = m_lab->parentOf(*run);
            const QString from = parent ? parent->name() : tr("a run that is gone");
            events.push_back({LabEvent::Kind::Fork, run->info.firstStep, run->id, (run->isWhatIf() ? tr("%1: a what-if of %2") : tr("%1: forked from %2")).arg(run->name(), from)});
        }
        Followed& followed = m_skips[run->id];
        appendBursts(followed.bursts, run->skippedSteps, followed.scanned);
        followed.scanned = run->skippedSteps.size();
        for (const SkipBurst& burst : followed.bursts)
            events.push_back({LabEvent::Kind::Skips, burst.first, run->id, QStringLiteral("%1: %2").arg(run->name(), burstText(burst)), Glyph::Skipped});
        if (run->firstNonFinite) {
            const FirstNonFinite& first = *run->firstNonFinite;
            const Glyph glyph = glyphOf(first.cls);
            events.push_back({LabEvent::Kind::NonFinite, first.step, run->id,
                              tr("%1: first %2, %3 %4, %5").arg(run->name(), glyphName(glyph), QString::fromStdString(first.layer),
                                                                QString::fromStdString(first.operation), QString::fromStdString(first.phase)),
                              glyph});
        }
        if (!run->stopReason.isEmpty())
            events.push_back({LabEvent::Kind::Stopped, std::max<std::int64_t>(run->stepCount() - 1, 0), run->id,
                              tr("%1 stopped: %2").arg(run->name(), run->stopReason)});
    }
    // Newest first; of one step, what came later in this list (a consequence) stands above.
    std::reverse(events.begin(), events.end());
    std::stable_sort(events.begin(), events.end(), [](const LabEvent& a, const LabEvent& b) { return a.step > b.step; });
    return events;
}

void EventModel::refresh() {
    std::vector<LabEvent> events = collect();
    const std::size_t had = m_events.size(), has = events.size();
    const auto tailIsSame = [&](std::size_t count) {
        return std::equal(events.end() - static_cast<std::ptrdiff_t>(count), events.end(), m_events.end() - static_cast<std::ptrdiff_t>(count), isSame);
    };
    // The usual cases keep selection and scroll position: nothing new; new rows on top; a storm that grows in the top row.
    if (has == had && tailIsSame(had)) return;
    if (has > had && tailIsSame(had)) {
        beginInsertRows({}, 0, static_cast<int>(has - had) - 1);
        m_events = std::move(events);
        endInsertRows();
        return;
    }
    if (has == had && had > 0 && tailIsSame(had - 1)) {
        m_events = std::move(events);
        emit dataChanged(index(0, 0), index(0, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_events = std::move(events);
    endResetModel();
}

std::optional<std::int64_t> EventModel::nextStep(std::int64_t after) const {
    for (auto it = m_events.rbegin(); it != m_events.rend(); ++it)
        if (it->step > after) return it->step;
    return std::nullopt;
}

std::optional<std::int64_t> EventModel::previousStep(std::int64_t before) const {
    for (const LabEvent& event : m_events)
        if (event.step < before) return event.step;
    return std::nullopt;
}

std::optional<std::int64_t> EventModel::firstNonFinite() const {
    for (auto it = m_events.rbegin(); it != m_events.rend(); ++it)
        if (it->kind == LabEvent::Kind::NonFinite) return it->step;
    return std::nullopt;
}

bool EventModel::offersRewind(const LabEvent& event) const {
    const RunState* run = m_lab->run(event.run);
    return (event.kind == LabEvent::Kind::Skips || event.kind == LabEvent::Kind::NonFinite) && run && run->canRewindTo(event.step);
}

int EventModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_events.size());
}

int EventModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const LabEvent& event = m_events[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole) {
        if (index.column() == BackColumn) return offersRewind(event) ? tr("Rewind to before") : QString();
        return index.column() == StepColumn ? groupedText(event.step) : event.text;
    }
    if (role == Qt::TextAlignmentRole && index.column() == StepColumn) return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == StepColumn ? tr("step") : section == WordsColumn ? tr("event") : tr("way back");
}

}  // namespace mantissa::gui
