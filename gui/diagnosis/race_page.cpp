// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/race_page.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kRacePixels = 18, kRaceHeadPixels = 22;   // of a row, and of the head
constexpr int kRaceWidths[] = {0, 62, 92, 76, 80, 62};  // of columns; the first takes the remaining width
constexpr int kRaceTableWidth = 530, kRacePlotHeight = 260;

QString stepsText(std::int64_t first, std::int64_t last) {
    return QObject::tr("steps %1 to %2").arg(groupedText(first), groupedText(last));
}

}  // namespace

Json scalerJson(const ScalerSettings& settings) {
    Json json{{"preset", settings.preset}};
    const auto add = [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    };
    add("init_scale", settings.initScale);
    add("growth_factor", settings.growthFactor);
    add("backoff_factor", settings.backoffFactor);
    add("growth_interval", settings.growthInterval);
    add("min_scale", settings.minScale);
    add("max_scale", settings.maxScale);
    add("hysteresis", settings.hysteresis);
    return json;
}

RacePage::RacePage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_model(new RaceModel(this)), m_sorted(new QSortFilterProxyModel(this)) {
    setObjectName(QStringLiteral("racePage"));
    QFrame* card = makeCard(this);
    makeColumn(0, {}, this)->addWidget(card);
    auto* column = makeColumn(6, {12, 8, 12, 8}, card);
    column->addLayout(makeHead());
    m_calm = makeWrappedLabel({}, "body2", card);
    m_calm->setAlignment(Qt::AlignCenter);
    m_calm->setMinimumHeight(120);
    column->addWidget(m_calm);
    m_race = new QWidget(card);
    m_row = makeRow(16, {}, m_race);
    m_plot = new RacePlot(m_model, m_race);
    m_plot->setMinimumHeight(kRacePlotHeight);
    m_row->addWidget(m_plot, 1);
    makeTable();
    m_row->addWidget(m_table, 0, Qt::AlignTop);
    column->addWidget(m_race, 1);
    m_foot = makeFoot(card);
    column->addWidget(m_foot);
    connectLab();
    refresh();
}

NumberField* RacePage::makeField(const QString& name, const NumberField::Rule& rule, int width) {
    auto* field = new NumberField(name, rule, this);
    field->setFixedWidth(width);
    field->setToolTip(name);
    connect(field, &NumberField::problem, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) emit said(sentence);
    });
    return field;
}

QLayout* RacePage::makeHead() {
    auto* head = makeRow(8);
    head->addWidget(makeLabel(tr("Scaler race"), "title", this));
    m_note = makeLabel({}, "secondary", this);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(m_note, 1);
    const NumberField::Rule step{[](double v) { return v >= 0 && v == std::floor(v) && v <= 1e15; }, tr("A step is a whole number."),
                                 false};
    m_firstField = makeField(tr("First step to be measured"), step, 72);
    m_lastField = makeField(tr("Last step to be measured"), step, 72);
    head->addWidget(makeLabel(tr("steps"), "secondary", this));
    head->addWidget(m_firstField);
    head->addWidget(makeLabel(tr("to"), "secondary", this));
    head->addWidget(m_lastField);
    m_measure = makeButton({}, {}, {}, this);
    m_measure->setObjectName(QStringLiteral("measureThresholds"));
    m_stop = makeButton(tr("Stop"), {}, tr("Stop measuring; what was measured stays"), this);
    m_stop->setToolTip(m_stop->accessibleName());
    head->addWidget(m_measure);
    head->addWidget(m_stop);
    const auto chooses = [this](std::int64_t& place) {
        return [this, &place](std::optional<double> value) {
            place = static_cast<std::int64_t>(value.value_or(0));
            m_isRangeChosen = true;
            refreshHead();
        };
    };
    connect(m_firstField, &NumberField::requested, this, chooses(m_first));
    connect(m_lastField, &NumberField::requested, this, chooses(m_last));
    connect(m_measure, &QPushButton::clicked, this, &RacePage::measure);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        if (m_asked != 0) m_engine->ask(StopQuestion{m_asked});
    });
    return head;
}

