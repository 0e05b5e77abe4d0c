// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the events, newest first: changed settings, growths of the scale (consecutive ones on one line), forks, skips (a burst is
// one line), the first non-finite tensor and validation, stopped runs, checkpoints, and the user's notes. Rows of failures offer a rewind,
// rows of checkpoints a fork. States stored automatically by a recording are listed only on request. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "gui/link/session_model.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {

struct LabEvent {
    enum class Kind { Change, Growth, Fork, Skips, NonFinite, Stopped, Note, Checkpoint, Stored };
    static constexpr int kKindCount = static_cast<int>(Kind::Stored) + 1;
    Kind kind = Kind::Change;
    std::int64_t step = 0;
    RunId run = -1;
    QString text;                  // "fp16: 53 steps skipped, 1 238 to 1 290"
    Glyph glyph = Glyph::Skipped;  // for Skips and NonFinite
    std::int32_t note = -1;        // the note's number, for a Note
};

/// Returns a kind's name in one or two words: "setting", "skip".
QString kindName(LabEvent::Kind kind);

/// Returns a change without the run: "scale 2¹⁸ → 2²⁶", "FP32 → BF16", "lr 0.001 → 0.003".
QString changeText(const Marker& marker);

/// Returns whether a step was skipped, or its loss or gradients are not finite.
bool isLostAt(const RunState& run, std::int64_t step);

/// A burst of skipped steps, or growths of a loss scale without a skip or a changed setting between them.
struct StepBurst {
    std::int64_t first = 0, last = 0, count = 0;
};
/// Continues `bursts` with skips from index `from` on (kBurstGap).
void appendBursts(std::vector<StepBurst>& bursts, const std::vector<std::int64_t>& skippedSteps, std::size_t from);
/// Continues `bursts` with the flags of the values of `loss` from index `from` on. `changedAt`: steps of changed settings, ascending.
void appendGrowths(std::vector<StepBurst>& bursts, const std::vector<std::uint32_t>& flags, const Series& loss,
                   const std::vector<std::int64_t>& changedAt, std::size_t from);

class EventModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { StepColumn, KindColumn, WordsColumn, BackColumn, ColumnCount };

    explicit EventModel(const SessionModel* session, QObject* parent = nullptr);
    /// Adds new events of the lab.
    void refresh();
    /// Rebuilds the events after the lab's series were cleared or lost steps.
    void restart();
    /// Returns whether events of the kind are omitted from the list of all kinds.
    static bool isQuiet(LabEvent::Kind kind) { return kind == LabEvent::Kind::Stored; }
    /// Returns whether events of the kind are hidden while a lesson's question is open.
    static bool showsOutcome(LabEvent::Kind kind) {
        return kind == LabEvent::Kind::Growth || kind == LabEvent::Kind::Skips || kind == LabEvent::Kind::NonFinite ||
               kind == LabEvent::Kind::Stopped;
    }
    /// Lists events of one kind only; nothing: of all but the quiet ones.
    void setKind(std::optional<LabEvent::Kind> kind);
    /// Returns the number of events of a kind, listed or not.
    std::size_t countOf(LabEvent::Kind kind) const { return m_counts[static_cast<std::size_t>(kind)]; }
    /// Returns the number of events without the quiet ones.
    std::size_t countOfAll() const;
    /// Returns the newest event that is not quiet; null: none.
    const LabEvent* newest() const { return m_newest ? &*m_newest : nullptr; }
    const std::vector<LabEvent>& events() const { return m_events; }  // listed, newest first
    /// Returns the step of the nearest event after (before) a step; nothing: none.
    std::optional<std::int64_t> nextStep(std::int64_t after) const;
    std::optional<std::int64_t> previousStep(std::int64_t before) const;
    std::optional<std::int64_t> firstNonFinite() const { return m_firstNonFinite; }

    /// Returns whether its row offers to rewind the run to before it.
    bool offersRewind(const LabEvent& event) const;
    /// Returns whether it offers to fork the run there.
    bool offersFork(const LabEvent& event) const;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_events.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Followed {
        std::size_t scanned = 0, scannedFlags = 0, scannedChanges = 0, scannedValidations = 0;
        std::vector<StepBurst> bursts, growths;
        std::optional<std::size_t> badValidation;  // index of the first value that is not finite
    };
    std::vector<LabEvent> collect();
    /// Adds the events of what happened in the steps of a run.
    void addFromSteps(std::vector<LabEvent>& events, const RunState& run);
    const SessionModel* m_session;
    std::map<RunId, Followed> m_followed;
    std::optional<LabEvent::Kind> m_kind;
    std::array<std::size_t, LabEvent::kKindCount> m_counts{};
    std::optional<LabEvent> m_newest;
    std::optional<std::int64_t> m_firstNonFinite;
    std::vector<LabEvent> m_events;
};

}  // namespace mantissa::gui
