// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/event_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/precision/scaler.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

Glyph glyphOf(const std::string& cls) {
    return cls == "+Inf" || cls == "Inf" ? Glyph::PositiveInf : cls == "-Inf" ? Glyph::NegativeInf : Glyph::NaN;
}

QString burstText(const StepBurst& burst) {
    if (burst.count == 1) return QObject::tr("step %1 skipped").arg(groupedText(burst.first));
    return QObject::tr("%1 steps skipped, %2 to %3").arg(groupedText(burst.count), groupedText(burst.first), groupedText(burst.last));
}

Glyph glyphOf(double value) {
    return std::isnan(value) ? Glyph::NaN : value > 0 ? Glyph::PositiveInf : Glyph::NegativeInf;
}

/// Returns the loss scale after a step that raised it. The step itself still used the previous scale.
double grownScale(const SessionModel& session, const RunState& run, std::int64_t step) {
    const std::int64_t after = step + 1;
    // A change of the scaler or of the format at the next step sets another scale.
    const auto setsScale = [&](const Marker& marker) {
        return marker.run == run.id && marker.step == after &&
               (marker.pointer.startsWith(QLatin1String("/scaler")) || marker.pointer.startsWith(QLatin1String("/precision")));
    };
    const std::vector<Marker>& markers = session.markers();
    if (std::any_of(markers.begin(), markers.end(), setsScale)) {
        const ScalerPreset scaler = resolvedScaler(session.settingsBefore(run, after).training.scaler);
        if (scaler.growthFactor > 1) return std::min(run.lossScale.exact(step) * scaler.growthFactor, scaler.maxScale);
    }
    return after < run.stepCount() ? run.lossScale.exact(run.placeIn(run.lossScale, after)) : run.nextScale;
}

QString growthText(const StepBurst& burst, const SessionModel& session, const RunState& run) {
    const double to = grownScale(session, run, burst.last);
    const QString from = scaleText(run.lossScale.exact(burst.first));
    if (burst.count == 1) return QObject::tr("loss scale grew from %1 to %2").arg(from, scaleText(to));
    return QObject::tr("loss scale grew %1 times, from %2 to %3, the last at step %4")
        .arg(groupedText(burst.count), from, scaleText(to), groupedText(burst.last));
}

bool isSameRow(const LabEvent& a, const LabEvent& b) {
    return a.kind == b.kind && a.step == b.step && a.run == b.run && a.note == b.note;
}

bool isSame(const LabEvent& a, const LabEvent& b) {
    return isSameRow(a, b) && a.text == b.text;
}

}  // namespace

bool isLostAt(const RunState& run, std::int64_t step) {
    return (run.flagsAt(step) & (kFlagSkipped | kFlagLossNonFinite | kFlagGradNormNonFinite)) != 0;
}

void appendBursts(std::vector<StepBurst>& bursts, const std::vector<std::int64_t>& skippedSteps, std::size_t from) {
    for (std::size_t i = from; i < skippedSteps.size(); ++i) {
        const std::int64_t step = skippedSteps[i];
        if (bursts.empty() || step - bursts.back().last > kBurstGap) bursts.push_back({step, step, 0});
        bursts.back().last = step;
        ++bursts.back().count;
    }
}

void appendGrowths(std::vector<StepBurst>& bursts, const std::vector<std::uint32_t>& flags, const Series& loss,
                   const std::vector<std::int64_t>& changedAt, std::size_t from) {
    const auto isChangedBetween = [&](std::int64_t growth, std::int64_t step) {
        const auto change = std::upper_bound(changedAt.begin(), changedAt.end(), growth);
        return change != changedAt.end() && *change <= step;
    };
    for (std::size_t i = from; i < flags.size(); ++i) {
        const std::int64_t step = loss.stepAt(i);
        if ((flags[i] & (kFlagSkipped | kFlagFoundInf)) != 0 && !bursts.empty() && bursts.back().count > 0) bursts.push_back({});
        if ((flags[i] & kFlagScaleGrew) == 0) continue;
        if (bursts.empty() || (bursts.back().count > 0 && isChangedBetween(bursts.back().last, step))) bursts.push_back({});
        if (bursts.back().count++ == 0) bursts.back().first = step;
        bursts.back().last = step;
    }
}

