// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of a table whose rows are a vector of values. Models derive from it and give the texts. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <utility>
#include <vector>

namespace mantissa::gui {

template <typename Row>
class RowsModel : public QAbstractTableModel {
public:
    explicit RowsModel(int columns, QObject* parent = nullptr) : QAbstractTableModel(parent), m_columns(columns) {}

    const std::vector<Row>& rows() const { return m_rows; }
    const Row& row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : m_columns; }

protected:
    /// Replaces the rows; a selection is lost.
    void setRows(std::vector<Row> rows) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }

    std::vector<Row> m_rows;

private:
    int m_columns;
};

}  // namespace mantissa::gui
