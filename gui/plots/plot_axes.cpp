// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/plots/event_model.h"

namespace mantissa::gui {
namespace {

constexpr double kLeastLog = 0.02;  // least number of decades for zooming

/// Step of a run's sample next to `step` in the direction of `by` (-1, 1), or nearest to it (0); -1: none.
std::int64_t sampleOf(const RunState& run, std::int64_t end, std::int64_t step, int by) {
    const std::int64_t first = run.info.firstStep;
    if (end <= first) return -1;
    std::int64_t found = -1;
    const auto take = [&](std::int64_t sample) {
        const bool isThere = sample >= first && sample < end && (by == 0 || (by > 0 ? sample > step : sample < step));
        if (isThere && (found < 0 || std::abs(sample - step) < std::abs(found - step))) found = sample;
    };
    if (!run.isRecorded()) {
        take(std::clamp(step + by, first, end - 1));
        return found;
    }
    // A read-only run has only the samples of its file, for example one per hundred steps.
    for (int metric = 0; metric < kMetricCount; ++metric) {
        const Series* series = run.series(static_cast<Metric>(metric));
        if (!series || series->isEmpty()) continue;
        const std::size_t after = series->countBefore(step + (by > 0 ? 1 : 0));
        if (after < series->count()) take(series->stepAt(after));
        if (after > 0) take(series->stepAt(after - 1));
    }
    return found;
}

}  // namespace

Reach PlotAxes::reach() const {
    // A window follows the live end, even if a read-only run is longer.
    if (m_xAxis == XAxis{}) return m_view.mode() == FollowMode::Window ? std::min(m_steps.all(), m_steps.live()) : m_steps.all();
    constexpr double kNowhere = std::numeric_limits<double>::infinity();
    const auto count = [](std::int64_t steps) { return static_cast<double>(steps); };
    Span all{m_xAxis.isLog ? kNowhere : 0, -kNowhere}, newest{0, -kNowhere};
    double least = m_xAxis.isLog ? kLeastLog : kNowhere;
    for (const auto& run : m_session->runs()) {
        const StepPlaces places = placesOf(*run);
        const std::int64_t first = run->info.firstStep, end = m_steps.of(*run);
        if (run->isWithheld || !places.isKnown() || end <= first) continue;
        // A logarithmic axis has no step 0; it starts at the first positive value.
        if (m_xAxis.isLog) {
            const double begin = places.x(count(std::max<std::int64_t>(first, m_xAxis.quantity == XQuantity::Step ? 1 : 0)));
            if (std::isfinite(begin)) all.first = std::min(all.first, begin);
        } else {
            least = std::min(least, (places.x(count(end - 1)) - places.x(count(first) - 1)) / count(end - first) * ViewState::kLeastSpan);
        }
        const double last = places.x(count(end - 1));
        all.last = std::max({all.last, last, m_xAxis.isTime() ? last : places.x(ViewState::kLeastFollowed)});
        if (run->isLive() && last > newest.last) newest = {places.x(std::max(0.0, count(end - 1) - Reach::kWindowSteps)), last};
    }
    if (!(all.first < all.last)) all = m_xAxis.isLog ? Span{0, 2} : Span{0, 1};
    if (!(newest.first < newest.last)) newest = all;
    newest.first = std::max(newest.first, all.first);
    return {all, newest, std::isfinite(least) && least > 0 ? least : all.length() / 1000};
}

const RunState* PlotAxes::referenceRun() const {
    const auto isUsable = [this](const RunState& run) {
        return !run.isHidden && m_steps.of(run) > run.info.firstStep && placesOf(run).isKnown();
    };
    const RunState* chosen = m_session->run(m_session->selected());
    if (chosen && isUsable(*chosen)) return chosen;
    const auto it = std::find_if(m_session->runs().begin(), m_session->runs().end(), [&](const auto& run) { return isUsable(*run); });
    return it == m_session->runs().end() ? nullptr : it->get();
}

double PlotAxes::xOf(std::int64_t step) const {
    const RunState* run = m_xAxis == XAxis{} ? nullptr : referenceRun();
    return run ? placesOf(*run).x(static_cast<double>(step)) : static_cast<double>(step);
}

std::int64_t PlotAxes::stepAt(double x) const {
    const RunState* run = m_xAxis == XAxis{} ? nullptr : referenceRun();
    if (!run) return sampleNear(x);
    const double step = placesOf(*run).step(x);
    return sampleNear(std::clamp(step, static_cast<double>(run->info.firstStep), static_cast<double>(m_steps.of(*run) - 1)));
}

std::int64_t PlotAxes::clickedStep(double x) const {
    constexpr double kReach = 5;  // px: the width of a mark
    const QCPAxis* axis = m_panels.shown().front()->xAxis();
    const double reach = std::abs(axis->pixelToCoord(kReach) - axis->pixelToCoord(0));
    const std::int64_t at = stepAt(x), last = stepAt(x + reach);
    std::int64_t nearest = -1;
    for (std::int64_t step = std::max<std::int64_t>(0, stepAt(x - reach)); step <= last; ++step)
        for (const auto& run : m_session->runs())
            if (!run->isHidden && isLostAt(*run, step) && (nearest < 0 || std::abs(step - at) < std::abs(nearest - at))) nearest = step;
    return nearest < 0 ? at : nearest;
}

std::int64_t PlotAxes::sampleNear(double step) const {
    // A position far outside would overflow the step's type.
    const std::int64_t wanted = std::llround(std::clamp(step, -1.0, static_cast<double>(m_steps.all())));
    const std::int64_t nearest = nearestSample(wanted, 0);
    return nearest < 0 ? wanted : nearest;
}

std::int64_t PlotAxes::nearestSample(std::int64_t step, int by) const {
    std::int64_t nearest = -1;
    for (const auto& run : m_session->runs()) {
        const std::int64_t sample = run->isHidden ? -1 : sampleOf(*run, m_steps.of(*run), step, by);
        if (sample >= 0 && (nearest < 0 || std::abs(sample - step) < std::abs(nearest - step))) nearest = sample;
    }
    return nearest;
}

std::int64_t PlotAxes::sampleBeside(std::int64_t step, std::int64_t by) const {
    if (by == 0) return sampleNear(static_cast<double>(step));
    for (std::int64_t left = std::abs(by); left > 0; --left) {
        const std::int64_t next = nearestSample(step, by > 0 ? 1 : -1);
        if (next < 0) break;
        step = next;
    }
    return step;
}

void PlotAxes::setXAxis(const XAxis& axis) {
    if (axis == m_xAxis) return;
    const RunState* run = referenceRun();
    const XAxis before = std::exchange(m_xAxis, axis);
    const RunState* now = referenceRun();
    if (run && now == run) {
        const double first = reach().all.first;
        const StepPlaces from(*run, before), to(*run, axis);
        m_view.recast([&](double x) {
            const double place = to.x(from.step(x));
            return std::isfinite(place) ? std::max(place, first) : first;
        });
    } else {
        m_view.reset();  // positions on the two axes do not correspond
    }
    viewChanged();
    emit chosen();
}

QString PlotAxes::absentRuns() const {
    QStringList absent;
    for (const auto& run : m_session->runs())
        if (!run->isHidden && run->hasSteps() && !placesOf(*run).isKnown()) absent << run->name();
    return absent.isEmpty() ? QString() : tr("Not on this axis, as only their steps are known: %1").arg(absent.join(QStringLiteral(", ")));
}

std::pair<std::int64_t, std::int64_t> PlotAxes::stepsInView(int panel) const {
    const Span x = range(panel);
    std::int64_t first = m_steps.all(), end = 0;
    for (const auto& run : m_session->runs()) {
        const StepPlaces places = placesOf(*run);
        if (run->isHidden || !places.isKnown()) continue;
        // Tolerance for rounding of a step's position.
        constexpr double kRounding = 1e-6;
        const Span steps = places.steps(x);
        const auto own = static_cast<std::int64_t>(std::ceil(std::max(static_cast<double>(run->info.firstStep), steps.first - kRounding)));
        const auto ownEnd =
            static_cast<std::int64_t>(std::floor(std::min(steps.last + kRounding, static_cast<double>(m_steps.of(*run) - 1)))) + 1;
        if (own >= ownEnd) continue;
        first = std::min(first, own);
        end = std::max(end, ownEnd);
    }
    return {std::min(first, end), end};
}

void PlotAxes::viewChanged() {
    emit viewMoved();
    if (std::exchange(m_mode, m_view.mode()) != m_view.mode()) emit followChanged(m_mode);
}

void PlotAxes::setFollow(FollowMode mode) {
    m_view.follow(mode, reach());
    viewChanged();
}

void PlotAxes::showX(const Span& x, int panel) {
    m_view.isLinked(panel) ? m_view.showX(x, reach()) : m_view.showOwnX(panel, x, reach());
    viewChanged();
}

void PlotAxes::showY(int panel, const Span& y) {
    m_view.showY(panel, y, reach());
    viewChanged();
}

void PlotAxes::scrollTo(std::int64_t step) {
    const Span x = range();
    const double at = xOf(step);
    if (!std::isfinite(at) || x.contains(at)) return;  // a logarithmic axis has no step 0
    remember();
    showX({at - x.length() / 2, at + x.length() / 2});
}

void PlotAxes::fitAll() {
    remember();
    setFollow(FollowMode::All);
}

void PlotAxes::previousView() {
    if (m_view.back()) viewChanged();
}

void PlotAxes::nextView() {
    if (m_view.forward()) viewChanged();
}

void PlotAxes::fitPanel(int panel) {
    remember();
    m_view.fit(panel);
    viewChanged();
}

void PlotAxes::setLinked(int panel, bool linked) {
    remember();
    linked ? m_view.link(panel) : m_view.unlink(panel, reach());
    viewChanged();
}

void PlotAxes::reset() {
    m_view.reset();
    viewChanged();
}

void PlotAxes::take(const PlotAxes& other) {
    m_view = other.m_view;
    m_mode = m_view.mode();
    m_xAxis = other.m_xAxis;
}

void PlotAxes::setScale(int panel, AxisScale scale) {
    Panel& shown = m_panels.at(panel);
    if (!shown.hasChoices() || shown.scale() == scale) return;
    m_view.fit(panel);  // a range set by hand belongs to the previous scale
    shown.setScale(scale);
    emit chosen();
}

bool PlotAxes::toggleLog(int panel) {
    if (panel < 0) panel = m_panels.indexOf(m_panels.of(metricName(Metric::Loss))->rect());
    const Panel& shown = m_panels.at(panel);
    if (!shown.hasChoices()) return false;
    setScale(panel, shown.scale() == AxisScale::Log10 ? AxisScale::Linear : AxisScale::Log10);
    return true;
}

void PlotAxes::setFitsEverything(int panel, bool everything) {
    m_panels.at(panel).setFitsEverything(everything);
    fitPanel(panel);
}

}  // namespace mantissa::gui
