// SPDX-License-Identifier: GPL-3.0-or-later
// The panels around the plots, which can be moved, floated, tabbed and closed, and their default arrangement. A locked panel (the default)
// has no header; a floating one always has. GUI thread only.
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <optional>
#include <vector>

#include "gui/app/layout_switch.h"

class QToolButton;

namespace mantissa::gui {

/// A panel's defaults: its side, its widths (px), and the layouts that show it.
struct PanelPlace {
    enum ShownIn { InExplore = 1, InSlimExplore = 2, InDiagnose = 4 };
    Qt::DockWidgetArea side = Qt::RightDockWidgetArea;
    int width = 303, slimWidth = 303;
    unsigned shownIn = InExplore;
};

/// The user's changes to a layout.
enum class LayoutAction { Edge, Panel, Choice, Reset };

class PanelDock : public QDockWidget {
    Q_OBJECT
public:
    PanelDock(const QString& id, const QString& title, QWidget* content, const PanelPlace& place, QWidget* parent);
    const PanelPlace& place() const { return m_place; }
    void setLocked(bool locked);
    /// A panel without content stays hidden, even if it was requested.
    void setHasContent(bool has);
    bool hasContent() const { return m_hasContent; }

signals:
    void headerPressed();
    void headerUsed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refreshHeader();

    PanelPlace m_place;
    QWidget* m_header;
    QWidget* m_noHeader;
    QToolButton* m_float;
    QWidget* m_edge;  // around a floating panel, which has no window frame
    bool m_isLocked = true;
    bool m_hasContent = true;
};

class PanelHost : public QMainWindow {
    Q_OBJECT
public:
    explicit PanelHost(QWidget* parent);
    /// Adds a panel below the others; the host owns it.
    PanelDock* addPanel(const QString& id, const QString& title, QWidget* content, const PanelPlace& place);
    const std::vector<PanelDock*>& panels() const { return m_panels; }
    void setLocked(bool locked);

    /// Applies the default arrangement.
    void arrange(WindowLayout layout, bool isSlim);
    QByteArray arrangement() const;
    /// Restores an arrangement. Returns false and applies the default of `layout` if this version cannot read it.
    bool restore(const QByteArray& arrangement, WindowLayout layout, bool isSlim);
    /// Returns whether these panels are stacked at the right, none floating, tabbed or hidden.
    bool areStackedRight(const std::vector<PanelDock*>& panels) const;

signals:
    /// Emitted when the user has moved an edge between panels.
    void edgeMoved();
    /// Emitted when the user presses an edge, a panel, or a button in its header, and when the user releases it. Something may have changed
    /// in between.
    void interactionBegan();
    void interactionEnded(mantissa::gui::LayoutAction action);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void endLater(LayoutAction action);  // after the new arrangement is complete
    std::optional<QPointF> m_heldEdge;   // where the user pressed it
    std::vector<PanelDock*> m_panels;
    bool m_isLocked = true;
};

}  // namespace mantissa::gui
