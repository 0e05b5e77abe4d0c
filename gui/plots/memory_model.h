// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of memory by purpose, a row per run, with its value before the last change of format. GUI thread only.
#pragma once

#include <QAbstractListModel>
#include <array>
#include <map>
#include <optional>

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns the ledger's six categories in the order of the theme's greys; the last one is the workspace without the operations' scratch.
inline constexpr std::size_t kMemoryCategories = 6;
std::array<std::int64_t, kMemoryCategories> categoriesOf(const MemoryLedger& ledger);
QString memoryCategoryName(std::size_t category);

/// The data of one row.
struct MemoryRow {
    QString name;
    int identity = 0;
    MemoryLedger ledger;
    std::optional<MemoryLedger> before;  // before the last switch, which changed it
    QString note;                        // "13 % less than fp32", without scratch; empty if a switch is shown
    bool isEmulated = false;             // its scratch is mostly for emulation
};

class MemoryModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit MemoryModel(const SessionModel* session, QObject* parent = nullptr);
    /// Updates the rows after runs were added, removed or renamed; `forgets` also clears the memory before switches.
    void resetRuns(bool forgets);
    /// Updates a run whose plan may have changed.
    void noteRun(RunId id);
    const MemoryRow& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    /// Returns how the first run with a note differs from the fp32 run by category, in the unit of the bars: "fp16 beside fp32:
    /// weights −52, masters +104." Empty: no run has a note.
    const QString& comparison() const { return m_comparison; }
    /// Returns the largest total including scratch, which fills the width.
    std::int64_t largestTotal() const;
    /// Returns whether every run with a step reports exactly the planned memory.
    bool isAsPlanned() const;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
    /// Returns the whole row as display text, for screen readers and copying.
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Known {
        MemoryLedger now;
        std::optional<MemoryLedger> before;
    };
    void writeRows();
    const SessionModel* m_session;
    std::map<RunId, Known> m_known;
    QString compared(const MemoryRow& row, const RunState& reference) const;
    std::vector<MemoryRow> m_rows;
    QString m_comparison;
};

}  // namespace mantissa::gui
