// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/timeline/fork_dialog.h"

#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "engine/experiment/values.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/controls/precision_menu.h"
#include "gui/controls/run_sample.h"
#include "gui/picker/draft_form.h"

namespace mantissa::gui {
namespace {

constexpr const char *kPolicyPointer = "/precision", *kScalePointer = "/scaler/scale";

QSpinBox* makeSpin(std::int64_t least, std::int64_t most, std::int64_t value, const QString& name, QWidget* parent) {
    auto* spin = new QSpinBox(parent);
    constexpr std::int64_t kLimit = std::numeric_limits<int>::max();
    spin->setRange(static_cast<int>(std::min(least, kLimit)), static_cast<int>(std::min(most, kLimit)));
    spin->setValue(static_cast<int>(std::min(value, kLimit)));
    spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
    spin->setAlignment(Qt::AlignRight);
    spin->setFixedWidth(96);
    spin->setAccessibleName(name);
    return spin;
}

QString shownValue(const Json& value) {
    if (value.is_string()) return QString::fromStdString(value.get<std::string>());
    return value.is_number() ? editText(value.get<double>()) : QString::fromStdString(value.dump());
}

}  // namespace

std::vector<DraftRow> forkRows(const SessionModel& session, const RunState& run, std::int64_t step) {
    const RunSettings& settings = session.settingsBefore(run, step);
    std::vector<DraftRow> rows;
    rows.push_back({.pointer = kPolicyPointer,
                    .label = "precision",
                    .section = DraftSection::Training,
                    .kind = FieldKind::Choice,
                    .choices = policyNames(),
                    .value = settings.training.precision.policy});
    if (settings.training.scaler.preset != "none") {
        const double scale = step < run.stepCount() ? run.lossScale.exact(step) : run.nextScale;
        rows.push_back({kScalePointer, settingLabel(kScalePointer), DraftSection::Training, FieldKind::Number, {}, {}, {}, false, scale});
    }
    std::vector<DraftRow> rest;
    for (const Field& field : fields()) {
        const bool isAsked = field.kind != FieldKind::None && field.kind != FieldKind::Parts && field.kind != FieldKind::Path;
        if (!field.isLive || !isAsked || (field.whyNot && !field.whyNot(settings).empty())) continue;
        const bool isUsual = field.key == "lr" || field.key == "clip_grad_norm" || field.pointer() == "/scaler/preset";
        (isUsual ? rows : rest)
            .push_back({field.pointer(), field.label, DraftSection::Training, field.kind, field.choices, field.choiceLabels, field.unset,
                        false, field.write(settings).value_or(Json())});
    }
    rows.insert(rows.end(), rest.begin(), rest.end());
    return rows;
}

ForkDialog::ForkDialog(SessionModel* session, EngineClient* engine, RunId run, std::int64_t step, bool asWhatIf, QWidget* parent)
    : QDialog(parent), m_session(session), m_engine(engine), m_run(run) {
    const RunState& parentRun = *session->run(run);
    setWindowTitle(tr("Fork %1").arg(parentRun.name()));
    setAttribute(Qt::WA_DeleteOnClose);
    setFixedWidth(460);
    auto* column = makeColumn(12, {20, 16, 20, 16}, this);

    auto* head = makeRow(8);
    auto* sample = new RunSample(this);
    sample->setIdentity(parentRun.identity);
    head->addWidget(makeLabel(tr("A new run from"), "headline", this));
    head->addWidget(sample);
    head->addWidget(makeLabel(parentRun.name(), "headline", this), 1);
    column->addLayout(head);

    auto* place = makeRow(8);
    m_step = makeSpin(parentRun.info.firstStep, parentRun.stepCount(), step, tr("Step"), this);
    place->addWidget(makeLabel(tr("as it was before step"), "body2", this));
    place->addWidget(m_step);
    place->addWidget(makeLabel(tr("of %1").arg(groupedText(parentRun.stepCount())), "secondary", this), 1);
    column->addLayout(place);

    m_changeRow = makeRow(12);
    auto* what = makeColumn(3);
    what->addWidget(makeLabel(tr("with this changed"), "secondary", this));
    m_change = new ComboBox(tr("What to change"), this);
    what->addWidget(m_change);
    m_changeRow->addLayout(what, 1);
    m_changeRow->addStretch(1);  // space for the answer
    column->addLayout(m_changeRow);

    auto* naming = makeColumn(3);
    naming->addWidget(makeLabel(tr("called"), "secondary", this));
    m_name = new QLineEdit(this);
    m_name->setAccessibleName(tr("Name of the new run"));
    m_name->setMaxLength(60);
    naming->addWidget(m_name);
    column->addLayout(naming);

    auto* whatIf = makeRow(8);
    m_isWhatIf = new CheckBox(tr("only as a what-if, of"), this);
    m_isWhatIf->setChecked(asWhatIf);
    m_steps = makeSpin(1, 1'000'000'000, kWhatIfSteps, tr("Steps of the what-if"), this);
    whatIf->addWidget(m_isWhatIf);
    whatIf->addWidget(m_steps);
    whatIf->addWidget(makeLabel(tr("steps"), "body2", this), 1);
    column->addLayout(whatIf);
    column->addWidget(
        makeWrappedLabel(tr("A what-if trains at once, thin and dashed in the plots. It is kept or dismissed later."), "secondary", this));

    m_problem = makeWrappedLabel({}, "danger", this);
    m_problem->setObjectName(QStringLiteral("problem"));
    m_problem->hide();
    column->addWidget(m_problem);
    auto* foot = makeRow(8);
    foot->addStretch(1);
    QPushButton* cancel = makeButton(tr("Cancel"), {}, tr("Cancel"), this);
    m_fork = makeButton({}, {}, {}, this);
    m_fork->setObjectName(QStringLiteral("fork"));
    m_fork->setProperty("look", "primary");
    m_fork->setDefault(true);
    cancel->setAutoDefault(false);
    foot->addWidget(cancel);
    foot->addWidget(m_fork);
    column->addLayout(foot);

    connect(m_change, &QComboBox::currentIndexChanged, this, &ForkDialog::chooseChange);
    connect(m_step, &QSpinBox::valueChanged, this, &ForkDialog::takeStep);
    connect(m_isWhatIf, &QCheckBox::toggled, this, &ForkDialog::refresh);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_fork, &QPushButton::clicked, this, &ForkDialog::fork);
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_isRefused = true;
        m_problem->setText(sentence);
    });
    connect(engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_asked = 0;
        if (!m_isRefused) return accept();
        m_problem->show();
        refresh();
    });
    connect(engine, &EngineClient::lost, this, &QDialog::reject);
    connect(session, &SessionModel::experimentLoaded, this, &QDialog::reject);
    connect(session, &SessionModel::runsChanged, this, [this] {
        if (!m_session->run(m_run)) reject();
    });
    takeStep();
    m_change->setFocus(Qt::OtherFocusReason);
}