QString kindName(LabEvent::Kind kind) {
    static constexpr const char* kNames[LabEvent::kKindCount] = {
        QT_TRANSLATE_NOOP("QObject", "setting"), QT_TRANSLATE_NOOP("QObject", "loss scale"), QT_TRANSLATE_NOOP("QObject", "fork"),
        QT_TRANSLATE_NOOP("QObject", "skip"),    QT_TRANSLATE_NOOP("QObject", "not finite"), QT_TRANSLATE_NOOP("QObject", "stopped"),
        QT_TRANSLATE_NOOP("QObject", "note"),    QT_TRANSLATE_NOOP("QObject", "checkpoint"), QT_TRANSLATE_NOOP("QObject", "stored state")};
    return QObject::tr(kNames[static_cast<int>(kind)]);
}

QString changeText(const Marker& marker) {
    // A format needs no label; "loss scale" is too long for a flag, and no other scale is set by hand.
    const QString label = marker.pointer == QLatin1String("/precision")      ? QString()
                          : marker.pointer == QLatin1String("/scaler/scale") ? QObject::tr("scale") + u' '
                                                                             : engineText(marker.label.toStdString()) + u' ';
    const auto shown = [](const QString& value) { return shownText(engineText(value.toStdString())); };  // a choice is translated
    return label + shown(marker.from) + QStringLiteral(" \u2192 ") + shown(marker.to);
}

EventModel::EventModel(const SessionModel* session, QObject* parent) : QAbstractTableModel(parent), m_session(session) {
    refresh();
}

void EventModel::restart() {
    m_followed.clear();
    refresh();
}

std::vector<LabEvent> EventModel::collect() {
    std::vector<LabEvent> events;
    for (const Marker& marker : m_session->markers())
        if (const RunState* run = m_session->run(marker.run); run && !run->isWithheld)
            events.push_back(
                {LabEvent::Kind::Change, marker.step, marker.run, tr("%1: %2 is effective").arg(run->name(), changeText(marker))});
    std::erase_if(m_followed, [this](const auto& entry) { return !m_session->run(entry.first); });
    for (const auto& run : m_session->runs()) {
        if (run->isWithheld) continue;
        if (run->info.parent >= 0) {
            const RunState* parent = m_session->parentOf(*run);
            const QString from = parent ? parent->name() : tr("a run that is gone");
            events.push_back({LabEvent::Kind::Fork, run->info.firstStep, run->id,
                              (run->isWhatIf() ? tr("%1: a what-if of %2") : tr("%1: forked from %2")).arg(run->name(), from)});
        }
        addFromSteps(events, *run);
        if (run->firstNonFinite) {
            const FirstNonFinite& first = *run->firstNonFinite;
            const Glyph glyph = glyphOf(first.cls);
            const std::string place = first.layer.empty() && first.operation.empty() ? first.tensor : first.layer + ' ' + first.operation;
            events.push_back(
                {LabEvent::Kind::NonFinite, first.step, run->id,
                 tr("%1: first %2, %3, %4")
                     .arg(run->name(), glyphName(glyph), QString::fromStdString(place).trimmed(), QString::fromStdString(first.phase)),
                 glyph});
        }
        for (const Checkpoint& kept : run->checkpoints)
            events.push_back(
                {kept.isByHand ? LabEvent::Kind::Checkpoint : LabEvent::Kind::Stored, kept.step, run->id,
                 (kept.isByHand ? tr("%1: checkpoint, a fork from here trains nothing again") : tr("%1: state stored in the recording"))
                     .arg(run->name())});
        if (!run->stopReason.isEmpty())
            events.push_back({LabEvent::Kind::Stopped, std::max<std::int64_t>(run->stepCount() - 1, 0), run->id,
                              tr("%1 stopped: %2").arg(run->name(), run->stopReason)});
    }
    for (const auto& [id, note] : m_session->notes()) {
        const RunState* run = m_session->run(note.run);
        const QString words = QString::fromStdString(note.text);
        events.push_back(
            {LabEvent::Kind::Note, note.step, note.run, run ? QStringLiteral("%1: %2").arg(run->name(), words) : words, {}, id});
    }
    if (m_session->isQuestionOpen()) std::erase_if(events, [](const LabEvent& event) { return showsOutcome(event.kind); });
    // Newest first; within a step, later entries (consequences) come first.
    std::reverse(events.begin(), events.end());
    std::stable_sort(events.begin(), events.end(), [](const LabEvent& a, const LabEvent& b) { return a.step > b.step; });
    return events;
}

