// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/event_bar.h"

#include <QAbstractButton>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>

#include "gui/app/icon.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/delay.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/event_model.h"

namespace mantissa::gui {
namespace {

/// Draws an event's sign: a glyph, run marker or warning.
void drawSign(QPainter& painter, const LabEvent& event, const SessionModel& session, QPointF center) {
    const Theme& theme = Theme::current();
    if (event.kind == LabEvent::Kind::Note) return drawNoteSign(painter, center, theme.ink2);
    const RunState* run = session.run(event.run);
    if (!run) return;
    const RunIdentity& identity = theme.run(run->identity);
    switch (event.kind) {
        case LabEvent::Kind::Note:
            break;
        case LabEvent::Kind::Growth:
        case LabEvent::Kind::Change:
        case LabEvent::Kind::Checkpoint:
        case LabEvent::Kind::Stored:
        case LabEvent::Kind::Fork:
            drawRunMarker(painter, center, 8, identity, theme.surface);
            break;
        case LabEvent::Kind::Skips:
        case LabEvent::Kind::NonFinite:
            drawGlyph(painter, event.glyph, center, 11, identity.color, theme.surface);
            break;
        case LabEvent::Kind::Stopped:
            themedIcon(QStringLiteral("warning"), IconInk::Danger).paint(&painter, QRectF(center.x() - 7, center.y() - 7, 14, 14).toRect());
            break;
    }
}

class EventDelegate : public QStyledItemDelegate {
public:
    EventDelegate(const EventModel* model, const SessionModel* session, QObject* parent)
        : QStyledItemDelegate(parent), m_model(model), m_session(session) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->fillRect(option.rect, option.state.testFlag(QStyle::State_Selected) ? theme.accentWeak : theme.surface);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.line);
        const bool isStep = index.column() == EventModel::StepColumn, isWords = index.column() == EventModel::WordsColumn,
                   isKind = index.column() == EventModel::KindColumn;
        QFont font = pixelFont(option.font, kTickPixels);
        font.setUnderline(index.column() == EventModel::BackColumn);  // a link
        painter->setFont(font);
        painter->setPen(isStep || isKind ? theme.ink2 : isWords ? theme.ink : theme.accentText);
        const QRect text = option.rect.adjusted(isWords ? 32 : isKind ? 12 : 0, 0, -8, 0);
        painter->drawText(text, Qt::AlignVCenter | (isStep ? Qt::AlignRight : Qt::AlignLeft),
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        if (isWords)
            drawSign(*painter, m_model->events()[static_cast<std::size_t>(index.row())], *m_session,
                     {option.rect.left() + 14.0, option.rect.center().y() + 0.5});
        painter->restore();
    }

private:
    const EventModel* m_model;
    const SessionModel* m_session;
};

}  // namespace

/// The closed bar, one button: "> Events 19 | ◇ step 1 234  fp16: clip 1.0 → 0.5 is effective".
class EventBar::Line : public QAbstractButton {
public:
    Line(const EventModel* model, const SessionModel* session, QWidget* parent)
        : QAbstractButton(parent), m_model(model), m_session(session) {
        setFixedHeight(kBarPixels);
        setFocusPolicy(Qt::TabFocus);
        setCheckable(true);
    }

