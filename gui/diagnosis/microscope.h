// SPDX-License-Identifier: GPL-3.0-or-later
// A histogram of the magnitudes in a tensor, with a format's range, and the loss scale as a line that can be dragged: the bars move with
// it. A click on a bar requests its elements. GUI thread only.
#pragma once

#include <QWidget>
#include <optional>

#include "engine/diagnosis/histogram.h"
#include "gui/plots/view_state.h"
#include "kernels/dtype/element_classes.h"

namespace mantissa::gui {

struct MicroscopeView {
    std::vector<ExponentBin> bins;  // as measured, including the loss scale if there is one
    Dtype format = Dtype::F16;
    bool isScaled = false;               // carries the loss scale
    int usedScale = 0, tried = 0;        // log2 of the used and of the tried scale
    std::optional<int> chosen{};         // the power of two of the bar whose elements are listed
    ElementClasses stored{};             // elements that are not finite are in no bar
    std::optional<BlockWindow> block{};  // drawn in place of the format's range
};

class Microscope : public QWidget {
    Q_OBJECT
public:
    explicit Microscope(QWidget* parent);
    void show(MicroscopeView view);
    /// Returns the range of magnitudes that is drawn, in powers of two.
    Span axis() const;
    /// Returns the position of a power of two in pixels.
    double place(double power) const;
    QSize minimumSizeHint() const override { return {260, 190}; }

signals:
    void scaleTried(int exponent);
    /// Emitted when the user chooses the bar of [2^exponent, 2^(exponent + 1)).
    void binChosen(int exponent);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF area() const;
    void drawZones(QPainter& painter) const;
    void drawBins(QPainter& painter) const;
    void drawScales(QPainter& painter) const;
    void drawNonFinite(QPainter& painter) const;
    void tryAt(double x);
    double heightOf(std::int64_t count) const;
    QRectF barOf(const ExponentBin& bin) const;
    /// Returns the bar at a position; nothing: none, or the scale's line is there.
    std::optional<int> binAt(QPointF place) const;
    void point(std::optional<int> exponent);
    void moveBin(int by);
    /// The edges of the drawn range, log2: of what becomes 0, of normal numbers, of overflow; a block has none of the last.
    struct Edges {
        double flush, normal, overflow;
    };
    Edges edges() const;
    double top() const;  // log10 of the count at the upper edge
    MicroscopeView m_view;
    std::optional<int> m_pointed;  // the bar under the pointer, or chosen by key
    QPointF m_pressedAt;
    bool m_isBarPressed = false;  // and not dragged yet
};

}  // namespace mantissa::gui
