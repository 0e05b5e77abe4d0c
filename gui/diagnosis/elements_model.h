// SPDX-License-Identifier: GPL-3.0-or-later
// Item models for single numbers: elements of a step's tensors, a row each, and one number in every format. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <QFont>
#include <optional>

#include "engine/diagnosis/elements.h"
#include "engine/diagnosis/number_bits.h"

namespace mantissa::gui {

class ElementsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { TensorColumn, StorageColumn, IndexColumn, ValueColumn, WideColumn, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void show(std::vector<Element> elements);
    const Element& element(int row) const { return m_elements[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Element> m_elements;
};

class FormatsModel : public QAbstractTableModel {
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
    using QAbstractTableModel::QAbstractTableModel;
    /// Returns the font for bits, with digits of equal width.
    static QFont bitFont();
    /// Shows a value; nothing: no number. `storage`: the highlighted format.
    void show(std::optional<float> value, Dtype storage);
    bool isStorage(int row) const { return m_numbers[static_cast<std::size_t>(row)].dtype == m_storage; }
    const NumberBits& number(int row) const { return m_numbers[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    float m_value = 0;
    Dtype m_storage = Dtype::F32;
    std::vector<NumberBits> m_numbers;
    QString text(const NumberBits& number, int column) const;
};

}  // namespace mantissa::gui
