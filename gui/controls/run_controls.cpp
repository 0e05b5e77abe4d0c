// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_controls.h"

#include <QMenu>

#include "engine/experiment/values.h"
#include "gui/controls/number_text.h"
#include "gui/controls/precision_menu.h"

namespace mantissa::gui {
namespace {
const QString kPrecision = QStringLiteral("/precision");
const QString kScaler = QStringLiteral("/scaler");
const QString kLr = QStringLiteral("/optimizer/lr");
const QString kClip = QStringLiteral("/clip_grad_norm");
}  // namespace

RunControls::RunControls(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine) {
    auto* column = makeColumn(6, {}, this);
    m_precision = new PrecisionControl(this);
    m_scaler = new ScalerControls(session, engine, this);
    m_precisionDetail = makeWrappedLabel(QString(), "secondary", this);
    addWidgets(column, {m_precision, m_precisionDetail, m_scaler, buildRates()});
    m_badge = new ChangeBadge(session, {kPrecision, kScaler, kLr, kClip}, this);

    connect(m_precision, &PrecisionControl::requested, this, [this](const QString& policy) {
        const RunState* state = m_session->run(m_run);
        if (!state) return;
        // Choosing the current format cancels a pending request.
        const PendingChange* request = state->requestFor(kPrecision);
        const QString latest = request ? request->requested : policyText(QString::fromStdString(state->info.policy));
        if (policyText(policy) == latest) return;
        const PrecisionSettings requested = withPolicy(state->requestedSettings().training.precision, policy.toStdString());
        m_engine->change(m_run, kPrecision, writePrecision(requested), policyText(policy));
    });
    connect(m_precision, &PrecisionControl::menuAsked, this, [this] {
        QMenu menu(this);
        fillPrecisionMenu(&menu, m_session, m_engine, m_run);
        menu.exec(m_precision->menuPlace());
    });
    connect(m_lr, &NumberField::requested, this,
            [this](std::optional<double> value) { m_engine->change(m_run, kLr, *value, editText(*value)); });
    connect(m_clip, &NumberField::requested, this, [this](std::optional<double> value) {
        m_engine->change(m_run, kClip, value ? Json(*value) : Json(nullptr), value ? editText(*value) : tr("off"));
    });
    for (NumberField* field : {m_lr, m_clip}) connect(field, &NumberField::problem, m_badge, &ChangeBadge::setProblem);
    connect(m_scaler, &ScalerControls::problem, m_badge, &ChangeBadge::setProblem);
    connect(m_badge, &ChangeBadge::freshChanged, this, &RunControls::refresh);
    connect(session, &SessionModel::refused, this, [this](int run, const QString& pointer, const QString& sentence) {
        if (run == m_run && m_badge->covers(pointer)) m_badge->setProblem(sentence);
    });
}

QWidget* RunControls::buildRates() {
    auto* rates = new QWidget(this);
    auto* row = makeRow(6, {}, rates);
    m_lrCaption = makeLabel(tr("lr"), "secondary", rates);
    m_lrCaption->setFixedWidth(42);
    m_lr = new NumberField(tr("Learning rate"), {[](double v) { return v >= 0; }, tr("The learning rate is a number, 0 or more."), false},
                           rates);
    m_clip = new NumberField(tr("Gradient norm clip"),
                             {[](double v) { return v > 0; }, tr("The clip is a number above 0, or empty for off."), true}, rates);
    row->addWidget(m_lrCaption);
    row->addWidget(m_lr, 1);
    row->addSpacing(6);
    row->addWidget(makeLabel(tr("clip"), "secondary", rates));
    row->addWidget(m_clip, 1);
    return rates;
}

void RunControls::bind(RunId run) {
    m_run = run;
    for (NumberField* field : {m_lr, m_clip}) field->revert();
    m_badge->bind(run);
    m_scaler->bind(run);
    refresh();
}

void RunControls::setNarrow(bool narrow) {
    m_scaler->setNarrow(narrow);
    narrow ? m_lrCaption->setFixedWidth(16) : m_lrCaption->setFixedWidth(42);
}

bool RunControls::speaksFor(const QString& pointer) {
    return pointer == kPrecision || pointer == kLr || pointer == kClip || pointer.startsWith(kScaler);
}

void RunControls::refresh() {
    const RunState* state = m_session->run(m_run);
    if (!state) return;
    const TrainingSettings& training = state->info.settings.training;
    const QString current = QString::fromStdString(state->info.policy);
    const PendingChange* request = state->pendingFor(kPrecision);
    QString requested;
    if (request && request->value.is_string()) requested = QString::fromStdString(request->value.get<std::string>());
    if (request && request->value.is_object()) requested = QString::fromStdString(request->value.value("policy", std::string()));
    m_precision->setState(current, requested == current ? QString() : requested, state->name());
    const QString detail = QString::fromStdString(precisionDetail(state->info.settings.training.precision));
    m_precisionDetail->setText(detail);
    m_precisionDetail->setVisible(!detail.isEmpty());
    m_scaler->refresh();
    m_lr->setValue(training.optimizer.lr);
    m_lr->setPending(state->pendingFor(kLr));
    m_lr->setChanged(m_badge->isFresh(kLr));
    m_lr->setAccessibleName(tr("Learning rate of %1").arg(state->name()));
    m_clip->setValue(training.clipGradNorm);
    m_clip->setPending(state->pendingFor(kClip));
    m_clip->setChanged(m_badge->isFresh(kClip));
    m_clip->setAccessibleName(tr("Gradient norm clip of %1").arg(state->name()));
    m_badge->refresh();
}

}  // namespace mantissa::gui
