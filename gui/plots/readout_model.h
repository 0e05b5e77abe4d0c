// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the read-out: a row per quantity, a column per run, all at one step. Each row has a fixed number of decimals, so that
// decimal points align. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <algorithm>
#include <limits>
#include <optional>

#include "gui/plots/run_trace.h"

namespace mantissa::gui {

class ReadoutModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Row { Loss, Raw, Validation, Accuracy, LossScale, Skipped, GradNorm, LearningRate, Throughput, Tflops, RowCount };
    enum Role { IdentityRole = Qt::UserRole + 1, IsNonFiniteRole };
    /// A number to be formatted, or a fixed text.
    struct Cell {
        double value = std::numeric_limits<double>::quiet_NaN();  // also of a text, if it has one
        bool isNumber = false, isNonFinite = false;
        QString text;
    };

    explicit ReadoutModel(const SessionModel* session, QObject* parent = nullptr);
    /// Sets the step; -1: each run's latest.
    void setStep(std::int64_t step);
    /// Sets the smoothing of these metrics' lines in the plots.
    void setSmoothing(const Smoothing& loss, const Smoothing& throughput);
    /// Uses shorter numbers, for columns with space for six characters.
    void setTight(bool tight);
    /// Adds rows for those of the plots, by key, that have no fixed row.
    void setPlots(const std::vector<std::string>& keys);
    /// Resets the columns after runs were added, removed, hidden or renamed.
    void resetRuns();
    /// Updates the values; the columns are unchanged.
    void refresh();
    /// Returns the step in the header; -1: none.
    std::int64_t shownStep() const { return m_step < 0 ? liveStep() : std::min(m_step, m_session->plottedSteps() - 1); }
    std::optional<double> shownEpoch() const;  // nothing: no run of the engine has a step
    /// Returns a run's value at any step, as the table shows it.
    Cell valueAt(Row row, const RunState& run, std::int64_t step) const;
    static QString rowName(Row row);
    /// Returns whether a run has this quantity or may get it. Runs that are trained here may get all of them.
    bool isApplicable(int row) const;
    /// Returns whether a run had not reached the shown step at the last update.
    bool waits() const { return m_waits; }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : RowCount + static_cast<int>(m_plots.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_runs.size()); }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void writeRows();
    void writeRow(int row);
    std::int64_t liveStep() const;
    /// Returns the step that a run's cells show.
    std::int64_t stepOf(const RunState& run) const { return m_step < 0 ? std::min(run.stepCount() - 1, liveStep()) : m_step; }
    Cell plotValue(const std::string& key, const RunState& run, std::int64_t step) const;
    /// Returns a run's speed relative to its device's measured peak; empty: unknown.
    QString speedText(const RunState& run) const;

    const SessionModel* m_session;
    std::int64_t m_step = -1;
    bool m_waits = false, m_isTight = false;
    Smoothing m_loss, m_throughput;
    std::vector<RunId> m_runs;
    std::vector<std::string> m_plots;        // for the rows from RowCount
    std::vector<std::vector<Cell>> m_cells;  // [row][column]
};

}  // namespace mantissa::gui
