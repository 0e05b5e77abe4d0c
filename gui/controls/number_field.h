// SPDX-License-Identifier: GPL-3.0-or-later
// A text field for one number of a run. It never overwrites text that is being edited, and reports at once if a text is not a usable
// number.
#pragma once

#include <QLineEdit>
#include <functional>
#include <optional>

#include "gui/link/session_model.h"

namespace mantissa::gui {

class NumberField : public QLineEdit {
    Q_OBJECT
public:
    /// The condition that a finite number must satisfy. `problem`: the error message, a sentence.
    struct Rule {
        std::function<bool(double)> accepts;
        QString problem;
        bool mayBeEmpty = false;  // empty: the setting is off
    };
    NumberField(const QString& accessibleName, Rule rule, QWidget* parent);

    /// Sets the effective value; nothing: off. Shown after editing ends.
    void setValue(std::optional<double> value);
    /// Sets the pending request; null: none.
    void setPending(const PendingChange* request);
    void setChanged(bool changed);
    /// Discards typed text that was not sent.
    void revert();

signals:
    /// Emitted on Enter or when the field loses the focus, if the number differs from the latest request or, without one, from the
    /// effective value.
    void requested(std::optional<double> value);
    /// Emitted when the text becomes invalid; empty: it is valid again.
    void problem(const QString& sentence);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void commit();
    void showState();
    /// Shows the latest value unless the text is being edited.
    void showLatest();
    std::optional<double> latest() const { return m_pending ? *m_pending : m_value; }

    Rule m_rule;
    std::optional<double> m_value;
    std::optional<std::optional<double>> m_pending;  // nothing: no request; a nested nothing: off is requested
    bool m_isChanged = false;
    bool m_isRefused = false;
};

}  // namespace mantissa::gui
