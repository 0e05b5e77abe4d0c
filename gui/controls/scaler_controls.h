// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of a run's loss scaler: preset, scale with x2 and /2, and, folded, the preset's parameters: growth, backoff, bounds.
#pragma once

#include <QWidget>
#include <vector>

#include "engine/precision/scaler.h"
#include "gui/controls/number_field.h"
#include "gui/controls/parts.h"
#include "gui/controls/scale_spin.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

class ScalerControls : public QWidget {
    Q_OBJECT
public:
    ScalerControls(SessionModel* session, EngineClient* engine, QWidget* parent);

    void bind(RunId run);
    void refresh();
    /// Hides the captions beside the fields in the narrow form.
    void setNarrow(bool narrow);

signals:
    /// Emitted when typed text is not a value, with a sentence; empty: it is valid again.
    void problem(const QString& sentence);

private:
    /// A folded field for one parameter of the scaler.
    struct KeyField {
        std::string key;
        QLabel* caption;
        NumberField* field;
        std::function<std::optional<double>(const ScalerPreset&)> value;
        QString pointer() const { return QStringLiteral("/scaler/") + QString::fromStdString(key); }
    };

    void buildFold();
    QString foldText(const ScalerPreset& scaler) const;
    void stepScale(int powers);
    void setUnfolded(bool unfolded);
    const RunState* state() const { return m_session->run(m_run); }

    SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run = -1;
    QLabel* m_caption;
    ComboBox* m_preset;
    QLabel* m_unscaled;
    ScaleSpin* m_scale;
    QPushButton* m_double;
    QPushButton* m_halve;
    QPushButton* m_fold;
    QWidget* m_details;
    std::vector<KeyField> m_fields;
    bool m_isUnfolded = false;
    bool m_isNarrow = false;
};

/// Requests the scale doubled (positive) or halved (negative) so many times, starting from the pending request if there is one, so that two
/// quick presses double twice. Scales that fp32 cannot represent are not requested.
void stepScale(EngineClient& engine, const RunState& run, int powers);

}  // namespace mantissa::gui
