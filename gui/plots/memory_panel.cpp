// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/memory_panel.h"

#include <QEvent>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "gui/controls/delay.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/marks.h"
#include "gui/plots/memory_model.h"

namespace mantissa::gui {
namespace {

constexpr int kMemoryRowPixels = 54, kBarPixels = 16, kThinPixels = 5;

/// Ink with the higher contrast: dark on light segments, light on dark ones.
QColor inkOn(const QColor& ground) {
    const auto linear = [](double channel) { return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); };
    const double luminance = 0.2126 * linear(ground.redF()) + 0.7152 * linear(ground.greenF()) + 0.0722 * linear(ground.blueF());
    return luminance > 0.18 ? Theme::light().ink : QColor(Qt::white);
}

/// Outlines a segment without a colour of its own.
void drawEdge(QPainter& painter, const QRectF& segment) {
    painter.setPen(QPen(Theme::current().axis, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(segment.adjusted(0.5, 0.5, -0.5, -0.5));
}

/// Draws the categories side by side and, if there is a unit for figures, the scratch memory as a thin empty box below them: it is not part
/// of what a format needs.
void drawBar(QPainter& painter, const QRectF& area, const MemoryLedger& ledger, std::int64_t largest, const ByteUnit* unit) {
    const Theme& theme = Theme::current();
    const auto bytes = categoriesOf(ledger);
    double left = area.left();
    const auto widthOf = [&](std::int64_t part) { return static_cast<double>(part) / static_cast<double>(largest) * area.width(); };
    const auto write = [&](const QRectF& segment, std::int64_t part, const QColor& ink) {
        const QString text = inUnit(part, *unit);
        painter.setPen(ink);
        if (painter.fontMetrics().horizontalAdvance(text) + 4 <= segment.width()) painter.drawText(segment, Qt::AlignCenter, text);
    };
    for (std::size_t c = 0; c < kMemoryCategories; ++c) {
        if (bytes[c] <= 0) continue;
        const QRectF segment(left, area.top(), std::max(1.0, widthOf(bytes[c]) - 1), area.height());
        painter.fillRect(segment, theme.memory[c]);
        left += widthOf(bytes[c]);
        if (!unit) continue;
        // The palest segment needs an edge against the surface.
        if (c + 1 == kMemoryCategories) drawEdge(painter, segment);
        write(segment, bytes[c], inkOn(theme.memory[c]));
    }
    if (ledger.scratch <= 0 || !unit) return;
    painter.save();
    painter.setClipRect(area.adjusted(0, 0, 0, 3 + kThinPixels));  // of more than fits the right end stays open
    drawEdge(painter, QRectF(area.left(), area.bottom() + 2, std::max(1.0, widthOf(ledger.scratch) - 1), kThinPixels));
    painter.restore();
}

class BarDelegate : public QStyledItemDelegate {
public:
    BarDelegate(const MemoryModel* model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {100, kMemoryRowPixels}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const MemoryRow& row = m_model->row(index.row());
        const std::int64_t largest = m_model->largestTotal();
        const ByteUnit unit = sharedUnit(largest);
        painter->save();
        const QRect area = option.rect;
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(theme.accent, 1));
            painter->drawRect(area.adjusted(0, 0, -1, -1));
        }
        const QRect head(area.left(), area.top() + 2, area.width(), 18);
        drawRunSample(*painter, QRectF(head.left(), head.top() + 1, 24, 16), theme.run(row.identity), theme.surface);
        const QFont bold = pixelFont(option.font, kTickPixels, true);
        const QString total = inUnit(row.ledger.withoutScratch(), unit);
        painter->setFont(bold);
        painter->setPen(theme.ink);
        painter->drawText(head, Qt::AlignRight | Qt::AlignVCenter, total);
        const int totalWidth = painter->fontMetrics().horizontalAdvance(total);
        painter->setFont(pixelFont(option.font, kTickPixels));
        const QString note = row.before ? inUnit(row.before->withoutScratch(), unit) + QStringLiteral(" \u2192") : row.note;
        const int noteWidth = painter->fontMetrics().horizontalAdvance(note);
        painter->setPen(theme.ink2);
        painter->drawText(head.adjusted(0, 0, -totalWidth - 6, 0), Qt::AlignRight | Qt::AlignVCenter, note);
        painter->setPen(theme.ink);
        const int nameWidth = std::max(20, head.width() - 32 - noteWidth - totalWidth - 14);
        painter->drawText(head.adjusted(32, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(row.name, Qt::ElideRight, nameWidth));

        painter->setFont(pixelFont(option.font, kTagPixels));
        if (row.before) drawBar(*painter, QRectF(area.left(), area.top() + 22, area.width(), kThinPixels), *row.before, largest, nullptr);
        drawBar(*painter, QRectF(area.left(), area.top() + 29, area.width(), kBarPixels), row.ledger, largest, &unit);
        painter->restore();
    }

private:
    const MemoryModel* m_model;
};

/// Memory that the backend allocated for all live runs, and memory in use on their device; empty if there is none.
QString takenText(const SessionModel& session) {
    std::int64_t allocated = 0, inUse = -1;
    for (const auto& run : session.runs()) {
        if (!run->isLive()) continue;
        allocated += run->info.allocatedBytes;
        inUse = std::max(inUse, run->info.deviceUsedBytes);
    }
    if (allocated == 0) return {};
    const QString words = MemoryPanel::tr("Allocated with the data: %1.").arg(bytesText(allocated));
    return inUse < 0 ? words : words + u' ' + MemoryPanel::tr("In use of the device: %1.").arg(bytesText(inUse));
}

/// The six greys with their names, three per row; the scratch memory is below them.
class Legend : public QWidget {
public:
    explicit Legend(QWidget* parent) : QWidget(parent) { setFixedHeight(kRow * 3); }
    /// Purpose of the scratch memory: "scratch of the emulation, apart".
    void setScratch(const QString& words) {
        m_scratch = words;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::current();
        QPainter painter(this);
        painter.setFont(pixelFont(font(), kTagPixels));
        const auto write = [&](int left, int top, int room, const QString& words) {
            painter.setPen(theme.ink2);
            painter.drawText(QRect(left + 15, top, room - 15, kRow), Qt::AlignVCenter | Qt::AlignLeft,
                             painter.fontMetrics().elidedText(words, Qt::ElideRight, room - 15));
        };
        for (std::size_t c = 0; c < kMemoryCategories; ++c) {
            const int left = static_cast<int>(c % 3) * width() / 3, top = static_cast<int>(c / 3) * kRow;
            painter.fillRect(left, top + 5, 9, 9, theme.memory[c]);
            if (c + 1 == kMemoryCategories) drawEdge(painter, QRectF(left, top + 5, 9, 9));
            write(left, top, width() / 3, memoryCategoryName(c));
        }
        drawEdge(painter, QRectF(0, 2 * kRow + 5, 9, 9));
        write(0, 2 * kRow, width(), m_scratch);
    }

private:
    static constexpr int kRow = 20;
    QString m_scratch;
};

}  // namespace

MemoryPanel::MemoryPanel(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new MemoryModel(session, this)),
      m_list(new QListView(this)),
      m_title(makeLabel(tr("Memory"), "", this)),
      m_unit(makeLabel({}, "", this)),
      m_legend(new Legend(this)),
      m_note(makeWrappedLabel({}, "", this)),
      m_timer(new Delay(250, this)) {
    setObjectName(QStringLiteral("memoryPanel"));
    m_title->setFont(pixelFont(font(), kTitlePixels, true));
    m_unit->setFont(pixelFont(font(), kTickPixels));
    m_note->setFont(pixelFont(font(), kTickPixels));
    m_note->setObjectName(QStringLiteral("memoryTaken"));
    auto* head = makeRow(8);
    head->addWidget(m_title);
    head->addWidget(m_unit, 1);
    auto* column = makeColumn(6, {}, this);
    column->addLayout(head);
    column->addWidget(m_note);
    column->addWidget(m_list);
    column->addWidget(m_legend);

    m_list->setObjectName(QStringLiteral("memoryList"));
    m_list->setAccessibleName(tr("Memory of each run by purpose"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new BarDelegate(m_model, m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setSelectionMode(QAbstractItemView::NoSelection);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    connect(m_timer, &QTimer::timeout, this, &MemoryPanel::refresh);
    connect(session, &SessionModel::recordsAppended, m_timer, &Delay::begin);
    connect(session, &SessionModel::runChanged, this, [this](int run) {
        m_model->noteRun(run);
        refresh();
    });
    const auto reset = [this](bool forgets) {
        m_model->resetRuns(forgets);
        refresh();
    };
    connect(session, &SessionModel::experimentLoaded, this, [reset] { reset(true); });
    connect(session, &SessionModel::seriesReset, this, [reset] { reset(true); });
    connect(session, &SessionModel::runsChanged, this, [reset] { reset(false); });
    refresh();
}

void MemoryPanel::setFolded(bool folded) {
    m_isFolded = folded;
    refresh();
}

void MemoryPanel::refresh() {
    const Theme& theme = Theme::current();
    const ByteUnit unit = sharedUnit(m_model->largestTotal());
    m_unit->setStyleSheet(QStringLiteral("color: %1").arg(theme.ink2.name()));
    m_note->setStyleSheet(QStringLiteral("color: %1").arg(theme.ink2.name()));
    bool hasBefore = false, isEmulated = false;
    QStringList totals;
    for (int i = 0; i < m_model->rowCount(); ++i) {
        hasBefore |= m_model->row(i).before.has_value();
        totals << inUnit(m_model->row(i).ledger.withoutScratch(), unit);
        isEmulated |= m_model->row(i).isEmulated;
    }
    if (m_isFolded)
        m_unit->setText(totals.join(QStringLiteral(", ")) + u' ' + unit.name);
    else
        m_unit->setText(m_model->isAsPlanned() ? tr("%1, predicted = measured").arg(unit.name) : tr("%1, predicted").arg(unit.name));
    const QString scratch =
        isEmulated ? tr("scratch, mostly emulation: not in the totals") : tr("scratch of operations: not in the totals");
    static_cast<Legend*>(m_legend)->setScratch(scratch);
    setToolTip(isEmulated ? tr("The totals are what the formats need on any device. On a GPU, the libraries' own workspace comes on top.")
                          : QString());
    // Read-only runs have no bars: their cards show their memory.
    const bool hasBars = m_model->rowCount() > 0 || m_session->runs().empty();
    m_unit->setVisible(hasBars);
    m_list->setVisible(hasBars && !m_isFolded);
    m_legend->setVisible(hasBars && !m_isFolded);
    const QString taken = hasBars ? takenText(*m_session) : tr("Memory by purpose is known for the lab's own runs only.");
    QStringList notes{m_model->comparison(), taken};
    if (hasBefore) notes << tr("Thin bar: before the last switch.");
    notes.removeAll(QString());
    m_note->setText(notes.join(u' '));
    m_note->setVisible(!notes.isEmpty() && !m_isFolded);
    m_list->setFixedHeight(std::max(1, m_model->rowCount()) * kMemoryRowPixels + 2);
    fitNote();
}

/// Gives the note the height of its lines at this width: the panel's own size hint does not depend on its width.
void MemoryPanel::fitNote() {
    m_note->setFixedHeight(std::max(0, m_note->heightForWidth(width())));
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitNote();
}

void MemoryPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
        m_list->viewport()->update();
    }
}

void MemoryPanel::mouseReleaseEvent(QMouseEvent* event) {
    QWidget::mouseReleaseEvent(event);
    if (event->position().y() <= m_title->geometry().bottom()) emit headClicked();
}

}  // namespace mantissa::gui
