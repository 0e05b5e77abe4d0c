// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/memory_model.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"

namespace mantissa::gui {

std::array<std::int64_t, kMemoryCategories> categoriesOf(const MemoryLedger& ledger) {
    return {ledger.weights,   ledger.masterWeights, ledger.gradients,
            ledger.optimizer, ledger.activations,   ledger.workspace - ledger.scratch};
}

QString memoryCategoryName(std::size_t category) {
    static constexpr const char* kNames[kMemoryCategories] = {
        QT_TRANSLATE_NOOP("QObject", "weights"),   QT_TRANSLATE_NOOP("QObject", "masters"),     QT_TRANSLATE_NOOP("QObject", "gradients"),
        QT_TRANSLATE_NOOP("QObject", "optimizer"), QT_TRANSLATE_NOOP("QObject", "activations"), QT_TRANSLATE_NOOP("QObject", "workspace")};
    return QObject::tr(kNames[category]);
}

MemoryModel::MemoryModel(const SessionModel* session, QObject* parent) : QAbstractListModel(parent), m_session(session) {
    resetRuns(true);
}

void MemoryModel::resetRuns(bool forgets) {
    beginResetModel();
    if (forgets) m_known.clear();
    std::erase_if(m_known, [this](const auto& entry) { return !m_session->run(entry.first); });
    for (const auto& run : m_session->runs()) m_known.try_emplace(run->id, Known{run->info.memory, std::nullopt});
    writeRows();
    endResetModel();
}

void MemoryModel::noteRun(RunId id) {
    const RunState* run = m_session->run(id);
    const auto it = m_known.find(id);
    if (!run || it == m_known.end() || run->info.memory == it->second.now) return;
    // Before the first step the run had no other size, only another plan.
    it->second = {run->info.memory, run->hasSteps() ? std::optional(it->second.now) : std::nullopt};
    writeRows();
    // The largest total may have changed, which scales every row's bar.
    emit dataChanged(index(0), index(rowCount() - 1));
}

void MemoryModel::writeRows() {
    m_rows.clear();
    m_comparison.clear();
    const RunState* reference = nullptr;  // the first fp32 run; the others are compared with it
    for (const auto& run : m_session->runs())
        if (!reference && run->isOwn() && run->info.policy == "fp32") reference = run.get();
    for (const auto& run : m_session->runs()) {
        if (!run->isOwn() || run->isWithheld) continue;  // it uses no memory, or a lesson hides it
        const Known& known = m_known.at(run->id);
        MemoryRow row{run->name(), run->identity, known.now, known.before, {}, run->info.isEmulated};
        const std::int64_t fp32 = reference ? reference->info.memory.withoutScratch() : 0;
        if (!known.before && reference != run.get() && fp32 > 0) {
            const double share = 100 * (static_cast<double>(known.now.withoutScratch()) / static_cast<double>(fp32) - 1);
            if (std::abs(share) >= 0.5)
                row.note =
                    (share < 0 ? tr("%1 % less than %2") : tr("%1 % more than %2")).arg(fixedText(std::abs(share), 0), reference->name());
        }
        m_rows.push_back(std::move(row));
    }
    const auto noted = std::find_if(m_rows.begin(), m_rows.end(), [](const MemoryRow& row) { return !row.note.isEmpty(); });
    if (noted != m_rows.end()) m_comparison = compared(*noted, *reference);
}

QString MemoryModel::compared(const MemoryRow& row, const RunState& reference) const {
    const ByteUnit unit = sharedUnit(largestTotal());
    const auto own = categoriesOf(row.ledger), others = categoriesOf(reference.info.memory);
    QStringList parts;
    for (std::size_t c = 0; c < kMemoryCategories; ++c) {
        const std::int64_t more = own[c] - others[c];
        const QString size = inUnit(std::abs(more), unit);
        if (size != QLatin1String("0")) parts << memoryCategoryName(c) + u' ' + (more > 0 ? u'+' : QChar(0x2212)) + size;
    }
    const QString difference = tr("%1 beside %2: %3.").arg(row.name, reference.name(), parts.join(QStringLiteral(", ")));
    return row.ledger.masterWeights == 0
               ? difference
               : difference + u' ' + tr("The masters are the FP32 copy of the weights, which the optimizer updates.");
}

std::int64_t MemoryModel::largestTotal() const {
    std::int64_t largest = 1;
    for (const MemoryRow& row : m_rows) {
        largest = std::max(largest, row.ledger.withoutScratch());
        if (row.before) largest = std::max(largest, row.before->withoutScratch());
    }
    return largest;
}

bool MemoryModel::isAsPlanned() const {
    bool hasStepped = false;
    for (const auto& run : m_session->runs()) {
        if (!run->isOwn() || !run->hasSteps()) continue;
        hasStepped = true;
        if (run->last.memoryBytes != run->info.memory.total()) return false;
    }
    return hasStepped;
}

QVariant MemoryModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    const MemoryRow& r = row(index.row());
    QStringList parts;
    const auto bytes = categoriesOf(r.ledger);
    for (std::size_t c = 0; c < kMemoryCategories; ++c)
        if (bytes[c] > 0) parts << QStringLiteral("%1 %2").arg(memoryCategoryName(c), bytesText(bytes[c]));
    if (role == Qt::ToolTipRole) {
        if (r.ledger.scratch > 0)
            parts << (r.isEmulated ? tr("not counted: %1 of scratch, most of it for the emulation on the CPU")
                                   : tr("not counted: %1 of scratch"))
                         .arg(bytesText(r.ledger.scratch));
        return parts.join(u'\n');
    }
    QString text = tr("%1: %2 (%3)").arg(r.name, bytesText(r.ledger.withoutScratch()), parts.join(QStringLiteral(", ")));
    if (r.ledger.scratch > 0) text += tr(", scratch %1").arg(bytesText(r.ledger.scratch));
    if (r.before) text += tr(", %1 before the last switch").arg(bytesText(r.before->withoutScratch()));
    return text;
}

}  // namespace mantissa::gui