void EventModel::addFromSteps(std::vector<LabEvent>& events, const RunState& run) {
    Followed& followed = m_followed[run.id];
    appendBursts(followed.bursts, run.skippedSteps, followed.scanned);
    followed.scanned = run.skippedSteps.size();
    // A change may be reported after later steps, as in recordings.
    if (std::exchange(followed.scannedChanges, run.changedAt.size()) != run.changedAt.size()) {
        followed.growths.clear();
        followed.scannedFlags = 0;
    }
    appendGrowths(followed.growths, run.flags, run.loss, run.changedAt, followed.scannedFlags);
    followed.scannedFlags = run.flags.size();
    for (; followed.scannedValidations < run.validationLoss.count() && !followed.badValidation; ++followed.scannedValidations)
        if (run.validationLoss.classAt(followed.scannedValidations) != ValueClass::Finite)
            followed.badValidation = followed.scannedValidations;
    for (const StepBurst& burst : followed.growths)
        if (burst.count > 0)
            events.push_back({LabEvent::Kind::Growth, burst.first, run.id,
                              QStringLiteral("%1: %2").arg(run.name(), growthText(burst, *m_session, run))});
    for (const StepBurst& burst : followed.bursts)
        events.push_back(
            {LabEvent::Kind::Skips, burst.first, run.id, QStringLiteral("%1: %2").arg(run.name(), burstText(burst)), Glyph::Skipped});
    if (followed.badValidation) {
        const Glyph glyph = glyphOf(run.validationLoss.exactAt(*followed.badValidation));
        events.push_back({LabEvent::Kind::NonFinite, run.validationLoss.stepAt(*followed.badValidation), run.id,
                          tr("%1: validation not finite: %2").arg(run.name(), glyphName(glyph)), glyph});
    }
}

void EventModel::setKind(std::optional<LabEvent::Kind> kind) {
    if (std::exchange(m_kind, kind) == kind) return;
    refresh();
}

void EventModel::refresh() {
    std::vector<LabEvent> events = collect();
    m_counts = {};
    const auto newest = std::find_if(events.begin(), events.end(), [](const LabEvent& event) { return !isQuiet(event.kind); });
    m_newest = newest == events.end() ? std::nullopt : std::optional(*newest);
    m_firstNonFinite.reset();
    for (const LabEvent& event : events) {
        ++m_counts[static_cast<std::size_t>(event.kind)];
        if (event.kind == LabEvent::Kind::NonFinite) m_firstNonFinite = event.step;  // newest first: the last one assigned is the earliest
    }
    std::erase_if(events, [this](const LabEvent& event) { return m_kind ? event.kind != *m_kind : isQuiet(event.kind); });
    const std::size_t had = m_events.size(), has = events.size();
    const auto tailIsSame = [&](std::size_t count) {
        return std::equal(events.end() - static_cast<std::ptrdiff_t>(count), events.end(),
                          m_events.end() - static_cast<std::ptrdiff_t>(count), isSame);
    };
    // Selection and scroll position are kept in the usual cases: no change, new rows at the top, or rows with new text (a growing burst).
    if (has == had && tailIsSame(had)) return;
    if (has > had && tailIsSame(had)) {
        beginInsertRows({}, 0, static_cast<int>(has - had) - 1);
        m_events = std::move(events);
        endInsertRows();
        return;
    }
    if (has == had && std::equal(events.begin(), events.end(), m_events.begin(), isSameRow)) {
        m_events = std::move(events);
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_events = std::move(events);
    endResetModel();
}

std::size_t EventModel::countOfAll() const {
    std::size_t count = 0;
    for (std::size_t kind = 0; kind < m_counts.size(); ++kind)
        if (!isQuiet(static_cast<LabEvent::Kind>(kind))) count += m_counts[kind];
    return count;
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

bool EventModel::offersRewind(const LabEvent& event) const {
    const RunState* run = m_session->run(event.run);
    return (event.kind == LabEvent::Kind::Skips || event.kind == LabEvent::Kind::NonFinite) && run && run->canRewindTo(event.step);
}

bool EventModel::offersFork(const LabEvent& event) const {
    const RunState* run = m_session->run(event.run);
    return (event.kind == LabEvent::Kind::Checkpoint || event.kind == LabEvent::Kind::Stored) && run && run->canForkAt(event.step);
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const LabEvent& event = m_events[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole) {
        if (index.column() == BackColumn)
            return event.kind == LabEvent::Kind::Note ? tr("Edit note")
                   : offersRewind(event)              ? tr("Rewind to step %1").arg(groupedText(event.step))
                   : offersFork(event)                ? tr("Fork from here…")
                                                      : QString();
        if (index.column() == KindColumn) return kindName(event.kind);
        return index.column() == StepColumn ? groupedText(event.step) : event.text;
    }
    if (role == Qt::TextAlignmentRole && index.column() == StepColumn) return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == StepColumn ? tr("step") : section == KindColumn ? tr("kind") : section == WordsColumn ? tr("event") : tr("way back");
}

}  // namespace mantissa::gui
