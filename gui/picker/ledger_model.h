// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of a planned experiment's memory: a column per run, a row per purpose. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include "engine/experiment/messages.h"
#include "gui/controls/number_text.h"
#include "gui/plots/memory_model.h"

namespace mantissa::gui {

class LedgerModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The purposes start at FirstPurpose, in the order of the theme's greys. Scratch is not part of workspace and total here: it depends
    /// on the device more than on the format.
    enum Row {
        BarRow,
        FirstPurpose,
        TotalRow = FirstPurpose + static_cast<int>(kMemoryCategories),
        ScratchRow,
        PerParameterRow,
        BatchRow,
        RowCount
    };
    static constexpr int kNameColumn = 0;

    using QAbstractTableModel::QAbstractTableModel;
    /// Shows a preview. `gpuText`: the GPU's memory, "8 GiB".
    void show(const ExperimentPreviewed& preview, const QString& gpuText);
    /// Shows the numbers paler while new ones are pending.
    void setStale(bool stale);
    bool isStale() const { return m_isStale; }
    const MemoryLedger& ledger(int column) const { return m_preview.runs[static_cast<std::size_t>(column - 1)].memory; }
    std::int64_t largestTotal() const;  // without scratch

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : RowCount; }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_preview.runs.size()) + 1;
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ExperimentPreviewed m_preview;
    QString m_gpuText;
    ByteUnit m_unit;
    bool m_isStale = false;

    QString gpuName() const { return m_gpuText.isEmpty() ? tr("a GPU") : m_gpuText; }
    QString nameOf(int row) const;
    QString valueOf(int row, const PreviewedRun& run) const;
};

/// Draws the stacked bars of the first row, and the greys beside the names.
class LedgerDelegate : public QStyledItemDelegate {
public:
    static constexpr int kBarPixels = 92;
    explicit LedgerDelegate(const LedgerModel* model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const LedgerModel* m_model;
};

}  // namespace mantissa::gui
