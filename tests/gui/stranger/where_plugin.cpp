// SPDX-License-Identifier: Apache-2.0
// Tells a script what is on screen and where, as a screen reader would hear it: a plug-in for Qt, which loads it by its own variable
// (QT_QPA_GENERIC_PLUGINS=where:FILE), so that the program needs no door for tests. Ten times a second it writes FILE, a line for each
// visible part: x, y, width, height in pixels of the screen, class, name, text, separated by tabs; lines of what has the focus begin with
// *.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QGenericPlugin>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSaveFile>
#include <QTabBar>
#include <QTextStream>
#include <QTimer>

namespace {

constexpr int kEveryMs = 100, kMostCells = 400;

QString oneLine(QString text) {
    return text.replace(u'\t', u' ').replace(u'\n', u' ');
}

QString textOf(const QWidget* widget) {
    if (const auto* label = qobject_cast<const QLabel*>(widget)) return label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) return button->text();
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) return box->currentText();
    if (const auto* line = qobject_cast<const QLineEdit*>(widget)) return line->text();
    return widget->isWindow() ? widget->windowTitle() : QString();
}

class Observer : public QObject {
public:
    explicit Observer(QString path) : m_path(std::move(path)) {
        auto* timer = new QTimer(this);
        QObject::connect(timer, &QTimer::timeout, this, [this] { write(); });
        timer->start(kEveryMs);
    }

private:
    static void tell(QTextStream& out, const QWidget* in, QRect place, const char* kind, const QString& name, const QString& text) {
        const double ratio = in->devicePixelRatioF();
        const QPoint corner = in->mapToGlobal(place.topLeft());
        out << qRound(corner.x() * ratio) << '\t' << qRound(corner.y() * ratio) << '\t' << qRound(place.width() * ratio) << '\t'
            << qRound(place.height() * ratio) << '\t' << kind << '\t' << oneLine(name) << '\t' << oneLine(text) << '\n';
    }
    void write() const {
        QString told;
        QTextStream out(&told);
        for (QWidget* widget : QApplication::allWidgets()) {
            const QRect seen = widget->visibleRegion().boundingRect();
            if (!widget->isVisible() || seen.isEmpty()) continue;
            if (widget == QApplication::focusWidget()) out << '*';
            const QString name = widget->isEnabled() ? widget->accessibleName() : widget->accessibleName() + QStringLiteral(" (disabled)");
            tell(out, widget, seen, widget->metaObject()->className(), name, textOf(widget));
            if (const auto* menu = qobject_cast<const QMenu*>(widget))
                for (QAction* action : menu->actions()) tell(out, menu, menu->actionGeometry(action), "QAction", action->text(), {});
            if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
                for (int i = 0; i < tabs->count(); ++i) tell(out, tabs, tabs->tabRect(i), "Tab", tabs->accessibleName(), tabs->tabText(i));
            if (const auto* view = qobject_cast<const QAbstractItemView*>(widget); view && view->model()) tellCells(out, view);
        }
        out.flush();
        QSaveFile file(m_path);
        if (file.open(QIODevice::WriteOnly)) file.write(told.toUtf8());
        file.commit();
    }
    static void tellCells(QTextStream& out, const QAbstractItemView* view) {
        const QAbstractItemModel* model = view->model();
        int left = kMostCells;
        for (int row = 0; row < model->rowCount(view->rootIndex()); ++row)
            for (int column = 0; column < model->columnCount(view->rootIndex()) && left-- > 0; ++column) {
                const QModelIndex index = model->index(row, column, view->rootIndex());
                const QRect place = view->visualRect(index).intersected(view->viewport()->rect());
                if (!place.isEmpty()) tell(out, view->viewport(), place, "Cell", view->accessibleName(), index.data().toString());
            }
    }
    QString m_path;
};

}  // namespace

class WherePlugin : public QGenericPlugin {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID QGenericPluginFactoryInterface_iid FILE "where.json")
public:
    QObject* create(const QString& name, const QString& path) override {
        return name == QStringLiteral("where") ? new Observer(path) : nullptr;
    }
};

#include "where_plugin.moc"
