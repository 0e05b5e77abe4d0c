// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/cursor_model.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

const QString kNoValue = QStringLiteral("\u2013");
constexpr int kValueDigits = 3, kDecimalsAtMost = 5;

/// Number of decimals that gives the smaller of two values three digits and aligns their points; nullopt: too many.
std::optional<int> sharedDecimals(double a, double b) {
    double least = std::numeric_limits<double>::infinity();
    for (const double value : {a, b})
        if (std::isfinite(value) && value != 0) least = std::min(least, std::abs(value));
    if (!std::isfinite(least)) return 0;
    const int decimals = std::max(0, kValueDigits - 1 - static_cast<int>(std::floor(std::log10(least))));
    return decimals <= kDecimalsAtMost ? std::optional(decimals) : std::nullopt;
}

QString durationText(double seconds) {
    const double length = std::abs(seconds);
    if (length < 60) return QObject::tr("%1 s").arg(numberText(length, 3));
    const auto whole = static_cast<std::int64_t>(std::llround(length));
    if (whole < 3600) return QObject::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return QObject::tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

}  // namespace

CursorModel::CursorModel(const SessionModel* session, const ReadoutModel* values, QObject* parent)
    : QAbstractTableModel(parent), m_session(session), m_values(values) {}

void CursorModel::setPair(const CursorPair& pair) {
    m_pair = pair;
    refresh();
}

void CursorModel::setQuantity(std::optional<ReadoutModel::Row> quantity) {
    m_quantity = quantity;
    refresh();
}

void CursorModel::refresh() {
    std::vector<Line> lines;
    if (!m_pair.isEmpty()) {
        for (const auto& run : m_session->runs()) {
            const bool isShown = m_quantity ? !run->isHidden : run->id == m_session->selected();
            if (!isShown) continue;
            const int first = m_quantity.value_or(ReadoutModel::Loss), last = m_quantity ? first : ReadoutModel::RowCount - 1;
            for (int quantity = first; quantity <= last; ++quantity) {
                lines.push_back({.run = run->id, .quantity = static_cast<ReadoutModel::Row>(quantity), .texts = {}});
                fill(lines.back(), *run);
            }
        }
    }
    const bool isSameShape = std::equal(lines.begin(), lines.end(), m_lines.begin(), m_lines.end(),
                                        [](const Line& a, const Line& b) { return a.run == b.run && a.quantity == b.quantity; });
    if (!isSameShape) beginResetModel();
    m_lines = std::move(lines);
    if (!isSameShape)
        endResetModel();
    else if (!m_lines.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void CursorModel::fill(Line& line, const RunState& run) const {
    ReadoutModel::Cell cells[2];
    for (std::size_t i = 0; i < 2; ++i) {
        if (m_pair.steps[i] >= 0) cells[i] = m_values->valueAt(line.quantity, run, m_pair.steps[i]);
        if (cells[i].text.isEmpty()) cells[i].text = kNoValue;
        line.isNonFinite[i] = cells[i].isNonFinite;
    }
    const auto decimals = sharedDecimals(cells[0].value, cells[1].value);
    const auto written = [&](double value) { return decimals ? fixedText(value, *decimals) : numberText(value, kValueDigits); };
    for (std::size_t i = 0; i < 2; ++i) line.texts[i] = cells[i].isNumber ? written(cells[i].value) : cells[i].text;
    line.texts[Difference] = line.texts[Ratio] = kNoValue;
    if (!std::isfinite(cells[0].value) || !std::isfinite(cells[1].value)) return;  // a non-finite value has no difference
    line.texts[Difference] = written(cells[1].value - cells[0].value);
    if (cells[0].value == 0) return;
    const double ratio = cells[1].value / cells[0].value;
    const bool isPlain = std::abs(ratio) >= 0.01 && std::abs(ratio) < 1000;
    line.texts[Ratio] = line.quantity == ReadoutModel::LossScale ? scaleText(ratio)
                        : isPlain                                ? fixedText(ratio, 2)
                                                                 : numberText(ratio, kValueDigits);
}

bool CursorModel::waits() const {
    const std::int64_t last = std::max(m_pair.steps[0], m_pair.steps[1]);
    const auto& runs = m_session->runs();
    return std::any_of(runs.begin(), runs.end(), [last](const auto& run) { return run->isOwn() && run->stepCount() <= last; });
}

QString CursorModel::distanceText() const {
    const auto place = [this](CursorName name, const QString& letter) {
        return m_pair.at(name) < 0 ? QString() : QStringLiteral("%1 %2").arg(letter, groupedText(m_pair.at(name)));
    };
    const QString a = place(CursorName::A, QStringLiteral("A")), b = place(CursorName::B, QStringLiteral("B"));
    if (!m_pair.isWhole()) return a.isEmpty() ? b : a;
    const std::int64_t distance = m_pair.distance();
    const QString count = distance < 0 ? QStringLiteral("\u2212%1").arg(groupedText(-distance)) : groupedText(distance);
    const QString steps = std::abs(distance) == 1 ? tr("%1 step").arg(count) : tr("%1 steps").arg(count);
    const RunState* run = m_session->run(m_session->selected());
    const double seconds = run ? run->wallSecondsAt(m_pair.at(CursorName::B)) - run->wallSecondsAt(m_pair.at(CursorName::A)) : NAN;
    const QString text = QStringLiteral("%1 \u2192 %2: %3").arg(a, b, steps);
    return std::isfinite(seconds) ? tr("%1, %2 of %3").arg(text, durationText(seconds), run->name()) : text;
}

QVariant CursorModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Line& line = m_lines[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return line.texts[index.column()];
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
        case ReadoutModel::IsNonFiniteRole:
            return index.column() <= AtB && line.isNonFinite[index.column()];
        case Qt::AccessibleTextRole:
            return tr("%1, %2: %3")
                .arg(headerData(index.row(), Qt::Vertical, Qt::DisplayRole).toString(),
                     headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(), line.texts[index.column()]);
        default:
            return {};
    }
}

QVariant CursorModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal) {
        if (role != Qt::DisplayRole || section < 0 || section >= ColumnCount) return {};
        static constexpr const char* kHeads[ColumnCount] = {"A", "B", "B \u2212 A", "B / A"};
        return QString::fromUtf8(kHeads[section]);
    }
    if (section < 0 || section >= rowCount()) return {};
    const Line& line = m_lines[static_cast<std::size_t>(section)];
    const RunState* run = m_session->run(line.run);
    if (!run) return {};
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return m_quantity ? run->name() : ReadoutModel::rowName(line.quantity);
    if (role == ReadoutModel::IdentityRole && m_quantity) return run->identity;
    return {};
}

}  // namespace mantissa::gui