void RacePage::makeTable() {
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(RaceModel::kSortRole);
    m_sorted->setDynamicSortFilter(false);  // rows do not move while thresholds arrive
    m_table = new CopyTable(tr("Scalers of the race"), kRacePixels, m_race);
    m_table->setObjectName(QStringLiteral("raceTable"));
    m_table->setModel(m_sorted);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    setTableFonts(m_table);
    fixColumns(m_table, kRaceHeadPixels, RaceModel::NameColumn);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    for (int i = 1; i < RaceModel::ColumnCount; ++i) m_table->setColumnWidth(i, kRaceWidths[i]);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setFixedHeight(kRaceHeadPixels + m_model->rowCount() * kRacePixels + 2);
    m_table->setMinimumWidth(kRaceTableWidth);
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int section, Qt::SortOrder order) { m_sorted->sort(section, order); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RacePage::chosenChanged);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RacePage::chosenChanged);
}

QWidget* RacePage::makeFoot(QWidget* parent) {
    auto* part = new QWidget(parent);
    m_footRow = makeRow(16, {}, part);
    QLabel* limit = makeWrappedLabel(tr("The thresholds are those of the run as it went: a scaler that skips other steps would train other "
                                        "weights. Each scaler begins at the first step measured."),
                                     "small", part);
    m_footRow->addWidget(limit, 1);
    auto* chosen = new QWidget(part);
    auto* foot = makeRow(6, {}, chosen);
    chosen->setMinimumWidth(kRaceTableWidth);
    m_footRow->addWidget(chosen);
    m_chosenName = makeLabel({}, "title", this);
    m_chosenName->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    foot->addWidget(m_chosenName, 1);
    const NumberField::Rule count{[](double v) { return v >= 1 && v == std::floor(v) && v <= 1e9; },
                                  tr("A whole number, 1 or more; empty for the preset's own."), true};
    const NumberField::Rule scale{[](double v) { return v > 0 && v < kHighestLossScale; },
                                  tr("A number above 0; empty for the preset's own."), true};
    m_intervalCaption = makeLabel(tr("grows every"), "secondary", this);
    m_interval = makeField(tr("Growth interval of the chosen scaler, steps"), count, 64);
    m_initCaption = makeLabel(tr("initial scale"), "secondary", this);
    m_init = makeField(tr("Initial scale of the chosen scaler"), scale, 92);
    m_use = makeButton(tr("Use it"), {}, tr("Train on with the chosen scaler, from the next step on"), this);
    m_use->setObjectName(QStringLiteral("useScaler"));
    m_use->setToolTip(m_use->accessibleName());
    for (QWidget* field : std::initializer_list<QWidget*>{m_intervalCaption, m_interval, m_initCaption, m_init, m_use})
        foot->addWidget(field);
    connect(m_interval, &NumberField::requested, this, [this](std::optional<double> value) {
        ScalerSettings settings = current().result.settings;
        settings.growthInterval = value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
        edit(settings);
    });
    connect(m_init, &NumberField::requested, this, [this](std::optional<double> value) {
        ScalerSettings settings = current().result.settings;
        settings.initScale = value;
        edit(settings);
    });
    connect(m_use, &QPushButton::clicked, this, &RacePage::apply);
    return part;
}

void RacePage::connectLab() {
    connect(m_session, &SessionModel::thresholdsMeasured, this, &RacePage::take);
    const auto forget = [this] {
        m_measured.clear();
        m_problem.clear();
        m_isRangeChosen = false;
        refresh();
    };
    connect(m_session, &SessionModel::experimentLoaded, this, forget);
    connect(m_session, &SessionModel::seriesReset, this, forget);
    connect(m_session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        if (run == m_run) m_problem.clear();
        const auto found = m_measured.find(run);
        if (found == m_measured.end()) return;
        std::erase_if(found->second.thresholds, [step](const StepThreshold& each) { return each.step >= step; });
        if (found->second.thresholds.empty()) m_measured.erase(found);
        if (run == m_run) refresh();
    });
    connect(m_session, &SessionModel::runChanged, this, [this](int run) {
        const RunState* state = m_session->run(run);
        if (run == m_run && state && state->info.settings.training.scaler != m_model->row(RaceModel::kOwnRow).before) refresh();
    });
    connect(m_session, &SessionModel::stateChanged, this, &RacePage::refreshHead);
    connect(m_session, &SessionModel::recordsAppended, this, [this] {
        if (isVisible() && !m_isRangeChosen) refreshHead();
    });
    connect(m_session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked != 0 && commandId == m_asked) m_problem = sentence;
    });
    connect(m_engine, &EngineClient::answered, this, &RacePage::answered);
}

