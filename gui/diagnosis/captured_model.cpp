// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/captured_model.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "engine/diagnosis/verdict.h"
#include "gui/app/icon.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

/// The verdict that the page shows: a step whose numbers are finite may have a silent failure.
StepVerdict shownVerdict(const RunState& run, const Examination& examination) {
    const StepVerdict kind = examination.verdict.kind;
    return kind == StepVerdict::Sound && run.silentMatterAt(examination) ? StepVerdict::SilentFailure : kind;
}

/// Name of a step in a list.
QString kindText(StepVerdict kind) {
    return kind == StepVerdict::Sound ? QObject::tr("all finite") : engineText(verdictName(kind));
}

}  // namespace

bool isWithheld(const SessionModel& session, const RunState& run) {
    return run.isWithheld || session.isQuestionOpen();
}

const Examination* findExamination(const SessionModel& session, const CapturedStep& step) {
    const RunState* run = session.run(step.run);
    if (!run || isWithheld(session, *run)) return nullptr;
    return run->examinationAt(step.step);
}

CapturedModel::CapturedModel(const SessionModel* session, QObject* parent) : QAbstractListModel(parent), m_session(session) {
    for (const auto signal : {&SessionModel::experimentLoaded, &SessionModel::seriesReset, &SessionModel::runsChanged})
        connect(session, signal, this, &CapturedModel::refresh);
    connect(session, &SessionModel::stepExamined, this, &CapturedModel::refresh);
    connect(session, &SessionModel::runRewound, this, &CapturedModel::refresh);
    connect(session, &SessionModel::runChanged, this, &CapturedModel::refresh);  // gauges and validations belong to the verdict
    refresh();
}

void CapturedModel::refresh() {
    std::vector<CapturedStep> steps;
    for (const auto& run : m_session->runs()) {
        if (isWithheld(*m_session, *run)) continue;  // shown after the answer
        for (const Examination& examination : run->examinations) steps.push_back({run->id, examination.step});
    }
    std::stable_sort(steps.begin(), steps.end(), [](const CapturedStep& a, const CapturedStep& b) { return a.step < b.step; });
    if (steps == m_steps) {  // the steps may have been examined again
        if (!steps.empty()) emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    m_steps = std::move(steps);
    endResetModel();
}

QModelIndex CapturedModel::indexOf(const CapturedStep& step) const {
    const auto found = std::find(m_steps.begin(), m_steps.end(), step);
    return found == m_steps.end() ? QModelIndex() : index(static_cast<int>(found - m_steps.begin()));
}

int CapturedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_steps.size());
}

QVariant CapturedModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const CapturedStep& step = m_steps[static_cast<std::size_t>(index.row())];
    const Examination* found = findExamination(*m_session, step);
    if (!found) return {};
    const RunState& run = *m_session->run(step.run);
    const StepVerdict kind = shownVerdict(run, *found);
    switch (role) {
        case Qt::DisplayRole:
            return tr("step %1").arg(groupedText(step.step));
        case ScaleRole:
            return found->lossScale == 1 ? QString() : scaleText(found->lossScale);
        case VerdictRole:
            return tr("%1 · %2").arg(kindText(kind), run.name());
        case SilentRole:
            return kind != StepVerdict::Sound && kind != StepVerdict::Unexplained;
        case PlaceRole:
            return found->card.layer.empty() ? run.name() : tr("%1 · %2").arg(run.name(), QString::fromStdString(found->card.layer));
        case IdentityRole:
            return run.identity;
        case GlyphRole:
            if (found->wasSkipped) return static_cast<int>(Glyph::Skipped);
            if (hasOrigin(*found)) return static_cast<int>(classGlyph(found->card.cls));
            return {};
        case Qt::ToolTipRole:
            return kind == found->verdict.kind ? engineText(found->verdict.headline) : engineText(run.silentMatterAt(*found)->headline());
        case Qt::AccessibleTextRole:
            return tr("Step %1 of %2, %3, loss scale %4")
                .arg(groupedText(step.step), run.name(), kindText(kind), scaleText(found->lossScale));
        default:
            return {};
    }
}

CapturedGroups::CapturedGroups(CapturedModel* model, const SessionModel* session, QObject* parent)
    : QAbstractListModel(parent), m_model(model), m_session(session) {
    connect(model, &QAbstractItemModel::modelReset, this, &CapturedGroups::refresh);
    connect(model, &QAbstractItemModel::dataChanged, this, &CapturedGroups::refresh);
    refresh();
}

