// SPDX-License-Identifier: GPL-3.0-or-later
// What happened, in words, newest first: applied settings, forks, skips (a storm is one line), the first non-finite tensor, stopped runs.
// Beside what went wrong stands the way back.
// GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <vector>

#include "gui/link/lab.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {

struct LabEvent {
    enum class Kind { Change, Fork, Skips, NonFinite, Stopped };
    Kind kind = Kind::Change;
    std::int64_t step = 0;
    RunId run = -1;
    QString text;                  // "fp16: 53 steps skipped, 1 238 to 1 290"
    Glyph glyph = Glyph::Skipped;  // of Skips and NonFinite
};

/// Steps skipped one after the other, as one.
struct SkipBurst {
    std::int64_t first = 0, last = 0, count = 0;
};
/// Continues `bursts` with skips from index `from` on (kBurstGap).
void appendBursts(std::vector<SkipBurst>& bursts, const std::vector<std::int64_t>& skippedSteps, std::size_t from);

class EventModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { StepColumn, WordsColumn, BackColumn, ColumnCount };

    explicit EventModel(const Lab* lab, QObject* parent = nullptr);
    /// Takes in what the lab has gained.
    void refresh();
    /// The lab's series began anew, or some of their steps are gone.
    void restart();
    const std::vector<LabEvent>& events() const { return m_events; }  // newest first
    /// The event nearest after (before) a step; nothing when there is none.
    std::optional<std::int64_t> nextStep(std::int64_t after) const;
    std::optional<std::int64_t> previousStep(std::int64_t before) const;
    std::optional<std::int64_t> firstNonFinite() const;

    /// Whether its row offers to rewind the run to before it.
    bool offersRewind(const LabEvent& event) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Followed {
        std::size_t scanned = 0;
        std::vector<SkipBurst> bursts;
    };
    std::vector<LabEvent> collect();
    const Lab* m_lab;
    std::map<RunId, Followed> m_skips;
    std::vector<LabEvent> m_events;
};

}  // namespace mantissa::gui
