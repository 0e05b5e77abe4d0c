// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/layout_undo.h"

#include <QMenu>
#include <QUndoStack>
#include <functional>
#include <utility>

namespace mantissa::gui {
namespace {

/// A change between two states of the layouts. Consecutive drags of edges are merged into one entry, as are choices of a layout.
class LayoutEntry : public QUndoCommand {
public:
    using Restore = std::function<bool(const LayoutState&)>;
    LayoutEntry(LayoutAction action, LayoutState before, LayoutState after, Restore restore)
        : QUndoCommand(QObject::tr("layout change")),
          m_action(action),
          m_before(std::move(before)),
          m_after(std::move(after)),
          m_restore(std::move(restore)) {}

    void undo() override { setObsolete(!m_restore(m_before)); }
    void redo() override {
        // The change is already made when the entry is pushed.
        if (std::exchange(m_isNew, false)) return;
        setObsolete(!m_restore(m_after));
    }
    int id() const override { return m_action == LayoutAction::Edge ? 1 : m_action == LayoutAction::Choice ? 2 : -1; }
    bool mergeWith(const QUndoCommand* later) override {
        m_after = static_cast<const LayoutEntry*>(later)->m_after;
        // A layout that was left and chosen again needs no entry.
        setObsolete(m_action == LayoutAction::Choice ? m_after.id == m_before.id : m_after == m_before);
        return true;
    }

private:
    LayoutAction m_action;
    LayoutState m_before, m_after;
    Restore m_restore;
    bool m_isNew = true;
};

}  // namespace

LayoutUndo::LayoutUndo(Layouts* layouts, PanelHost* host, const Actions& actions, QUndoStack* stack)
    : QObject(layouts), m_layouts(layouts), m_stack(stack) {
    connect(host, &PanelHost::interactionBegan, this, &LayoutUndo::begin);
    connect(actions.panels, &QMenu::aboutToShow, this, &LayoutUndo::note);
    connect(layouts, &Layouts::actionBegan, this, &LayoutUndo::begin);
    connect(layouts, &Layouts::arranged, this, [this] {
        if (!m_isInHand) note();
    });
    connect(layouts, &Layouts::saved, this, &LayoutUndo::note);
    connect(host, &PanelHost::interactionEnded, this, &LayoutUndo::push);
    connect(layouts, &Layouts::actionEnded, this, &LayoutUndo::push);
    note();
}

bool LayoutUndo::isLayoutEntry(const QUndoCommand* entry) {
    return dynamic_cast<const LayoutEntry*>(entry) != nullptr;
}

void LayoutUndo::begin() {
    note();
    m_isInHand = true;
}

void LayoutUndo::push(LayoutAction action) {
    m_isInHand = false;
    LayoutState before = std::exchange(m_known, m_layouts->state()), after = m_known;
    if (action != LayoutAction::Reset) before.axes = after.axes = {};  // axes are chosen separately and must not be undone with the panels
    if (m_isOwn || m_layouts->isLent() || after == before) return;
    // The edge was released where it was pressed.
    if (action == LayoutAction::Edge && after.arrangement.panels == before.arrangement.panels) return;
    m_stack->push(new LayoutEntry(action, std::move(before), std::move(after), [this](const LayoutState& state) {
        m_isOwn = true;
        const bool isRestored = m_layouts->restore(state);
        m_isOwn = false;
        note();
        return isRestored;
    }));
}

}  // namespace mantissa::gui
