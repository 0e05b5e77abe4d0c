// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/race_model.h"

#include <cmath>
#include <limits>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {

RaceModel::RaceModel(QObject* parent) : RowsModel(ColumnCount, parent) {
    begin({});
}

void RaceModel::begin(const ScalerSettings& own) {
    beginResetModel();
    m_rows.clear();
    m_rows.push_back({tr("this run's scaler"), own, raced(m_thresholds, own)});
    for (const ScalerSettings& preset : racingPresets())
        m_rows.push_back({QString::fromStdString(preset.preset), preset, raced(m_thresholds, preset)});
    endResetModel();
}

void RaceModel::setThresholds(std::vector<StepThreshold> thresholds) {
    m_thresholds = std::move(thresholds);
    raceAll();
}

void RaceModel::raceAll() {
    for (RaceEntrant& entrant : m_rows) entrant.result = raced(m_thresholds, entrant.result.settings);
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void RaceModel::edit(int row, const ScalerSettings& settings) {
    RaceEntrant& entrant = m_rows[static_cast<std::size_t>(row)];
    entrant.result = raced(m_thresholds, settings);
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

QString RaceModel::text(const RaceEntrant& entrant, int column) const {
    const RacedScaler& result = entrant.result;
    if (column == NameColumn) return entrant.isEdited() ? tr("%1, edited").arg(entrant.name) : entrant.name;
    if (m_thresholds.empty()) return QStringLiteral("–");
    switch (column) {
        case SkippedColumn:
            return groupedText(result.skippedSteps());
        case RowColumn:
            return groupedText(result.longestRow);
        case HeadroomColumn:
            return std::isnan(result.meanHeadroom) ? QStringLiteral("–") : fixedText(result.meanHeadroom, 1);
        case FinalColumn:
            return scaleText(result.finalScale);
        case EndColumn:
            return result.isOver() ? groupedText(result.endStep) : QStringLiteral("–");
        default:
            return {};
    }
}

QVariant RaceModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const RaceEntrant& each = row(index.row());
    const RacedScaler& result = each.result;
    switch (role) {
        case Qt::DisplayRole:
            return text(each, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (index.column() == NameColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ToolTipRole: {
            if (result.isOver())
                return tr("It ends at step %1: %2.").arg(groupedText(result.endStep), QString::fromStdString(result.endReason));
            const ScalerPreset* preset = scalerPreset(result.settings.preset);
            return preset ? nameText(preset->summary) : QString();
        }
        case kSortRole:
            switch (index.column()) {
                case NameColumn:
                    return each.name;
                case SkippedColumn:
                    return static_cast<qlonglong>(result.skippedSteps());
                case RowColumn:
                    return static_cast<qlonglong>(result.longestRow);
                case HeadroomColumn:  // no headroom is sorted last
                    return std::isnan(result.meanHeadroom) ? std::numeric_limits<double>::infinity() : result.meanHeadroom;
                case FinalColumn:
                    return result.finalScale;
                default:  // a scaler that did not finish is sorted last
                    return result.isOver() ? static_cast<qlonglong>(result.endStep) : std::numeric_limits<qlonglong>::max();
            }
        default:
            return {};
    }
}

QVariant RaceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == NameColumn ? Qt::AlignLeft : Qt::AlignRight));
    const std::array<std::pair<QString, QString>, ColumnCount> heads{
        {{tr("scaler"), tr("The run's own scaler, and every preset")},
         {tr("skipped"), tr("Steps that it would have skipped")},
         {tr("longest streak"), tr("The most skips in a row")},
         {tr("headroom"), tr("Powers of two between the scale and the highest usable scale of a step, mean over the steps taken")},
         {tr("final scale"), tr("After the last step")},
         {tr("ended"), tr("The step at which its framework would have ended the run")}}};
    const auto& [head, hint] = heads[static_cast<std::size_t>(section)];
    return role == Qt::DisplayRole ? QVariant(head) : role == Qt::ToolTipRole ? QVariant(hint) : QVariant();
}

}  // namespace mantissa::gui
