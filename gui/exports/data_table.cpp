// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/data_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QScrollBar>

#include "gui/controls/copy_table.h"
#include "gui/controls/delay.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/exports/plot_box.h"
#include "gui/exports/plot_table.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr int kTableRowPixels = 24, kColumnPixels = 118, kTableHeadPixels = 42;

}  // namespace

DataTable::DataTable(SessionModel* session, PlotBoard* board, int panel, QWidget* parent)
    : QDialog(parent),
      m_session(session),
      m_board(board),
      m_model(new DataTableModel(session, this)),
      m_timer(new Delay(kRefreshMs, this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Data table"));
    auto* column = makeColumn(10, {16, 14, 16, 14}, this);
    auto* head = makeRow(12);
    m_panel = new PlotBox(tr("Plot"), tr("All plots"), board, this);
    m_panel->setCurrentIndex(std::max(0, m_panel->findData(panel)));
    m_range = makeLabel({}, "secondary", this);
    head->addWidget(m_panel);
    head->addWidget(m_range, 1);
    QPushButton* copy = makeButton(tr("Copy"), QStringLiteral("copy"), tr("Copy the chosen rows, or all"), this);
    copy->setToolTip(
        tr("The chosen rows, or all, at full precision (%1)").arg(QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText)));
    copy->setAutoDefault(false);
    head->addWidget(copy);
    column->addLayout(head);

    auto* table = new CopyTable(tr("Values of the plots, a row for each step"), kTableRowPixels, this);
    m_table = table;
    m_table->setObjectName(QStringLiteral("dataTable"));
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::ContiguousSelection);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_table->horizontalHeader()->setDefaultSectionSize(kColumnPixels);
    m_table->horizontalHeader()->setFixedHeight(kTableHeadPixels);
    m_table->setStyleSheet(QStringLiteral("QTableView::item, QHeaderView::section { padding: 0 8px; }"));
    m_table->installEventFilter(this);
    column->addWidget(m_table, 1);
    resize(720, 560);

    connect(m_timer, &QTimer::timeout, this, &DataTable::refresh);
    connect(m_panel, &QComboBox::currentIndexChanged, this, &DataTable::refresh);
    connect(copy, &QPushButton::clicked, this, &DataTable::copy);
    connect(session, &SessionModel::recordsAppended, m_timer, &Delay::begin);
    for (const auto signal : {&SessionModel::runsChanged, &SessionModel::experimentLoaded, &SessionModel::seriesReset})
        connect(session, signal, this, &DataTable::refresh);
    connect(session, &SessionModel::runRewound, this, &DataTable::refresh);
    connect(&board->axes(), &PlotAxes::viewMoved, m_timer, &Delay::begin);
    connect(&board->cursors(), &PlotCursors::cursorMoved, this, &DataTable::showCursor);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (!m_isFollowing && row.isValid()) m_board->cursors().setStep(m_model->stepAt(row.row()));
    });
    refresh();
    showCursor();
}

void DataTable::refresh() {
    m_timer->stop();
    const auto [first, last] = m_board->axes().stepsInView(m_panel->panel());
    const bool wasAtEnd = m_table->verticalScrollBar()->value() == m_table->verticalScrollBar()->maximum();
    const QScopedValueRollback following(m_isFollowing, true);
    m_model->show(m_board->choice().keys(m_panel->panel()), first, last, m_board->cursors().step() >= 0 ? m_board->cursors().step() : last);
    const int rows = m_model->rowCount();
    if (rows == 0) {
        m_range->setText(tr("No steps on screen."));
    } else {
        const QString from = groupedText(m_model->stepAt(0)), to = groupedText(m_model->stepAt(rows - 1));
        const bool isPart = last - first > DataTableModel::kMostRows;
        m_range->setText(isPart ? tr("Steps %1 to %2, about the crosshair, of those on screen.").arg(from, to)
                                : tr("Steps %1 to %2, as on screen.").arg(from, to));
    }
    // Scrolls to new steps only if the end was visible.
    if (m_board->cursors().step() < 0 && wasAtEnd) m_table->scrollToBottom();
}

void DataTable::showCursor() {
    const std::int64_t step = m_board->cursors().step();
    if (step < 0) return;
    if (m_model->rowOf(step) < 0) refresh();
    const int row = m_model->rowOf(step);
    if (row < 0 || m_table->currentIndex().row() == row) return;
    const QScopedValueRollback following(m_isFollowing, true);
    const int column = std::max(0, m_table->currentIndex().column());
    m_table->setCurrentIndex(m_model->index(row, column));
}

QString DataTable::selectedText() const {
    std::int64_t first = m_model->rowCount() > 0 ? m_model->stepAt(0) : 0;
    std::int64_t last = m_model->rowCount() > 0 ? m_model->stepAt(m_model->rowCount() - 1) : -1;
    const QModelIndexList chosen = m_table->selectionModel()->selectedRows();
    if (!chosen.isEmpty()) {
        const auto [least, most] = std::minmax_element(chosen.begin(), chosen.end(), [](auto& a, auto& b) { return a.row() < b.row(); });
        first = m_model->stepAt(least->row());
        last = m_model->stepAt(most->row());
    }
    return plotTable(*m_session, m_model->keys(), first, last + 1);
}

void DataTable::copy() {
    QGuiApplication::clipboard()->setText(selectedText());
}

bool DataTable::eventFilter(QObject* watched, QEvent* event) {
    // Replaces the table's own copying, which takes the displayed text.
    if (watched == m_table && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copy();
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace mantissa::gui
