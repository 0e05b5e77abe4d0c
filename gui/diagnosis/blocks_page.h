// SPDX-License-Identifier: GPL-3.0-or-later
// The page "Blocks": what a block format makes of the operands of a step's products, in the run's own precision or as after a switch to a
// block policy. It requests one step at a time, and keeps those that it has read. GUI thread only.
#pragma once

#include <QWidget>
#include <deque>

#include "gui/controls/copy_table.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/block_model.h"
#include "gui/diagnosis/block_plots.h"
#include "gui/diagnosis/block_strip.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

class BlocksPage : public QWidget {
    Q_OBJECT
public:
    BlocksPage(const SessionModel* session, EngineClient* engine, QWidget* parent);
    /// `step`: the step to read; -1: the run's latest.
    void show(RunId run, std::int64_t step);
    void setEngineAlive(bool alive);
    /// Requests the shown step's blocks.
    void read();
    /// Requests steps at equal distances over the run, one after another, without those that were read; during that, ends it.
    void readSeveral();
    /// Chooses the precision in which steps are read: a block policy; empty: the run's own.
    void choosePolicy(const QString& policy);
    /// Returns refusalFor the shown run.
    const QString& refusal() const { return m_refusal; }
    /// Returns why no step of the run can be read, in a sentence; empty: it can, or the engine must say. Pure.
    static QString refusalFor(const RunState* run);
    /// Returns whether a step of the run may have blocks in the run's own precision. Pure.
    static bool hasOwnBlocks(const RunState& run);

signals:
    /// Emitted when the run can or cannot be read from now on; see refusalFor.
    void refusalChanged(const QString& sentence);

private:
    void buildHead(QHBoxLayout* head);
    QWidget* buildOperand(QWidget* parent);
    void take(const ElementsRead& answer);
    void ask(std::int64_t step);
    void askNext();
    void sayRead();
    void clear(const QString& sentence);
    void showStep(std::int64_t step, int row);
    void showOperand();
    bool refreshPolicies();
    void refresh();
    std::int64_t stepToRead() const;

    const SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run = -1;
    std::int64_t m_step = -1;
    std::int64_t m_readStep = -1;     // of the shown operands; -1: none
    std::uint64_t m_asked = 0;        // pending; 0: none
    std::deque<std::int64_t> m_next;  // steps still to be requested
    bool m_isSeveral = false;         // the pending step is one of several, so it does not replace the shown one
    bool m_isAlive = true;
    QString m_refusal;

    QLabel* m_about;
    ComboBox* m_policies;
    QPushButton *m_read, *m_several;
    QLabel* m_sentence;
    QWidget* m_body;
    BlockModel* m_model;
    CopyTable* m_table;
    BlockStrip* m_strip;
    QLabel *m_operand, *m_rotation;
    BlockMapPlot* m_map;
    ScaleHistogram* m_scales;
};

}  // namespace mantissa::gui
