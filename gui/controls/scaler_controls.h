// SPDX-License-Identifier: GPL-3.0-or-later
// A run's loss scaler: preset, scale with x2 and /2, and behind a fold the numbers that the preset has: growth, backoff, bounds.
#pragma once

#include <QWidget>
#include <vector>

#include "engine/precision/scaler.h"
#include "gui/controls/number_field.h"
#include "gui/controls/scale_spin.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

class ScalerControls : public QWidget {
    Q_OBJECT
public:
    ScalerControls(Lab* lab, EngineClient* engine, QWidget* parent);

    void bind(RunId run);
    void refresh();
    /// The narrow form has no room for captions beside the fields.
    void setNarrow(bool narrow);

signals:
    /// What was typed is no value, in one sentence; empty: it is again.
    void problem(const QString& sentence);

private:
    /// A key of the scaler in the fold.
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
    const RunState* state() const { return m_lab->run(m_run); }

    Lab* m_lab;
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

/// Asks for the scale doubled (1) or halved (-1), as often: from the request when one is on its way, so that pressing twice before the
/// engine answers doubles twice. A scale that fp32 cannot hold is not asked for.
void stepScale(EngineClient& engine, const RunState& run, int powers);

}  // namespace mantissa::gui
