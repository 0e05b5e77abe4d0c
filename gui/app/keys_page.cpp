// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/keys_page.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QTreeWidget>

#include "gui/app/actions.h"
#include "gui/app/theme.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

enum KeyColumn { kActionColumn, kKeyColumn };
constexpr int kEntryRole = Qt::UserRole + 1;  // index in KeyMap::entries(); -1: a fixed key
constexpr int kKeyWidth = 170;

}  // namespace

KeyRecorder::KeyRecorder(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Press the new key; Escape cancels"));
}

bool KeyRecorder::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();  // the key is recorded and triggers no shortcut
        return true;
    }
    if (event->type() != QEvent::KeyPress) return QWidget::event(event);
    const auto* press = static_cast<QKeyEvent*>(event);
    const int key = press->key();
    if (key == Qt::Key_Escape) {
        emit cancelled();
        return true;
    }
    const bool isModifier =
        key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta || key == Qt::Key_AltGr;
    if (isModifier || key == Qt::Key_unknown) return true;
    Qt::KeyboardModifiers modifiers = press->modifiers() & ~Qt::KeyboardModifiers(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    // "?" is matched by its text, because its key depends on the keyboard.
    const QString text = press->text();
    if (text.size() == 1 && text[0].isPrint() && !text[0].isLetterOrNumber() && !text[0].isSpace())
        modifiers &= ~Qt::KeyboardModifiers(Qt::ShiftModifier);
    emit recorded(QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(key))));
    return true;
}

void KeyRecorder::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.accentWeak);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
    painter.setPen(theme.accentText);
    painter.drawText(rect().adjusted(8, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, tr("press a key"));
}

void KeyRecorder::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason) emit cancelled();
}

KeysPage::KeysPage(KeyMap* map, QWidget* parent)
    : QWidget(parent),
      m_map(map),
      m_search(new QLineEdit(this)),
      m_list(new QTreeWidget(this)),
      m_word(makeWrappedLabel({}, "body2", this)),
      m_change(makeButton(tr("Change key"), {}, tr("Record a new key for the chosen action"), this)),
      m_clear(makeButton(tr("No key"), {}, tr("Leave the chosen action without a key"), this)),
      m_reset(makeButton(tr("Reset"), {}, tr("The usual key of the chosen action"), this)),
      m_resetAll(makeButton(tr("Reset all"), {}, tr("The usual keys of all actions"), this)) {
    auto* column = makeColumn(8, {}, this);
    m_search->setObjectName(QStringLiteral("keySearch"));
    m_search->setAccessibleName(tr("Search actions and keys"));
    m_search->setPlaceholderText(tr("Search: a word, or a key such as Ctrl+E"));
    m_search->setClearButtonEnabled(true);
    column->addWidget(m_search);
    m_list->setObjectName(QStringLiteral("keyList"));
    m_list->setAccessibleName(tr("Actions and their keys"));
    m_list->setHeaderHidden(true);
    m_list->setColumnCount(2);
    m_list->setRootIsDecorated(false);
    m_list->setItemsExpandable(false);
    m_list->setIndentation(12);
    m_list->setUniformRowHeights(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(kActionColumn, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(kKeyColumn, QHeaderView::Fixed);
    m_list->header()->resizeSection(kKeyColumn, kKeyWidth);
    column->addWidget(m_list, 1);
    m_word->setMinimumHeight(m_word->fontMetrics().lineSpacing() * 2);
    m_word->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_word);
    auto* row = makeRow(8);
    for (QPushButton* button : {m_change, m_clear, m_reset}) row->addWidget(button);
    row->addStretch();
    row->addWidget(m_resetAll);
    column->addLayout(row);

    connect(m_search, &QLineEdit::textChanged, this, &KeysPage::search);
    connect(m_list, &QTreeWidget::itemActivated, this, &KeysPage::record);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysPage::refreshButtons);
    connect(m_change, &QAbstractButton::clicked, this, &KeysPage::record);
    connect(m_clear, &QAbstractButton::clicked, this, [this] {
        if (QAction* action = chosen()) say(m_map->assign(action, {}));
    });
    connect(m_reset, &QAbstractButton::clicked, this, [this] {
        if (QAction* action = chosen()) say(m_map->reset(action));
    });
    connect(m_resetAll, &QAbstractButton::clicked, this, [this] {
        m_map->resetAll();
        say({});
    });
    connect(m_map, &KeyMap::changed, this, [this] {
        for (int i = 0; i < m_list->topLevelItemCount(); ++i)
            for (int j = 0; j < m_list->topLevelItem(i)->childCount(); ++j) refreshRow(m_list->topLevelItem(i)->child(j));
        refreshButtons();
    });
    fill();
    say({});
}

