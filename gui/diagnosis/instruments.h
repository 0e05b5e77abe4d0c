// SPDX-License-Identifier: GPL-3.0-or-later
// The lower row of the Diagnose layout: microscope, precision strip and usable loss scales of one run, which share a tried loss scale and a
// chosen layer. They show the tensor statistics nearest to the chosen step. A bar or a cell opens a list of its elements. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QElapsedTimer>
#include <QFrame>
#include <QGridLayout>
#include <QTimer>
#include <optional>
#include <utility>

#include "gui/controls/copy_table.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/elements_panel.h"
#include "gui/diagnosis/layer_plots.h"
#include "gui/diagnosis/microscope.h"

class QStandardItemModel;

namespace mantissa::gui {

class Instruments : public QWidget {
    Q_OBJECT
public:
    Instruments(const SessionModel* session, const Measurements* measurements, QWidget* parent);
    /// `step`: the step whose tensor statistics, or the nearest ones, are shown; -1: the latest.
    void show(RunId run, std::int64_t step);
    /// In the narrow form the microscope is above the other two.
    void setNarrow(bool narrow);
    /// Returns whether the run has tensor statistics.
    bool hasStats() const { return m_measurements->of(m_run) != nullptr; }
    /// Returns log2 of the tried scale.
    int tried() const { return m_tried; }
    void tryScale(int exponent);
    void chooseLayer(const QString& layer);
    /// Draws pending changes now.
    void refreshNow();
    /// Sets whether tensor statistics of the shown step can be requested, and whether such a request is pending.
    void setAsking(bool canAsk, bool isAsking);
    ElementsPanel* elements() const { return m_elements; }
    /// Lists the elements of a bar, of a cell of the counts, or of a layer in a step.
    void listBar(int exponent);
    void listCount(int row, int column);
    void listCell(const QString& layer, qint64 step);

signals:
    void statsChanged();  // Emitted when the run gets its first tensor statistics, or has none any more.
    /// Emitted when the user applies the tried scale.
    void scaleRequested(int run, double scale);
    void measureRequested(int run, qint64 step);
    void elementsRequested(const ReadElements& question);

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class ElementsFrom { None, Microscope, Strip };
    /// The tensors shown in the microscope.
    struct Chosen {
        Histogram numbers;
        bool isScaled = false;
        ElementClasses classes;  // the counts that are shown, and the largest magnitude
        std::vector<TensorName> names;
    };
    QFrame* makeMicroscope();
    QFrame* makeStrip();
    QFrame* makeUsableScales();
    QButtonGroup* makeChoice(const QStringList& texts, const QString& name, QLayout* row);
    QWidget* makeAskRow(QWidget* card);
    void arrange();
    const StepStats* stats() const;
    std::optional<BlockFormat> blockFormat() const;
    StripGroup shownGroup() const;
    Chosen chosenTensors(const StepStats& stats) const;
    void listElements(ElementsFrom from);
    void listFromMicroscope(std::optional<int> bar, ElementChoice choice);
    std::optional<int> listedBar(const StepStats& seen, const Chosen& tensors) const;
    std::optional<UsableScales> boundOfSkip(Dtype ownFormat) const;
    void refreshNote(const StepStats& seen);
    void fillTensors(const StepStats& stats);
    /// Adds to a note that the statistics are partial.
    static QString inPart(bool isPart, const QString& whole);
    void refreshMicroscope();
    void refreshLayers();
    void showCards();
    void fitHeights();  // makes each row high enough for its name
    void later();

    const SessionModel* m_session;
    const Measurements* m_measurements;
    RunId m_run = -1;
    std::int64_t m_step = -1;
    int m_used = 0, m_tried = 0;        // log2
    Dtype m_tensorFormat = Dtype::F16;  // chosen last
    bool m_isTrying = false;            // else the tried scale equals the used one
    QString m_layer;                    // chosen; empty: none
    QStringList m_tensorNames;
    bool m_isNarrow = false, m_canAsk = false, m_isAsking = false;
    ElementsFrom m_elementsFrom = ElementsFrom::None;
    QTimer m_timer;
    QElapsedTimer m_sinceRefresh;

    QGridLayout* m_grid;
    QLabel* m_empty;  // shown instead of the cards if there are no statistics
    bool m_isEmpty = false;
    QFrame *m_microscopeCard, *m_stripCard, *m_usableScalesCard;
    ComboBox *m_tensor, *m_format;
    QLabel *m_stepNote, *m_askNote;
    QWidget* m_askRow;
    QPushButton* m_ask;
    ElementsPanel* m_elements;
    Microscope* m_microscope;
    QStandardItemModel* m_counts;
    QPushButton* m_use;
    QButtonGroup *m_group, *m_measure;
    PrecisionStrip* m_strip;
    QLabel* m_stripNote;
    ComboBox* m_mostFlushed;
    QLabel* m_sentence;
    static constexpr int kSentence = 40;  // px: two lines, so that a longer sentence seldom moves the plot
    UsableScalesPlot* m_usableScalesPlot;
};

}  // namespace mantissa::gui
