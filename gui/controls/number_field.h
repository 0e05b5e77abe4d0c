// SPDX-License-Identifier: GPL-3.0-or-later
// A text field for one number of a run. It never overwrites what someone is typing, and says at once when a text is no usable number.
#pragma once

#include <QLineEdit>
#include <functional>
#include <optional>

#include "gui/link/lab.h"

namespace mantissa::gui {

class NumberField : public QLineEdit {
    Q_OBJECT
public:
    /// What a field accepts besides being a finite number. `problem` says it in a sentence.
    struct Rule {
        std::function<bool(double)> accepts;
        QString problem;
        bool mayBeEmpty = false;  // empty: the setting is off
    };
    NumberField(const QString& accessibleName, Rule rule, QWidget* parent);

    /// The value in force; nothing: off. Kept back while someone edits.
    void setValue(std::optional<double> value);
    /// A request that is on its way, or none (null).
    void setPending(const PendingChange* request);
    void setChanged(bool changed);
    /// Drops what has been typed and not sent.
    void revert();

signals:
    /// Enter or leaving the field, with a number that differs from the latest request or, without one, from the value in force.
    void requested(std::optional<double> value);
    /// Empty: the text is fine again.
    void problem(const QString& sentence);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void commit();
    void showState();
    /// What the field says while nobody types.
    void showLatest();
    std::optional<double> latest() const { return m_pending ? *m_pending : m_value; }

    Rule m_rule;
    std::optional<double> m_value;
    std::optional<std::optional<double>> m_pending;  // nothing: no request; a request for nothing: off
    bool m_isChanged = false;
    bool m_isRefused = false;
};

}  // namespace mantissa::gui
