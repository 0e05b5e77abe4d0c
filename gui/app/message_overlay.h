// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that lie over the upper edge of what they are about, so that their coming and going moves nothing below a pointer.
// GUI thread only.
#pragma once

#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace mantissa::gui {

class MessageOverlay : public QWidget {
    Q_OBJECT
public:
    explicit MessageOverlay(QWidget* parent);
    /// Below the others. It may hide itself.
    void add(QWidget* message);
    /// Lies over this widget from now on, which is its parent then.
    void cover(QWidget* host);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    QPointer<QWidget> m_host;
    QVBoxLayout* m_column;
};

}  // namespace mantissa::gui
