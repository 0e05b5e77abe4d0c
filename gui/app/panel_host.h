// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the plots: panels that can be moved, floated, tabbed and closed, and their default arrangement. Locked, as it is
// until one wants to move them, a panel has no header: its own first line says what it is. A floating one always has. GUI thread only.
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <optional>
#include <vector>

#include "gui/app/layout_switch.h"

class QToolButton;

namespace mantissa::gui {

/// Of a panel, by default: its side, its widths (px), and the layouts that show it.
struct PanelPlace {
    enum ShownIn { InExplore = 1, InSlimExplore = 2, InDiagnose = 4 };
    Qt::DockWidgetArea side = Qt::RightDockWidgetArea;
    int width = 303, slimWidth = 303;
    unsigned shownIn = InExplore;
};

/// What a hand can do to a layout.
enum class LayoutDeed { Edge, Panel, Choice, Reset };

class PanelDock : public QDockWidget {
    Q_OBJECT
public:
    PanelDock(const QString& id, const QString& title, QWidget* content, const PanelPlace& place, QWidget* parent);
    const PanelPlace& place() const { return m_place; }
    void setLocked(bool locked);
    /// Without something to show it stays away, whatever was requested.
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
    QWidget* m_edge;  // around a floating one, which has no frame of the desktop's
    bool m_isLocked = true;
    bool m_hasContent = true;
};

class PanelHost : public QMainWindow {
    Q_OBJECT
public:
    explicit PanelHost(QWidget* parent);
    /// In the order from top to bottom.
    PanelDock* addPanel(const QString& id, const QString& title, QWidget* content, const PanelPlace& place);
    const std::vector<PanelDock*>& panels() const { return m_panels; }
    void setLocked(bool locked);

    /// The default arrangement.
    void arrange(WindowLayout layout, bool isSlim);
    QByteArray arrangement() const;
    /// False for what this version cannot read; the arrangement is then the default one of `layout`.
    bool restore(const QByteArray& arrangement, WindowLayout layout, bool isSlim);
    /// Whether these stand below each other at the right, none floating, tabbed or away.
    bool areStackedRight(const std::vector<PanelDock*>& panels) const;

signals:
    /// A hand has moved an edge between panels.
    void edgeMoved();
    /// A hand takes hold of an edge, of a panel, or of a button in its header; and has let go. Something may have changed in between.
    void handBegan();
    void handEnded(mantissa::gui::LayoutDeed deed);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void endLater(LayoutDeed deed);     // once everything has its place
    std::optional<QPointF> m_heldEdge;  // where a hand has taken hold of it
    std::vector<PanelDock*> m_panels;
    bool m_isLocked = true;
};

}  // namespace mantissa::gui
