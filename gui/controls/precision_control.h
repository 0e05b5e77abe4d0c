// SPDX-License-Identifier: GPL-3.0-or-later
// Selects a run's number format in a row of segments, the last of which opens a menu with all others. A click is a request: the old format
// stays filled and the requested one dashed until the engine has applied it. Tab enters the row once, the arrow keys move inside it.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <vector>

namespace mantissa::gui {

class PrecisionControl;

class PrecisionSegment : public QAbstractButton {
    Q_OBJECT
public:
    PrecisionSegment(QString policy, const QString& screenName, PrecisionControl* parent);
    const QString& policy() const { return m_policy; }
    void setCurrent(bool current, bool pending, const QString& runName);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QSize sizeHint() const override;

private:
    QString m_policy;
    bool m_isCurrent = false;
    bool m_isPending = false;
};

class PrecisionControl : public QWidget {
    Q_OBJECT
public:
    explicit PrecisionControl(QWidget* parent);
    /// `current`: the resolved policy ("fp16"); `pending`: the requested one or empty.
    void setState(const QString& current, const QString& pending, const QString& runName);
    /// Returns the position of the menu of other formats.
    QPoint menuPlace() const { return mapToGlobal(QPoint(m_segments.back()->x(), height())); }
    /// Moves the keyboard focus by `by` segments.
    void moveFocus(const PrecisionSegment* from, int by);
    /// Gives the keyboard focus to the segment of the current format.
    void focusCurrent();

signals:
    void requested(const QString& policy);
    void menuAsked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<PrecisionSegment*> m_segments;
};

}  // namespace mantissa::gui
