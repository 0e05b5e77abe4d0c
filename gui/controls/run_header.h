// SPDX-License-Identifier: GPL-3.0-or-later
// The top line of a run card: line sample, name (renamed in place), native or emulated, eye, menu.
#pragma once

#include <QLineEdit>
#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/link/engine_client.h"

class QMenu;

namespace mantissa::gui {

/// A name that can be edited in place: double click, F2 or the menu; Enter keeps, Escape drops.
/// At rest a name longer than its place ends in an ellipsis.
class NameEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit NameEdit(QWidget* parent);
    void setName(const QString& name);
    void beginEditing();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void renamed(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void rest();
    void endEditing(bool keep);
    QString m_name;
};

/// What can be done with a run as a whole. The header's menu and the slim list share it.
void fillRunMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run, NameEdit* name);

class RunHeader : public QWidget {
    Q_OBJECT
public:
    RunHeader(Lab* lab, EngineClient* engine, RunId run, QWidget* parent);
    void refresh();
    void beginRename() { m_name->beginEditing(); }

private:
    Lab* m_lab;
    EngineClient* m_engine;
    RunId m_run;
    RunSample* m_sample;
    NameEdit* m_name;
    QLabel* m_chip;
    QToolButton* m_eye;
    QToolButton* m_more;
};

}  // namespace mantissa::gui
