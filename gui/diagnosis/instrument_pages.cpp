// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/instrument_pages.h"

#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {

InstrumentPages::InstrumentPages(QWidget* parent)
    : QWidget(parent), m_row(makeRow(0)), m_buttons(new QButtonGroup(this)), m_stack(new QStackedWidget(this)) {
    auto* column = makeColumn(8, {}, this);
    m_row->addStretch(1);
    column->addLayout(m_row);
    column->addWidget(m_stack, 1);
    connect(m_buttons, &QButtonGroup::idClicked, m_stack, &QStackedWidget::setCurrentIndex);
    connect(m_stack, &QStackedWidget::currentChanged, this, [this](int index) {
        if (QAbstractButton* button = m_buttons->button(index)) button->setChecked(true);
        fitToCurrent();
        emit currentChanged();
    });
}

void InstrumentPages::fitToCurrent() {
    for (int i = 0; i < m_stack->count(); ++i) {
        const auto policy = m_stack->widget(i) == current() ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        m_stack->widget(i)->setSizePolicy(policy, policy);
    }
}

void InstrumentPages::add(QWidget* page, const QString& title, const QString& hint) {
    QPushButton* button = makeSegment(title, tr("%1: %2").arg(title, hint), this);
    button->setToolTip(hint);
    m_hints << hint;
    m_buttons->addButton(button, m_stack->count());
    m_row->insertWidget(m_stack->count(), button);
    m_stack->addWidget(page);
    if (m_stack->count() == 1) button->setChecked(true);
    fitToCurrent();
}

void InstrumentPages::setCurrent(QWidget* page) {
    m_stack->setCurrentWidget(page);
}

void InstrumentPages::setRefusal(QWidget* page, const QString& sentence) {
    const int index = m_stack->indexOf(page);
    QAbstractButton* button = m_buttons->button(index);
    if (!button) return;
    button->setEnabled(sentence.isEmpty());
    button->setToolTip(sentence.isEmpty() ? m_hints[index] : sentence);
    if (!sentence.isEmpty() && m_stack->currentIndex() == index) m_stack->setCurrentIndex(0);
}

}  // namespace mantissa::gui
