// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/data_table_model.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/plots/metric_panels.h"

namespace mantissa::gui {
namespace {

constexpr int kShownDigits = 6;  // copied values have all digits

QString quantityName(const std::string& key) {
    static constexpr const char* kNames[kMetricCount] = {QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "loss"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "validation"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "accuracy"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "loss scale"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "skipped"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "grad norm"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "learning rate"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "ms a step"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "samples/s"),
                                                         QT_TRANSLATE_NOOP("mantissa::gui::DataTableModel", "bytes")};
    for (int metric = 0; metric < kMetricCount; ++metric)
        if (metricName(static_cast<Metric>(metric)) == key) return DataTableModel::tr(kNames[metric]);
    return ChosenPanel::kindOf(key).title;
}

}  // namespace

std::vector<DataTableModel::Column> DataTableModel::columnsOf(const std::vector<std::string>& keys) const {
    std::vector<Column> columns;
    for (const std::string& key : keys)
        for (const auto& run : m_session->runs()) {
            const Series* series = run->series(key);
            if (run->isHidden || !series || series->isEmpty()) continue;
            columns.push_back({run->id, key, tr("%1\n%2", "run, then quantity").arg(run->name(), quantityName(key))});
        }
    return columns;
}

std::optional<std::vector<std::int64_t>> DataTableModel::sparseSteps(const std::vector<Column>& columns, std::int64_t first,
                                                                     std::int64_t last) const {
    std::vector<std::int64_t> steps;
    for (const Column& column : columns) {
        const Series& series = *m_session->run(column.run)->series(column.key);
        const std::size_t begin = series.countBefore(first), end = series.countBefore(last);
        if (static_cast<std::int64_t>(end - begin) * 2 > last - first) return std::nullopt;
        for (std::size_t i = begin; i < end; ++i) steps.push_back(series.stepAt(i));
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

void DataTableModel::show(const std::vector<std::string>& keys, std::int64_t first, std::int64_t last, std::int64_t middle) {
    std::vector<Column> columns = columnsOf(keys);
    auto sparse = sparseSteps(columns, first, last);
    std::vector<std::int64_t> steps;
    std::int64_t count = std::max<std::int64_t>(0, last - first);
    if (sparse) {
        const auto at = std::lower_bound(sparse->begin(), sparse->end(), middle) - sparse->begin();
        const auto begin = std::clamp<std::int64_t>(at - kMostRows / 2, 0, std::max<std::int64_t>(0, std::ssize(*sparse) - kMostRows));
        steps = {sparse->begin() + begin, sparse->begin() + std::min<std::int64_t>(std::ssize(*sparse), begin + kMostRows)};
        count = std::ssize(steps);
        first = steps.empty() ? 0 : steps.front();
    } else if (count > kMostRows) {
        first = std::clamp(middle - kMostRows / 2, first, last - kMostRows);
        count = kMostRows;
    }

    const bool isSame = columns == m_columns && keys == m_keys && first == m_first && steps.empty() && m_steps.empty();
    if (isSame && count == m_count) {
        // a lagging run fills existing rows
        if (m_count > 0 && !m_columns.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    } else if (isSame && count > m_count) {
        beginInsertRows({}, static_cast<int>(m_count), static_cast<int>(count) - 1);
        m_count = count;
        endInsertRows();
    } else if (columns != m_columns || keys != m_keys || first != m_first || count != m_count || steps != m_steps) {
        beginResetModel();
        m_keys = keys;
        m_columns = std::move(columns);
        m_first = first;
        m_count = count;
        m_steps = std::move(steps);
        endResetModel();
    }
}

int DataTableModel::rowOf(std::int64_t step) const {
    if (m_count == 0 || step < m_first || step > stepAt(static_cast<int>(m_count) - 1)) return -1;
    if (m_steps.empty()) return static_cast<int>(step - m_first);
    return static_cast<int>(std::upper_bound(m_steps.begin(), m_steps.end(), step) - m_steps.begin()) - 1;
}

QString DataTableModel::text(const Column& column, std::int64_t step) const {
    const RunState* run = m_session->run(column.run);
    const Series* series = run ? run->series(column.key) : nullptr;
    if (!series) return {};
    switch (series->valueClass(step)) {
        case ValueClass::Absent:
            return {};
        case ValueClass::PositiveInf:
            return tr("+Inf");
        case ValueClass::NegativeInf:
            return tr("−Inf");
        case ValueClass::NaN:
            return tr("NaN");
        case ValueClass::Finite:
            break;
    }
    const double value = series->value(step);
    constexpr double kExactWhole = 1e15;
    const bool isWhole = value == std::floor(value) && std::abs(value) < kExactWhole;
    const QString number = isWhole ? groupedText(static_cast<std::int64_t>(value)) : numberText(value, kShownDigits);
    const bool isSkipped =
        column.key == metricName(Metric::SkippedTotal) && std::binary_search(run->skippedSteps.begin(), run->skippedSteps.end(), step);
    return isSkipped ? tr("%1, skipped").arg(number) : number;
}

QVariant DataTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const std::int64_t step = stepAt(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return index.column() == 0 ? groupedText(step) : text(m_columns[static_cast<std::size_t>(index.column() - 1)], step);
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::AccessibleTextRole: {
            if (index.column() == 0) return tr("step %1").arg(groupedText(step));
            const Column& column = m_columns[static_cast<std::size_t>(index.column() - 1)];
            const QString value = text(column, step);
            return tr("%1 at step %2: %3")
                .arg(QString(column.name).replace(u'\n', u' '), groupedText(step), value.isEmpty() ? tr("no value") : value);
        }
        default:
            return {};
    }
}

QVariant DataTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) return section == 0 ? tr("step") : m_columns[static_cast<std::size_t>(section - 1)].name;
    if (role == Qt::ToolTipRole && section > 0) return QString(m_columns[static_cast<std::size_t>(section - 1)].name).replace(u'\n', u' ');
    return {};
}

}  // namespace mantissa::gui
