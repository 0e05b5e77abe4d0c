// SPDX-License-Identifier: GPL-3.0-or-later
// The selected run's model, operation by operation: formats, parameters, activations. A click on a format opens a menu of others for that
// layer. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/link/engine_client.h"

class QTableView;

namespace mantissa::gui {

class ArchitectureModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { LayerColumn, OperationColumn, FormatColumn, ParametersColumn, OutputColumn, ColumnCount };
    ArchitectureModel(SessionModel* session, QObject* parent);

    RunId run() const { return m_run; }
    const LayerLine& line(int row) const { return m_lines[static_cast<std::size_t>(row)]; }
    bool isForced(int row) const { return m_isForced[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_lines.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    SessionModel* m_session;
    RunId m_run = -1;
    std::vector<LayerLine> m_lines;
    std::vector<bool> m_isForced;  // by an override that covers the layer
    void sync();
};

class ArchitecturePage : public QWidget {
    Q_OBJECT
public:
    ArchitecturePage(SessionModel* session, EngineClient* engine, QWidget* parent);

private:
    SessionModel* m_session;
    EngineClient* m_engine;
    ArchitectureModel* m_model;
    QTableView* m_table;
    RunSample* m_sample;
    QLabel *m_name, *m_summary;

    void refresh();
    void offerFormats(const QModelIndex& index);
};

}  // namespace mantissa::gui
