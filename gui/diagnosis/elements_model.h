// SPDX-License-Identifier: GPL-3.0-or-later
// Item models for single numbers: elements of a step's tensors, a row each, and one number in every format. GUI thread only.
#pragma once

#include <QFont>
#include <optional>

#include "engine/diagnosis/elements.h"
#include "engine/diagnosis/number_bits.h"
#include "gui/controls/rows_model.h"

namespace mantissa::gui {

class ElementsModel : public RowsModel<Element> {
    Q_OBJECT
public:
    enum Column { TensorColumn, StorageColumn, IndexColumn, ValueColumn, WideColumn, ColumnCount };
    explicit ElementsModel(QObject* parent = nullptr) : RowsModel(ColumnCount, parent) {}
    void show(std::vector<Element> elements) { setRows(std::move(elements)); }

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
};

class FormatsModel : public RowsModel<NumberBits> {
    Q_OBJECT
public:
    enum Column {
        FormatColumn,
        BitsColumn,
        ValueColumn,
        ErrorColumn,
        RelativeColumn,
        UlpColumn,
        ClassColumn,
        BelowColumn,
        AboveColumn,
        ColumnCount
    };
    explicit FormatsModel(QObject* parent = nullptr) : RowsModel(ColumnCount, parent) {}
    /// Returns the font for bits, with digits of equal width.
    static QFont bitFont();
    /// Shows a value; nothing: no number. `storage`: the highlighted format.
    void show(std::optional<float> value, Dtype storage);

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    float m_value = 0;
    Dtype m_storage = Dtype::F32;
    QString text(const NumberBits& number, int column) const;
};

}  // namespace mantissa::gui
