// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the operands that a step quantises to block formats, a row each. GUI thread only.
#pragma once

#include "engine/diagnosis/block_report.h"
#include "gui/controls/rows_model.h"

namespace mantissa::gui {

/// Formats a signal to quantisation noise ratio: "20.43 dB", "exact", "all 0", "NaN scale"; see BlockMap.
QString sqnrText(double sqnr);

class BlockModel : public RowsModel<OperandBlocks> {
    Q_OBJECT
public:
    enum Column { LayerColumn, ProductColumn, OperandColumn, SqnrColumn, FlushedColumn, SaturatedColumn, ColumnCount };
    explicit BlockModel(QObject* parent = nullptr) : RowsModel(ColumnCount, parent) {}
    void show(std::vector<OperandBlocks> operands) { setRows(std::move(operands)); }

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    static QString text(const OperandBlocks& operand, int column);
};

}  // namespace mantissa::gui
