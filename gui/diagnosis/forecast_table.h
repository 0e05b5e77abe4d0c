// SPDX-License-Identifier: GPL-3.0-or-later
// The effect of a format on a run, a row per layer: for forward tensors, gradients and updates the shares that would be lost, and the
// headroom. GUI thread only.
#pragma once

#include <array>
#include <optional>

#include "engine/diagnosis/predict.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/rows_model.h"
#include "gui/diagnosis/measurements.h"

namespace mantissa::gui {

/// A layer's forecast, one for each StripGroup; nothing: it has no such tensor, or the tensor is stored in another format.
struct ForecastRow {
    QString layer;
    std::array<std::optional<LayerForecast>, kStripGroups> groups;
};
/// Returns the rows, the output at the top; gradients of values and of weights are combined. Pure.
std::vector<ForecastRow> forecastRows(const std::vector<LayerForecast>& forecasts);

class ForecastModel : public RowsModel<ForecastRow> {
    Q_OBJECT
public:
    explicit ForecastModel(QObject* parent = nullptr) : RowsModel(kColumns, parent) {}
    /// The columns of each group, after the layer's column.
    enum Measure { Flushed, Subnormal, Overflow, Headroom, MeasureCount };
    static constexpr int kColumns = 1 + static_cast<int>(kStripGroups) * MeasureCount;
    static int groupOf(int column) { return (column - 1) / MeasureCount; }
    static Measure measureOf(int column) { return static_cast<Measure>((column - 1) % MeasureCount); }

    void show(std::vector<ForecastRow> rows);
    /// Returns the forecast of a cell; null: none.
    const LayerForecast* forecastAt(const QModelIndex& index) const;
    static QString groupName(int group);
    static QString measureName(Measure measure);

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
};

class ForecastTable : public CopyTable {
    Q_OBJECT
public:
    ForecastTable(ForecastModel* model, QWidget* parent);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
};

}  // namespace mantissa::gui
