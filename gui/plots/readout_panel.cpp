// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/readout_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "gui/controls/copy_table.h"
#include "gui/controls/delay.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/cursor_panel.h"
#include "gui/plots/marks.h"
#include "gui/plots/readout_model.h"

namespace mantissa::gui {
namespace {

constexpr ReadoutModel::Row kSecondaryRows[] = {ReadoutModel::Raw, ReadoutModel::Accuracy, ReadoutModel::LearningRate,
                                                ReadoutModel::Throughput, ReadoutModel::Tflops};
constexpr int kReadoutHeight = 23, kLowReadoutHeight = 20, kHeadHeight = 44, kLowHeadHeight = 38;
constexpr int kRawIndent = 12;
constexpr int kWidestColumn = 92, kTightColumn = 43, kLeastColumn = 36;  // of a run; six small characters fit into the least width

bool isTight(int columnWidth) {
    return columnWidth < kTightColumn;
}

/// Line sample of the run above its name, or above the distinguishing part of the name if space is short.
class ReadoutHeader : public QHeaderView {
public:
    explicit ReadoutHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) { setSectionsClickable(false); }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->fillRect(rect, theme.surface);
        const int identity = model()->headerData(section, Qt::Horizontal, ReadoutModel::IdentityRole).toInt();
        drawRunSample(*painter, QRectF(rect.right() - 26, rect.top() + (height() - 34) / 2, 24, 12), theme.run(identity), theme.surface);
        QStringList names;
        for (int i = 0; i < count(); ++i) names << model()->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
        // A smaller font comes before a cut name.
        QFont bold = pixelFont(font(), kTickPixels, true);
        const int room = rect.width() - 4;
        if (std::any_of(names.begin(), names.end(), [&](const QString& name) { return QFontMetrics(bold).horizontalAdvance(name) > room; }))
            bold = pixelFont(font(), kTagPixels, true);
        painter->setFont(bold);
        painter->setPen(theme.ink);
        painter->drawText(rect.adjusted(0, height() - 24, -2, -4), Qt::AlignRight | Qt::AlignVCenter,
                          cutApart(names, QFontMetrics(bold), room)[section]);
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
        painter->restore();
    }
};

/// Names of the quantities at the left; "raw" belongs to "loss" and is indented.
class QuantityHeader : public QHeaderView {
public:
    explicit QuantityHeader(QWidget* parent) : QHeaderView(Qt::Vertical, parent) { setSectionsClickable(false); }
    int neededWidth() const {
        const QFontMetrics metrics(pixelFont(font(), kTickPixels));
        int widest = 0;
        for (int row = 0; row < count(); ++row)
            if (!isSectionHidden(row)) widest = std::max(widest, indentOf(row) + metrics.horizontalAdvance(textOf(row)));
        return widest + 6;
    }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->fillRect(rect, theme.surface);
        painter->setFont(pixelFont(font(), kTickPixels));
        painter->setPen(section == ReadoutModel::Raw ? theme.ink3 : theme.ink);
        painter->drawText(rect.adjusted(indentOf(section), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, textOf(section));
        painter->restore();
    }

private:
    static int indentOf(int row) { return row == ReadoutModel::Raw ? kRawIndent : 0; }
    QString textOf(int row) const { return model()->headerData(row, Qt::Vertical, Qt::DisplayRole).toString(); }
};

/// Paints non-finite values in red; they are words, so colour is not the only sign. A number too long for its column is drawn smaller,
/// since a cut number would be wrong.
class ValueDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, theme.accentWeak);
        const bool isNonFinite = index.data(ReadoutModel::IsNonFiniteRole).toBool();
        painter->setFont(fontOf(option, index.data().toString(), isNonFinite));
        painter->setPen(isNonFinite ? theme.danger : index.row() == ReadoutModel::Raw ? theme.ink3 : theme.ink);
        painter->drawText(option.rect.adjusted(0, 0, -kEdge, 0), Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
        painter->restore();
    }

