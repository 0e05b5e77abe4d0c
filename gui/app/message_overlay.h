// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that overlay the upper edge of a widget, so that showing or hiding them moves nothing. GUI thread only.
#pragma once

#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace mantissa::gui {

class MessageOverlay : public QWidget {
    Q_OBJECT
public:
    /// Messages are added to its layout; each may hide itself.
    explicit MessageOverlay(QWidget* parent);
    /// Overlays this widget from now on; it becomes the parent.
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
