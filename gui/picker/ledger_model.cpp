// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/picker/ledger_model.h"

#include <QPainter>
#include <algorithm>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

constexpr int kChipPixels = 9, kChipRoom = kChipPixels + 7, kBarWidth = 30;

/// Bytes per parameter without any sample: 16 in FP32 with AdamW, 18 in mixed precision.
double bytesPerParameter(const MemoryLedger& m, std::int64_t parameters) {
    return static_cast<double>(m.weights + m.masterWeights + m.gradients + m.optimizer) / static_cast<double>(parameters);
}

/// Exact below 100 000 samples.
QString batchText(std::int64_t batch, bool hasGpu) {
    if (batch < 0) return hasGpu ? QStringLiteral("\u2026") : QStringLiteral("\u2013");
    if (batch == 0) return QObject::tr("none");
    return batch < 100'000 ? groupedText(batch) : QObject::tr("%1 M").arg(fixedText(static_cast<double>(batch) / 1e6, 1));
}

}  // namespace

void LedgerModel::show(const ExperimentPreviewed& preview, const QString& gpuText) {
    beginResetModel();
    m_preview = preview;
    m_gpuText = gpuText;
    m_unit = sharedUnit(largestTotal());
    m_isStale = false;
    endResetModel();
}

void LedgerModel::setStale(bool stale) {
    if (m_isStale == stale) return;
    m_isStale = stale;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

std::int64_t LedgerModel::largestTotal() const {
    std::int64_t largest = 1;
    for (const PreviewedRun& run : m_preview.runs) largest = std::max(largest, run.memory.withoutScratch());
    return largest;
}

QString LedgerModel::nameOf(int row) const {
    switch (row) {
        case BarRow:
            return m_unit.name;
        case TotalRow:
            return tr("total");
        case ScratchRow:
            return tr("scratch");
        case PerParameterRow:
            return tr("bytes/parameter");
        case BatchRow:
            return tr("batch for %1").arg(gpuName());
        default:
            return memoryCategoryName(static_cast<std::size_t>(row - FirstPurpose));
    }
}

QString LedgerModel::valueOf(int row, const PreviewedRun& run) const {
    const int decimals = static_cast<double>(largestTotal()) / m_unit.bytes < 999.5 ? 1 : 0;
    const auto orDash = [&](std::int64_t bytes) { return bytes == 0 ? QStringLiteral("\u2013") : inUnit(bytes, m_unit, decimals); };
    switch (row) {
        case BarRow:
            return {};
        case TotalRow:
            return inUnit(run.memory.withoutScratch(), m_unit, decimals);
        case ScratchRow:
            return orDash(run.memory.scratch);
        case PerParameterRow:
            return m_preview.parameters > 0 ? fixedText(bytesPerParameter(run.memory, m_preview.parameters), 1) : QString();
        case BatchRow:
            return batchText(run.largestBatch, !m_gpuText.isEmpty());
        default:
            return orDash(categoriesOf(run.memory)[static_cast<std::size_t>(row - FirstPurpose)]);
    }
}

QVariant LedgerModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const bool isName = index.column() == kNameColumn;
    const bool isResult = index.row() == TotalRow || index.row() == BatchRow;
    switch (role) {
        case Qt::DisplayRole:
            return isName ? nameOf(index.row()) : valueOf(index.row(), m_preview.runs[static_cast<std::size_t>(index.column() - 1)]);
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter | (isName ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ForegroundRole:
            return m_isStale ? Theme::current().ink3 : isName && !isResult ? Theme::current().ink2 : Theme::current().ink;
        case Qt::FontRole: {
            QFont font;
            font.setPixelSize(12);
            font.setBold(isResult);
            return font;
        }
        case Qt::ToolTipRole:
            if (index.row() == ScratchRow) return tr("Temporary memory of operations, on a CPU mostly of the emulation: not in the total");
            if (index.row() == PerParameterRow) return tr("Weights, master weights, gradients and optimizer, a parameter");
            if (index.row() != BatchRow) return {};
            if (isName) return tr("The largest batch that fits %1 together with the data set").arg(gpuName());
            if (const std::int64_t batch = m_preview.runs[static_cast<std::size_t>(index.column() - 1)].largestBatch; batch >= 0)
                return groupedText(batch);
            return {};
        default:
            return {};
    }
}

QVariant LedgerModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignBottom | (section == kNameColumn ? Qt::AlignLeft : Qt::AlignRight)) | Qt::TextWordWrap;
    if (section == kNameColumn) return role == Qt::DisplayRole ? tr("memory") : QVariant();
    const PreviewedRun& run = m_preview.runs[static_cast<std::size_t>(section - 1)];
    if (role == Qt::ToolTipRole) return QString::fromStdString(run.policyReason);
    if (role != Qt::DisplayRole) return {};
    return QString::fromStdString(run.name == run.policy ? policyScreenName(run.policy) : run.name + ": " + policyScreenName(run.policy));
}

QSize LedgerDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return index.column() == LedgerModel::kNameColumn ? size + QSize(kChipRoom, 0) : size;
}

void LedgerDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = Theme::current();
    const int purpose = index.row() - LedgerModel::FirstPurpose;
    QStyleOptionViewItem shifted = option;
    const bool isPurpose = purpose >= 0 && purpose < static_cast<int>(kMemoryCategories);
    const bool isLast = purpose + 1 == static_cast<int>(kMemoryCategories);  // the palest segment needs an edge against the surface
    if (index.column() == LedgerModel::kNameColumn) shifted.rect.adjust(kChipRoom, 0, 0, 0);
    QStyledItemDelegate::paint(painter, shifted, index);
    painter->save();
    if (index.row() == LedgerModel::TotalRow) {
        painter->setPen(QPen(theme.line, 1));
        painter->drawLine(option.rect.topLeft(), option.rect.topRight());
    }
    if (m_model->isStale()) painter->setOpacity(0.45);
    painter->setPen(QPen(theme.axis, 1));
    if (index.column() == LedgerModel::kNameColumn && isPurpose) {
        const QRect chip(option.rect.left() + 2, option.rect.center().y() - kChipPixels / 2, kChipPixels, kChipPixels);
        painter->fillRect(chip, theme.memory[static_cast<std::size_t>(purpose)]);
        if (isLast) painter->drawRect(chip.adjusted(0, 0, -1, -1));
    }
    if (index.column() != LedgerModel::kNameColumn && index.row() == LedgerModel::BarRow) {
        const auto bytes = categoriesOf(m_model->ledger(index.column()));
        double bottom = option.rect.bottom() - 4;
        const double scale = (option.rect.height() - 10) / static_cast<double>(m_model->largestTotal());
        const int left = option.rect.right() - 6 - kBarWidth;
        for (std::size_t c = 0; c < kMemoryCategories; ++c) {
            if (bytes[c] <= 0) continue;
            const double height = static_cast<double>(bytes[c]) * scale;
            const QRectF segment(left, bottom - height, kBarWidth, std::max(1.0, height - 1));
            painter->fillRect(segment, theme.memory[c]);
            if (c + 1 == kMemoryCategories) painter->drawRect(segment.adjusted(0.5, 0.5, -0.5, -0.5));
            bottom -= height;
        }
    }
    painter->restore();
}

}  // namespace mantissa::gui
