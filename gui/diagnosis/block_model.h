// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the operands that a step quantises to block formats, a row each. GUI thread only.
#pragma once

#include <QAbstractTableModel>

#include "engine/diagnosis/block_report.h"

namespace mantissa::gui {

/// Formats a signal to quantisation noise ratio: "20.43 dB", "exact", "all 0", "NaN scale"; see BlockMap.
QString sqnrText(double sqnr);

class BlockModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { LayerColumn, ProductColumn, OperandColumn, SqnrColumn, FlushedColumn, SaturatedColumn, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void show(std::vector<OperandBlocks> operands);
    const OperandBlocks& operand(int row) const { return m_operands[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<OperandBlocks> m_operands;
    static QString text(const OperandBlocks& operand, int column);
};

}  // namespace mantissa::gui
