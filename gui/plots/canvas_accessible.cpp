// SPDX-License-Identifier: GPL-3.0-or-later
// Exposes the canvas to screen readers: a chart for each panel, with name, description and rectangle.
#include <QAccessibleWidget>
#include <vector>

#include "gui/plots/canvas.h"

namespace mantissa::gui {
namespace {

/// One panel. Lives as long as the canvas's accessible interface.
class AccessiblePanel : public QAccessibleInterface {
public:
    AccessiblePanel(Canvas* canvas, int index) : m_canvas(canvas), m_index(static_cast<std::size_t>(index)) {}
    bool isValid() const override { return m_canvas && m_index < m_canvas->spokenPanels.size(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_canvas); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text text) const override {
        if (!isValid()) return {};
        const SpokenPanel& panel = m_canvas->spokenPanels[m_index];
        return text == QAccessible::Name ? panel.name : text == QAccessible::Description ? panel.description : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect& place = m_canvas->spokenPanels[m_index].place;
        const double zoom = m_canvas->zoom();
        return {m_canvas->mapToGlobal((QPointF(place.topLeft()) * zoom).toPoint()), (QSizeF(place.size()) * zoom).toSize()};
    }
    QAccessible::Role role() const override { return QAccessible::Chart; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.readOnly = true;
        state.invisible = !isValid() || !m_canvas->isVisible();
        return state;
    }

private:
    QPointer<Canvas> m_canvas;
    std::size_t m_index;
};

class AccessibleCanvas : public QAccessibleWidget {
public:
    explicit AccessibleCanvas(Canvas* canvas) : QAccessibleWidget(canvas, QAccessible::Grouping), m_canvas(canvas) {}
    ~AccessibleCanvas() override {
        for (const QAccessible::Id id : m_panels) QAccessible::deleteAccessibleInterface(id);
    }
    int childCount() const override { return static_cast<int>(m_canvas->spokenPanels.size()); }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        while (static_cast<int>(m_panels.size()) <= index)
            m_panels.push_back(QAccessible::registerAccessibleInterface(new AccessiblePanel(m_canvas, static_cast<int>(m_panels.size()))));
        return QAccessible::accessibleInterface(m_panels[static_cast<std::size_t>(index)]);
    }
    int indexOfChild(const QAccessibleInterface* panel) const override {
        for (int i = 0; i < childCount(); ++i)
            if (child(i) == panel) return i;
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        for (int i = 0; i < childCount(); ++i)
            if (child(i)->rect().contains(x, y)) return child(i);
        return nullptr;
    }

private:
    Canvas* m_canvas;
    mutable std::vector<QAccessible::Id> m_panels;  // created on demand
};

QAccessibleInterface* makeCanvasInterface(const QString&, QObject* object) {
    auto* canvas = qobject_cast<Canvas*>(object);
    return canvas ? new AccessibleCanvas(canvas) : nullptr;
}

}  // namespace

void Canvas::installAccessibility() {
    QAccessible::installFactory(makeCanvasInterface);  // which ignores one that it has
}

}  // namespace mantissa::gui
