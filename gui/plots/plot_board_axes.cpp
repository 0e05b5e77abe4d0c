// SPDX-License-Identifier: GPL-3.0-or-later
// The board's axes: their quantities and ranges, the highlighted run, and the menus at the plots' edges.
#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/app/icon.h"
#include "gui/controls/number_text.h"
#include "gui/plots/axis_menus.h"
#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/event_model.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr int kAxisLabels = 24;     // px of the x axis below a panel
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

void PlotBoard::connectAxes() {
    m_xName->setObjectName(QStringLiteral("xAxisButton"));
    m_xName->setProperty("look", "fold");
    m_xName->setFocusPolicy(Qt::TabFocus);
    m_xName->setCursor(Qt::PointingHandCursor);
    connect(m_xName, &QPushButton::clicked, this, [this] { showMenu(-1, Part::XAxis, m_xName->mapToGlobal(QPoint(0, 0))); });
    m_choose->setObjectName(QStringLiteral("plotsButton"));
    m_choose->setProperty("look", "fold");
    m_choose->setFocusPolicy(Qt::TabFocus);
    m_choose->setCursor(Qt::PointingHandCursor);
    m_choose->setAccessibleName(tr("Choose the plots"));
    m_choose->setToolTip(tr("Which plots are shown, and in which order"));
    connect(m_choose, &QPushButton::clicked, this, [this] {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillChoiceMenu(menu, this);
        menu->popup(m_choose->mapToGlobal(QPoint(0, 0)) - QPoint(0, menu->sizeHint().height()));
    });
    m_flashTimer->setSingleShot(true);
    m_flashTimer->setInterval(kFlashMs);
    connect(m_flashTimer, &QTimer::timeout, this, [this] { highlight(-1); });
}