void KeysPage::fill() {
    QTreeWidgetItem* group = nullptr;
    const auto startGroup = [&](const QString& name) {
        group = new QTreeWidgetItem(m_list, {name});
        group->setFlags(Qt::ItemIsEnabled);
        QFont bold = m_list->font();
        bold.setWeight(QFont::DemiBold);
        group->setFont(kActionColumn, bold);
        group->setFirstColumnSpanned(true);
    };
    const auto& entries = m_map->entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!group || group->text(kActionColumn) != entries[i].group) startGroup(entries[i].group);
        auto* item = new QTreeWidgetItem(group);
        item->setData(kActionColumn, kEntryRole, static_cast<int>(i));
        refreshRow(item);
    }
    startGroup(tr("Always the same"));
    for (const auto& [key, meaning] : extraKeys()) {
        auto* item = new QTreeWidgetItem(group, {meaning, key});
        item->setData(kActionColumn, kEntryRole, -1);
        item->setToolTip(kActionColumn, meaning);
    }
    m_list->expandAll();
    m_list->setCurrentItem(m_list->topLevelItem(0)->child(0));
}

void KeysPage::refreshRow(QTreeWidgetItem* item) {
    const int place = item->data(kActionColumn, kEntryRole).toInt();
    if (place < 0) return;
    const QAction* action = m_map->entries()[static_cast<std::size_t>(place)].action;
    item->setText(kActionColumn, action->text().remove(u'\u2026').remove(u'&'));
    const QString keys = KeyMap::shown(action->shortcuts());
    item->setText(kKeyColumn, m_map->isChanged(action) ? tr("%1 (changed)").arg(keys.isEmpty() ? tr("none") : keys) : keys);
}

void KeysPage::search(const QString& text) {
    endRecording();
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* group = m_list->topLevelItem(i);
        bool hasAny = false;
        for (int j = 0; j < group->childCount(); ++j) {
            QTreeWidgetItem* item = group->child(j);
            const bool isFound =
                item->text(kActionColumn).contains(text, Qt::CaseInsensitive) || item->text(kKeyColumn).contains(text, Qt::CaseInsensitive);
            item->setHidden(!isFound);
            hasAny |= isFound;
        }
        group->setHidden(!hasAny);
    }
}

QAction* KeysPage::chosen() const {
    const QTreeWidgetItem* item = m_list->currentItem();
    const int place = item && item->parent() ? item->data(kActionColumn, kEntryRole).toInt() : -1;
    return place < 0 ? nullptr : m_map->entries()[static_cast<std::size_t>(place)].action;
}

void KeysPage::refreshButtons() {
    const QAction* action = chosen();
    m_change->setEnabled(action != nullptr);
    m_clear->setEnabled(action && !action->shortcuts().isEmpty());
    m_reset->setEnabled(action && m_map->isChanged(action));
}

void KeysPage::say(const QString& sentence) {
    m_word->setText(sentence.isEmpty() ? tr("Double click or Enter records a new key. Single keys rest while a text field has the cursor.")
                                       : sentence);
}

QString KeysPage::word() const {
    return m_word->text();
}

void KeysPage::record() {
    endRecording();
    QAction* action = chosen();
    if (!action) return;
    m_recording = m_list->currentItem();
    m_list->scrollToItem(m_recording);
    auto* recorder = new KeyRecorder(m_list);
    m_list->setItemWidget(m_recording, kKeyColumn, recorder);
    say(tr("Press the new key of \u201C%1\u201D. Escape cancels.").arg(m_recording->text(kActionColumn)));
    // Queued: this deletes the recorder, which is the sender.
    const auto afterwards = [this, recorder](auto signal, auto slot) { connect(recorder, signal, this, slot, Qt::QueuedConnection); };
    afterwards(&KeyRecorder::cancelled, [this] {
        endRecording();
        say({});
    });
    afterwards(&KeyRecorder::recorded, [this, action](const QKeySequence& key) {
        endRecording();
        say(m_map->assign(action, key));
    });
    recorder->setFocus(Qt::OtherFocusReason);
}

void KeysPage::endRecording() {
    if (!m_recording) return;
    QTreeWidgetItem* item = std::exchange(m_recording, nullptr);
    if (QWidget* recorder = m_list->itemWidget(item, kKeyColumn)) recorder->disconnect(this);
    m_list->removeItemWidget(item, kKeyColumn);
    m_list->setFocus(Qt::OtherFocusReason);
}

}  // namespace mantissa::gui
