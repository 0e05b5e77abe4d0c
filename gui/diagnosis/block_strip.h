// SPDX-License-Identifier: GPL-3.0-or-later
// The quantised operands of the steps that were read, as a strip: a row for each operand, a column for each step, coloured by the share of
// flushed or of saturated numbers. It keeps the operands. GUI thread only.
#pragma once

#include <QWidget>
#include <map>
#include <vector>

#include "engine/diagnosis/block_report.h"
#include "gui/diagnosis/layer_plots.h"

class QButtonGroup;

namespace mantissa::gui {

/// Returns the name of an operand's row: "layers.0: x in y", with the notation y = x w^T, dx = dy w, dw = dy^T x. Pure.
QString operandLabel(const OperandBlocks& operand);

/// Returns up to `count` steps at equal distances from 0 to `last`, both included, without repetition. Pure.
std::vector<std::int64_t> spreadSteps(std::int64_t last, int count);

class BlockStrip : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMostSteps = 24;

    explicit BlockStrip(QWidget* parent);
    /// Adds a step, or replaces it. Of more than kMostSteps the earliest other one is forgotten.
    void add(std::int64_t step, std::vector<OperandBlocks> operands);
    void clear();
    /// Returns the operands of a step; null: it was not read.
    const std::vector<OperandBlocks>* operandsOf(std::int64_t step) const;
    /// Highlights an operand of a step.
    void choose(std::int64_t step, int row);
    PrecisionStrip* plot() const { return m_plot; }

signals:
    void cellChosen(qint64 step, int row);

private:
    void refresh();
    std::map<std::int64_t, std::vector<OperandBlocks>> m_found;
    RunMeasurements m_shown;
    QButtonGroup* m_measure;
    PrecisionStrip* m_plot;
};

}  // namespace mantissa::gui
