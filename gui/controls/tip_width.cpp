// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/tip_width.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QMenu>
#include <QTextBoundaryFinder>
#include <QToolTip>

namespace mantissa::gui {
namespace {

int columnsOf(QStringView text) {
    int columns = 0;
    for (const QChar each : text) columns += each.unicode() >= 0x2e80 && !each.isLowSurrogate() ? 2 : 1;
    return columns;
}

QStringList brokenLine(const QString& line) {
    QStringList lines;
    QTextBoundaryFinder words(QTextBoundaryFinder::Line, line), characters(QTextBoundaryFinder::Grapheme, line);
    qsizetype start = 0, end = 0;  // of the text that fits
    const auto fits = [&](qsizetype to) { return columnsOf(QStringView(line).mid(start, to - start).trimmed()) <= kTipColumns; };
    for (qsizetype next = words.toNextBoundary(); next >= 0; next = words.toNextBoundary()) {
        if (!fits(next) && end > start) {
            lines << line.mid(start, end - start).trimmed();
            start = end;
        }
        while (!fits(next)) {  // a single word longer than a line
            characters.setPosition(start + kTipColumns / 2);
            qsizetype cut = characters.position();
            while (fits(characters.toNextBoundary())) cut = characters.position();
            lines << line.mid(start, cut - start);
            start = cut;
        }
        end = next;
    }
    if (start < line.size()) lines << line.mid(start).trimmed();
    return lines;
}

/// Tool tip at a place of the widget, and the area it belongs to; empty: no tool tip that must be wrapped.
QString tipAt(QWidget* widget, const QPoint& place, QRect& area) {
    if (auto* menu = qobject_cast<QMenu*>(widget)) {
        const QAction* action = menu->toolTipsVisible() ? menu->actionAt(place) : nullptr;
        return action ? action->toolTip() : QString();
    }
    if (auto* view = qobject_cast<QAbstractItemView*>(widget->parentWidget()); view && view->viewport() == widget && view->model()) {
        if (auto* header = qobject_cast<QHeaderView*>(view))
            return header->model()->headerData(header->logicalIndexAt(place), header->orientation(), Qt::ToolTipRole).toString();
        const QModelIndex index = view->indexAt(place);
        area = view->visualRect(index);
        if (const QString text = index.data(Qt::ToolTipRole).toString(); !text.isEmpty()) return text;
    }
    return widget->toolTip();
}

}  // namespace

QString wrappedTip(const QString& text) {
    QStringList lines;
    for (const QString& line : text.split(u'\n')) {
        if (columnsOf(line) > kTipColumns)
            lines << brokenLine(line);
        else
            lines << line;
    }
    const QString wrapped = lines.join(u'\n');
    // Tool tips are plain. A name from a file may hold markup, of which an image would open any file.
    if (!Qt::mightBeRichText(wrapped)) return wrapped;
    return QStringLiteral("<p style='white-space:pre'>%1</p>").arg(wrapped.toHtmlEscaped());
}

void showTip(const QPoint& globalPlace, const QString& text, QWidget* widget, const QRect& area) {
    QToolTip::showText(globalPlace, wrappedTip(text), widget, area);
}

bool TipWidth::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::ToolTip && object->isWidgetType()) {
        auto* widget = static_cast<QWidget*>(object);
        const auto* help = static_cast<QHelpEvent*>(event);
        QRect area;
        const QString text = tipAt(widget, help->pos(), area);
        if (wrappedTip(text) != text) {
            showTip(help->globalPos(), text, widget, area);
            return true;
        }
    }
    return QObject::eventFilter(object, event);
}

}  // namespace mantissa::gui
