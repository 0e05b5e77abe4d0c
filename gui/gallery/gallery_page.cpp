// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gallery/gallery_page.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "gui/controls/experiment_words.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/recordings/recording_words.h"

namespace mantissa::gui {
namespace {

constexpr int kCardWidth = 296, kGap = 12, kMargin = 20;
constexpr QSize kRequested{1320, 940};
constexpr int kRecordingsShown = 24;  // the latest; the list of recordings has all

/// Heading of an experiment group (engine/experiment).
QString groupText(const std::string& group) {
    if (group == "range") return QObject::tr("Range");
    if (group == "precision") return QObject::tr("Precision");
    if (group == "scaler") return QObject::tr("Loss scaler");
    if (group == "mistakes") return QObject::tr("Mistakes");
    if (group == "eight-bits") return QObject::tr("Eight bits and fewer");
    if (group == "models") return QObject::tr("Models");
    return QObject::tr("More");  // a newer engine may have other groups
}

}  // namespace

GalleryPage::GalleryPage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QDialog(parent), m_session(session), m_engine(engine) {
    setWindowTitle(tr("Gallery"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = makeColumn(10, {0, 16, 0, 12}, this);

    auto* head = makeRow(16, {kMargin, 0, kMargin, 0});
    head->addWidget(makeLabel(tr("What do you want to see?"), "lead", this));
    head->addStretch(1);
    m_field = new QLineEdit(this);
    m_field->setPlaceholderText(tr("Type to filter"));
    m_field->setAccessibleName(tr("Filter of the gallery"));
    m_field->setClearButtonEnabled(true);
    m_field->setFixedWidth(260);
    m_field->installEventFilter(this);
    head->addWidget(m_field);
    column->addLayout(head);
    m_links = makeRow(14, {kMargin, 0, kMargin, 0});
    m_links->addStretch(1);
    column->addLayout(m_links);
    column->addWidget(makeRule(Qt::Horizontal, this));

    m_content = new QWidget(this);
    m_column = makeColumn(14, {kMargin, 0, kMargin, 8}, m_content);
    m_nothing = makeLabel(tr("Nothing in the gallery has these words."), "body2", m_content);
    m_nothing->hide();
    m_column->addWidget(m_nothing);
    m_column->addStretch(1);
    m_scroll = makeScroll(m_content, this);
    column->addWidget(m_scroll, 1);

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(kMargin, 0, kMargin, 0);
    foot->addWidget(makeLabel(tr("Arrow keys choose, Enter opens, letters filter, Esc closes."), "secondary", this), 1);
    QPushButton* close = makeButton(tr("Close"), {}, tr("Close the gallery"), this);
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    foot->addWidget(close);
    column->addLayout(foot);

    connect(m_field, &QLineEdit::textChanged, this, &GalleryPage::filter);
    connect(session, &SessionModel::recordingsListed, this, [this](const RecordingsListed& list) {
        if (m_asked != 0 && list.commandId == m_asked) showRecordings(list);
    });
    fillExperiments();
    m_asked = m_engine->ask(ListRecordings{});
    resize(parent ? kRequested.boundedTo(parent->size() - QSize(40, 60)) : kRequested);
}

GalleryPage::Group& GalleryPage::addGroup(const QString& title) {
    Group& group = m_groups.emplace_back();
    group.whole = new QWidget(m_content);
    auto* column = makeColumn(8, {0, 6, 0, 0}, group.whole);
    column->addWidget(makeLabel(title, "headline", group.whole));
    group.grid = new QGridLayout;
    group.grid->setSpacing(kGap);
    column->addLayout(group.grid);
    m_column->insertWidget(m_column->count() - 2, group.whole);
    group.link = makeButton(title, {}, tr("Show group: %1").arg(title), this);
    group.link->setProperty("look", "link");
    group.link->setCursor(Qt::PointingHandCursor);
    group.link->setAutoDefault(false);
    const std::size_t number = m_groups.size() - 1;
    connect(group.link, &QPushButton::clicked, this, [this, number] { showGroup(m_groups[number]); });
    m_links->insertWidget(m_links->count() - 1, group.link);
    return group;
}

void GalleryPage::addCard(Group& group, GalleryCard* card, const std::function<void()>& report) {
    card->installEventFilter(this);
    group.cards << card;
    connect(card, &QAbstractButton::clicked, this, [this, report] {
        if (!isVisible()) return;  // a second press during closing
        report();
        accept();
    });
}

void GalleryPage::fillExperiments() {
    const auto& experiments = m_session->hello().experiments;
    std::vector<std::string> names = experimentGroups();
    names.emplace_back();  // for cards without any of these
    for (const std::string& name : names) {
        const auto isOfGroup = [&](const BundledExperiment& each) {
            return each.group == name || (name.empty() && std::find(names.begin(), names.end(), each.group) == names.end());
        };
        if (std::none_of(experiments.begin(), experiments.end(), isOfGroup)) continue;
        Group& group = addGroup(groupText(name));
        for (const BundledExperiment& each : experiments) {
            if (!isOfGroup(each)) continue;
            const ShownWords words = shownWords(each);
            const QString key = QString::fromStdString(each.name);
            auto* card = new GalleryCard(bundledCurves(key), words.title, words.description, words.lookFor,
                                         key + u' ' + groupText(name) + u' ' + QString::fromStdString(each.data), group.whole);
            addCard(group, card, [this, key] { emit experimentRequested(key); });
            const bool isCurrent = m_session->experiment().name == each.name;
            card->setCurrent(isCurrent);
            if (isCurrent || !m_first) m_first = card;
        }
    }
}

void GalleryPage::showRecordings(const RecordingsListed& list) {
    m_asked = 0;
    std::vector<ListedRecording> recordings = latestFirst(list.recordings);
    std::erase_if(recordings, [this](const ListedRecording& each) {  // a recording in progress cannot be opened
        return each.steps == 0 || (m_session->recording().isRecording && m_session->recording().path == each.path);
    });
    if (recordings.empty()) return;
    recordings.resize(std::min<std::size_t>(recordings.size(), kRecordingsShown));
    Group& group = addGroup(tr("Your recordings"));
    for (const ListedRecording& each : recordings) {
        const QString path = QString::fromStdString(each.path), when = startedText(each);
        auto* card = new GalleryCard(curvesOf(each), titleText(each),
                                     tr("%1, %2 steps. %3").arg(when, groupedText(each.steps), lossesText(each)), {}, path, group.whole);
        addCard(group, card, [this, path] { emit recordingRequested(path); });
    }
    filter();
}

QList<GalleryCard*> GalleryPage::shownCards() const {
    QList<GalleryCard*> shown;
    for (const Group& group : m_groups)
        for (GalleryCard* card : group.cards)
            if (!card->isHidden()) shown << card;
    return shown;
}

void GalleryPage::filter() {
    const QStringList words = m_field->text().split(u' ', Qt::SkipEmptyParts);
    for (Group& group : m_groups) {
        for (GalleryCard* card : group.cards) card->setVisible(card->holds(words));
        const bool isShown = std::any_of(group.cards.begin(), group.cards.end(), [](GalleryCard* card) { return !card->isHidden(); });
        group.whole->setVisible(isShown);
        group.link->setEnabled(isShown);
    }
    m_nothing->setVisible(shownCards().isEmpty());
    m_columns = 0;
    arrange();
    m_scroll->verticalScrollBar()->setValue(0);
    GalleryCard* found = words.isEmpty() ? nullptr : match();
    for (Group& group : m_groups)
        for (GalleryCard* card : group.cards) card->setMatch(card == found);
    if (!found) return;
    m_content->layout()->activate();  // the cards have their places only then
    m_scroll->ensureWidgetVisible(found, 0, 40);
}

GalleryCard* GalleryPage::match() const {
    const QList<GalleryCard*> shown = shownCards();
    const QString typed = m_field->text().simplified();
    for (const QStringList& words : {QStringList(typed), typed.split(u' ')})
        for (GalleryCard* card : shown)
            if (card->isNamed(words)) return card;
    return shown.value(0);
}

void GalleryPage::arrange() {
    const int room = width() - 2 * kMargin - m_scroll->verticalScrollBar()->sizeHint().width();
    const int columns = std::max(1, (room + kGap) / (kCardWidth + kGap));
    if (std::exchange(m_columns, columns) == columns) return;
    for (Group& group : m_groups) arrange(group, columns);
}

void GalleryPage::arrange(Group& group, int columns) {
    while (QLayoutItem* item = group.grid->takeAt(0)) delete item;
    for (int i = 0; i < group.grid->columnCount(); ++i) group.grid->setColumnStretch(i, 0);
    for (int i = 0; i < columns; ++i) {  // one width in all groups
        group.grid->setColumnStretch(i, 1);
        group.grid->setColumnMinimumWidth(i, kCardWidth);
    }
    for (int i = columns; i < group.grid->columnCount(); ++i) group.grid->setColumnMinimumWidth(i, 0);
    int place = 0;
    for (GalleryCard* card : group.cards) {
        if (card->isHidden()) continue;
        group.grid->addWidget(card, place / columns, place % columns);
        ++place;
    }
}

void GalleryPage::resizeEvent(QResizeEvent* event) {
    QDialog::resizeEvent(event);
    arrange();
}

void GalleryPage::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    // after its cards have their places
    if (!m_first) return;
    QTimer::singleShot(0, this, [this] {
        focusCard(m_first);
        // With the heading at the top no card above it is cut off, if there is room for this one.
        const int bottom = m_first->mapTo(m_content, QPoint(0, m_first->height())).y(), room = m_scroll->viewport()->height();
        for (const Group& group : m_groups)
            if (group.cards.contains(m_first) && bottom - group.whole->y() <= room)
                m_scroll->verticalScrollBar()->setValue(group.whole->y());
    });
}

void GalleryPage::showGroup(const Group& group) {
    m_scroll->verticalScrollBar()->setValue(group.whole->y());
    for (GalleryCard* card : group.cards)
        if (!card->isHidden()) return card->setFocus(Qt::OtherFocusReason);
}

void GalleryPage::focusCard(GalleryCard* card) {
    if (!card) return;
    card->setFocus(Qt::OtherFocusReason);
    m_scroll->ensureWidgetVisible(card, 0, 40);  // and the heading above it
}

GalleryCard* GalleryPage::neighbour(const GalleryCard* card, int rows) const {
    // The nearest card of the next row in that direction, in any group.
    const auto placeOf = [this](const GalleryCard* each) { return each->mapTo(m_content, QPoint(0, 0)); };
    const QPoint from = placeOf(card);
    GalleryCard* best = nullptr;
    for (GalleryCard* each : shownCards()) {
        const QPoint at = placeOf(each);
        if ((at.y() - from.y()) * rows <= 0) continue;
        const auto distance = [&](const QPoint& place) {
            return std::pair(std::abs(place.y() - from.y()), std::abs(place.x() - from.x()));
        };
        if (!best || distance(at) < distance(placeOf(best))) best = each;
    }
    return best;
}

bool GalleryPage::takeCardKey(GalleryCard* card, QKeyEvent* key) {
    const QList<GalleryCard*> shown = shownCards();
    const qsizetype place = shown.indexOf(card);
    switch (key->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const bool isBack = (key->key() == Qt::Key_Left) != isRightToLeft();
            focusCard(shown.value(place + (isBack ? -1 : 1)));
            return true;
        }
        case Qt::Key_Up:
        case Qt::Key_Down: {
            GalleryCard* next = neighbour(card, key->key() == Qt::Key_Up ? -1 : 1);
            if (!next && key->key() == Qt::Key_Up)
                m_field->setFocus(Qt::OtherFocusReason);
            else
                focusCard(next);
            return true;
        }
        case Qt::Key_Home:
            focusCard(shown.value(0));
            return true;
        case Qt::Key_End:
            focusCard(shown.value(shown.size() - 1));
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            card->click();
            return true;
        default:
            break;
    }
    const QString text = key->text();
    if (text.isEmpty() || !text.front().isPrint() || text.front().isSpace() ||
        key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    m_field->setFocus(Qt::OtherFocusReason);
    m_field->setText(m_field->text() + text);
    return true;
}

bool GalleryPage::takeFieldKey(QKeyEvent* key) {
    const QList<GalleryCard*> shown = shownCards();
    if (key->key() == Qt::Key_Escape && !m_field->text().isEmpty()) {
        m_field->clear();
        return true;
    }
    if (shown.isEmpty()) return false;
    if (key->key() == Qt::Key_Down) {
        focusCard(shown.front());
        return true;
    }
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        match()->click();
        return true;
    }
    return false;
}

bool GalleryPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_field ? takeFieldKey(key) : takeCardKey(static_cast<GalleryCard*>(watched), key)) return true;
    }
    // Tab reaches it as well
    if (event->type() == QEvent::FocusIn && watched != m_field) m_scroll->ensureWidgetVisible(static_cast<QWidget*>(watched), 0, 8);
    return QDialog::eventFilter(watched, event);
}

}  // namespace mantissa::gui