    void refresh() {
        const LabEvent* newest = m_model->newest();
        const QString last = newest ? QObject::tr("step %1, %2").arg(groupedText(newest->step), newest->text) : QString();
        setAccessibleName(QObject::tr("Events: %1. %2").arg(groupedText(static_cast<std::int64_t>(m_model->countOfAll())), last));
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::current();
        const LabEvent* newest = m_model->newest();
        QPainter painter(this);
        painter.fillRect(rect(), underMouse() ? theme.sunken : theme.window);
        painter.fillRect(QRect(0, 0, width(), 1), theme.line);
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, 1));
            painter.drawRect(rect().adjusted(1, 2, -2, -2));
        }
        themedIcon(isChecked() ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2)
            .paint(&painter, QRect(12, 9, 14, 14));
        int left = 34;
        const auto write = [&](const QString& text, const QFont& font, const QColor& ink, int space) {
            painter.setFont(font);
            painter.setPen(ink);
            const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, std::max(0, width() - left - 12));
            painter.drawText(QRect(left, 1, width() - left, height()), Qt::AlignVCenter | Qt::AlignLeft, shown);
            left += painter.fontMetrics().horizontalAdvance(shown) + space;
        };
        const QFont plain = pixelFont(font(), kTickPixels);
        write(QObject::tr("Events"), pixelFont(font(), kTitlePixels, true), theme.ink, 8);
        write(groupedText(static_cast<std::int64_t>(m_model->countOfAll())), plain, theme.ink2, 16);
        painter.fillRect(QRect(left, 8, 1, 17), theme.line);
        left += 16;
        if (!newest) {
            write(m_session->isQuestionOpen() ? QObject::tr("Skips and non-finite values are shown after the answer.")
                                              : QObject::tr("Nothing yet: changes, skips and non-finite values will be listed here."),
                  plain, theme.ink2, 0);
            return;
        }
        drawSign(painter, *newest, *m_session, {left + 6.0, height() / 2.0 + 0.5});
        left += 20;
        write(QObject::tr("step %1").arg(groupedText(newest->step)), plain, theme.ink2, 8);
        write(newest->text, plain, theme.ink, 0);
    }

private:
    const EventModel* m_model;
    const SessionModel* m_session;
};

EventBar::EventBar(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new EventModel(session, this)),
      m_line(new Line(m_model, session, this)),
      m_kinds(new ComboBox(tr("Which events are listed"), this)),
      m_table(new QTableView(this)),
      m_timer(new Delay(150, this)) {
    setObjectName(QStringLiteral("eventBar"));
    m_line->setObjectName(QStringLiteral("eventLine"));
    auto* column = makeColumn(0, {}, this);
    auto* head = makeRow(0);
    head->addWidget(m_line, 1);
    head->addWidget(m_kinds);
    head->addSpacing(8);
    column->addLayout(head);
    column->addWidget(m_table);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    m_table->setObjectName(QStringLiteral("eventTable"));
    m_table->setAccessibleName(tr("Events, newest first"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new EventDelegate(m_model, session, m_table));
    makePlain(m_table, kRowPixels);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->horizontalHeader()->hide();
    m_table->setColumnWidth(EventModel::StepColumn, 84);
    m_table->setColumnWidth(EventModel::KindColumn, 92);
    m_table->setColumnWidth(EventModel::BackColumn, 130);
    m_table->horizontalHeader()->setSectionResizeMode(EventModel::WordsColumn, QHeaderView::Stretch);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->installEventFilter(this);
    m_table->hide();
    m_kinds->setFixedHeight(26);
    m_kinds->hide();
    m_kinds->addItem({}, -1);
    for (int kind = 0; kind < LabEvent::kKindCount; ++kind) m_kinds->addItem({}, kind);
    connect(m_kinds, &QComboBox::currentIndexChanged, this, [this] {
        const int kind = m_kinds->currentData().toInt();
        m_model->setKind(kind < 0 ? std::nullopt : std::optional(static_cast<LabEvent::Kind>(kind)));
        refresh();
    });

    // A burst has many skips a second; text that changes faster cannot be read.
    connect(m_timer, &QTimer::timeout, this, &EventBar::refresh);
    connect(session, &SessionModel::recordsAppended, m_timer, &Delay::begin);
    connect(session, &SessionModel::markersChanged, m_timer, &Delay::begin);
    connect(session, &SessionModel::runChanged, m_timer, &Delay::begin);
    connect(session, &SessionModel::runsChanged, this, &EventBar::refresh);
    connect(session, &SessionModel::notesChanged, this, &EventBar::refresh);
    const auto restart = [this] {
        m_model->restart();
        refresh();
    };
    connect(session, &SessionModel::experimentLoaded, this, restart);
    connect(session, &SessionModel::seriesReset, this, restart);
    connect(session, &SessionModel::runRewound, this, restart);
    connect(session, &SessionModel::runThinned, this, restart);
    connect(m_line, &QAbstractButton::toggled, this, &EventBar::setExpanded);
    connect(m_table, &QTableView::clicked, this, &EventBar::open);
    connect(m_table, &QTableView::activated, this, &EventBar::open);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](QPoint place) {
        const QModelIndex index = m_table->indexAt(place);
        if (!index.isValid()) return;
        const LabEvent& event = m_model->events()[static_cast<std::size_t>(index.row())];
        emit menuRequested(event.run, event.step, m_table->viewport()->mapToGlobal(place));
    });
    refresh();
}

