// SPDX-License-Identifier: GPL-3.0-or-later
// The top line of a run card: line sample, name (editable), native or emulated, visibility, menu.
#pragma once

#include <QLineEdit>
#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"
#include "gui/link/engine_client.h"

class QMenu;

namespace mantissa::gui {

/// A name that can be edited in place: double click, F2 or the menu; Enter accepts, Escape cancels. Otherwise a long name is elided.
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
    void mouseDoubleClickEvent(QMouseEvent* event) override { isReadOnly() ? beginEditing() : QLineEdit::mouseDoubleClickEvent(event); }
    void mousePressEvent(QMouseEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void rest();
    void endEditing(bool keep);
    QString m_name;
};

/// Fills a menu with the actions on a run; used by the header and the slim list.
void fillRunMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run, NameEdit* name);

class RunHeader : public QWidget {
    Q_OBJECT
public:
    RunHeader(SessionModel* session, EngineClient* engine, RunId run, QWidget* parent);
    void refresh();
    void beginRename() { m_name->beginEditing(); }

private:
    SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run;
    RunSample* m_sample;
    NameEdit* m_name;
    QLabel* m_chip;
    QToolButton* m_eye;
    QToolButton* m_more;
};

}  // namespace mantissa::gui