void ForkDialog::chooseChange(int index) {
    m_chosen = index > 0 ? &m_rows[static_cast<std::size_t>(index - 1)] : nullptr;
    if (m_cell) m_cell->deleteLater();
    m_cell = nullptr;
    if (m_chosen) {
        m_value = m_chosen->value;
        m_cell = new DraftCell(*m_chosen, this);
        m_changeRow->insertWidget(1, m_cell, 1);
        setTabOrder(m_change, m_cell->control());
        connect(m_cell, &DraftCell::changed, this, [this](const Json& value) {
            m_value = value;
            refresh();
        });
    }
    m_changeRow->setStretch(m_changeRow->count() - 1, m_chosen ? 0 : 1);
    refresh();
}

/// The new value starts as the value before the step, until the user types another.
void ForkDialog::takeStep() {
    const std::string pointer = m_chosen ? m_chosen->pointer : std::string();
    const bool isTyped = m_chosen && m_value != m_chosen->value;
    m_chosen = nullptr;
    if (const RunState* run = m_session->run(m_run)) m_rows = forkRows(*m_session, *run, m_step->value());
    const QSignalBlocker blocker(m_change);
    m_change->clear();
    m_change->addItem(tr("nothing"));
    for (const DraftRow& row : m_rows) {
        m_change->addItem(engineText(row.label));
        if (row.pointer != pointer) continue;
        m_chosen = &row;
        m_change->setCurrentIndex(m_change->count() - 1);
    }
    if (!m_chosen || !isTyped) chooseChange(m_change->currentIndex());
}

QString ForkDialog::suggestedName() const {
    const RunState* run = m_session->run(m_run);
    if (!run || !m_chosen) return {};
    std::vector<RunSettings> taken;
    for (const auto& other : m_session->runs()) taken.push_back(other->info.settings);
    const QString value = m_value.is_null()                     ? QString::fromStdString(m_chosen->unset)
                          : m_chosen->pointer == kPolicyPointer ? policyText(shownValue(m_value)).toLower()
                                                                : shownValue(m_value);
    const QString what = m_chosen->pointer == kPolicyPointer ? value : QString::fromStdString(m_chosen->label) + u' ' + value;
    return QString::fromStdString(freeName(taken, (run->name() + QStringLiteral(", ") + what).left(m_name->maxLength() - 3).toStdString()));
}

void ForkDialog::refresh() {
    const QString suggested = suggestedName();
    m_name->setPlaceholderText(suggested.isEmpty() ? tr("as the one it comes from, with a number") : suggested);
    m_steps->setEnabled(m_isWhatIf->isChecked());
    m_fork->setText(m_isWhatIf->isChecked() ? tr("See what if") : tr("Fork"));
    m_fork->setAccessibleName(m_fork->text());
    m_fork->setEnabled(m_asked == 0);
}

void ForkDialog::fork() {
    const RunState* run = m_session->run(m_run);
    if (!run || m_asked != 0) return;
    ForkRun command{m_run, m_step->value(), {}, {}, m_isWhatIf->isChecked() ? m_steps->value() : 0};
    const QString typed = m_name->text().trimmed();
    command.name = (typed.isEmpty() ? suggestedName() : typed).toStdString();
    if (m_chosen) {
        // Other precision settings than the policy keep their values from before the step.
        const PrecisionSettings& precision = m_session->settingsBefore(*run, command.step).training.precision;
        const bool isPolicy = m_chosen->pointer == kPolicyPointer;
        command.changes.push_back(
            {m_chosen->pointer, isPolicy ? writePrecision(withPolicy(precision, m_value.get<std::string>())) : m_value});
    }
    m_isRefused = false;
    m_problem->hide();
    m_asked = m_engine->ask(std::move(command));
    refresh();
}

}  // namespace mantissa::gui
