// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/guide_window.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QShortcut>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <algorithm>

#include "gui/app/guide_browser.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

constexpr QSize kGuideSize{1080, 720};
constexpr int kContentsWidth = 252, kFieldWidth = 260;
constexpr int kPlaceRole = Qt::UserRole;

QTreeWidgetItem* makeEntry(const QString& title, const QString& place) {
    auto* entry = new QTreeWidgetItem({title});
    entry->setData(0, kPlaceRole, place);
    entry->setToolTip(0, title);
    return entry;
}

int indexOfPage(const QString& file) {
    const auto& pages = guidePages();
    const auto it = std::ranges::find(pages, file, &GuidePage::file);
    return it == pages.end() ? 0 : static_cast<int>(it - pages.begin());
}

QPushButton* makeBarButton(const QString& icon, const QString& name, QWidget* parent) {
    QPushButton* button = makeButton({}, icon, name, parent);
    button->setAutoDefault(false);  // Enter in the field must not press the button
    button->setToolTip(name);
    return button;
}

}  // namespace

GuideWindow* GuideWindow::of(QWidget* window, const QString& place) {
    auto* guide = window->findChild<GuideWindow*>(QString(), Qt::FindDirectChildrenOnly);
    const bool isNew = !guide;
    if (isNew) guide = new GuideWindow(window);
    if (isNew || !place.isEmpty()) guide->open(place.isEmpty() ? guidePages().first().file : place);
    bringToFront(guide);
    return guide;
}

GuideWindow::GuideWindow(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Guide"));
    resize(kGuideSize);
    auto* column = makeColumn(0, {}, this);

    auto* bar = new QWidget(this);
    paintAs(bar, "bar");
    auto* row = makeRow(8, {12, 8, 12, 8}, bar);
    QPushButton* back = makeBarButton(QStringLiteral("chevron-left"), tr("Back"), bar);
    QPushButton* forward = makeBarButton(QStringLiteral("chevron-right"), tr("Forward"), bar);
    m_found = makeLabel({}, "secondary", bar);
    m_field = new QLineEdit(bar);
    m_field->setPlaceholderText(tr("Find in the guide (Ctrl+F)"));
    m_field->setAccessibleName(tr("Find in the guide"));
    m_field->setClearButtonEnabled(true);
    m_field->setFixedWidth(kFieldWidth);
    addWidgets(row, {back, forward});
    row->addStretch(1);
    addWidgets(row, {m_found, m_field});
    column->addWidget(bar);

    auto* body = makeRow(0);
    m_contents = new QTreeWidget(this);
    m_contents->setAccessibleName(tr("Contents of the guide"));
    m_contents->setFrameShape(QFrame::NoFrame);
    m_contents->setProperty("kind", "contents");
    m_contents->setFixedWidth(kContentsWidth);
    m_contents->setHeaderHidden(true);
    m_contents->setIndentation(16);
    m_contents->setTextElideMode(Qt::ElideRight);
    m_contents->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    fillContents();
    m_browser = new GuideBrowser(this);
    body->addWidget(m_contents);
    body->addWidget(m_browser, 1);
    column->addLayout(body, 1);

    connect(back, &QPushButton::clicked, m_browser, &QTextBrowser::backward);
    connect(forward, &QPushButton::clicked, m_browser, &QTextBrowser::forward);
    for (auto [button, isAvailable] :
         {std::pair(back, &QTextBrowser::backwardAvailable), std::pair(forward, &QTextBrowser::forwardAvailable)}) {
        button->setEnabled(false);
        connect(m_browser, isAvailable, button, &QWidget::setEnabled);
    }
    connect(m_browser, &GuideBrowser::placeChanged, this, &GuideWindow::showChosen);
    connect(m_contents, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* entry) {
        if (entry) open(entry->data(0, kPlaceRole).toString());
    });
    connect(m_field, &QLineEdit::textChanged, this, [this](const QString& words) {  // only this page, as no page turns while one types
        const int count = m_browser->mark(words);
        m_found->setText(words.isEmpty() ? QString() : count > 0 ? tr("%1 on this page").arg(count) : tr("Enter searches all pages"));
    });
    connect(m_field, &QLineEdit::returnPressed, this, [this] { search(false); });
    const auto onKey = [this](const QKeySequence& key, auto verb) { connect(new QShortcut(key, this), &QShortcut::activated, this, verb); };
    onKey(QKeySequence::Find, [this] {
        m_field->setFocus(Qt::ShortcutFocusReason);
        m_field->selectAll();
    });
    onKey(Qt::SHIFT | Qt::Key_Return, [this] { search(true); });
    onKey(Qt::Key_F3, [this] { search(false); });
    onKey(Qt::SHIFT | Qt::Key_F3, [this] { search(true); });
    onKey(QKeySequence::Back, [this] { m_browser->backward(); });
    onKey(QKeySequence::Forward, [this] { m_browser->forward(); });
    m_browser->setFocus(Qt::OtherFocusReason);
}

void GuideWindow::fillContents() {
    for (const GuidePage& page : guidePages()) {
        QTreeWidgetItem* entry = makeEntry(page.title, page.file);
        for (const GuideHeading& heading : page.headings)
            if (heading.level == 2) entry->addChild(makeEntry(heading.text, QStringLiteral("%1#%2").arg(page.file, heading.anchor)));
        m_contents->addTopLevelItem(entry);
    }
}

void GuideWindow::open(const QString& place) {
    m_browser->open(guideUrl(place));
}

void GuideWindow::showChosen(const QUrl& source) {
    QTreeWidgetItem* page = m_contents->topLevelItem(indexOfPage(source.fileName()));
    QTreeWidgetItem* chosen = page;
    const QString place = QStringLiteral("%1#%2").arg(source.fileName(), source.fragment());
    for (int i = 0; i < page->childCount(); ++i)
        if (page->child(i)->data(0, kPlaceRole).toString() == place) chosen = page->child(i);
    const QSignalBlocker blocker(m_contents);
    for (int i = 0; i < m_contents->topLevelItemCount(); ++i) m_contents->topLevelItem(i)->setExpanded(m_contents->topLevelItem(i) == page);
    m_contents->setCurrentItem(chosen);
    m_contents->scrollToItem(chosen);
    setWindowTitle(tr("%1 - Guide").arg(page->text(0)));
}

void GuideWindow::search(bool isBackward) {
    const QString words = m_field->text();
    if (words.isEmpty()) return;
    int count = m_browser->mark(words);
    const auto& pages = guidePages();
    const int pageCount = static_cast<int>(pages.size()), here = indexOfPage(m_browser->place().fileName());
    bool isFound = m_browser->step(words, isBackward);
    // Searches the other pages, and last the part of this page behind the cursor.
    for (int i = 1; !isFound && i <= pageCount; ++i) {
        const GuidePage& page = pages[(here + (isBackward ? pageCount - i : i)) % pageCount];
        if (!page.words.contains(words, Qt::CaseInsensitive)) continue;
        open(page.file);
        m_browser->moveCursor(isBackward ? QTextCursor::End : QTextCursor::Start);
        count = m_browser->mark(words);
        isFound = m_browser->step(words, isBackward);
    }
    m_found->setText(isFound ? tr("%1 on this page").arg(count) : tr("Not in the guide"));
}

}  // namespace mantissa::gui
