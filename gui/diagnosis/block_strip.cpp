// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/block_strip.h"

#include <QButtonGroup>
#include <QLabel>
#include <algorithm>
#include <limits>
#include <utility>

#include "gui/controls/parts.h"
#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {
namespace {

constexpr StripMeasure kBlockMeasures[] = {StripMeasure::Flushed, StripMeasure::Overflow};  // in the order of the segments

StripCell cellOf(const OperandBlocks& operand) {
    StripCell cell;
    cell.fill(std::numeric_limits<float>::quiet_NaN());
    cell[static_cast<std::size_t>(StripMeasure::Flushed)] = static_cast<float>(operand.flushedShare());
    cell[static_cast<std::size_t>(StripMeasure::Overflow)] = static_cast<float>(operand.saturatedShare());
    cell[static_cast<std::size_t>(StripMeasure::NonFinite)] = operand.nanScales > 0 ? 1 : 0;
    return cell;
}

}  // namespace

QString operandLabel(const OperandBlocks& operand) {
    constexpr const char *kOperands[] = {"x", "w", "dy"}, *kResults[] = {"y", "dx", "dw"};  // in the order of LinearOperand, of Direction
    QStringList results;
    for (const Direction product : operand.products) results << QLatin1String(kResults[static_cast<std::size_t>(product)]);
    return QStringLiteral("%1: %2 in %3")
        .arg(QString::fromStdString(operand.layer), QLatin1String(kOperands[static_cast<std::size_t>(operand.operand)]),
             results.join(QStringLiteral(", ")));
}

std::vector<std::int64_t> spreadSteps(std::int64_t first, std::int64_t last, int count) {
    std::vector<std::int64_t> steps;
    for (int i = 0; i < count && first <= last; ++i) {
        const std::int64_t step = count > 1 ? first + (last - first) * i / (count - 1) : last;
        if (steps.empty() || steps.back() != step) steps.push_back(step);
    }
    return steps;
}

BlockStrip::BlockStrip(QWidget* parent) : QWidget(parent) {
    auto* column = makeColumn(4, {}, this);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, "secondary", this);
    m_title->setToolTip(tr("The products of a linear layer are y = x wᵀ, dx = dy w and dw = dyᵀ x. Each reads two operands in blocks."));
    head->addWidget(m_title, 1);
    m_measure = makeSegments({tr("flushed"), tr("saturated")}, tr("Measure of the strip"), head, this);
    column->addLayout(head);
    m_plot = new PrecisionStrip(this);
    m_plot->setAccessibleName(tr("Blocks over steps: operands over the steps that were read"));
    column->addWidget(m_plot, 1);
    connect(m_measure, &QButtonGroup::idClicked, this, &BlockStrip::refresh);
    connect(m_plot, &PrecisionStrip::cellChosen, this, [this](const QString& label, qint64 step) { emit cellChosen(step, rowOf(label)); });
    connect(m_plot, &LayerPlot::layerChosen, this, [this](const QString& label) { emit rowChosen(rowOf(label)); });
    refresh();
}

int BlockStrip::rowOf(const QString& label) const {
    const auto& names = m_shown.layers.front();
    return static_cast<int>(std::find(names.begin(), names.end(), label.toStdString()) - names.begin());
}

void BlockStrip::add(std::int64_t step, std::vector<OperandBlocks> operands) {
    m_found[step] = std::move(operands);
    if (m_found.size() > kMostSteps) {
        auto least = std::next(m_found.begin());
        const auto between = [](auto at) { return std::next(at)->first - std::prev(at)->first; };
        for (auto at = least; std::next(at) != m_found.end(); ++at)
            if (at->first != step && (least->first == step || between(at) < between(least))) least = at;
        m_found.erase(least);
    }
    refresh();
}

void BlockStrip::clear() {
    m_found.clear();
    m_step = -1;
    refresh();
}

const std::vector<OperandBlocks>* BlockStrip::operandsOf(std::int64_t step) const {
    const auto found = m_found.find(step);
    return found == m_found.end() ? nullptr : &found->second;
}

void BlockStrip::choose(std::int64_t step, int row) {
    const std::vector<OperandBlocks>* operands = operandsOf(step);
    const bool isKnown = operands && row >= 0 && row < static_cast<int>(operands->size());
    if (std::exchange(m_step, step) != step) refresh();
    m_plot->setChosen(isKnown ? operandLabel((*operands)[static_cast<std::size_t>(row)]) : QString());
    m_plot->setChosenStep(step);
}

void BlockStrip::refresh() {
    m_shown = {};
    const auto sameOperands = [](const std::vector<OperandBlocks>& a, const std::vector<OperandBlocks>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const OperandBlocks& x, const OperandBlocks& y) {
            return x.format == y.format && operandLabel(x) == operandLabel(y);
        });
    };
    const std::vector<OperandBlocks>* chosen = operandsOf(m_step);
    if (!chosen && !m_found.empty()) chosen = &m_found.rbegin()->second;
    for (const OperandBlocks& each : chosen ? *chosen : std::vector<OperandBlocks>())
        m_shown.layers.front().push_back(operandLabel(each).toStdString());
    for (const auto& [step, operands] : m_found) {
        if (!sameOperands(operands, *chosen)) continue;  // another precision
        StripColumn column{.step = step, .cells = {}};
        for (const OperandBlocks& each : operands) column.cells.front().push_back(cellOf(each));
        m_shown.columns.push_back(std::move(column));
    }
    const std::size_t shown = m_shown.columns.size(), all = m_found.size();
    m_title->setText(shown == all ? tr("Over the steps that were read")
                                  : tr("Over %1 of %2 steps that were read; the others have another precision").arg(shown).arg(all));
    m_plot->show(&m_shown, StripGroup::Forward, kBlockMeasures[std::max(0, m_measure->checkedId())]);
}

}  // namespace mantissa::gui
