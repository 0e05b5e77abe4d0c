// SPDX-License-Identifier: GPL-3.0-or-later
// The read-out as a table: one row a quantity, one column a run, all at one step. Each row has one number of decimals, so that points
// align. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <limits>
#include <optional>

#include "gui/plots/run_trace.h"

namespace mantissa::gui {

class ReadoutModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Row { Loss, Raw, Validation, Accuracy, LossScale, Skipped, GradNorm, LearningRate, Throughput, Tflops, RowCount };
    enum Role { IdentityRole = Qt::UserRole + 1, IsNonFiniteRole };
    /// A number still to be written, or text that stands as it is.
    struct Cell {
        double value = std::numeric_limits<double>::quiet_NaN();  // of a text too, where it has one
        bool isNumber = false, isNonFinite = false;
        QString text;
    };

    explicit ReadoutModel(const Lab* lab, QObject* parent = nullptr);
    /// -1: each run's latest step.
    void setStep(std::int64_t step);
    /// As the plots smooth the lines of these metrics.
    void setSmoothing(const Smoothing& loss, const Smoothing& throughput);
    /// Numbers of fewer characters, for columns that have room for six.
    void setTight(bool tight);
    /// Of these plots, by key, those that have no row of their own come below the others.
    void setPlots(const std::vector<std::string>& keys);
    /// Runs came, went, hid or changed names: the columns are new.
    void resetRuns();
    /// Values may have changed; the columns are the same.
    void refresh();
    /// The step that the header names; -1 when there is none.
    std::int64_t shownStep() const;
    std::optional<double> shownEpoch() const;  // nothing: no run of the engine's own has a step
    /// A run's value at any step, as the table would have it there.
    Cell valueAt(Row row, const RunState& run, std::int64_t step) const;
    static QString rowName(Row row);
    /// Whether a run had not come to the shown step when it was last written.
    bool waits() const { return m_waits; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void writeRows();
    void writeRow(int row);
    Cell plotValue(const std::string& key, const RunState& run, std::int64_t step) const;
    /// A run's speed against what its device could do; empty where it has none.
    QString speedText(const RunState& run) const;

    const Lab* m_lab;
    std::int64_t m_step = -1;
    bool m_waits = false, m_isTight = false;
    Smoothing m_loss, m_throughput;
    std::vector<RunId> m_runs;
    std::vector<std::string> m_plots;        // of the rows from RowCount on
    std::vector<std::vector<Cell>> m_cells;  // [row][column]
};

}  // namespace mantissa::gui
