// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/block_strip.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "gui/controls/parts.h"
#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {
namespace {

constexpr StripMeasure kBlockMeasures[] = {StripMeasure::Flushed, StripMeasure::Overflow};  // in the order of the segments

QString resultName(Direction product) {
    switch (product) {
        case Direction::InputGrad:
            return QStringLiteral("dx");
        case Direction::WeightGrad:
            return QStringLiteral("dw");
        default:
            return QStringLiteral("y");
    }
}

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
    constexpr const char* kOperands[] = {"x", "w", "dy"};  // in the order of LinearOperand
    QStringList results;
    for (const Direction product : operand.products) results << resultName(product);
    return QStringLiteral("%1: %2 in %3")
        .arg(QString::fromStdString(operand.layer), QLatin1String(kOperands[static_cast<std::size_t>(operand.operand)]),
             results.join(QStringLiteral(", ")));
}

std::vector<std::int64_t> spreadSteps(std::int64_t last, int count) {
    std::vector<std::int64_t> steps;
    for (int i = 0; i < count && last >= 0; ++i) {
        const std::int64_t step = count > 1 ? last * i / (count - 1) : last;
        if (steps.empty() || steps.back() != step) steps.push_back(step);
    }
    return steps;
}

BlockStrip::BlockStrip(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    auto* title = makeLabel(tr("Over the steps that were read"), "secondary", this);
    title->setToolTip(tr("The products of a linear layer are y = x wᵀ, dx = dy w and dw = dyᵀ x. Each reads two operands in blocks."));
    head->addWidget(title, 1);
    m_measure = makeSegments({tr("flushed"), tr("saturated")}, tr("Measure of the strip"), head, this);
    column->addLayout(head);
    m_plot = new PrecisionStrip(this);
    m_plot->setAccessibleName(tr("Blocks over steps: operands over the steps that were read"));
    column->addWidget(m_plot, 1);
    connect(m_measure, &QButtonGroup::idClicked, this, &BlockStrip::refresh);
    const auto rowOf = [this](const QString& label) {
        const auto& names = m_shown.layers.front();
        return static_cast<int>(std::find(names.begin(), names.end(), label.toStdString()) - names.begin());
    };
    connect(m_plot, &PrecisionStrip::cellChosen, this,
            [this, rowOf](const QString& label, qint64 step) { emit cellChosen(step, rowOf(label)); });
}

void BlockStrip::add(std::int64_t step, std::vector<OperandBlocks> operands) {
    m_found[step] = std::move(operands);
    if (m_found.size() > kMostSteps) m_found.erase(m_found.begin()->first == step ? std::next(m_found.begin()) : m_found.begin());
    refresh();
}

void BlockStrip::clear() {
    m_found.clear();
    refresh();
}

const std::vector<OperandBlocks>* BlockStrip::operandsOf(std::int64_t step) const {
    const auto found = m_found.find(step);
    return found == m_found.end() ? nullptr : &found->second;
}

void BlockStrip::choose(std::int64_t step, int row) {
    const auto& names = m_shown.layers.front();
    m_plot->setChosen(row >= 0 && row < static_cast<int>(names.size()) ? QString::fromStdString(names[static_cast<std::size_t>(row)])
                                                                       : QString());
    m_plot->setChosenStep(step);
}

void BlockStrip::refresh() {
    m_shown = {};
    for (const auto& [step, operands] : m_found) {
        StripColumn column{.step = step, .cells = {}};
        std::vector<std::string> names;
        for (const OperandBlocks& each : operands) {
            names.push_back(operandLabel(each).toStdString());
            column.cells.front().push_back(cellOf(each));
        }
        if (names != m_shown.layers.front()) m_shown.columns.clear();  // an earlier precision had other operands
        m_shown.layers.front() = std::move(names);
        m_shown.columns.push_back(std::move(column));
    }
    m_plot->show(&m_shown, StripGroup::Forward, kBlockMeasures[std::max(0, m_measure->checkedId())]);
}

}  // namespace mantissa::gui
