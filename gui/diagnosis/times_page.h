// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Step time": where the time of a step goes, by operation, beside another run or a prediction for a GPU, and what limits it. It
// measures on request and keeps the latest answer of each run. GUI thread only.
#pragma once

#include <QWidget>
#include <deque>
#include <map>

#include "gui/controls/copy_table.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/times_model.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

class TimesPage : public QWidget {
    Q_OBJECT
public:
    TimesPage(const SessionModel* session, EngineClient* engine, QWidget* parent);
    /// `step`: the step to measure; -1: the run's latest.
    void show(RunId run, std::int64_t step);
    void setEngineAlive(bool alive);
    /// Measures the shown step; during a measurement, ends it.
    void measure();
    /// Measures the latest step of every run that can repeat one, one after another.
    void measureAll();
    TimesModel* model() const { return m_model; }
    /// Returns why no step of the shown run can be measured, a sentence; empty: it can.
    const QString& refusal() const { return m_refusal; }

signals:
    void refusalChanged(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildHead(QHBoxLayout* head);
    void ask(RunId run, std::int64_t step);
    void askNext();
    void forget();
    void refresh();
    void refreshButtons();
    void refreshChoices();
    void showTimes();
    std::int64_t stepToMeasure(RunId run, std::int64_t step) const;

    const SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run = -1;
    std::int64_t m_step = -1;
    std::map<RunId, TimesMeasured> m_measured;
    std::uint64_t m_asked = 0;  // pending; 0: none
    std::deque<RunId> m_next;   // runs still to be measured
    bool m_isAlive = true;
    RunId m_askedRun = -1;                          // of the pending request
    std::map<RunId, QString> m_problems;            // why a run's last request was refused
    QList<std::pair<QString, QVariant>> m_choices;  // of `m_beside`
    QString m_refusal;

    QLabel *m_about, *m_sentence, *m_notes;
    ComboBox* m_beside;
    QPushButton *m_measure, *m_all;
    QWidget* m_body;
    QBoxLayout* m_parts;  // of the body: table and notes
    TimesModel* m_model;
    CopyTable* m_table;
};

}  // namespace mantissa::gui
