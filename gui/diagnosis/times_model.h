// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the operations of a measured step, a row each, with the times of another run or of a GPU beside them. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <optional>

#include "engine/diagnosis/step_times.h"

namespace mantissa::gui {

/// Formats seconds as milliseconds with three significant digits: "3.21 ms".
QString millisecondsText(double seconds);
/// Returns the seconds in `other` of the operation that `row` of `own` is: in the same format or, if it has one format in each, in another.
/// Nothing: `other` has no such operation. Pure.
std::optional<double> secondsBeside(const StepTimes& own, const OperationTime& row, const StepTimes& other);

class TimesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Operation, Format, Runs, Time, Share, Rate, OfPeak, Bandwidth, Beside, Ratio, Limit, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void show(StepTimes times);
    /// Sets the times beside; `name`: the header of their column. Nothing: no such columns. Predicted times also have a limit.
    void setBeside(std::optional<StepTimes> times, const QString& name);
    const StepTimes& times() const { return m_times; }
    /// Returns a row's share of the step, 0 to 1.
    double share(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    StepTimes m_times;
    std::optional<StepTimes> m_beside;
    QString m_besideName;
    QString text(const OperationTime& row, int column) const;
};

}  // namespace mantissa::gui
