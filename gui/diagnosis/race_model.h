// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of a scaler race (comparison of loss scalers over one run's thresholds), a row per entrant: the run's own scaler, then every
// preset that has a scale. The race is repeated when thresholds arrive or an entrant is edited; its numbers are defined in
// engine/diagnosis/race.h. GUI thread only.
#pragma once

#include "engine/diagnosis/race.h"
#include "gui/controls/rows_model.h"

namespace mantissa::gui {

struct RaceEntrant {
    QString name;           // "this run's scaler", "pytorch"
    ScalerSettings before;  // initial settings
    RacedScaler result;
    bool isEdited() const { return result.settings != before; }
};

class RaceModel : public RowsModel<RaceEntrant> {
    Q_OBJECT
public:
    enum Column { NameColumn, SkippedColumn, RowColumn, HeadroomColumn, FinalColumn, EndColumn, ColumnCount };
    static constexpr int kOwnRow = 0;
    static constexpr int kSortRole = Qt::UserRole;  // values to sort by; missing ones are last
    explicit RaceModel(QObject* parent);

    /// Starts with another run; resets the entrants' settings.
    void begin(const ScalerSettings& own);
    void setThresholds(std::vector<StepThreshold> thresholds);
    /// Changes an entrant's settings, which must be valid.
    void edit(int row, const ScalerSettings& settings);

    const std::vector<StepThreshold>& thresholds() const { return m_thresholds; }

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void raceAll();
    QString text(const RaceEntrant& entrant, int column) const;
    std::vector<StepThreshold> m_thresholds;
};

}  // namespace mantissa::gui
