// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of values on an axis that can be laid out linear, logarithmic or symlog, around the middle of the values or around all of them.
// Loss, gradient norm, throughput and what a file brings are noisy from step to step: a raw trace, faint, under a smoothed line. Learning
// rate, validation accuracy and shares of tensors are drawn as they are. GUI thread only.
#pragma once

#include "gui/plots/panel.h"

namespace mantissa::gui {

class MetricPanel : public Panel {
public:
    /// Which series of a run this panel draws, and how.
    struct Source {
        std::string key;
        double unit = 1;  // values are divided by it: 1000 for thousands
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
    /// Lets a subclass add to a run's drawing; values that it draws go into `values`, which the range will hold in full.
    virtual void refreshRun(const RunTrace&, const PlotFrame&, std::vector<double>&) {}
    virtual Span rangeFor(std::vector<double>& robust, const std::vector<double>& whole);
    /// Glyphs for what is not finite in a series of the run.
    void addNonFinite(const RunTrace& trace, const PlotFrame& frame, std::string_view key);
    /// What the title says beside the name: how its lines are smoothed.
    virtual QString noteFor(const PlotFrame& frame) const;
    double coordinate(double value) const { return toAxis(m_scale, value / m_source.unit, m_threshold); }

    Source m_source;
    QString m_unit;
    RobustRange m_range;      // of the last refresh
    bool m_hasAllRaw = true;  // false: only the selected run has its raw trace
    bool m_isStepped = false;

private:
    /// A series of a run, and what it shows.
    struct Trace {
        const RunTrace* run;
        bool isRaw;
        std::vector<SeriesPoint> points = {};
        Series::ColumnMemory* memory = nullptr;  // of a line; null: a sample for the range, as large for a short run as for a long one
    };
    const Series& seriesOf(const Trace& trace) const {
        return trace.isRaw ? trace.run->raw(m_source.key) : trace.run->smoothed(m_source.key);
    }
    const Series& lineOf(const RunTrace& trace) const { return seriesOf({&trace, !m_source.isSmoothed}); }
    /// What each shows.
    void sample(std::vector<Trace>& traces, const PlotFrame& frame) const;
    void drawLines(const PlotFrame& frame);
    /// What cannot be shown, in words, and where it lies.
    QStringList markBeyond(const PlotFrame& frame, const Span& shown);

    double m_threshold = 1;  // of symlog
};

/// Loss: also the validation, dotted, with markers at validated steps.
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
    /// Markers of validated steps, each run on its own phase so that coinciding lines show all of them.
    class ValidationMarkers : public QCPLayerable {
    public:
        ValidationMarkers(QCustomPlot* plot, QCPAxisRect* rect);
        struct Mark {
            double x, y;  // axis coordinates
            RunIdentity identity;
        };
        std::vector<Mark> marks;
        double size = 8;  // px

    protected:
        void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
        void draw(QCPPainter* painter) override;
    };

    ValidationMarkers* m_markers;
};

/// Gradient norm, with a line where all runs clip.
class GradNormPanel : public MetricPanel {
public:
    GradNormPanel(QCustomPlot* plot, QCPMarginGroup* margins);

protected:
    Span refreshRuns(const PlotFrame& frame) override;
    void refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>& values) override;

private:
    /// A dashed line at the norm that all visible runs clip to, with its caption.
    class ClipLine : public QCPLayerable {
    public:
        ClipLine(QCustomPlot* plot, QCPAxisRect* rect);
        double norm = 0;  // 0: none
        double y = 0;     // axis coordinate

    protected:
        void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
        void draw(QCPPainter* painter) override;
    };
    ClipLine* m_clip;
};

/// A quantity that is not among the usual plots: chosen by the user, or by a lesson.
class ChosenPanel : public MetricPanel {
public:
    /// What is known of a quantity by its key.
    struct Kind {
        QString title, unit;
        AxisScale scale = AxisScale::Linear;
        bool isShare = false;        // from 0 to 1, written in percent
        bool isStepped = false;      // holds from one change to the next
        bool isTensorShare = false;  // comes from tensor statistics
        bool isForeign = false;      // only a file knows it
    };
    ChosenPanel(QCustomPlot* plot, QCPMarginGroup* margins, const std::string& key, const Kind& kind);
    /// Of any key: one that is not known is a file's.
    static Kind kindOf(const std::string& key);
    /// The keys that are known, in the order in which they are offered.
    static const std::vector<std::string>& knownKeys();
    bool isForeign() const { return m_kind.isForeign; }
    QString endText(const RunTrace& trace, std::int64_t step) const override;
    bool hasGlyphRow() const override { return m_kind.isForeign; }

protected:
    void refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>& values) override;
    Span rangeFor(std::vector<double>& robust, const std::vector<double>& whole) override;
    QString noteFor(const PlotFrame& frame) const override;

private:
    Kind m_kind;
};

class ThroughputPanel : public MetricPanel {
public:
    ThroughputPanel(QCustomPlot* plot, QCPMarginGroup* margins);
    /// "TF32 and FP16 are emulated on CPU: not a hardware speed"; empty when nothing is emulated.
    static QString emulationNote(const std::vector<const RunTrace*>& runs);
    /// Of several runs that go each at its pace.
    static QString sharingNote();

protected:
    Span rangeFor(std::vector<double>& robust, const std::vector<double>& whole) override;
    QString noteFor(const PlotFrame& frame) const override;
};

}  // namespace mantissa::gui
