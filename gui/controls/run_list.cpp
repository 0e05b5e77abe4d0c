// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_list.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "gui/app/theme.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/controls/precision_menu.h"
#include "gui/controls/run_header.h"
#include "gui/controls/run_sample.h"
#include "gui/controls/scaler_controls.h"

namespace mantissa::gui {
namespace {
constexpr int kRunHeight = 46, kLeastRunHeight = 40, kIndent = 14;

/// A row without the gaps to its neighbours.
QRect innerOf(const QRect& row) {
    return row.adjusted(0, 1, 0, -1);
}

/// Number of pixels that a row lacks of its usual height.
int lackOf(const QRect& inner) {
    return innerOf({0, 0, 0, kRunHeight}).height() - inner.height();
}

QFont chipFont(QFont font) {
    font.setPixelSize(11);
    return font;
}

/// The format's button, as wide as its text and an arrow need.
QRect chipRect(const QRect& inner, const QModelIndex& index, const QFont& font) {
    const QString format = index.data(RunListModel::FormatRole).toString();
    const int width = std::max(52, QFontMetrics(chipFont(font)).horizontalAdvance(format) + 23);
    return {inner.right() - 10 - width, inner.top() + 6 - lackOf(inner) / 2, width, 18};
}
}  // namespace

RunListModel::RunListModel(SessionModel* session, QObject* parent) : QAbstractListModel(parent), m_session(session) {
    connectEach(session, this, &RunListModel::syncRows, &SessionModel::experimentLoaded, &SessionModel::runsChanged);
    connect(session, &SessionModel::runChanged, this, &RunListModel::refresh);
    syncRows();
}

void RunListModel::syncRows() {
    beginResetModel();
    m_count = static_cast<int>(m_session->runs().size());
    endResetModel();
}

RunId RunListModel::runAt(const QModelIndex& index) const {
    const auto row = static_cast<std::size_t>(index.row());
    return index.isValid() && row < m_session->runs().size() ? m_session->runs()[row]->id : -1;
}

QModelIndex RunListModel::indexOf(RunId run) const {
    for (int row = 0; row < m_count; ++row)
        if (runAt(index(row)) == run) return index(row);
    return {};
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    const RunState* state = m_session->run(runAt(index));
    if (!state) return {};
    const PendingChange* request = state->pendingFor(QStringLiteral("/precision"));
    const QString pending = request ? request->requested : QString();
    const bool isTrained = state->isLive() || state->isWatched();
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return state->name();
        case IdentityRole:
            return state->identity;
        case FormatRole:
            if (state->isWithheld) return QStringLiteral("?");
            return state->isRecorded() ? tr("file") : policyText(QString::fromStdString(state->info.policy));
        case HiddenRole:
            return state->isHidden;
        case DepthRole:
            return m_session->depthOf(*state);
        case LiveRole:
            return state->isLive() && !state->isWithheld;
        case HealthRole:
            if (state->isWithheld) return tr("shown after the answer");
            if (state->isRecorded()) return tr("recorded, %1 steps").arg(groupedText(state->stepCount()));
            if (state->isWhatIf()) return tr("what if, %1 steps").arg(groupedText(state->stepCount() - state->info.firstStep));
            if (!pending.isEmpty()) return tr("%1 pending, next step").arg(pending);
            if (m_session->isQuestionOpen()) return shownAfterAnswer();
            if (const QString onItsWay = catchingUpText(*m_session, *state);
                !onItsWay.isEmpty() && healthOf(*state).severity != Severity::Bad)
                return onItsWay;
            return shortHealthText(*state);
        case HealthIconRole:
            if (!isTrained) return QStringLiteral("info");
            if (m_session->isQuestionOpen() && pending.isEmpty()) return QStringLiteral("eye-off");
            return pending.isEmpty() ? signOf(healthOf(*state)).icon : QStringLiteral("clock");
        case HealthInkRole:
            if (state->isWithheld || m_session->isQuestionOpen() || !isTrained || !pending.isEmpty())
                return static_cast<int>(IconInk::Ink2);
            return static_cast<int>(signOf(healthOf(*state)).ink);
        case Qt::AccessibleTextRole:
            if (state->isWithheld) return state->name();
            return tr("%1, %2, %3")
                .arg(state->name(), policyText(QString::fromStdString(state->info.policy)),
                     m_session->isQuestionOpen() ? shownAfterAnswer() : shortHealthText(*state));
        default:
            return {};
    }
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const QString name = value.toString().trimmed();
    if (role != Qt::EditRole || name.isEmpty() || name == index.data().toString()) return false;
    emit renameRequested(runAt(index), name);
    return true;
}

void RunListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = Theme::current();
    const int indent = std::min(index.data(RunListModel::DepthRole).toInt(), kMostIndents) * kIndent;
    const QRect row = innerOf(option.rect).adjusted(indent, 0, 0, 0);
    const int top = row.top() - lackOf(row) / 2, wordsTop = row.top() + 25 - lackOf(row) * 3 / 4;  // lines move closer together
    painter->save();
    if (indent > 0) {
        // from the row above, around the corner to this one
        painter->setPen(QPen(theme.axis, 1));
        const QPoint corner(row.left() - kIndent / 2, top + 15);
        painter->drawLine(QPoint(corner.x(), option.rect.top()), corner);
        painter->drawLine(corner, QPoint(row.left() + 4, corner.y()));
    }
    painter->setRenderHint(QPainter::Antialiasing);
    const bool isSelected = option.state & QStyle::State_Selected;
    const bool hasFocus = option.state & QStyle::State_HasFocus;
    if (isSelected) {
        painter->setPen(QPen(theme.accent, hasFocus ? 2 : 1));
        painter->setBrush(theme.raised);
        painter->drawRoundedRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.accent);
        painter->drawRoundedRect(QRectF(row.left(), row.top() + 1, 3, row.height() - 2), 1.5, 1.5);
    }
    const QColor ground = isSelected ? theme.raised : theme.window;
    const bool isHidden = index.data(RunListModel::HiddenRole).toBool();
    drawRunSample(*painter, QRectF(row.left() + 11, top + 8, 26, 14), theme.run(index.data(RunListModel::IdentityRole).toInt()), ground);

    const QRect chip = chipRect(row, index, option.font);
    QFont name = option.font;
    name.setPixelSize(14);
    name.setWeight(QFont::DemiBold);
    painter->setFont(name);
    painter->setPen(isHidden ? theme.ink3 : theme.ink);
    const QRect nameRect(row.left() + 44, top + 5, chip.left() - row.left() - 50, 20);
    painter->drawText(nameRect, Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetrics(name).elidedText(index.data().toString(), Qt::ElideRight, nameRect.width()));

    painter->setPen(QPen(theme.controlBorder, 1));
    painter->setBrush(theme.raised);
    painter->drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter->setFont(chipFont(option.font));
    painter->setPen(theme.ink2);
    painter->drawText(chip.adjusted(6, 0, -14, 0), Qt::AlignVCenter | Qt::AlignLeft, index.data(RunListModel::FormatRole).toString());
    const qreal ratio = painter->device()->devicePixelRatioF();
    if (index.data(RunListModel::LiveRole).toBool())
        painter->drawPixmap(chip.right() - 13, chip.top() + 5, themedPixmap(QStringLiteral("chevron-down"), 9, IconInk::Ink2, ratio));

    QFont second = option.font;
    second.setPixelSize(12);
    painter->setFont(second);
    const auto ink = static_cast<IconInk>(index.data(RunListModel::HealthInkRole).toInt());
    const QString icon = isHidden ? QStringLiteral("eye-off") : index.data(RunListModel::HealthIconRole).toString();
    painter->drawPixmap(row.left() + 12, wordsTop + 3, themedPixmap(icon, 12, ink, ratio));
    painter->setPen(ink == IconInk::Danger ? theme.danger : theme.ink2);
    const QRect wordsRect(row.left() + 30, wordsTop, row.width() - 38, 18);
    painter->drawText(wordsRect, Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetrics(second).elidedText(index.data(RunListModel::HealthRole).toString(), Qt::ElideRight, wordsRect.width()));
    painter->restore();
}

void RunListDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const {
    constexpr int kEditorHeight = 26;
    editor->setGeometry(option.rect.left() + 38, option.rect.top() + 3, option.rect.width() - 104, kEditorHeight);
}

bool RunListDelegate::editorEvent(QEvent* event, QAbstractItemModel*, const QStyleOptionViewItem& option, const QModelIndex& index) {
    if (event->type() != QEvent::MouseButtonRelease) return false;
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QRect chip = chipRect(innerOf(option.rect), index, option.font);
    if (!chip.adjusted(-2, -4, 2, 4).contains(mouse->position().toPoint())) return false;
    emit formatClicked(index, static_cast<const QWidget*>(option.widget)->mapToGlobal(chip.bottomLeft()));
    return true;
}

RunList::RunList(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QListView(parent),
      m_session(session),
      m_engine(engine),
      m_model(new RunListModel(session, this)),
      m_delegate(new RunListDelegate(this)) {
    setAccessibleName(tr("Runs"));
    setModel(m_model);
    m_delegate->rowHeight = kRunHeight;
    setItemDelegate(m_delegate);
    setSelectionMode(SingleSelection);
    setEditTriggers(DoubleClicked | EditKeyPressed);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    connect(this, &QAbstractItemView::entered, this, [this](const QModelIndex& index) { emit pointed(m_model->runAt(index)); });
    connect(this, &QAbstractItemView::viewportEntered, this, [this] { emit pointed(-1); });
    connect(m_delegate, &RunListDelegate::formatClicked, this, &RunList::openFormats);
    connect(m_model, &RunListModel::renameRequested, this, [this](int run, const QString& name) {
        m_engine->send(RenameRun{run, name.toStdString()});
    });
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (current.isValid()) m_session->select(m_model->runAt(current));
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        refresh();
        updateGeometry();
    });
    connect(session, &SessionModel::selectionChanged, this, &RunList::refresh);
    refresh();
}

void RunList::refresh() {
    m_model->refresh();
    const QModelIndex index = m_model->indexOf(m_session->selected());
    if (index.isValid() && index != currentIndex()) setCurrentIndex(index);
}

void RunList::fitInto(int pixels) {
    const int height = std::clamp(pixels / std::max(1, m_model->rowCount()), kLeastRunHeight, kRunHeight);
    if (std::exchange(m_delegate->rowHeight, height) == height) return;
    scheduleDelayedItemsLayout();
    updateGeometry();
}

void RunList::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

void RunList::leaveEvent(QEvent* event) {
    emit pointed(-1);
    QListView::leaveEvent(event);
}

void RunList::contextMenuEvent(QContextMenuEvent* event) {
    const QModelIndex index = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : indexAt(event->pos());
    if (!index.isValid()) return;
    QMenu menu(this);
    fillRunMenu(&menu, m_session, m_engine, m_model->runAt(index), nullptr);
    menu.exec(event->globalPos());
}

void RunList::openFormats(const QModelIndex& index, QPoint globalPosition) {
    const RunId run = m_model->runAt(index);
    const RunState* state = m_session->run(run);
    if (!state || !state->isLive() || !m_engine->isRunning()) return;
    QMenu menu(this);
    fillPrecisionMenu(&menu, m_session, m_engine, run);
    menu.exec(globalPosition);
}

}  // namespace mantissa::gui