private:
    static constexpr int kEdge = 2, kLeastPixels = 8;
    static QFont fontOf(const QStyleOptionViewItem& option, const QString& text, bool isBold) {
        int pixels = isTight(option.rect.width()) ? kTagPixels : kTickPixels;
        while (pixels > kLeastPixels &&
               QFontMetrics(pixelFont(option.font, pixels, isBold)).horizontalAdvance(text) > option.rect.width() - kEdge)
            --pixels;
        return pixelFont(option.font, pixels, isBold);
    }
};

}  // namespace

ReadoutPanel::ReadoutPanel(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new ReadoutModel(session, this)),
      m_table(new QTableView(this)),
      m_step(makeLabel({}, "", this)),
      m_release(makeFlatButton(QStringLiteral("close"), tr("Release the step that a click holds: the newest step is shown again"), this)),
      m_timer(new Delay(kLiveMs, this)),
      m_cursors(new CursorPanel(session, m_model, this)) {
    setObjectName(QStringLiteral("readoutPanel"));
    auto* title = makeLabel(tr("Read-out"), "", this);
    title->setFont(pixelFont(font(), kTitlePixels, true));
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addStretch();
    m_step->setObjectName(QStringLiteral("shownStep"));
    head->addWidget(m_release);
    head->addWidget(m_step);
    QSizePolicy kept = m_release->sizePolicy();
    kept.setRetainSizeWhenHidden(true);  // the step beside it does not move
    m_release->setSizePolicy(kept);
    m_release->hide();
    connect(m_release, &QToolButton::clicked, this, &ReadoutPanel::releaseRequested);
    auto* column = makeColumn(6, {}, this);
    column->addLayout(head);
    column->addWidget(m_table);
    column->addWidget(m_cursors);

    m_table->setObjectName(QStringLiteral("readoutTable"));
    m_table->setAccessibleName(tr("Read-out: the values of all runs at one step"));
    m_table->setHorizontalHeader(new ReadoutHeader(m_table));
    m_table->setVerticalHeader(new QuantityHeader(m_table));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ValueDelegate(m_table));
    makeBare(m_table, kReadoutHeight, kHeadHeight);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    connect(m_timer, &QTimer::timeout, this, [this] {
        m_model->refresh();
        refreshHeader();
        foldRows();  // a watched run may have got its first validation
    });
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (m_followsLatest || m_model->waits()) m_timer->begin();
    });
    for (const auto signal : {&SessionModel::experimentLoaded, &SessionModel::seriesReset, &SessionModel::runsChanged})
        connect(session, signal, this, &ReadoutPanel::resetRuns);
    connect(session, &SessionModel::selectionChanged, this, &ReadoutPanel::showSelected);
    fitHeight();
    resetRuns();
}

void ReadoutPanel::setCompact(bool compact) {
    if (compact == m_isCompact) return;
    m_isCompact = compact;
    foldRows();
    m_table->verticalHeader()->setDefaultSectionSize(compact ? kLowReadoutHeight : kReadoutHeight);
    m_table->horizontalHeader()->setFixedHeight(compact ? kLowHeadHeight : kHeadHeight);
    fitColumns();
}

bool ReadoutPanel::isFolded(int row, bool compact) const {
    const bool isSecondary = std::find(std::begin(kSecondaryRows), std::end(kSecondaryRows), row) != std::end(kSecondaryRows);
    return !m_model->isApplicable(row) || (compact && isSecondary && !(row == ReadoutModel::Raw && m_smooths));
}

void ReadoutPanel::foldRows() {
    for (int row = 0; row < m_model->rowCount(); ++row) m_table->setRowHidden(row, isFolded(row, m_isCompact));
    fitHeight();
}

void ReadoutPanel::fitHeight() {
    m_table->setFixedHeight(tableHeight(m_isCompact));
}

