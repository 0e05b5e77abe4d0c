// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/layouts.h"

#include <QInputDialog>
#include <QMenu>
#include <utility>

namespace mantissa::gui {
namespace {

constexpr int kLongestName = 40;

}  // namespace

Layouts::Layouts(PanelHost* host, const Actions& actions, QSettings* notes, QWidget* window)
    : QObject(window),
      m_host(host),
      m_actions(actions),
      m_memory(notes),
      m_window(window),
      m_current(LayoutMemory::idOf(WindowLayout::Explore)),
      m_previous(m_current) {
    const std::pair<QAction*, WindowLayout> kOurs[] = {{actions.layoutExplore, WindowLayout::Explore},
                                                       {actions.layoutDiagnose, WindowLayout::Diagnose},
                                                       {actions.layoutPresent, WindowLayout::Present}};
    for (const auto& [action, layout] : kOurs) {
        action->setData(LayoutMemory::idOf(layout));
        connect(action, &QAction::triggered, this, [this, layout = layout] {
            // The shortcut also leaves Present.
            if (layout == WindowLayout::Present && base() == layout)
                QMetaObject::invokeMethod(this, &Layouts::goBack, Qt::QueuedConnection);
            choose(LayoutMemory::idOf(layout));
        });
    }
    connect(actions.saveLayout, &QAction::triggered, this, &Layouts::askName);
    connect(actions.renameLayout, &QAction::triggered, this, &Layouts::askNewName);
    connect(actions.deleteLayout, &QAction::triggered, this, &Layouts::removeCurrent);
    connect(actions.resetLayout, &QAction::triggered, this, [this] {
        emit actionBegan();
        reset();
        emit actionEnded(LayoutAction::Reset);
    });
    connect(actions.movePanels, &QAction::toggled, host, [host](bool moves) { host->setLocked(!moves); });
    connect(host, &PanelHost::edgeMoved, this, [this] { m_isLevel = false; });
    for (PanelDock* panel : host->panels()) actions.panels->addAction(panel->toggleViewAction());
    actions.panels->addSeparator();
    actions.panels->addAction(actions.movePanels);
    refreshMenu();
}

void Layouts::show(const QString& id) {
    if (id == m_current) return refreshMenu();
    keep();
    m_previous = std::exchange(m_current, id);
    m_memory.noteCurrent(id);
    refreshMenu();
    emit entered(base());
    if (m_isArranged) arrange(m_memory.arrangement(m_current, m_isSlim));
}

void Layouts::choose(const QString& id) {
    emit actionBegan();
    show(id);
    emit actionEnded(LayoutAction::Choice);
}

LayoutState Layouts::state() const {
    QVariantMap axes;
    for (const QString& key : {kXAxis, kScales, kSmoothing, kLastSmoothing, kPlots, kPlotShares}) axes[key] = m_memory.value(key);
    return {m_current, m_isSlim, present(), m_memory.value(kClosedText).toBool(), axes};
}

bool Layouts::restore(const LayoutState& state) {
    if (m_isLent || !m_memory.isKnown(state.id)) return false;
    m_memory.noteValue(kClosedText, state.isTextClosed);
    // The state of the window's other form is stored for its return.
    keep();
    if (m_memory.baseOf(state.id) != WindowLayout::Present) m_memory.note(state.id, state.isSlim, state.arrangement);
    if (state.id != m_current)
        show(state.id);
    else if (m_isArranged)
        arrange(m_memory.arrangement(m_current, m_isSlim));
    if (!state.axes.isEmpty()) {
        for (const auto& [key, value] : state.axes.asKeyValueRange()) m_memory.noteValue(key, value);
        emit axesRestored();
    }
    return true;
}

void Layouts::setSlim(bool slim) {
    if (m_isArranged && slim == m_isSlim) return;
    keep();
    m_isSlim = slim;
    m_isArranged = true;
    arrange(m_memory.arrangement(m_current, slim));
}

void Layouts::arrange(const Arrangement& arrangement) {
    emit arranging();
    if (base() != WindowLayout::Present) {
        m_isLevel = arrangement.isLevel;
        if (!m_host->restore(arrangement.panels, base(), m_isSlim)) {
            m_isLevel = true;
            emit said(tr("The saved layout cannot be read by this version; the default layout is used."));
        }
    }
    emit arranged();
}

void Layouts::setLent(bool lent) {
    if (lent == m_isLent) return;
    keep();
    m_isLent = lent;
    refreshMenu();
    if (m_isArranged) arrange(m_memory.arrangement(m_current, m_isSlim));
}

void Layouts::keep() {
    if (m_isLent) return;
    if (m_isArranged && base() != WindowLayout::Present) m_memory.note(m_current, m_isSlim, present());
}

void Layouts::reset() {
    arrange(m_memory.saved(m_current, m_isSlim));
    keep();
    if (m_isLent && base() != WindowLayout::Present) m_memory.note(m_current, m_isSlim, m_memory.saved(m_current, m_isSlim));
    emit wasReset();
    emit said(m_memory.isOwn(m_current) ? tr("The saved layout is restored.") : tr("The default layout is restored."));
}

void Layouts::saveAs(const QString& name) {
    if (name.isEmpty() || base() == WindowLayout::Present) return;
    keep();
    const QString known = m_memory.idOfName(name);
    const QString id = known.isEmpty() ? m_memory.add(name, base()) : known;
    m_memory.noteSaved(id, m_isSlim, present());
    m_memory.note(id, m_isSlim, present());
    m_current = id;
    m_memory.noteCurrent(id);
    refreshMenu();
    emit saved();
    emit said(tr("Saved the layout %1.").arg(name));
}

void Layouts::askName() {
    const QString name = QInputDialog::getText(m_window, tr("Save layout as"), tr("Name of the layout"));
    saveAs(name.trimmed().left(kLongestName));
}

void Layouts::askNewName() {
    const QString name =
        QInputDialog::getText(m_window, tr("Rename layout"), tr("Name of the layout"), QLineEdit::Normal, m_memory.nameOf(m_current))
            .trimmed()
            .left(kLongestName);
    if (name.isEmpty() || name == m_memory.nameOf(m_current)) return;
    if (!m_memory.idOfName(name).isEmpty()) return emit said(tr("There is a layout %1 already.").arg(name));
    m_memory.rename(m_current, name);
    refreshMenu();
}

void Layouts::removeCurrent() {
    const QString name = m_memory.nameOf(m_current);
    const WindowLayout layout = base();
    m_memory.remove(std::exchange(m_current, LayoutMemory::idOf(layout)));
    m_previous = m_current;
    m_memory.noteCurrent(m_current);
    refreshMenu();
    arrange(m_memory.arrangement(m_current, m_isSlim));
    emit said(tr("Deleted the layout %1.").arg(name));
}

void Layouts::refreshMenu() {
    // Rebuilds the user's layouts; built-in ones stay.
    for (QAction* action : m_actions.layouts->actions())
        if (action->property("isOwn").toBool()) delete action;
    QAction* before = m_actions.saveLayout;
    for (const QString& id : m_memory.ownIds()) {
        auto* action = new QAction(m_memory.nameOf(id), m_actions.layouts);
        action->setProperty("isOwn", true);
        action->setData(id);
        action->setCheckable(true);
        m_actions.ownLayouts->insertAction(before, action);
        connect(
            action, &QAction::triggered, this, [this, id] { choose(id); }, Qt::QueuedConnection);  // queued, because the menu is rebuilt
    }
    for (QAction* action : m_actions.layouts->actions())
        if (action->data().toString() == m_current) action->setChecked(true);
    const bool isOwn = m_memory.isOwn(m_current);
    m_actions.renameLayout->setVisible(isOwn);
    m_actions.deleteLayout->setVisible(isOwn);
    m_actions.saveLayout->setEnabled(base() != WindowLayout::Present && !m_isLent);
    if (isOwn) {
        m_actions.renameLayout->setText(tr("Rename %1…").arg(m_memory.nameOf(m_current)));
        m_actions.deleteLayout->setText(tr("Delete %1").arg(m_memory.nameOf(m_current)));
    }
}

}  // namespace mantissa::gui