CapturedGroups::Group CapturedGroups::groupOf(int source) const {
    const CapturedStep& step = m_model->steps()[static_cast<std::size_t>(source)];
    const Examination* found = findExamination(*m_session, step);
    if (!found || found->verdict.isNormalProbing) return kNormal;
    return static_cast<Group>(shownVerdict(*m_session->run(step.run), *found));
}

void CapturedGroups::refresh() {
    std::vector<Group> order;  // in order of first appearance; normal and sound steps last
    std::map<Group, std::vector<int>> sources;
    for (int source = 0; source < m_model->rowCount(); ++source) {
        const Group group = groupOf(source);
        if (sources[group].empty()) order.push_back(group);
        sources[group].push_back(source);
    }
    const auto rank = [](Group group) { return group == static_cast<Group>(StepVerdict::Sound) ? 1 : group == kNormal ? 2 : 0; };
    std::stable_sort(order.begin(), order.end(), [&](Group a, Group b) { return rank(a) < rank(b); });
    std::vector<Row> rows;
    std::map<Group, int> counts;
    for (const Group group : order) {
        rows.push_back({group, -1});
        counts[group] = static_cast<int>(sources[group].size());
        if (m_folded.contains(group)) continue;
        for (const int source : sources[group]) rows.push_back({group, source});
    }
    if (rows == m_rows) {
        m_counts = std::move(counts);
        if (!m_rows.empty()) emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    m_counts = std::move(counts);
    endResetModel();
}

std::optional<CapturedStep> CapturedGroups::stepAt(const QModelIndex& index) const {
    if (!index.isValid() || index.row() >= rowCount()) return std::nullopt;
    const int source = m_rows[static_cast<std::size_t>(index.row())].source;
    return source < 0 ? std::nullopt : std::optional(m_model->steps()[static_cast<std::size_t>(source)]);
}

QModelIndex CapturedGroups::indexOf(const CapturedStep& step) const {
    const QModelIndex inModel = m_model->indexOf(step);
    if (!inModel.isValid()) return {};
    const Group group = groupOf(inModel.row());
    const Row wanted{group, m_folded.contains(group) ? -1 : inModel.row()};
    const auto found = std::find(m_rows.begin(), m_rows.end(), wanted);
    return found == m_rows.end() ? QModelIndex() : index(static_cast<int>(found - m_rows.begin()));
}

void CapturedGroups::toggle(const QModelIndex& line) {
    if (!line.isValid() || stepAt(line)) return;
    const Group group = m_rows[static_cast<std::size_t>(line.row())].group;
    if (m_folded.erase(group) == 0) m_folded.insert(group);
    refresh();
}

int CapturedGroups::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant CapturedGroups::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (row.source >= 0) {
        if (role == StepRow) return row.source;
        return m_model->index(row.source).data(role);
    }
    const int count = m_counts.at(row.group);
    const bool isFolded = m_folded.contains(row.group);
    const QString name = row.group == kNormal ? tr("normal for a dynamic scaler")
                         : row.group == static_cast<Group>(StepVerdict::Sound)
                             ? tr("all finite")
                             : engineText(verdictName(static_cast<StepVerdict>(row.group)));
    switch (role) {
        case Qt::DisplayRole:
            return name;
        case CountRole:
            return count;
        case FoldedRole:
            return isFolded;
        case Qt::ToolTipRole:
            return isFolded ? tr("Show these steps") : tr("Fold these steps away");
        case Qt::AccessibleTextRole:
            return isFolded ? tr("%1, %2 steps, folded").arg(name, groupedText(count)) : tr("%1, %2 steps").arg(name, groupedText(count));
        default:
            return {};
    }
}

namespace {

QRect rowOf(const QStyleOptionViewItem& option) {
    return option.rect.adjusted(0, 1, 0, -1);
}

void paintSelection(QPainter* painter, const QStyleOptionViewItem& option) {
    if (!option.state.testFlag(QStyle::State_Selected)) return;
    const Theme& theme = Theme::current();
    painter->setPen(QPen(theme.accent, option.state.testFlag(QStyle::State_HasFocus) ? 2 : 1));
    painter->setBrush(theme.raised);
    painter->drawRoundedRect(QRectF(rowOf(option)).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
}

class CapturedDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {180, index.data(CapturedGroups::StepRow).isValid() ? CapturedList::kRowPixels : CapturedList::kLinePixels};
    }

