// SPDX-License-Identifier: GPL-3.0-or-later
// The largest magnitude of every tensor up to the first non-finite one, as bars on a logarithmic axis with the format's limit. GUI thread
// only.
#pragma once

#include "engine/diagnosis/examination.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/rows_model.h"
#include "gui/plots/view_state.h"

namespace mantissa::gui {

/// A row of the chain: the header of a phase, or a tensor.
struct ChainRow {
    QString head;  // "Backward, loss × 2²²"; empty: a tensor
    ChainLink link;
    double largest = 0;      // the value drawn; of the culprit the FP32 value, if known
    bool isCulprit = false;  // the first one that is not finite
};

class ChainModel : public RowsModel<ChainRow> {
    Q_OBJECT
public:
    enum Column { NameColumn, BarColumn, ValueColumn, ColumnCount };
    explicit ChainModel(QObject* parent = nullptr) : RowsModel(ColumnCount, parent) {}
    void show(const Examination& examination);
    /// The row of the first non-finite tensor; -1: all were finite.
    int culprit() const { return m_culprit; }
    /// Returns the axis, in powers of two.
    Span axis() const { return m_axis; }
    /// Returns log2 of the format's largest value; NaN: no format is involved.
    double limit() const { return m_limit; }
    QString limitText() const { return m_limitText; }
    QString cls() const { return m_cls; }

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void fitAxis();
    int m_culprit = -1;
    Span m_axis{0, 16};
    double m_limit = 0;
    QString m_limitText, m_cls;
};

class ChainTable : public CopyTable {
    Q_OBJECT
public:
    ChainTable(ChainModel* model, QWidget* parent);
    /// Scrolls to the culprit and the tensors before it.
    void showCulprit();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitNames();
    ChainModel* m_model;
};

/// The axis below the bars, in powers of two.
class ChainAxis : public QWidget {
public:
    ChainAxis(const ChainModel* model, const ChainTable* table, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ChainModel* m_model;
    const ChainTable* m_table;
};

}  // namespace mantissa::gui
