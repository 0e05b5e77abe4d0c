// SPDX-License-Identifier: GPL-3.0-or-later
// What a format would make of a run, a row a layer: of its forward tensors, its gradients and its updates the shares that would be lost,
// and the room that is left. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <array>
#include <optional>

#include "engine/diagnosis/predict.h"
#include "gui/controls/copy_table.h"
#include "gui/diagnosis/measurements.h"

namespace mantissa::gui {

/// A layer's forecast, one for each StripGroup; nothing: it has no such tensor, or that is kept in another format.
struct ForecastRow {
    QString layer;
    std::array<std::optional<LayerForecast>, kStripGroups> groups;
};
/// The output above; gradients of values and of weights together. Pure.
std::vector<ForecastRow> forecastRows(const std::vector<LayerForecast>& forecasts);

class ForecastModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    /// After the layer's column, in each group.
    enum Measure { Flushed, Subnormal, Overflow, Headroom, MeasureCount };
    static constexpr int kColumns = 1 + static_cast<int>(kStripGroups) * MeasureCount;
    static int groupOf(int column) { return (column - 1) / MeasureCount; }
    static Measure measureOf(int column) { return static_cast<Measure>((column - 1) % MeasureCount); }

    void show(std::vector<ForecastRow> rows);
    /// Null: there is none in that cell.
    const LayerForecast* forecastAt(const QModelIndex& index) const;
    static QString groupName(int group);
    static QString measureName(Measure measure);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<ForecastRow> m_rows;
};

class ForecastTable : public CopyTable {
    Q_OBJECT
public:
    ForecastTable(ForecastModel* model, QWidget* parent);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class Delegate;
    class Header;
    void fitColumns();
};

}  // namespace mantissa::gui
