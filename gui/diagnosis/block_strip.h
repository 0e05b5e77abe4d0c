// SPDX-License-Identifier: GPL-3.0-or-later
// The quantised operands of the steps that were read, as a strip: a row for each operand, a column for each step, coloured by the share of
// flushed or of saturated numbers. It keeps the operands, and shows the steps that have those of the chosen step. GUI thread only.
#pragma once

#include <QWidget>
#include <map>
#include <vector>

#include "engine/diagnosis/block_report.h"
#include "gui/diagnosis/layer_plots.h"

class QButtonGroup;
class QLabel;

namespace mantissa::gui {

/// Returns the name of an operand's row: "layers.0: x in y", with the notation y = x w^T, dx = dy w, dw = dy^T x. Pure.
QString operandLabel(const OperandBlocks& operand);

/// Returns up to `count` steps at equal distances from `first` to `last`, both included, without repetition. Pure.
std::vector<std::int64_t> spreadSteps(std::int64_t first, std::int64_t last, int count);

class BlockStrip : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMostSteps = 24;

    explicit BlockStrip(QWidget* parent);
    /// Adds a step, or replaces it. Of more than kMostSteps the one between the nearest neighbours is forgotten.
    void add(std::int64_t step, std::vector<OperandBlocks> operands);
    void clear();
    /// Returns the operands of a step; null: it was not read.
    const std::vector<OperandBlocks>* operandsOf(std::int64_t step) const;
    /// Highlights an operand of a step.
    void choose(std::int64_t step, int row);
    PrecisionStrip* plot() const { return m_plot; }

signals:
    void cellChosen(qint64 step, int row);
    void rowChosen(int row);

private:
    void refresh();
    int rowOf(const QString& label) const;
    std::map<std::int64_t, std::vector<OperandBlocks>> m_found;
    RunMeasurements m_shown;
    std::int64_t m_step = -1;  // the chosen one; -1: none
    QLabel* m_title;
    QButtonGroup* m_measure;
    PrecisionStrip* m_plot;
};

}  // namespace mantissa::gui
