// SPDX-License-Identifier: GPL-3.0-or-later
// The loss scale as a spin box over exponents, shown as 2ⁿ. Takes "2^18", "2¹⁸" or the scale itself; the arrow keys double and halve.
#pragma once

#include <QAbstractSpinBox>
#include <optional>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// Whether the engine can keep it: a positive fp32.
bool isUsableScale(double scale);

class ScaleSpin : public QAbstractSpinBox {
    Q_OBJECT
public:
    ScaleSpin(const QString& accessibleName, QWidget* parent);

    /// The scale of the next step. Kept back while someone edits.
    void setScale(double scale);
    double scale() const { return m_scale; }
    /// A request that is on its way, or none (null).
    void setPending(const PendingChange* request);
    /// Drops what has been typed and not sent.
    void revert();

    void stepBy(int steps) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void requested(double scale);
    /// Doubled (1) or halved (-1), as often.
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
    /// What the field says while nobody types.
    void showLatest();
    double latest() const { return m_pending.value_or(m_scale); }

    double m_scale = 1;
    std::optional<double> m_pending;
    bool m_isRefused = false;
};

}  // namespace mantissa::gui