    static void paintLine(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
        const Theme& theme = Theme::current();
        const QRect row = rowOf(option);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        paintSelection(painter, option);
        const QString sign =
            index.data(CapturedGroups::FoldedRole).toBool() ? QStringLiteral("chevron-right") : QStringLiteral("chevron-down");
        themedIcon(sign, IconInk::Ink2).paint(painter, QRect(row.left() + 6, row.center().y() - 6, 12, 12));
        painter->setFont(pixelFont(option.font, 12, true));
        painter->setPen(theme.ink2);
        const QString count = groupedText(index.data(CapturedGroups::CountRole).toInt());
        const QRect words = row.adjusted(24, 0, -10, 0);
        painter->drawText(words, Qt::AlignRight | Qt::AlignVCenter, count);
        const int room = words.width() - painter->fontMetrics().horizontalAdvance(count) - 8;
        painter->drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room));
        painter->restore();
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        if (!index.data(CapturedGroups::StepRow).isValid()) return paintLine(painter, option, index);
        const Theme& theme = Theme::current();
        const QRect row = rowOf(option);
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        paintSelection(painter, option);
        if (isSelected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.accent);
            painter->drawRoundedRect(QRectF(row.left(), row.top() + 1, 3, row.height() - 2), 1.5, 1.5);
        }
        const QColor ground = isSelected ? theme.raised : theme.window;
        const QPointF sign(row.left() + 18.0, row.top() + 15.0);
        const QVariant glyph = index.data(CapturedModel::GlyphRole);
        if (glyph.isValid())
            drawGlyph(*painter, static_cast<Glyph>(glyph.toInt()), sign, 12,
                      theme.run(index.data(CapturedModel::IdentityRole).toInt()).color, ground);
        else
            (index.data(CapturedModel::SilentRole).toBool() ? themedIcon(QStringLiteral("warning"), IconInk::Danger)
                                                            : themedIcon(QStringLiteral("check"), IconInk::Ink2))
                .paint(painter, QRectF(sign.x() - 7, sign.y() - 7, 14, 14).toRect());
        painter->setFont(pixelFont(option.font, 13, true));
        painter->setPen(theme.ink);
        painter->drawText(row.adjusted(32, 5, -10, 0), Qt::AlignLeft | Qt::AlignTop, index.data().toString());
        painter->setFont(pixelFont(option.font, kTickPixels));
        painter->setPen(theme.ink2);
        painter->drawText(row.adjusted(32, 6, -10, 0), Qt::AlignRight | Qt::AlignTop, index.data(CapturedModel::ScaleRole).toString());
        const QRect words = row.adjusted(32, 24, -10, 0);
        painter->drawText(
            words, Qt::AlignLeft | Qt::AlignTop,
            painter->fontMetrics().elidedText(index.data(CapturedModel::PlaceRole).toString(), Qt::ElideRight, words.width()));
        painter->restore();
    }
};

}  // namespace

CapturedList::CapturedList(CapturedModel* model, const SessionModel* session, QWidget* parent)
    : QListView(parent), m_groups(new CapturedGroups(model, session, this)) {
    setObjectName(QStringLiteral("capturedList"));
    setAccessibleName(tr("Captured steps by verdict, newest last"));
    setModel(m_groups);
    setItemDelegate(new CapturedDelegate(this));
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (m_isShowing || !current.isValid()) return;
        if (const auto step = m_groups->stepAt(current)) emit chosen(step->run, step->step);
    });
    connect(this, &QAbstractItemView::clicked, m_groups, &CapturedGroups::toggle);
    // The selection survives a reset of the rows.
    connect(m_groups, &QAbstractItemModel::modelReset, this, [this] { showChosen(m_chosen); });
}

void CapturedList::showChosen(const CapturedStep& step) {
    m_chosen = step;
    const QModelIndex index = m_groups->indexOf(step);
    m_isShowing = true;
    if (index.isValid()) {
        setCurrentIndex(index);
        scrollTo(index);
    } else {
        selectionModel()->clear();
    }
    m_isShowing = false;
}

void CapturedList::keyPressEvent(QKeyEvent* event) {
    const QModelIndex line = currentIndex();
    const bool isLine = line.isValid() && !m_groups->stepAt(line), isFolded = isLine && line.data(CapturedGroups::FoldedRole).toBool();
    const int key = event->key();
    const bool toggles =
        key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space || key == (isFolded ? Qt::Key_Right : Qt::Key_Left);
    if (!isLine || !toggles) return QListView::keyPressEvent(event);
    const int row = line.row();
    m_groups->toggle(line);
    m_isShowing = true;  // the line stays current, whichever step is shown
    setCurrentIndex(m_groups->index(row));
    m_isShowing = false;
}

void CapturedList::resizeEvent(QResizeEvent* event) {
    QListView::resizeEvent(event);
    if (currentIndex().isValid()) scrollTo(currentIndex());
}

}  // namespace mantissa::gui
