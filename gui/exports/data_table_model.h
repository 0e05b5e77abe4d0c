// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the plotted values: a row per step, a column per run and quantity. Cells are read from the series on demand, so long runs
// cost nothing. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <string>
#include <vector>

#include "gui/link/session_model.h"

namespace mantissa::gui {

class DataTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit DataTableModel(const SessionModel* session, QObject* parent = nullptr) : QAbstractTableModel(parent), m_session(session) {}

    /// Maximum number of rows, to keep views fast.
    static constexpr std::int64_t kMostRows = 100'000;
    /// Shows series by key (RunState::series), as rows for steps [first, last) of the visible runs; of more than kMostRows those around
    /// `middle`. If values are sparse, as in runs from a file, steps without a value have no row.
    void show(const std::vector<std::string>& keys, std::int64_t first, std::int64_t last, std::int64_t middle);
    const std::vector<std::string>& keys() const { return m_keys; }

    std::int64_t stepAt(int row) const { return m_steps.empty() ? m_first + row : m_steps[static_cast<std::size_t>(row)]; }
    /// Returns the row of the last step up to `step`; -1: none.
    int rowOf(std::int64_t step) const;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_count); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()) + 1; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Column {
        RunId run;
        std::string key;
        QString name;
        bool operator==(const Column&) const = default;
    };
    std::vector<Column> columnsOf(const std::vector<std::string>& keys) const;
    /// Returns the steps with a value if they are sparse; nothing: most steps have one.
    std::optional<std::vector<std::int64_t>> sparseSteps(const std::vector<Column>& columns, std::int64_t first, std::int64_t last) const;
    QString text(const Column& column, std::int64_t step) const;

    const SessionModel* m_session;
    std::vector<std::string> m_keys;
    std::vector<Column> m_columns;
    std::int64_t m_first = 0, m_count = 0;
    std::vector<std::int64_t> m_steps;  // of the rows; empty: consecutive from m_first
};

}  // namespace mantissa::gui