int ReadoutPanel::tableHeight(bool compact) const {
    int rows = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) rows += isFolded(row, compact) ? 0 : 1;
    // The horizontal scroll bar appears only if the runs do not fit.
    const bool scrolls = m_table->columnWidth(0) * m_model->columnCount() > m_table->width() - m_table->verticalHeader()->width();
    return (compact ? kLowHeadHeight : kHeadHeight) + rows * (compact ? kLowReadoutHeight : kReadoutHeight) + (scrolls ? 14 : 2);
}

void ReadoutPanel::setStep(qint64 step) {
    m_followsLatest = step < 0;
    m_model->setStep(step);
    refreshHeader();
}

void ReadoutPanel::setHeld(bool held) {
    m_release->setVisible(held);
}

void ReadoutPanel::setSmoothing(const Smoothing& loss, const Smoothing& throughput) {
    m_model->setSmoothing(loss, throughput);
    m_smooths = loss.factor > 0;
    foldRows();
    m_cursors->refresh();
}

void ReadoutPanel::setPlots(const std::vector<std::string>& keys) {
    m_model->setPlots(keys);
    foldRows();
    fitColumns();
}

void ReadoutPanel::resetRuns() {
    m_model->resetRuns();
    refreshHeader();
    foldRows();
    fitColumns();
}

void ReadoutPanel::refreshHeader() {
    const std::int64_t step = m_model->shownStep();
    const Theme& theme = Theme::current();
    m_step->setTextFormat(Qt::RichText);
    m_step->setFont(pixelFont(font(), kTickPixels));
    const auto epoch = m_model->shownEpoch();
    const QString epochText = epoch ? QStringLiteral(" \u00B7 %1 %2").arg(tr("epoch"), fixedText(*epoch, 1)) : QString();
    m_step->setText(step < 0 ? tr("no step yet")
                             : QStringLiteral("<span style='color:%1'>%2 <b style='color:%3'>%4</b>%5</span>")
                                   .arg(theme.ink2.name(), tr("step"), theme.ink.name(), groupedText(step), epochText));
}

QString ReadoutPanel::spokenText() const {
    const std::int64_t step = m_model->shownStep();
    if (step < 0) return tr("no step yet");
    QStringList parts{tr("step %1").arg(groupedText(step))};
    int column = -1;  // the table has hidden runs, but no withheld ones
    for (const auto& run : m_session->runs()) {
        if (run->isWithheld) continue;
        ++column;
        if (run->isHidden) continue;
        QStringList values;
        for (const auto row : {ReadoutModel::Loss, ReadoutModel::LossScale, ReadoutModel::Skipped, ReadoutModel::GradNorm}) {
            if (row != ReadoutModel::Loss && run->id != m_session->selected()) continue;
            values << tr("%1 %2", "quantity, value")
                          .arg(m_model->headerData(row, Qt::Vertical, Qt::DisplayRole).toString(),
                               m_model->index(row, column).data().toString());
        }
        parts << tr("%1: %2", "run, values").arg(run->name(), values.join(QStringLiteral(", ")));
    }
    return parts.join(QStringLiteral("; "));
}

void ReadoutPanel::fitColumns() {
    const int count = m_model->columnCount();
    if (count == 0) return fitHeight();
    const int names = static_cast<QuantityHeader*>(m_table->verticalHeader())->neededWidth();
    m_table->verticalHeader()->setFixedWidth(names);
    // With few runs, some space is left at the right of the labels.
    const int width = std::clamp((m_table->width() - names) / count, kLeastColumn, kWidestColumn);
    m_model->setTight(isTight(width));
    m_table->horizontalHeader()->setDefaultSectionSize(width);
    for (int i = 0; i < count; ++i) m_table->setColumnWidth(i, width);
    fitHeight();
}

void ReadoutPanel::showSelected() {
    const auto& runs = m_session->runs();
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i]->id == m_session->selected()) m_table->scrollTo(m_model->index(0, static_cast<int>(i)));
}

void ReadoutPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitColumns();
}

void ReadoutPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refreshHeader();
        m_table->viewport()->update();
    }
}

}  // namespace mantissa::gui
