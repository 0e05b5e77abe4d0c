// SPDX-License-Identifier: GPL-3.0-or-later
// The loss scale as a spin box over exponents, shown as 2ⁿ. Takes "2^18", "2¹⁸" or the scale itself; the arrow keys double and halve.
#pragma once

#include <QAbstractSpinBox>

namespace mantissa::gui {

class ScaleSpin : public QAbstractSpinBox {
    Q_OBJECT
public:
    ScaleSpin(const QString& accessibleName, QWidget* parent);

    /// The scale of the next step. Kept back while someone edits.
    void setScale(double scale);
    double scale() const { return m_scale; }
    /// A wish that is on its way, as shown; empty: none.
    void setPending(const QString& wished);

    void stepBy(int steps) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void wished(double scale);
    void problem(const QString& sentence);

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void commit();
    void show(const QString& text);

    double m_scale = 1;
    QString m_pending;
    bool m_isRefused = false;
};

}  // namespace mantissa::gui
