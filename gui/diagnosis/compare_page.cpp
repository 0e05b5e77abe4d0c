// SPDX-License-Identifier: GPL-3.0-or-later
// Displays the comparison. Requests to the engine are in compare_page_actions.cpp.
#include "gui/diagnosis/compare_page.h"

#include <QEvent>
#include <algorithm>

#include "engine/diagnosis/verdict.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kDrawMs = 100, kPlotPixels = 196, kHeadPixels = 52;
constexpr TensorRole kComparedRoles[] = {TensorRole::Value, TensorRole::Gradient, TensorRole::WeightGradient, TensorRole::Weight};

}  // namespace

ComparePage::ComparePage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_drawTimer(kDrawMs) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(8);
    grid->addWidget(makeHead(), 0, 0, 1, 2);
    m_mapCard = makeMap();
    m_curveCard = makeCurve();
    grid->addWidget(m_mapCard, 1, 0);
    grid->addWidget(m_curveCard, 1, 1);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    grid->addItem(new QSpacerItem(0, 0, QSizePolicy::Minimum, QSizePolicy::Expanding), 2, 0);
    grid->setRowStretch(1, 1000);  // as tall as its rows need; the spacer takes the rest
    connect(&m_drawTimer, &Delay::timeout, this, &ComparePage::refreshNow);
    connectLab();
    fillRuns();
}

QFrame* ComparePage::makeHead() {
    QFrame* card = makeCard(this, tr("Compare runs"));
    auto* column = makeColumn(6, {12, 8, 12, 8}, card);
    auto* row = makeRow(8);
    const auto addBox = [&](const QString& name, int characters) {
        auto* box = new ComboBox(name, card);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(characters);
        row->addWidget(box);
        return box;
    };
    m_run = addBox(tr("Run to compare"), 12);
    row->addWidget(makeLabel(tr("against"), "secondary", card));
    m_other = addBox(tr("Run that it is compared against"), 12);
    m_bound = addBox(tr("Difference above which they are apart"), 12);
    m_bound->addItem(tr("apart at all"), 0.0);
    for (const double bound : {0.001, 0.01, 0.1})
        m_bound->addItem(tr("apart above %1").arg(QString::fromStdString(shareText(bound))), bound);
    m_bound->setCurrentIndex(m_bound->findData(kComparisonBound));
    auto* ranges = makeRow(0);
    m_range = makeSegments({tr("whole run"), tr("last %1 steps").arg(ComparisonRecord::kLastSteps)}, tr("Steps to compare"), ranges, this);
    row->addLayout(ranges);
    row->addStretch(1);
    m_follow = new CheckBox(tr("Follow training"), card);
    m_follow->setChecked(true);
    row->addWidget(m_follow);
    m_compare = makeButton(tr("Compare"), {}, tr("Compare the two runs"), card);
    m_compare->setObjectName(QStringLiteral("compareRuns"));
    m_compare->setProperty("look", "primary");
    row->addWidget(m_compare);
    column->addLayout(row);
    m_verdict = makeWrappedLabel({}, "headline", card);
    column->addWidget(m_verdict);
    m_note = makeWrappedLabel({}, "secondary", card);
    column->addWidget(m_note);
    m_empty = makeWrappedLabel({}, "body2", card);
    column->addWidget(m_empty);
    const auto chooseRun = [this] {
        m_isRunChosen = true;
        beginAgain();
    };
    connect(m_run, &QComboBox::activated, this, chooseRun);
    connect(m_other, &QComboBox::activated, this, chooseRun);
    connect(m_bound, &QComboBox::activated, this, [this] {
        m_record.setBound(m_bound->currentData().toDouble());
        if (m_hasCompared && m_asked == 0) askNext();  // the first divergence may have moved
        refreshNow();
    });
    connect(m_range, &QButtonGroup::idClicked, this, [this] { m_hasCompared ? compare() : beginAgain(); });
    connect(m_compare, &QPushButton::clicked, this, [this] { m_asked != 0 && m_isByHand ? stop() : compare(); });
    return card;
}

