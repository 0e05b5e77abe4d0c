// SPDX-License-Identifier: GPL-3.0-or-later
// The lower row of the Diagnose layout: microscope, precision strip and corridor of one run, with one tried loss scale and one chosen layer
// for all three. They show the look nearest to the chosen step. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QFrame>
#include <QGridLayout>
#include <QTimer>
#include <optional>

#include "gui/controls/copy_table.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/layer_plots.h"
#include "gui/diagnosis/microscope.h"

class QStandardItemModel;

namespace mantissa::gui {

class Instruments : public QWidget {
    Q_OBJECT
public:
    Instruments(const Lab* lab, const Measurements* measurements, QWidget* parent);
    /// `step`: whose look is shown, or the nearest one's before it; -1: the latest.
    void show(RunId run, std::int64_t step);
    /// With little width the microscope stands above the other two.
    void setNarrow(bool narrow);
    /// Whether there is anything to see.
    bool hasLooks() const { return m_measurements->of(m_run) != nullptr; }
    /// log2 of the scale that is tried.
    int tried() const { return m_tried; }
    void tryScale(int exponent);
    void chooseLayer(const QString& layer);
    /// Draws what is pending now.
    void refreshNow();

signals:
    void looksChanged();  // there are some now, or none any more
    /// The tried scale is to be used.
    void scaleWished(int run, double scale);

protected:
    void changeEvent(QEvent* event) override;

private:
    QFrame* makeMicroscope();
    QFrame* makeStrip();
    QFrame* makeCorridor();
    QButtonGroup* makeChoice(const QStringList& texts, const QString& name, QLayout* row);
    const StepCensus* look() const;
    Dtype format() const;
    Histogram chosenTensors(const StepCensus& look, bool& isScaled, std::int64_t& zeros) const;
    void fillTensors(const StepCensus& look);
    void refreshMicroscope();
    void refreshLayers();
    void showCards();
    void fitHeights();  // where it scrolls anyway, each row has room for its name
    void later();

    const Lab* m_lab;
    const Measurements* m_measurements;
    RunId m_run = -1;
    std::int64_t m_step = -1;
    int m_used = 0, m_tried = 0;  // log2
    bool m_isTrying = false;      // else the tried one goes with the used one
    QString m_layer;              // chosen; empty: none
    QStringList m_tensorNames;
    QTimer m_timer;

    QGridLayout* m_grid;
    QLabel* m_empty;  // instead of the cards, where nothing was measured
    bool m_isEmpty = false, m_isNarrow = false;
    QFrame *m_microscopeCard, *m_stripCard, *m_corridorCard;
    ComboBox *m_tensor, *m_format;
    QLabel* m_lookNote;
    Microscope* m_microscope;
    QStandardItemModel* m_counts;
    QPushButton* m_use;
    QButtonGroup *m_group, *m_measure;
    PrecisionStrip* m_strip;
    QLabel* m_stripNote;
    ComboBox* m_mostFlushed;
    QLabel* m_sentence;
    CorridorPlot* m_corridor;
};

}  // namespace mantissa::gui
