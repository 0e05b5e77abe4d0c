// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/layout_switch.h"

#include <QAction>

#include "gui/controls/parts.h"

namespace mantissa::gui {

LayoutSwitch::LayoutSwitch(const QList<QAction*>& layouts, QWidget* parent) : QWidget(parent) {
    auto* row = makeRow(2, {}, this);
    row->addWidget(makeLabel(tr("Layout"), "secondary", this));
    row->addSpacing(6);
    for (QAction* action : layouts) {
        QPushButton* button = makeButton(action->text(), {}, tr("Layout: %1").arg(action->text()), this);
        button->setProperty("look", "layout");
        button->setCheckable(true);
        button->setChecked(action->isChecked());
        showKeyInToolTip(button, action);
        row->addWidget(button);
        connect(action, &QAction::toggled, button, &QPushButton::setChecked);
        connect(button, &QPushButton::clicked, action, [button, action] {
            action->trigger();
            button->setChecked(action->isChecked());  // a press on the current layout keeps it checked
        });
    }
}

}  // namespace mantissa::gui
