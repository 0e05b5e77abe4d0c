// SPDX-License-Identifier: GPL-3.0-or-later
// The trials of an examination: repetitions of the step in other ways, a row each. GUI thread only.
#pragma once

#include "engine/diagnosis/examination.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/rows_model.h"

namespace mantissa::gui {

class TrialsModel : public RowsModel<Trial> {
    Q_OBJECT
public:
    enum Column { LabelColumn, NonFiniteColumn, FlushedColumn, DifferenceColumn, OutcomeColumn, ColumnCount };
    explicit TrialsModel(QObject* parent = nullptr) : RowsModel(ColumnCount, parent) {}
    void show(const Examination& examination);
    /// Returns whether the step was skipped.
    bool skips() const { return m_skips; }

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const Trial& trial, int column) const;
    bool m_skips = false;
};

class TrialsTable : public CopyTable {
    Q_OBJECT
public:
    TrialsTable(TrialsModel* model, QWidget* parent);

private:
    void fitHeight();
};

}  // namespace mantissa::gui
