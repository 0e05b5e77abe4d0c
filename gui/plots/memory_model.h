// SPDX-License-Identifier: GPL-3.0-or-later
// Memory by purpose, a row a run, with what it was before the last switch. GUI thread only.
#pragma once

#include <QAbstractListModel>
#include <array>
#include <map>
#include <optional>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// The ledger's six categories in the order of the theme's greys; the last one is the workspace without the operations' scratch.
inline constexpr std::size_t kMemoryCategories = 6;
std::array<std::int64_t, kMemoryCategories> categoriesOf(const MemoryLedger& ledger);
QString memoryCategoryName(std::size_t category);

/// What one row draws.
struct MemoryRow {
    QString name;
    int identity = 0;
    MemoryLedger ledger;
    std::optional<MemoryLedger> before;   // the last switch changed it
    QString note;                         // "13 % less than fp32", scratch left out; empty where a switch says more
    bool isEmulated = false;              // its scratch is mostly the emulation's
};

class MemoryModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit MemoryModel(const Lab* lab, QObject* parent = nullptr);
    /// Runs came, went or changed names; `forgets` also the memory before their switches.
    void resetRuns(bool forgets);
    /// A run's plan may have changed.
    void noteRun(RunId id);
    const MemoryRow& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    /// The largest total, with scratch, which fills the width.
    std::int64_t largestTotal() const;
    /// True when every run that has stepped reports exactly what was planned.
    bool isAsPlanned() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    /// The display text is the whole row in words, for screen readers and copying.
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Known {
        MemoryLedger now;
        std::optional<MemoryLedger> before;
    };
    void writeRows();
    const Lab* m_lab;
    std::map<RunId, Known> m_known;
    std::vector<MemoryRow> m_rows;
};

}  // namespace mantissa::gui
