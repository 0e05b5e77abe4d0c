// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/cursor_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>

#include "gui/controls/copy_table.h"
#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/cursor_model.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kLineHeight = 23, kNameWidth = 84, kAllQuantities = -1, kCursorMs = 150;

/// Line sample and name of a run, or name of a quantity.
class LineHeader : public QHeaderView {
public:
    explicit LineHeader(QWidget* parent) : QHeaderView(Qt::Vertical, parent) { setSectionsClickable(false); }
    QSize sizeHint() const override { return {kNameWidth, QHeaderView::sizeHint().height()}; }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->fillRect(rect, theme.surface);
        const QVariant identity = model()->headerData(section, Qt::Vertical, ReadoutModel::IdentityRole);
        int left = 0;
        if (identity.isValid()) {
            drawRunSample(*painter, QRectF(rect.left(), rect.center().y() - 5, 24, 12), theme.run(identity.toInt()), theme.surface);
            left = 30;
        }
        painter->setFont(pixelFont(font(), kTickPixels));
        painter->setPen(theme.ink);
        const QRect words = rect.adjusted(left, 0, -4, 0);
        const QString name = model()->headerData(section, Qt::Vertical, Qt::DisplayRole).toString();
        painter->drawText(words, Qt::AlignLeft | Qt::AlignVCenter, painter->fontMetrics().elidedText(name, Qt::ElideMiddle, words.width()));
        painter->restore();
    }
};

class ColumnHeader : public QHeaderView {
public:
    explicit ColumnHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) { setSectionsClickable(false); }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->fillRect(rect, theme.surface);
        painter->setFont(pixelFont(font(), kTickPixels, true));
        painter->setPen(theme.ink2);
        painter->drawText(rect.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter,
                          model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString());
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
        painter->restore();
    }
};

class DifferenceDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, theme.accentWeak);
        const bool isNonFinite = index.data(ReadoutModel::IsNonFiniteRole).toBool();
        painter->setFont(pixelFont(option.font, kTickPixels, isNonFinite));
        painter->setPen(isNonFinite ? theme.danger : theme.ink);
        painter->drawText(option.rect.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
        painter->restore();
    }
};

}  // namespace

CursorPanel::CursorPanel(SessionModel* session, const ReadoutModel* values, QWidget* parent)
    : QWidget(parent),
      m_model(new CursorModel(session, values, this)),
      m_distance(makeWrappedLabel({}, "body2", this)),
      m_quantity(new ComboBox(tr("What the cursors compare"), this)),
      m_table(new QTableView(this)),
      m_lock(new CheckBox(tr("Locked"), this)),
      m_timer(new Delay(kCursorMs, this)) {
    setObjectName(QStringLiteral("cursorPanel"));
    auto* head = makeRow(8);
    auto* title = makeLabel(tr("Cursors"), "", this);
    title->setFont(pixelFont(font(), kTitlePixels, true));
    head->addWidget(title);
    head->addStretch();
    head->addWidget(m_quantity);
    m_distance->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* foot = new QHBoxLayout;
    m_lock->setToolTip(tr("They cannot be moved with the mouse or the keyboard."));
    foot->addWidget(m_lock);
    foot->addStretch();
    QPushButton* remove = makeButton(tr("Remove"), {}, tr("Remove the cursors"), this);
    setStyleProperty(remove, "look", "inline");
    remove->setCursor(Qt::PointingHandCursor);
    foot->addWidget(remove);
    auto* column = makeColumn(4, {0, 8, 0, 0}, this);
    column->addLayout(head);
    column->addWidget(m_distance);
    column->addWidget(m_table);
    column->addLayout(foot);

    for (int row = 0; row < ReadoutModel::RowCount; ++row)
        m_quantity->addItem(ReadoutModel::rowName(static_cast<ReadoutModel::Row>(row)), row);
    m_quantity->addItem(tr("all of the chosen run"), kAllQuantities);
    m_table->setObjectName(QStringLiteral("cursorTable"));
    m_table->setAccessibleName(tr("Values at the cursors A and B, their difference and their ratio"));
    m_table->setHorizontalHeader(new ColumnHeader(m_table));
    m_table->setVerticalHeader(new LineHeader(m_table));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new DifferenceDelegate(m_table));
    makeBare(m_table, kLineHeight, kLineHeight);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->setFixedWidth(kNameWidth);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    hide();

    connect(m_timer, &QTimer::timeout, this, &CursorPanel::refresh);
    connect(m_quantity, &QComboBox::currentIndexChanged, this, [this] {
        const int row = m_quantity->currentData().toInt();
        m_model->setQuantity(row == kAllQuantities ? std::nullopt : std::optional(static_cast<ReadoutModel::Row>(row)));
        refresh();
    });
    connect(m_lock, &QAbstractButton::clicked, this, &CursorPanel::lockRequested);
    connect(remove, &QAbstractButton::clicked, this, &CursorPanel::removalRequested);
    const auto later = [this] {
        if (isVisible()) m_timer->begin();
    };
    for (const auto signal : {&SessionModel::runsChanged, &SessionModel::selectionChanged, &SessionModel::seriesReset})
        connect(session, signal, this, later);
    // Past values do not change; only a run that has not reached a cursor gets new ones.
    connect(session, &SessionModel::recordsAppended, this, [this, later] {
        if (m_model->waits()) later();
    });
    connect(session, &SessionModel::runRewound, this, later);
}

void CursorPanel::setPair(const CursorPair& pair) {
    setVisible(!pair.isEmpty());
    m_lock->setChecked(pair.isLocked);
    m_model->setPair(pair);
    refresh();
}

void CursorPanel::refresh() {
    m_model->refresh();
    m_distance->setText(m_model->distanceText());
    fitTable();
}

void CursorPanel::fitTable() {
    // The difference also has a sign.
    const int room = m_table->width() - kNameWidth, plain = room * 23 / 100;
    for (int column = 0; column < CursorModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, column == CursorModel::Difference ? room - 3 * plain : plain);
    m_table->setFixedHeight(kLineHeight * (m_model->rowCount() + 1) + 2);
}

void CursorPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitTable();
}

void CursorPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_table->viewport()->update();
}

}  // namespace mantissa::gui
