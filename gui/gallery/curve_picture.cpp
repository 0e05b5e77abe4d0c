// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gallery/curve_picture.h"

#include <QFile>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/telemetry/run_identity.h"
#include "gui/app/theme.h"
#include "gui/plots/marks.h"

// The resources are in a static library: they are not linked unless they are named. The macro must be outside namespaces.
static void loadCurves() {
    Q_INIT_RESOURCE(curves);
}

namespace mantissa::gui {
namespace {

constexpr double kLogRatio = 20;    // values that differ by more are drawn on a logarithmic axis
constexpr double kLeastSpan = 0.4;  // of the largest value, so that noise does not look like a curve
constexpr double kCurveEdge = 7;    // for the markers of non-finite values

std::vector<double> numbersOf(const Json& list) {
    std::vector<double> numbers;
    for (const Json& each : list)
        numbers.push_back(each.is_number()      ? each.get<double>()
                          : each == "Infinity"  ? std::numeric_limits<double>::infinity()
                          : each == "-Infinity" ? -std::numeric_limits<double>::infinity()
                                                : std::numeric_limits<double>::quiet_NaN());
    return numbers;
}

Metric metricOf(const std::string& name) {
    return name == "loss_scale" ? Metric::LossScale : name == "val_loss" ? Metric::ValidationLoss : Metric::Loss;
}

QString metricText(Metric metric) {
    switch (metric) {
        case Metric::LossScale:
            return QObject::tr("loss scale");
        case Metric::ValidationLoss:
            return QObject::tr("validation loss");
        default:
            return QObject::tr("loss");
    }
}

/// The plot's area and its range of values.
struct Frame {
    QRectF area;
    double least = 0, most = 0;  // after `isLog`
    std::int64_t first = 0, last = 1;
    bool isLog = false;

    Frame(const CurveSet& curves, const QRectF& place) : area(place) {
        double low = std::numeric_limits<double>::infinity(), high = -low, lowAboveZero = low;
        first = std::numeric_limits<std::int64_t>::max();
        for (const Curve& run : curves.runs)
            for (std::size_t i = 0; i < run.steps.size(); ++i) {
                first = std::min(first, run.steps[i]);
                last = std::max(last, run.steps[i]);
                if (!std::isfinite(run.values[i])) continue;
                low = std::min(low, run.values[i]);
                high = std::max(high, run.values[i]);
                if (run.values[i] > 0) lowAboveZero = std::min(lowAboveZero, run.values[i]);
            }
        first = std::min(first, last - 1);
        if (!std::isfinite(low)) low = high = 0;
        isLog = low >= 0 && std::isfinite(lowAboveZero) && high > kLogRatio * lowAboveZero;
        least = isLog ? std::log2(lowAboveZero) : low;
        most = isLog ? std::log2(high) : high;
        const double missing = (isLog ? 1 : std::max(kLeastSpan * std::abs(most), 1e-12)) - (most - least);
        if (missing > 0) {
            least -= missing / 2;
            most += missing / 2;
        }
    }
    double x(std::int64_t step) const {
        return area.left() + area.width() * static_cast<double>(step - first) / static_cast<double>(last - first);
    }
    double y(double value) const {
        if (isLog && value <= 0) return area.bottom();
        return area.bottom() - area.height() * ((isLog ? std::log2(value) : value) - least) / (most - least);
    }
};

void drawCurve(QPainter& painter, const Curve& run, const Frame& frame, const RunIdentity& identity, bool isStairs) {
    const LineStyle style = runLine(identity);
    QPen pen(style.color, style.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (!style.dash.isEmpty()) {
        QList<qreal> pattern;
        for (const qreal each : style.dash) pattern << each / style.width;  // Qt counts in pen widths
        pen.setDashPattern(pattern);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    QPolygonF line;
    const auto end = [&] {
        if (line.size() > 1) painter.drawPolyline(line);
        line.clear();
    };
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (!std::isfinite(run.values[i])) {
            end();
            continue;
        }
        const QPointF point(frame.x(run.steps[i]), frame.y(run.values[i]));
        if (isStairs && !line.isEmpty()) line << QPointF(point.x(), line.back().y());
        line << point;
    }
    end();
}

/// Draws a marker where a run becomes non-finite.
void drawSigns(QPainter& painter, const Curve& run, const Frame& frame, const RunIdentity& identity, const QColor& ground) {
    bool wasFinite = true;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const double value = run.values[i];
        if (wasFinite && !std::isfinite(value)) {
            const Glyph glyph = std::isnan(value) ? Glyph::NaN : value > 0 ? Glyph::PositiveInf : Glyph::NegativeInf;
            const double top = frame.area.top() - kCurveEdge / 2, bottom = frame.area.bottom() + kCurveEdge / 2;
            drawGlyph(painter, glyph, {frame.x(run.steps[i]), glyph == Glyph::NegativeInf ? bottom : top}, 9, identity.color, ground);
        }
        wasFinite = std::isfinite(value);
    }
}

}  // namespace

bool CurveSet::isEmpty() const {
    return std::all_of(runs.begin(), runs.end(), [](const Curve& run) { return run.steps.empty(); });
}

CurveSet bundledCurves(const QString& experiment) {
    loadCurves();
    QFile file(QStringLiteral(":/curves/%1.json").arg(experiment));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray text = file.readAll();
    const Json json = Json::parse(text.begin(), text.end());
    CurveSet curves{metricOf(json.at("metric")), {}};
    for (const Json& run : json.at("runs"))
        curves.runs.push_back({run.at("steps").get<std::vector<std::int64_t>>(), numbersOf(run.at("values"))});
    return curves;
}

CurveSet curvesOf(const ListedRecording& recording) {
    CurveSet curves;
    for (const ListedRun& run : recording.runs) curves.runs.push_back({run.lossSteps, run.losses});
    return curves;
}

CurvePicture::CurvePicture(CurveSet curves, QWidget* parent) : QWidget(parent), m_curves(std::move(curves)) {
    setFixedHeight(sizeHint().height());
    setAttribute(Qt::WA_TransparentForMouseEvents);
}

void CurvePicture::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.surface);
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(QPointF(0, height() - 0.5), QPointF(width(), height() - 0.5));
    const QFont font = pixelFont(this->font(), kTagPixels);
    painter.setFont(font);
    painter.setPen(theme.ink3);
    const int words = QFontMetrics(font).height();
    if (m_curves.isEmpty()) {
        painter.drawText(rect(), Qt::AlignCenter, tr("no picture"));
        return;
    }
    painter.drawText(QRectF(8, 4, width() - 16, words), Qt::AlignRight | Qt::AlignVCenter, metricText(m_curves.metric));
    const Frame frame(m_curves, QRectF(rect()).adjusted(8, 4 + words + kCurveEdge, -8, -6));
    for (std::size_t i = 0; i < m_curves.runs.size(); ++i)
        drawCurve(painter, m_curves.runs[i], frame, theme.run(static_cast<int>(i % kRunIdentities.size())),
                  m_curves.metric == Metric::LossScale);
    for (std::size_t i = 0; i < m_curves.runs.size(); ++i)
        drawSigns(painter, m_curves.runs[i], frame, theme.run(static_cast<int>(i % kRunIdentities.size())), theme.surface);
}

}  // namespace mantissa::gui
