// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the cursors A and B: a value at each, their difference and ratio. One quantity of all runs, or all quantities of the
// selected run, a row each. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "gui/plots/cursor_pair.h"
#include "gui/plots/readout_model.h"

namespace mantissa::gui {

class CursorModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { AtA, AtB, Difference, Ratio, ColumnCount };

    /// `values`: provides a run's value at a step.
    CursorModel(const SessionModel* session, const ReadoutModel* values, QObject* parent = nullptr);
    void setPair(const CursorPair& pair);
    /// Sets the quantity; nothing: all quantities of the selected run.
    void setQuantity(std::optional<ReadoutModel::Row> quantity);
    /// Updates the rows after runs or their values have changed.
    void refresh();
    /// Returns whether a run has not reached a cursor yet.
    bool waits() const;
    /// Returns the distance in steps and in the selected run's time: "A 640 → B 1 060: 420 steps, 1.35 s".
    QString distanceText() const;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_lines.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Line {
        RunId run;
        ReadoutModel::Row quantity;
        QString texts[ColumnCount];
        bool isNonFinite[2] = {false, false};
    };
    void fill(Line& line, const RunState& run) const;

    const SessionModel* m_session;
    const ReadoutModel* m_values;
    CursorPair m_pair;
    std::optional<ReadoutModel::Row> m_quantity = ReadoutModel::Loss;
    std::vector<Line> m_lines;
};

}  // namespace mantissa::gui
