// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of values on a linear, logarithmic or symlog axis, with a range for most of the values or for all. Loss, gradient norm, throughput
// and imported series are noisy: they have a faint raw trace behind a smoothed line. Learning rate, validation accuracy and shares of
// tensors are not smoothed. GUI thread only.
#pragma once

#include "gui/plots/panel.h"

namespace mantissa::gui {

class MetricPanel : public Panel {
public:
    /// The series of a run that the panel draws, and its form.
    struct Source {
        std::string key;
        double unit = 1;  // values are divided by it: 0.01 for percent
        bool isSmoothed = true;
    };
    MetricPanel(QCustomPlot* plot, QCPMarginGroup* margins, const QString& title, const QString& unit, const Source& source,
                AxisScale scale);

    bool hasChoices() const override { return true; }
    Smoothing smoothing(double factor) const override { return {m_source.isSmoothed ? factor : 0, m_scale, m_threshold * m_source.unit}; }
    void smooth(RunTrace& trace, double factor) const override;
    double cursorY(const RunTrace& trace, std::int64_t step) const override;
    QString endText(const RunTrace& trace, std::int64_t step) const override;

protected:
    Span refreshRuns(const PlotFrame& frame) override;
    QString runDescription(const RunTrace& trace) const override;
    /// Adds to a run's drawing, by default its non-finite values; values put into `values` are always within the range.
    virtual void refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>& values);
    virtual Span rangeFor(std::vector<double>& robust, const std::vector<double>& whole);
    /// Adds glyphs for non-finite values in a series of the run.
    void addNonFinite(const RunTrace& trace, const PlotFrame& frame, std::string_view key);
    /// Returns the note beside the title: how its lines are smoothed.
    virtual QString noteFor(const PlotFrame& frame) const;
    double coordinate(double value) const { return toAxis(m_scale, value / m_source.unit, m_threshold); }

    Source m_source;
    QString m_unit;
    RobustRange m_range;      // of the last refresh
    bool m_hasAllRaw = true;  // false: only the selected run has its raw trace
    bool m_isStepped = false;

private:
    /// A series of a run and its visible points.
    struct Trace {
        const RunTrace* run;
        bool isRaw;
        std::vector<SeriesPoint> points = {};
        Series::ColumnMemory* memory = nullptr;  // for a line; null: a sample for the range, of a size independent of the run's length
    };
    const Series& seriesOf(const Trace& trace) const {
        return trace.isRaw ? trace.run->raw(m_source.key) : trace.run->smoothed(m_source.key);
    }
    const Series& lineOf(const RunTrace& trace) const { return seriesOf({&trace, !m_source.isSmoothed}); }
    /// Samples the visible points of each trace.
    void sample(std::vector<Trace>& traces, const PlotFrame& frame) const;
    void drawLines(const PlotFrame& frame);
    /// Marks values beyond the axis and returns texts about them.
    QStringList markBeyond(const PlotFrame& frame, const Span& shown);

    double m_threshold = 1;  // of symlog
};

/// The loss panel: also shows validation, dotted, with markers at validated steps.
class LossPanel : public MetricPanel {
public:
    LossPanel(QCustomPlot* plot, QCPMarginGroup* margins);
    std::vector<std::string> keys() const override {
        return {keyOf(Metric::Loss), keyOf(Metric::ValidationLoss), keyOf(Metric::ValidationAccuracy)};
    }
    void smooth(RunTrace& trace, double factor) const override;

protected:
    Span refreshRuns(const PlotFrame& frame) override;
    QString runDescription(const RunTrace& trace) const override;
    void refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>& values) override;

private:
    /// Markers of validated steps; each run has a different phase, so that coinciding lines show all of them.
    class ValidationMarkers;
    ValidationMarkers* m_markers;
};

/// The panel of the gradient norm, with a line if all runs clip.
class GradNormPanel : public MetricPanel {
public:
    GradNormPanel(QCustomPlot* plot, QCPMarginGroup* margins);

protected:
    Span refreshRuns(const PlotFrame& frame) override;

private:
    /// A dashed line at the norm that all visible runs clip to, with its caption.
    class ClipLine;
    ClipLine* m_clip;
};

/// The panel of a quantity that is not among the default plots: chosen by the user, or by a lesson.
class ChosenPanel : public MetricPanel {
public:
    /// Properties of a quantity.
    struct Kind {
        QString title, unit;
        AxisScale scale = AxisScale::Linear;
        bool isShare = false;        // from 0 to 1, shown in percent
        bool isStepped = false;      // constant from one change to the next
        bool isTensorShare = false;  // from the statistics of tensors
        bool isForeign = false;      // only in a file
    };
    ChosenPanel(QCustomPlot* plot, QCPMarginGroup* margins, const std::string& key, const Kind& kind);
    /// Returns the properties of any key; unknown keys are a file's.
    static Kind kindOf(const std::string& key);
    /// Returns the known keys, in the order of menus.
    static const std::vector<std::string>& knownKeys();
    bool isForeign() const { return m_kind.isForeign; }
    QString endText(const RunTrace& trace, std::int64_t step) const override;
    bool hasGlyphRow() const override { return m_kind.isForeign; }

protected:
    Span rangeFor(std::vector<double>& robust, const std::vector<double>& whole) override;
    QString noteFor(const PlotFrame& frame) const override;

private:
    Kind m_kind;
};

class ThroughputPanel : public MetricPanel {
public:
    ThroughputPanel(QCustomPlot* plot, QCPMarginGroup* margins);
    /// Returns a note such as "TF32 and FP16 are emulated: not a hardware speed"; empty if nothing is emulated.
    static QString emulationNote(const std::vector<const RunTrace*>& runs);
    /// Returns the note for several runs that share a device.
    static QString sharingNote() { return QObject::tr("the runs share the device by turns"); }

protected:
    void refreshRun(const RunTrace&, const PlotFrame&, std::vector<double>&) override {}  // NaN means that it is not known
    Span rangeFor(std::vector<double>& robust, const std::vector<double>& whole) override;
    QString noteFor(const PlotFrame& frame) const override;
};

}  // namespace mantissa::gui
