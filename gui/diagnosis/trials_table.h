// SPDX-License-Identifier: GPL-3.0-or-later
// The trials of an examination: repetitions of the step in other ways, a row each. GUI thread only.
#pragma once

#include <QAbstractTableModel>

#include "engine/diagnosis/examination.h"
#include "gui/controls/copy_table.h"

namespace mantissa::gui {

class TrialsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { LabelColumn, NonFiniteColumn, FlushedColumn, DifferenceColumn, OutcomeColumn, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void show(const Examination& examination);
    const Trial& trial(int row) const { return m_trials[static_cast<std::size_t>(row)]; }
    /// Returns whether the step was skipped.
    bool skips() const { return m_skips; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const Trial& trial, int column) const;
    std::vector<Trial> m_trials;
    bool m_skips = false;
};

class TrialsTable : public CopyTable {
    Q_OBJECT
public:
    TrialsTable(TrialsModel* model, QWidget* parent);

private:
    class Delegate;
    class Header;
    void fitHeight();
};

}  // namespace mantissa::gui
