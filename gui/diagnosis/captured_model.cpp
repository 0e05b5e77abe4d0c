// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/captured_model.h"

#include <QPainter>
#include <algorithm>

#include "engine/diagnosis/verdict.h"
#include "gui/app/icon.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

/// What a step is called in a list.
QString kindText(const Examination& examination) {
    if (examination.verdict.kind == StepVerdict::Sound) return QObject::tr("all finite");
    return QString::fromLatin1(verdictName(examination.verdict.kind));
}

}  // namespace

const Examination* findExamination(const Lab& lab, const CapturedStep& step) {
    const RunState* run = lab.run(step.run);
    if (!run) return nullptr;
    const auto found =
        std::find_if(run->examinations.begin(), run->examinations.end(), [&](const Examination& each) { return each.step == step.step; });
    return found == run->examinations.end() ? nullptr : &*found;
}

CapturedModel::CapturedModel(const Lab* lab, QObject* parent) : QAbstractListModel(parent), m_lab(lab) {
    for (const auto signal : {&Lab::experimentLoaded, &Lab::seriesReset, &Lab::runsChanged}) connect(lab, signal, this, &CapturedModel::refresh);
    connect(lab, &Lab::stepExamined, this, &CapturedModel::refresh);
    connect(lab, &Lab::runRewound, this, &CapturedModel::refresh);
    refresh();
}

void CapturedModel::refresh() {
    std::vector<CapturedStep> steps;
    for (const auto& run : m_lab->runs())
        for (const Examination& examination : run->examinations) steps.push_back({run->id, examination.step});
    std::stable_sort(steps.begin(), steps.end(), [](const CapturedStep& a, const CapturedStep& b) { return a.step < b.step; });
    if (steps == m_steps) {  // the same steps may have been looked at anew
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
    const Examination* found = findExamination(*m_lab, step);
    if (!found) return {};
    const RunState& run = *m_lab->run(step.run);
    switch (role) {
        case Qt::DisplayRole:
            return tr("step %1").arg(groupedText(step.step));
        case ScaleRole:
            return found->lossScale == 1 ? QString() : scaleText(found->lossScale);
        case VerdictRole:
            return tr("%1 · %2").arg(kindText(*found), run.name());
        case IdentityRole:
            return run.identity;
        case GlyphRole:
            if (found->wasSkipped) return static_cast<int>(Glyph::Skipped);
            if (hasOrigin(*found)) return static_cast<int>(classGlyph(found->card.cls));
            return {};
        case Qt::ToolTipRole:
            return engineText(found->verdict.headline);
        case Qt::AccessibleTextRole:
            return tr("Step %1 of %2, %3, loss scale %4")
                .arg(groupedText(step.step), run.name(), kindText(*found), scaleText(found->lossScale));
        default:
            return {};
    }
}

class CapturedList::Delegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {180, kRowPixels}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const QRect row = option.rect.adjusted(0, 1, 0, -1);
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (isSelected) {
            painter->setPen(QPen(theme.accent, option.state.testFlag(QStyle::State_HasFocus) ? 2 : 1));
            painter->setBrush(theme.raised);
            painter->drawRoundedRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
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
            themedIcon(QStringLiteral("check"), IconInk::Ink2).paint(painter, QRectF(sign.x() - 7, sign.y() - 7, 14, 14).toRect());
        painter->setFont(pixelFont(option.font, 13, true));
        painter->setPen(theme.ink);
        painter->drawText(row.adjusted(32, 5, -10, 0), Qt::AlignLeft | Qt::AlignTop, index.data().toString());
        painter->setFont(pixelFont(option.font, kTickPixels));
        painter->setPen(theme.ink2);
        painter->drawText(row.adjusted(32, 6, -10, 0), Qt::AlignRight | Qt::AlignTop, index.data(CapturedModel::ScaleRole).toString());
        const QRect words = row.adjusted(32, 24, -10, 0);
        painter->drawText(
            words, Qt::AlignLeft | Qt::AlignTop,
            painter->fontMetrics().elidedText(index.data(CapturedModel::VerdictRole).toString(), Qt::ElideRight, words.width()));
        painter->restore();
    }
};

CapturedList::CapturedList(CapturedModel* model, QWidget* parent) : QListView(parent), m_model(model) {
    setObjectName(QStringLiteral("capturedList"));
    setAccessibleName(tr("Captured steps, newest last"));
    setModel(model);
    setItemDelegate(new Delegate(this));
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (m_isShowing || !current.isValid()) return;
        const CapturedStep step = m_model->steps()[static_cast<std::size_t>(current.row())];
        emit chosen(step.run, step.step);
    });
    // The choice outlives the rows that come and go around it.
    connect(model, &QAbstractItemModel::modelReset, this, [this] { showChosen(m_chosen); });
}

void CapturedList::showChosen(const CapturedStep& step) {
    m_chosen = step;
    const QModelIndex index = m_model->indexOf(step);
    m_isShowing = true;
    if (index.isValid()) {
        setCurrentIndex(index);
        scrollTo(index);
    } else {
        selectionModel()->clear();
    }
    m_isShowing = false;
}

void CapturedList::resizeEvent(QResizeEvent* event) {
    QListView::resizeEvent(event);
    if (currentIndex().isValid()) scrollTo(currentIndex());
}

}  // namespace mantissa::gui
