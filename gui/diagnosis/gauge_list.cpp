// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/gauge_list.h"

#include <QAbstractItemView>
#include <cmath>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_note.h"
#include "gui/diagnosis/captured_model.h"

namespace mantissa::gui {
namespace {

QString gaugeValue(const Gauge& gauge) {
    switch (gauge.kind) {
        case GaugeKind::LostUpdates:
        case GaugeKind::UnchangedWeights:
            return fixedText(gauge.value * 100, 1) + QStringLiteral("\u202F%");
        case GaugeKind::ScheduleAhead:
            return groupedText(std::llround(gauge.value));
        default:
            return gauge.severity == Severity::Good ? QObject::tr("no") : numberText(gauge.value, 3);
    }
}

}  // namespace

GaugeList::GaugeList(const SessionModel* session, const Measurements* measurements, QWidget* parent)
    : QWidget(parent), m_session(session), m_measurements(measurements) {
    auto* column = makeColumn(6, {4, 0, 4, 0}, this);
    m_part = new QWidget(this);
    auto* part = makeColumn(4, {0, 0, 0, 6}, m_part);
    part->addWidget(makeLabel(tr("Silent failures"), "title", m_part));
    m_column = makeColumn(3);
    part->addLayout(m_column);
    column->addWidget(m_part);
    m_measure = new QWidget(this);
    auto* row = makeRow(8, {}, m_measure);
    QLabel* measure = makeWrappedLabel(tr("Measure tensors"), "secondary", this);
    row->addWidget(measure);
    m_level = new ComboBox(tr("How often tensors are measured"), this);
    m_level->addItem(tr("off"), static_cast<int>(Instrumentation::Off));
    m_level->addItem(tr("sampled"), static_cast<int>(Instrumentation::Sampled));
    m_level->addItem(tr("one block in eight"), static_cast<int>(Instrumentation::Blocks));
    m_level->setItemData(
        2, tr("Measures one eighth of every large tensor at each step; eight steps cover it all. Shares refer to the measured elements."),
        Qt::ToolTipRole);
    m_level->addItem(tr("each step"), static_cast<int>(Instrumentation::Full));
    m_level->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_level->setMinimumContentsLength(5);
    m_level->view()->setMinimumWidth(m_level->view()->sizeHintForColumn(0) + 24);  // the longest name, wider than the box
    row->addWidget(m_level, 1);
    column->addWidget(m_measure);
    m_cost = makeWrappedLabel({}, "small", this);
    column->addWidget(m_cost);
    connect(m_level, &QComboBox::activated, this, [this](int index) {
        const auto level = static_cast<Instrumentation>(m_level->itemData(index).toInt());
        refresh();  // the box shows the current value, not the requested one
        emit levelRequested(level);
    });
    connect(session, &SessionModel::stateChanged, this, &GaugeList::refresh);
    connect(session, &SessionModel::runsChanged, this, &GaugeList::refresh);
    connect(measurements, &Measurements::measured, this, [this](int run) {
        if (run == m_run) refresh();
    });
    refresh();
}

void GaugeList::show(RunId run) {
    m_run = run;
    refresh();
}

GaugeList::Line GaugeList::addLine() {
    auto* widget = new QWidget(m_part);
    auto* row = makeRow(6, {}, widget);
    const Line line{widget, new IconLabel(widget, 12), makeLabel({}, "secondary", widget), makeLabel({}, "secondary", widget)};
    line.words->setWordWrap(true);  // in a language with long words
    row->addWidget(line.icon, 0, Qt::AlignTop);
    row->addWidget(line.words, 1);
    row->addWidget(line.value, 0, Qt::AlignTop);
    m_column->addWidget(widget);
    widget->show();  // at once, because pictures are taken before the next events
    return line;
}

void GaugeList::fill(const Line& line, const Gauge& gauge) {
    const bool isBad = gauge.severity == Severity::Bad;
    line.icon->setIcon(gauge.severity == Severity::Good ? QStringLiteral("check")
                       : isBad                          ? QStringLiteral("warning")
                                                        : QStringLiteral("info"),
                       isBad ? IconInk::Danger : IconInk::Ink2);
    line.words->setText(engineText(std::string(gaugeTitle(gauge.kind))));
    line.value->setText(gaugeValue(gauge));
    setStyleProperty(line.value, "kind", isBad ? "danger" : "secondary");
    line.widget->setToolTip(engineText(gauge.sentence));
    line.widget->setAccessibleName(tr("%1: %2").arg(line.words->text(), line.widget->toolTip()));
}

void GaugeList::refresh() {
    const RunMeasurements* measured = m_measurements->of(m_run);
    const RunState* run = m_session->run(m_run);
    m_gauges = run && !isWithheld(*m_session, *run) ? run->gauges() : std::vector<Gauge>();
    m_part->setVisible(!m_gauges.empty());
    while (m_lines.size() > m_gauges.size()) {
        delete m_lines.back().widget;
        m_lines.pop_back();
    }
    while (m_lines.size() < m_gauges.size()) m_lines.push_back(addLine());
    for (std::size_t i = 0; i < m_gauges.size(); ++i) fill(m_lines[i], m_gauges[i]);
    const bool isWatched = run && run->isWatched();
    m_measure->setVisible(!isWatched);
    if (isWatched) return m_cost->setText(countedWhenText(run->info.watch));
    const Instrumentation level = m_session->state().instrumentation;
    m_level->setCurrentIndex(m_level->findData(static_cast<int>(level)));
    const double cost = measured ? measured->cost : 0;
    const double percent = std::round((cost - 1) * 1000) / 10 + 0.0;  // + 0.0 avoids "-0"
    if (level == Instrumentation::Off)
        m_cost->setText(tr("Costs nothing while it is off."));
    else if (cost <= 0)
        m_cost->setText(tr("What it costs is being measured."));
    else
        m_cost->setText(
            tr("%1\u202F% of a step's time, measured.").arg((percent > 0 ? QStringLiteral("+") : QString()) + fixedText(percent, 1)));
}

}  // namespace mantissa::gui
