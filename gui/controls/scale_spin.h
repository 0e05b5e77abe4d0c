// SPDX-License-Identifier: GPL-3.0-or-later
// A spin box for the loss scale, shown as 2ⁿ. Accepts "2^18", "2¹⁸" or the scale itself; the arrow keys double and halve.
#pragma once

#include <QAbstractSpinBox>
#include <optional>

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns whether the engine can represent the scale: a positive fp32.
bool isUsableScale(double scale);

class ScaleSpin : public QAbstractSpinBox {
    Q_OBJECT
public:
    ScaleSpin(const QString& accessibleName, QWidget* parent);

    /// Sets the scale of the next step. Shown after editing ends.
    void setScale(double scale);
    double scale() const { return m_scale; }
    /// Sets the pending request; null: none.
    void setPending(const PendingChange* request);
    /// Discards typed text that was not sent.
    void revert();

    void stepBy(int steps) override { emit stepped(steps); }
    QSize sizeHint() const override { return {44, QAbstractSpinBox::sizeHint().height()}; }
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void requested(double scale);
    /// Emitted when the user doubles (positive) or halves (negative) the scale so many times.
    void stepped(int powers);
    void problem(const QString& sentence);

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void commit();
    void showState();
    /// Shows the latest value unless the text is being edited.
    void showLatest();
    double latest() const { return m_pending.value_or(m_scale); }

    double m_scale = 1;
    std::optional<double> m_pending;
    bool m_isRefused = false;
};

}  // namespace mantissa::gui