QFrame* ComparePage::makeMap() {
    const auto [card, head, column] = makeTitledCard(tr("Difference by layer and step"), this);
    head->addStretch(1);
    auto* roles = makeRow(0);
    m_role =
        makeSegments({tr("forward"), tr("gradients"), tr("weight gradients"), tr("weights")}, tr("Tensors that are compared"), roles, this);
    head->addLayout(roles);
    m_map = new ComparisonMap(card);
    m_map->setMinimumHeight(kPlotPixels);
    column->addWidget(m_map, 1);
    connect(m_map, &LayerPlot::layerChosen, this, [this](const QString& layer) {
        m_layer = layer;
        refreshNow();
    });
    connect(m_role, &QButtonGroup::idClicked, this, [this] {
        m_isRoleChosen = true;
        refreshNow();
    });
    return card;
}

QFrame* ComparePage::makeCurve() {
    QFrame* card = makeCard(this, tr("Difference of one layer"));
    auto* column = makeColumn(6, {12, 8, 12, 8}, card);
    m_curveTitle = makeLabel({}, "title", card);
    m_curveTitle->setMinimumHeight(24);  // aligned with the map's segments
    column->addWidget(m_curveTitle);
    m_curve = new ComparisonCurve(card);
    m_curve->setMinimumHeight(kPlotPixels);
    column->addWidget(m_curve, 1);
    return card;
}

void ComparePage::fillRuns() {
    const RunId run = this->run(), other = this->other();
    const bool wasThere = m_run->count() > 0;
    m_run->clear();
    m_other->clear();
    for (const auto& state : m_session->runs()) {
        if (!state->hasTensors()) continue;
        m_run->addItem(state->name(), state->id);
        m_other->addItem(state->name(), state->id);
    }
    const bool isKept = (m_isRunChosen || m_hasCompared) && wasThere && m_run->findData(run) >= 0 && m_other->findData(other) >= 0;
    if (!isKept) m_isRunChosen = false;
    m_run->setCurrentIndex(std::max(0, m_run->findData(isKept ? run : m_session->selected())));
    if (m_run->count() == 0) return beginAgain();
    // The reference is an fp32 run if there is one.
    RunId reference = isKept ? other : -1;
    for (const auto& state : m_session->runs()) {
        if (isKept || !state->hasTensors() || state->id == this->run()) continue;
        const bool isBetter = reference < 0 || (state->info.policy == "fp32" && m_session->run(reference)->info.policy != "fp32");
        if (isBetter) reference = state->id;
    }
    m_other->setCurrentIndex(std::max(0, m_other->findData(reference)));
    if (!m_record.isOf(this->run(), this->other())) return beginAgain();
    refreshNow();
}

TensorRole ComparePage::role() const {
    return kComparedRoles[static_cast<std::size_t>(std::max(0, m_role->checkedId()))];
}

ComparisonRange ComparePage::range() const {
    return m_range->checkedId() == 1 ? ComparisonRange::LastSteps : ComparisonRange::WholeRun;
}

/// Until the user chooses, the page shows the tensors that diverge first.
void ComparePage::showWhereTheyPart() {
    const auto apart = m_record.apart();
    if (!apart || m_isRoleChosen) return;
    const TensorRole first = m_record.comparisons()[apart->comparison].layers[apart->layer].role;
    for (std::size_t i = 0; i < std::size(kComparedRoles); ++i)
        if (kComparedRoles[i] == first) m_role->button(static_cast<int>(i))->setChecked(true);
}

/// A watched run has only sketches to compare.
bool ComparePage::isBySketches() const {
    const RunState *run = m_session->run(this->run()), *other = m_session->run(this->other());
    return (run && run->isWatched()) || (other && other->isWatched());
}