void EventBar::setExpanded(bool expanded) {
    m_isExpanded = expanded;
    m_line->setChecked(expanded);
    refresh();
    emit expandedChanged();
}

void EventBar::refresh() {
    m_model->refresh();
    m_line->refresh();
    fitRows();
    m_table->setVisible(m_isExpanded && m_model->rowCount() > 0);
    m_kinds->setVisible(m_isExpanded && m_model->countOfAll() > 0);
    if (m_isExpanded) refreshKinds();
}

/// A low screen has a short list: the plots above must stay readable.
void EventBar::fitRows() {
    constexpr int kPlotPixels = 400, kPixelsARow = 80;
    const int mostRows = std::clamp((window()->height() - kPlotPixels) / kPixelsARow, 3, kMostRows);
    m_table->setFixedHeight(std::clamp(m_model->rowCount(), 1, mostRows) * kRowPixels);
}

void EventBar::refreshKinds() {
    m_kinds->setItemText(0, tr("all kinds, %1").arg(groupedText(static_cast<std::int64_t>(m_model->countOfAll()))));
    for (int i = 1; i < m_kinds->count(); ++i) {
        const auto kind = static_cast<LabEvent::Kind>(m_kinds->itemData(i).toInt());
        m_kinds->setItemText(i, tr("%1, %2").arg(kindName(kind), groupedText(static_cast<std::int64_t>(m_model->countOf(kind)))));
    }
}

bool EventBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window() && event->type() == QEvent::Resize) fitRows();
    if (watched == m_table && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        const QModelIndex index = m_table->currentIndex();
        const std::int32_t note = index.isValid() ? m_model->events()[static_cast<std::size_t>(index.row())].note : -1;
        if (note >= 0) emit noteRemovalRequested(note);
        return note >= 0;
    }
    return QWidget::eventFilter(watched, event);
}

void EventBar::open(const QModelIndex& index) {
    const LabEvent event = m_model->events()[static_cast<std::size_t>(index.row())];
    if (index.column() == EventModel::BackColumn && event.note >= 0)
        emit noteEditRequested(event.note);
    else if (index.column() == EventModel::BackColumn && m_model->offersRewind(event))
        emit rewindRequested(event.run, event.step);
    else if (index.column() == EventModel::BackColumn && m_model->offersFork(event))
        emit forkRequested(event.run, event.step);
    else
        jump(event.step);
}

void EventBar::jump(std::int64_t step) {
    m_step = step;
    emit jumpRequested(step);
}

void EventBar::jumpToNext() {
    refresh();
    if (const auto step = m_model->nextStep(m_step)) jump(*step);
}

void EventBar::jumpToPrevious() {
    refresh();
    if (const auto step = m_model->previousStep(m_step < 0 ? m_session->plottedSteps() : m_step)) jump(*step);
}

void EventBar::jumpToFirstNonFinite() {
    refresh();
    if (const auto step = m_model->firstNonFinite()) jump(*step);
}

void EventBar::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    window()->installEventFilter(this);  // the number of rows depends on the window's height
    fitRows();
}

void EventBar::paintEvent(QPaintEvent*) {
    // the bar's upper edge, over the full width
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.window);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
}

void EventBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_table->viewport()->update();
}

}  // namespace mantissa::gui