void RacePage::show(RunId run) {
    if (run == m_run) return refreshHead();
    m_run = run;
    m_isRangeChosen = false;
    m_problem.clear();
    refresh();
}

void RacePage::setEngineAlive(bool alive) {
    m_isAlive = alive;
    if (!alive) m_asked = 0;
    refreshHead();
    refreshFoot();
}

void RacePage::setNarrow(bool narrow) {
    const auto direction = narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    m_row->setDirection(direction);
    m_row->setAlignment(m_table, narrow ? Qt::Alignment() : Qt::AlignTop);
    m_footRow->setDirection(direction);
}

void RacePage::measure() {
    const RunState* run = m_session->run(m_run);
    if (!run || m_asked != 0) return;
    m_problem.clear();
    m_awaited = m_last - m_first + 1;
    m_asked = m_engine->ask(MeasureThresholds{m_run, m_first, m_awaited});
    if (m_asked == 0) return emit said(tr("The engine has stopped: restart it to measure steps."));
    m_askedRun = m_run;
    m_measured.erase(m_run);
    refresh();
}

void RacePage::take(const ThresholdsMeasured& part) {
    if (part.commandId != m_asked || m_asked == 0) return;
    Measured& measured = m_measured[part.run];
    measured.asIf = QString::fromStdString(part.asIf);
    measured.thresholds.insert(measured.thresholds.end(), part.thresholds.begin(), part.thresholds.end());
    if (part.run != m_run) return;
    if (m_calm->isHidden()) {
        m_model->setThresholds(measured.thresholds);
        refreshHead();
    } else {
        refresh();
    }
}

void RacePage::answered(quint64 commandId) {
    if (m_asked == 0 || commandId != m_asked) return;
    m_asked = 0;
    m_plot->setAwaited(0);
    refreshHead();
    refreshFoot();
}

void RacePage::refresh() {
    const RunState* run = m_session->run(m_run);
    const auto found = m_measured.find(m_run);
    const bool hasRace = found != m_measured.end() && run;
    m_calm->setVisible(!hasRace);
    m_race->setVisible(hasRace);
    m_foot->setVisible(hasRace);
    m_model->begin(run ? run->info.settings.training.scaler : ScalerSettings{});
    m_model->setThresholds(hasRace ? found->second.thresholds : std::vector<StepThreshold>());
    m_plot->setAwaited(m_asked != 0 && m_askedRun == m_run ? m_awaited : 0);
    m_table->selectRow(m_sorted->mapFromSource(m_model->index(RaceModel::kOwnRow, 0)).row());
    refreshHead();
    chosenChanged();
}

