// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Before a switch": what another format, at a chosen loss scale, would lose of a step's tensors, in a sentence and layer by
// layer. It uses the tensor statistics nearest to the chosen step. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/controls/scale_spin.h"
#include "gui/diagnosis/forecast_table.h"

namespace mantissa::gui {

class ForecastPage : public QWidget {
    Q_OBJECT
public:
    ForecastPage(const SessionModel* session, const Measurements* measurements, QWidget* parent);
    /// `step`: the step whose tensor statistics, or the nearest ones, are used; -1: the latest.
    void show(RunId run, std::int64_t step);
    void chooseFormat(Dtype format);
    Dtype format() const;
    /// Returns the loss scale of the gradients: until the user tries one, the used one if it is safe in that format, else a safe one.
    double scale() const { return m_scale; }
    void tryScale(double scale);
    void refreshNow();

signals:
    /// Emitted by the button for block formats, whose losses depend on each block and are read from a repeated step.
    void blockFormatsChosen();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void buildHead(QHBoxLayout* head);
    void refreshScale(const RunMeasurements& measured, const StepStats& stats);

    const SessionModel* m_session;
    const Measurements* m_measurements;
    RunId m_run = -1;
    std::int64_t m_step = -1;
    double m_scale = 1;
    bool m_isTrying = false;
    Delay m_timer;

    QWidget* m_card;
    QLabel* m_empty;  // shown instead of the card if there are no statistics
    QButtonGroup* m_formats;
    QLabel* m_scaleLabel;
    QPushButton *m_halve, *m_double, *m_safe;
    ScaleSpin* m_spin;
    IconLabel* m_icon;
    QLabel *m_sentence, *m_note;
    ForecastModel* m_model;
};

}  // namespace mantissa::gui
