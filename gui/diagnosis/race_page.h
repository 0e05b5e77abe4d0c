// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Scaler race": measures the overflow threshold of each step of a run, and shows the result of every loss scaler over those
// steps. The race itself is a pure function, repeated when an entrant is edited. GUI thread only.
#pragma once

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <map>

#include "gui/controls/copy_table.h"
#include "gui/controls/number_field.h"
#include "gui/diagnosis/race_model.h"
#include "gui/diagnosis/race_plot.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

/// Returns the `scaler` key of an experiment.
Json scalerJson(const ScalerSettings& settings);

class RacePage : public QWidget {
    Q_OBJECT
public:
    RacePage(SessionModel* session, EngineClient* engine, QWidget* parent);
    static constexpr std::int64_t kMostSteps = 2000;  // offered at once

    void show(RunId run);
    void setEngineAlive(bool alive);
    /// In the narrow form the table is below the plot.
    void setNarrow(bool narrow);
    const RaceModel* model() const { return m_model; }
    const RacePlot* plot() const { return m_plot; }

signals:
    /// Emitted with a message for the status line.
    void said(const QString& sentence);

private:
    /// The measured thresholds of a run.
    struct Measured {
        QString asIf;  // as in ThresholdsMeasured
        std::vector<StepThreshold> thresholds;
    };

    QLayout* makeHead();
    void makeTable();
    QWidget* makeFoot(QWidget* parent);
    NumberField* makeField(const QString& name, const NumberField::Rule& rule, int width);
    void connectLab();
    void measure();
    void take(const ThresholdsMeasured& part);
    void answered(quint64 commandId);
    void refresh();
    void refreshHead();
    void refreshFoot();
    void chosenChanged();
    int currentRow() const;
    const RaceEntrant& current() const { return m_model->row(currentRow()); }
    void edit(const ScalerSettings& settings);
    void apply();

    SessionModel* m_session;
    EngineClient* m_engine;
    RaceModel* m_model;
    QSortFilterProxyModel* m_sorted;
    std::map<RunId, Measured> m_measured;
    RunId m_run = -1;
    std::int64_t m_first = 0, m_last = -1;  // to be measured
    bool m_isRangeChosen = false;           // by the user; else all steps
    std::uint64_t m_asked = 0;              // the pending measurement; 0: none
    RunId m_askedRun = -1;
    std::int64_t m_awaited = 0;
    QString m_problem;  // why it ended early
    bool m_isAlive = true;

    QLabel* m_note;
    NumberField *m_firstField, *m_lastField;
    QPushButton *m_measure, *m_stop;
    QLabel* m_calm;  // shown instead of the race if nothing was measured
    QWidget *m_race, *m_foot;
    QBoxLayout *m_row, *m_footRow;
    RacePlot* m_plot;
    CopyTable* m_table;
    QLabel *m_chosenName, *m_intervalCaption, *m_initCaption;
    NumberField *m_interval, *m_init;
    QPushButton* m_use;
};

}  // namespace mantissa::gui
