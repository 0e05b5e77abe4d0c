// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/banner.h"

#include <QPlainTextEdit>

#include "gui/controls/parts.h"

namespace mantissa::gui {

Banner::Banner(QWidget* parent, Kind kind) : QFrame(parent) {
    const bool isProblem = kind == Kind::Problem;
    setProperty("kind", isProblem ? "banner" : "note");
    auto* column = makeColumn(8, {14, 12, 14, 12}, this);
    auto* head = makeRow(10);
    auto* icon = new IconLabel(this, 18);
    icon->setIcon(isProblem ? QStringLiteral("warning") : QStringLiteral("info"), isProblem ? IconInk::Danger : IconInk::AccentText);
    m_headline = makeWrappedLabel({}, "headline", this);
    head->addWidget(icon, 0, Qt::AlignTop);
    head->addWidget(m_headline, 1);
    column->addLayout(head);

    m_detail = makeWrappedLabel({}, "body2", this);
    m_detail->setIndent(28);
    column->addWidget(m_detail);

    m_buttons = makeRow(8, {28, 0, 0, 0});
    m_buttons->addStretch(1);
    m_link = makeButton({}, {}, {}, this);
    m_link->setProperty("look", "link");
    m_link->setCursor(Qt::PointingHandCursor);
    m_buttons->addWidget(m_link);
    column->addLayout(m_buttons);

    m_fineprint = new QPlainTextEdit(this);
    m_fineprint->setReadOnly(true);
    m_fineprint->setFixedHeight(120);
    m_fineprint->hide();
    column->addWidget(m_fineprint);
    connect(m_link, &QPushButton::clicked, this, [this] { m_fineprint->setVisible(!m_fineprint->isVisible()); });
    hide();
}

QPushButton* Banner::addButton(const QString& text, const QString& iconName) {
    QPushButton* button = makeButton(text, iconName, text, this);
    if (m_buttonCount == 0) {
        button->setProperty("look", "primary");
        if (!iconName.isEmpty()) button->setIcon(themedIcon(iconName, IconInk::OnAccent));
    }
    m_buttons->insertWidget(m_buttonCount++, button);
    return button;
}

void Banner::announce(const QString& headline, const QString& detail, const QString& linkText, const QString& fineprint) {
    m_headline->setText(headline);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    m_link->setText(linkText);
    m_link->setAccessibleName(linkText);
    m_link->setVisible(!linkText.isEmpty());
    m_fineprint->setAccessibleName(linkText);
    m_fineprint->setPlainText(fineprint);
    m_fineprint->hide();
    show();
    parentWidget()->update();  // repaints the area around it, which the layout moves
    sayAloud(this, headline);
}

}  // namespace mantissa::gui
