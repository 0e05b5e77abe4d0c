// SPDX-License-Identifier: GPL-3.0-or-later
// The bench of dot products: the same numbers, summed in each way. The selected row of the table is shown in detail. GUI thread only.
#pragma once

#include <QSpinBox>

#include "gui/bits/dot_model.h"
#include "gui/bits/dot_plot.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/delay.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {

class DotPage : public QWidget {
    Q_OBJECT
public:
    explicit DotPage(QWidget* parent);
    DotRequest request() const;
    DotModel* model() const { return m_model; }
    DotPlot* plot() const { return m_plot; }
    void chooseWay(int row);
    /// Repeats the sums immediately.
    void run();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QLayout* buildControls();
    ComboBox* addChoice(QBoxLayout* row, const QString& label, const QString& name);
    void showChosen();

    DotModel* m_model;
    CopyTable* m_table;
    DotPlot* m_plot;
    QLabel *m_sentence, *m_hint;
    ComboBox *m_length = nullptr, *m_values = nullptr, *m_input = nullptr, *m_sums = nullptr, *m_core = nullptr, *m_chunk = nullptr;
    QSpinBox* m_seed = nullptr;
    Delay m_timer;  // a turn of the wheel over the seed sums once
};

}  // namespace mantissa::gui