Reach PlotBoard::viewedSteps() const {
    // A window follows the live end, even if a read-only run is longer.
    if (m_xAxis == XAxis{}) return m_view.mode() == FollowMode::Window ? std::min(shownSteps(), liveSteps()) : shownSteps();
    constexpr double kNowhere = std::numeric_limits<double>::infinity();
    const auto count = [](std::int64_t steps) { return static_cast<double>(steps); };
    Span all{m_xAxis.isLog ? kNowhere : 0, -kNowhere}, newest{0, -kNowhere};
    double least = m_xAxis.isLog ? kLeastLog : kNowhere;
    for (const auto& run : m_session->runs()) {
        const StepPlaces places(*run, m_xAxis);
        const std::int64_t first = run->info.firstStep, end = shownStepsOf(*run);
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

void PlotBoard::linkPanel(int panel, PlotFrame& frame) const {
    frame.x = m_view.xOf(panel, viewedSteps());
}

const RunState* PlotBoard::measure() const {
    const auto isUsable = [this](const RunState& run) {
        return !run.isHidden && shownStepsOf(run) > run.info.firstStep && StepPlaces(run, m_xAxis).isKnown();
    };
    const RunState* chosen = m_session->run(m_session->selected());
    if (chosen && isUsable(*chosen)) return chosen;
    const auto it = std::find_if(m_session->runs().begin(), m_session->runs().end(), [&](const auto& run) { return isUsable(*run); });
    return it == m_session->runs().end() ? nullptr : it->get();
}

double PlotBoard::xOf(std::int64_t step) const {
    const RunState* run = m_xAxis == XAxis{} ? nullptr : measure();
    return run ? StepPlaces(*run, m_xAxis).x(static_cast<double>(step)) : static_cast<double>(step);
}

std::int64_t PlotBoard::stepAt(double x) const {
    const RunState* run = m_xAxis == XAxis{} ? nullptr : measure();
    if (!run) return sampleNear(x);
    const double step = StepPlaces(*run, m_xAxis).step(x);
    return sampleNear(std::clamp(step, static_cast<double>(run->info.firstStep), static_cast<double>(shownStepsOf(*run) - 1)));
}

std::int64_t PlotBoard::clickedStep(double x) const {
    constexpr double kReach = 5;  // px: the width of a mark
    const QCPAxis* axis = m_shownPanels.front()->rect()->axis(QCPAxis::atBottom);
    const double reach = std::abs(axis->pixelToCoord(kReach) - axis->pixelToCoord(0));
    const std::int64_t at = stepAt(x), last = stepAt(x + reach);
    std::int64_t nearest = -1;
    for (std::int64_t step = std::max<std::int64_t>(0, stepAt(x - reach)); step <= last; ++step)
        for (const auto& run : m_session->runs())
            if (!run->isHidden && isLostAt(*run, step) && (nearest < 0 || std::abs(step - at) < std::abs(nearest - at))) nearest = step;
    return nearest < 0 ? at : nearest;
}

std::int64_t PlotBoard::sampleNear(double step) const {
    // A position far outside would overflow the step's type.
    const std::int64_t wanted = std::llround(std::clamp(step, -1.0, static_cast<double>(shownSteps())));
    std::int64_t nearest = -1;
    for (const auto& run : m_session->runs()) {
        const std::int64_t sample = run->isHidden ? -1 : sampleOf(*run, shownStepsOf(*run), wanted, 0);
        if (sample >= 0 && (nearest < 0 || std::abs(sample - wanted) < std::abs(nearest - wanted))) nearest = sample;
    }
    return nearest < 0 ? wanted : nearest;
}

std::int64_t PlotBoard::sampleBeside(std::int64_t step, std::int64_t by) const {
    if (by == 0) return sampleNear(static_cast<double>(step));
    for (std::int64_t left = std::abs(by); left > 0; --left) {
        std::int64_t next = -1;
        for (const auto& run : m_session->runs()) {
            const std::int64_t sample = run->isHidden ? -1 : sampleOf(*run, shownStepsOf(*run), step, by > 0 ? 1 : -1);
            if (sample >= 0 && (next < 0 || std::abs(sample - step) < std::abs(next - step))) next = sample;
        }
        if (next < 0) break;
        step = next;
    }
    return step;
}

void PlotBoard::setXAxis(const XAxis& axis) {
    if (axis == m_xAxis) return;
    const RunState* run = measure();
    const XAxis before = std::exchange(m_xAxis, axis);
    const FollowMode mode = m_view.mode();
    const RunState* now = measure();
    if (run && now == run) {
        const double first = viewedSteps().all.first;
        const StepPlaces from(*run, before), to(*run, axis);
        m_view.recast([&](double x) {
            const double place = to.x(from.step(x));
            return std::isfinite(place) ? std::max(place, first) : first;
        });
    } else {
        m_view.reset();  // positions on the two axes do not correspond
    }
    viewChanged(mode);
    emit axesChosen();
}

AxisChoices PlotBoard::axisChoices() const {
    AxisChoices choices{m_xAxis, m_keptScales, m_smoothing, m_plots};
    for (const auto& panel : m_panels) choices.scales[panel->key()] = panel->scale();
    return choices;
}

void PlotBoard::setAxisChoices(const AxisChoices& choices) {
    setXAxis(choices.x);
    m_keptScales = choices.scales;
    for (const auto& [key, scale] : choices.scales)
        if (const Panel* panel = panelOf(key)) setScale(indexOf(panel), scale);
    setSmoothing(choices.smoothing);
    setPlots(choices.plots);
}

std::pair<std::int64_t, std::int64_t> PlotBoard::stepsInView(int panel) const {
    const Reach reach = viewedSteps();
    const Span x = panel < 0 ? m_view.x(reach) : m_view.xOf(panel, reach);
    std::int64_t first = shownSteps(), end = 0;
    for (const auto& run : m_session->runs()) {
        const StepPlaces places(*run, m_xAxis);
        if (run->isHidden || !places.isKnown()) continue;
        // Tolerance for rounding of a step's position.
        constexpr double kRounding = 1e-6;
        const Span steps = places.steps(x);
        const auto own = static_cast<std::int64_t>(std::ceil(std::max(static_cast<double>(run->info.firstStep), steps.first - kRounding)));
        const auto ownEnd =
            static_cast<std::int64_t>(std::floor(std::min(steps.last + kRounding, static_cast<double>(shownStepsOf(*run) - 1)))) + 1;
        if (own >= ownEnd) continue;
        first = std::min(first, own);
        end = std::max(end, ownEnd);
    }
    return {std::min(first, end), end};
}

void PlotBoard::setScale(int panel, AxisScale scale) {
    Panel& shown = *m_panels[static_cast<std::size_t>(panel)];
    if (!shown.hasChoices() || shown.scale() == scale) return;
    m_view.fit(panel);  // a range set by hand belongs to the previous scale
    shown.setScale(scale);
    schedule();
    emit axesChosen();
}

bool PlotBoard::toggleLog(int panel) {
    const Panel* shown = panel < 0 ? static_cast<const Panel*>(m_loss) : m_panels[static_cast<std::size_t>(panel)].get();
    if (!shown->hasChoices()) return false;
    setScale(indexOf(shown), shown->scale() == AxisScale::Log10 ? AxisScale::Linear : AxisScale::Log10);
    return true;
}

void PlotBoard::setFitsEverything(int panel, bool everything) {
    m_panels[static_cast<std::size_t>(panel)]->setFitsEverything(everything);
    fitPanel(panel);
}

void PlotBoard::fitPanel(int panel) {
    m_view.remember(viewedSteps());
    m_view.fit(panel);
    viewChanged(m_view.mode());
}

void PlotBoard::setLinked(int panel, bool linked) {
    m_view.remember(viewedSteps());
    linked ? m_view.link(panel) : m_view.unlink(panel, viewedSteps());
    viewChanged(m_view.mode());
}

void PlotBoard::refreshLinks() {
    bool isChanged = false;
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        const bool linked = m_view.isLinked(static_cast<int>(i));
        isChanged |= linked == m_panels[i]->title().isUnlinked;
        m_panels[i]->setLinked(linked);
    }
    if (isChanged) arrangePanels();  // other panels have the step labels now
}

bool PlotBoard::labelsSteps(std::size_t shown) const {
    if (shown + 1 == m_shownPanels.size() || !isLinked(indexOf(m_shownPanels[shown]))) return true;
    // The last panel of those that share an axis.
    return std::none_of(m_shownPanels.begin() + static_cast<std::ptrdiff_t>(shown) + 1, m_shownPanels.end(),
                        [this](const Panel* panel) { return isLinked(indexOf(panel)); });
}

void PlotBoard::highlight(RunId run) {
    m_flashTimer->stop();
    if (std::exchange(m_highlighted, run) != run) schedule();
}

void PlotBoard::flash(RunId run) {
    highlight(run);
    m_flashTimer->start();
}

int PlotBoard::indexOf(const Panel* panel) const {
    const auto it = std::find_if(m_panels.begin(), m_panels.end(), [panel](const auto& each) { return each.get() == panel; });
    return static_cast<int>(it - m_panels.begin());
}

std::pair<int, PlotBoard::Part> PlotBoard::partAt(QPointF place) const {
    for (const Panel* panel : m_shownPanels) {
        if (panel->glyphs().markAt(place)) return {indexOf(panel), Part::Mark};
        const QRectF inside(panel->rect()->rect());
        if (inside.contains(place)) return {indexOf(panel), Part::Inside};
        if (panel->header().contains(place)) return {indexOf(panel), Part::Header};
        const bool isLevel = place.y() >= inside.top() && place.y() <= inside.bottom();
        if (isLevel && place.x() < inside.left()) return {indexOf(panel), Part::YAxis};
        if (panel->showsStepLabels() && QRectF(inside.left(), inside.bottom(), inside.width(), kAxisLabels).contains(place))
            return {indexOf(panel), Part::XAxis};
    }
    return {-1, Part::None};
}

void PlotBoard::pointAtHeader(int panel) {
    if (std::exchange(m_pointedHeader, panel) == panel) return;
    for (std::size_t i = 0; i < m_panels.size(); ++i) m_panels[i]->setPointed(static_cast<int>(i) == panel);
    m_canvas->setCursor(panel < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    schedule();
}

const GlyphMark* PlotBoard::markAt(QPointF place) const {
    for (const Panel* panel : m_shownPanels)
        if (const GlyphMark* mark = panel->glyphs().markAt(place)) return mark;
    return nullptr;
}

void PlotBoard::pointAtMark(bool isMark) {
    if (std::exchange(m_isMarkPointed, isMark) != isMark) m_canvas->setCursor(isMark ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

QString PlotBoard::markText(QPointF place) const {
    const GlyphMark* mark = markAt(place);
    if (!mark) return {};
    const RunState* marked = m_session->run(mark->run);
    if (!marked) return {};
    const QString run = marked->name(), glyph = glyphName(mark->glyph), first = groupedText(mark->firstStep);
    const QString what =
        mark->count == 1
            ? QObject::tr("step %1  %2: %3").arg(first, run, glyph)
            : tr("steps %1 to %2  %3: %4 \u00D7%5").arg(first, groupedText(mark->lastStep), run, glyph, groupedText(mark->count));
    return what + u'\n' + tr("Click to ask why, or to go back.");
}

void PlotBoard::askAt(std::int64_t step, QPoint place, RunId run) {
    setCursor(step);
    emit menuRequested(step, place, run);
}

void PlotBoard::pointAtRun(QPointF place) {
    const auto [panel, part] = partAt(place);
    const RunId run = part == Part::Inside ? m_panels[static_cast<std::size_t>(panel)]->runAt(place) : -1;
    if (run != m_highlighted && !m_flashTimer->isActive()) highlight(run);
}

void PlotBoard::showMenu(int panel, Part part, QPoint place) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    part == Part::XAxis ? fillXAxisMenu(menu, this) : fillPanelMenu(menu, this, panel);
    menu->popup(place);
}

void PlotBoard::contextMenuEvent(QContextMenuEvent* event) {
    // Inside the plots the right button opens the step's menu.
    const QPointF at = m_canvas->toPlot(m_canvas->mapFrom(this, event->pos()));
    const auto [panel, part] = partAt(at);
    if (part == Part::None || part == Part::Inside) return event->ignore();
    if (part == Part::Mark) return askAt(markAt(at)->firstStep, event->globalPos(), markAt(at)->run);
    showMenu(panel, part, event->globalPos());
}

QString PlotBoard::absentRuns() const {
    QStringList absent;
    for (const auto& run : m_session->runs())
        if (!run->isHidden && run->hasSteps() && !StepPlaces(*run, m_xAxis).isKnown()) absent << run->name();
    return absent.isEmpty() ? QString() : tr("Not on this axis, as only their steps are known: %1").arg(absent.join(QStringLiteral(", ")));
}

void PlotBoard::refreshXName() {
    const QString name = axisName(m_xAxis);
    m_xName->setText(tr("%1 \u25BE").arg(name));
    m_xName->setAccessibleName(tr("x axis: %1").arg(name));
    m_xName->setToolTip(quantityMeaning(m_xAxis.quantity));
    m_legend->absent = absentRuns();
    // Aligned with the legend of the glyphs. The plots may be drawn larger than their layout.
    const double zoom = m_canvas->zoom();
    const QRect last = m_shownPanels.back()->rect()->rect();
    const auto right = static_cast<int>(std::lround((last.right() + 3) * zoom));
    const auto middle = static_cast<int>(std::lround((last.bottom() + (m_isCompact || isPresenting() ? 34 : 38)) * zoom));
    m_xName->resize(m_xName->sizeHint());
    m_xName->move(m_canvas->x() + right - m_xName->width(), m_canvas->y() + middle - m_xName->height() / 2);
    m_xName->raise();
    m_choose->setVisible(m_alone.empty() && !testAttribute(Qt::WA_DontShowOnScreen));
    m_choose->resize(m_choose->sizeHint());
    m_choose->move(m_xName->x() - 4 - m_choose->width(), m_xName->y());
    m_choose->raise();
    m_legend->rightRoom = static_cast<int>((m_xName->width() + (m_alone.empty() ? m_choose->width() + 4 : 0)) / zoom);
}

}  // namespace mantissa::gui