QString ComparePage::emptyText() const {
    if (m_run->count() < 2) return tr("Two runs are compared here, tensor by tensor. Add a run, fork one, or watch a PyTorch training.");
    if (isBySketches())
        return tr(
            "In which layer and at which step do they first differ? Press Compare: each module's tensors are compared in the steps for "
            "which the watched run has sent sketches. mantissa_probe.watch(..., sketches=True) sends them.");
    if (endStep() <= firstStep()) return tr("Train a few steps first; then the two runs can be compared tensor by tensor.");
    return tr(
        "In which layer and at which step do they first differ? Press Compare: copies of both runs are rewound and trained again side by "
        "side, and their tensors are compared. The runs themselves do not change.");
}

QString ComparePage::noteText() const {
    QStringList parts;
    if (!m_problem.isEmpty()) parts << m_problem;
    const std::size_t known = m_record.comparisons().size();
    if (m_asked != 0 && m_isByHand) {
        parts << tr("Comparing: %1 of %2 steps.").arg(known - std::min(known, m_before)).arg(m_wanted);
    } else if (known > 0) {
        const std::int64_t all = endStep() - firstStep();
        parts << tr("%1 of %2 steps were compared. Differences are relative to %3, without loss scales.")
                     .arg(groupedText(static_cast<std::int64_t>(known)), groupedText(all), m_other->currentText());
    }
    if (known > 0 && isBySketches())
        parts << tr(
            "They are estimated from sketches, to about 10 %, and are valid if both trainings start from the same weights and take the "
            "same batches.");
    if (!m_record.note().isEmpty()) parts << m_record.note();
    return parts.join(u' ');
}

void ComparePage::refreshButtons() {
    const bool isBusy = m_asked != 0 && m_isByHand;
    m_compare->setText(isBusy ? tr("Stop") : tr("Compare"));
    m_compare->setAccessibleName(isBusy ? tr("Stop comparing; training pauses") : tr("Compare the two runs"));
    m_compare->setToolTip(isBusy ? tr("Stops comparing. What was found stays.") : QString());
    m_compare->setEnabled(isBusy || (m_engine->isRunning() && run() != other() && endStep() > firstStep()));
}

void ComparePage::refreshNow() {
    showWhereTheyPart();
    refreshButtons();
    const bool isThere = !m_record.comparisons().empty();
    for (QFrame* card : {m_mapCard, m_curveCard}) card->setVisible(isThere);
    m_verdict->setVisible(isThere);
    const QString note = noteText();
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    m_empty->setVisible(!isThere && m_asked == 0);
    m_empty->setText(emptyText());
    if (!isThere) return;
    const ComparisonView view{m_record.comparisons(), role(), m_record.bound(), m_record.apart()};
    m_verdict->setText(QString::fromStdString(comparisonSentence(m_run->currentText().toStdString(), m_other->currentText().toStdString(),
                                                                 m_record.comparisons(), m_record.bound())));
    m_map->show(view);
    for (QFrame* card : {m_mapCard, m_curveCard}) card->setMaximumHeight(std::max(m_map->tallest(), kPlotPixels) + kHeadPixels);
    std::vector<std::string> layers;
    for (const LayerDifference& each : m_record.comparisons().back().layers)
        if (each.role == view.role) layers.push_back(each.layer);
    std::string shown = m_layer.toStdString();
    if (std::find(layers.begin(), layers.end(), shown) == layers.end()) {
        shown = layers.empty() ? "" : layers.front();
        if (view.apart) {
            const LayerDifference& first = m_record.comparisons()[view.apart->comparison].layers[view.apart->layer];
            if (first.role == view.role) shown = first.layer;
        }
    }
    m_map->setChosen(QString::fromStdString(shown));
    m_curve->show(view, shown);
    m_curveTitle->setText(tr("%1, %2").arg(QString::fromStdString(shown), m_role->checkedButton()->text()));
}

void ComparePage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_drawTimer.begin();
}

}  // namespace mantissa::gui