void RacePage::refreshHead() {
    const RunState* run = m_session->run(m_run);
    const bool isMeasuring = m_asked != 0;
    if (run && !m_isRangeChosen && !isMeasuring) {
        m_first = run->info.firstStep;
        m_last = std::clamp<std::int64_t>(run->stepCount() - 1, m_first, m_first + kMostSteps - 1);
    }
    m_firstField->setValue(static_cast<double>(m_first));
    m_lastField->setValue(static_cast<double>(m_last));
    const bool canMeasure = run && !run->isRecorded() && m_isAlive;
    for (NumberField* field : {m_firstField, m_lastField}) field->setEnabled(canMeasure && !isMeasuring);
    m_measure->setVisible(!isMeasuring);
    m_stop->setVisible(isMeasuring);
    m_measure->setEnabled(canMeasure && m_first <= m_last && m_first <= run->stepCount());
    const auto found = m_measured.find(m_run);
    const bool hasRace = found != m_measured.end();
    m_measure->setText(run && !hasRace ? tr("Measure %1 steps of %2").arg(groupedText(m_last - m_first + 1), run->name())
                                       : tr("Measure again"));
    m_measure->setAccessibleName(tr("Measure %1 of %2").arg(stepsText(m_first, m_last), run ? run->name() : tr("no run")));
    m_measure->setToolTip(m_measure->accessibleName());
    setStyleProperty(m_measure, "look", hasRace ? QVariant() : QVariant(QStringLiteral("primary")));
    QStringList notes;
    if (run && isMeasuring && m_askedRun == m_run) {
        const auto done = hasRace ? static_cast<std::int64_t>(found->second.thresholds.size()) : 0;
        notes << tr("%1: step %2 of %3 is being measured").arg(run->name(), groupedText(done), groupedText(m_awaited));
    } else if (run && hasRace) {
        const std::vector<StepThreshold>& steps = found->second.thresholds;
        notes << tr("%1, %2").arg(run->name(), stepsText(steps.front().step, steps.back().step));
    }
    if (hasRace && !found->second.asIf.isEmpty()) notes << tr("as if its gradients were stored in %1").arg(found->second.asIf.toUpper());
    if (!m_problem.isEmpty() && !isMeasuring) notes << m_problem;
    m_note->setText(notes.join(QStringLiteral(" · ")));
    m_note->setToolTip(m_note->text());
    m_calm->setText(!run ? tr("No run to examine.")
                    : run->isRecorded()
                        ? tr("%1 is read-only: its weights are not available, so its steps cannot be repeated.").arg(run->name())
                    : isMeasuring ? tr("Each step is repeated to find its highest usable loss scale.")
                                  : tr("Measure the highest usable loss scale of each step. Then every loss scaler is raced over the same "
                                       "steps, and you see how many each would have skipped."));
}

int RacePage::currentRow() const {
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? m_sorted->mapToSource(current).row() : RaceModel::kOwnRow;
}

void RacePage::chosenChanged() {
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) rows.push_back(m_sorted->mapToSource(index).row());
    std::sort(rows.begin(), rows.end());
    const auto current = std::find(rows.begin(), rows.end(), currentRow());
    if (current != rows.end()) std::rotate(rows.begin(), current, current + 1);
    m_plot->setChosen(std::move(rows));
    refreshFoot();
}

void RacePage::refreshFoot() {
    const RaceEntrant& entrant = current();
    const ScalerPreset resolved = resolvedScaler(entrant.result.settings);
    m_chosenName->setText(entrant.name);
    m_chosenName->setToolTip(entrant.name);
    const bool hasInterval = resolved.takes("growth_interval"), hasInit = resolved.takes("init_scale");
    m_intervalCaption->setVisible(hasInterval);
    m_interval->setVisible(hasInterval);
    m_initCaption->setVisible(hasInit);
    m_init->setVisible(hasInit);
    m_interval->setValue(hasInterval ? std::optional(static_cast<double>(resolved.growthInterval)) : std::nullopt);
    m_init->setValue(hasInit ? std::optional(resolved.initScale) : std::nullopt);
    const RunState* run = m_session->run(m_run);
    const bool isOther = run && entrant.result.settings != run->info.settings.training.scaler;
    m_use->setEnabled(m_isAlive && run && run->isLive() && isOther && m_asked == 0);
}

void RacePage::edit(const ScalerSettings& settings) {
    if (const auto problem = checkScaler(settings)) {
        emit said(QString::fromStdString(problem->key + ": " + problem->sentence));
        return refreshFoot();
    }
    m_model->edit(currentRow(), settings);
    refreshFoot();
}

void RacePage::apply() {
    const RaceEntrant& entrant = current();
    if (m_use->isEnabled())
        m_engine->change(m_run, QStringLiteral("/scaler"), scalerJson(entrant.result.settings),
                         QString::fromStdString(entrant.result.settings.preset));
}

}  // namespace mantissa::gui
