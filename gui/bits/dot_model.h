// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the ways to sum one dot product, a row each, with their results. GUI thread only.
#pragma once

#include <vector>

#include "engine/diagnosis/dot_bench.h"
#include "gui/controls/rows_model.h"

namespace mantissa::gui {

/// One way over all lengths. `why`: the reason why these inputs cannot be summed in this way; there are no errors then.
struct DotRow {
    SumWay way;
    QString why;
    std::vector<DotError> errors;
};

/// Settings of the bench.
struct DotRequest {
    int length = 4096;
    DotValues values = DotValues::OneLarge;
    std::uint64_t seed = 1;
    Dtype input = Dtype::F16;
    Dtype sums = Dtype::F16;
    Accumulator core = Accumulator::Hopper;
    int chunk = 128;
};

/// Returns the ways of the table, in its order, without duplicates, with their results.
std::vector<DotRow> runBench(const DotRequest& request);

class DotModel : public RowsModel<DotRow> {
    Q_OBJECT
public:
    enum Column { WayColumn, ResultColumn, ErrorColumn, RelativeColumn, UlpColumn, ColumnCount };
    explicit DotModel(QObject* parent = nullptr) : RowsModel(ColumnCount, parent) {}
    void show(std::vector<DotRow> rows);

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const DotRow& row, int column) const;
};

}  // namespace mantissa::gui
