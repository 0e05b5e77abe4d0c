// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/scaler_controls.h"

#include <QAbstractItemView>
#include <QGridLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

const QString kPreset = QStringLiteral("/scaler/preset");
const QString kScale = QStringLiteral("/scaler/scale");

}  // namespace

void stepScale(EngineClient& engine, const RunState& run, int powers) {
    const PendingChange* request = run.pendingFor(kScale);
    const double scale = std::ldexp(request ? request->number().value_or(run.nextScale) : run.nextScale, powers);
    if (isUsableScale(scale)) engine.change(run.id, kScale, scale, scaleText(scale));
}

ScalerControls::ScalerControls(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine) {
    auto* column = makeColumn(4, {}, this);

    auto* row = makeRow(6);
    m_caption = makeLabel(tr("Scaler"), "secondary", this);
    m_caption->setFixedWidth(42);
    m_preset = new ComboBox(tr("Loss scaler"), this);
    for (const ScalerPreset& preset : scalerPresets()) {
        m_preset->addItem(nameText(preset.name));
        m_preset->setItemData(m_preset->count() - 1, nameText(preset.summary), Qt::ToolTipRole);
    }
    m_preset->view()->setMinimumWidth(m_preset->view()->sizeHintForColumn(0) + 24);  // the longest name, wider than the box
    m_unscaled = makeLabel(tr("loss is not scaled"), "secondary", this);
    m_scale = new ScaleSpin(tr("Loss scale"), this);
    m_double = makeButton(QStringLiteral("×2"), {}, tr("Double the loss scale"), this);
    m_halve = makeButton(QStringLiteral("/2"), {}, tr("Halve the loss scale"), this);
    for (QPushButton* button : {m_double, m_halve}) button->setToolTip(button->accessibleName());
    addWidgets(row, {m_caption, m_preset, m_unscaled});
    row->addWidget(m_scale, 1);
    addWidgets(row, {m_double, m_halve});
    row->addStretch(0);
    column->addLayout(row);

    buildFold();
    addWidgets(column, {m_fold, m_details});

    setNarrow(false);
    connect(m_preset, &QComboBox::textActivated, this, [this](const QString& name) {
        const RunState* run = state();
        if (!run) return;
        // Choosing the current preset cancels a pending request.
        const PendingChange* request = run->requestFor(kPreset);
        if (name != (request ? request->requested : QString::fromStdString(run->info.scalerPreset)))
            m_engine->change(m_run, kPreset, name.toStdString(), name);
    });
    connect(m_scale, &ScaleSpin::requested, this, [this](double scale) { m_engine->change(m_run, kScale, scale, scaleText(scale)); });
    connect(m_scale, &ScaleSpin::stepped, this, &ScalerControls::stepScale);
    connect(m_scale, &ScaleSpin::problem, this, &ScalerControls::problem);
    connect(m_double, &QPushButton::clicked, this, [this] { stepScale(1); });
    connect(m_halve, &QPushButton::clicked, this, [this] { stepScale(-1); });
}

void ScalerControls::buildFold() {
    m_fold = makeButton({}, QStringLiteral("chevron-right"), tr("Growth, backoff and interval of the loss scaler"), this);
    m_fold->setProperty("look", "fold");
    m_fold->setIconSize({12, 12});
    m_details = new QWidget(this);
    auto* grid = new QGridLayout(m_details);
    grid->setContentsMargins(0, 0, 0, 2);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(2);
    // The rules repeat the engine's, so that errors show while typing; the engine checks again.
    const NumberField::Rule count{[](double v) { return v >= 1 && v == std::floor(v) && v <= 1e9; }, tr("A whole number, 1 or more."),
                                  false};
    const NumberField::Rule bound{[](double v) { return v > 0; }, tr("The limit must be above 0. Leave it empty for the preset's value."),
                                  true};
    const auto add = [&](const char* key, const QString& caption, const QString& name, const NumberField::Rule& rule, auto value) {
        const auto place = static_cast<int>(m_fields.size());
        constexpr int kColumns = 3;
        m_fields.push_back({key, makeLabel(caption, "small", m_details), new NumberField(name, rule, m_details), value});
        const KeyField& made = m_fields.back();
        grid->addWidget(made.caption, place / kColumns * 2, place % kColumns);
        grid->addWidget(made.field, place / kColumns * 2 + 1, place % kColumns);
        grid->setColumnStretch(place % kColumns, 1);
        connect(made.field, &NumberField::problem, this, &ScalerControls::problem);
        connect(made.field, &NumberField::requested, this, [this, pointer = made.pointer()](std::optional<double> request) {
            m_engine->change(m_run, pointer, request ? Json(*request) : Json(nullptr), request ? editText(*request) : tr("the preset's"));
        });
    };
    add("growth_factor", tr("growth ×"), tr("Growth factor"), {[](double v) { return v > 1; }, tr("The growth factor is above 1."), false},
        [](const ScalerPreset& v) { return v.growthFactor; });
    add("backoff_factor", tr("backoff ×"), tr("Backoff factor"),
        {[](double v) { return v > 0 && v < 1; }, tr("The backoff factor must be between 0 and 1."), false},
        [](const ScalerPreset& v) { return v.backoffFactor; });
    add("growth_interval", tr("growth interval"), tr("Growth interval, steps"), count,
        [](const ScalerPreset& v) { return static_cast<double>(v.growthInterval); });
    add("min_scale", tr("min scale"), tr("Smallest scale"), bound,
        [](const ScalerPreset& v) { return v.minScale > 0 ? std::optional(v.minScale) : std::nullopt; });
    add("max_scale", tr("max scale"), tr("Largest scale"), bound,
        [](const ScalerPreset& v) { return std::isfinite(v.maxScale) ? std::optional(v.maxScale) : std::nullopt; });
    add("hysteresis", tr("hysteresis"), tr("Hysteresis, overflows"), count,
        [](const ScalerPreset& v) { return static_cast<double>(v.hysteresis); });
    m_details->hide();
    connect(m_fold, &QPushButton::clicked, this, [this] { setUnfolded(!m_isUnfolded); });
}

QString ScalerControls::foldText(const ScalerPreset& scaler) const {
    if (scaler.growthInterval == 0) return tr("follows the largest gradients");
    return (m_isNarrow ? tr("×%1, ×%2, every %3 steps") : tr("growth ×%1, backoff ×%2, every %3 steps"))
        .arg(numberText(scaler.growthFactor), numberText(scaler.backoffFactor), groupedText(scaler.growthInterval));
}

void ScalerControls::setUnfolded(bool unfolded) {
    m_isUnfolded = unfolded;
    m_fold->setIcon(themedIcon(unfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2));
    refresh();
}

void ScalerControls::setNarrow(bool narrow) {
    m_isNarrow = narrow;
    m_caption->setVisible(!narrow);
    m_preset->setFixedWidth(narrow ? 82 : 96);
    for (QPushButton* button : {m_double, m_halve}) button->setFixedWidth(narrow ? 32 : 36);
    refresh();
}

void ScalerControls::bind(RunId run) {
    m_run = run;
    m_scale->revert();
    for (const KeyField& each : m_fields) each.field->revert();
    refresh();
}

void ScalerControls::stepScale(int powers) {
    if (const RunState* run = state()) gui::stepScale(*m_engine, *run, powers);
}

void ScalerControls::refresh() {
    const RunState* run = state();
    if (!run) return;
    const ScalerPreset* preset = scalerPreset(run->info.scalerPreset);
    const bool isScaled = hasLossScaler(run->info);
    const PendingChange* requestedPreset = run->requestFor(kPreset);
    if (!m_preset->view()->isVisible()) {
        const QSignalBlocker blocker(m_preset);
        m_preset->setCurrentText(requestedPreset ? requestedPreset->requested : QString::fromStdString(run->info.scalerPreset));
    }
    setStyleProperty(m_preset, "state", run->pendingFor(kPreset) ? "pending" : "");
    if (preset) m_preset->setToolTip(nameText(preset->summary));
    m_preset->setAccessibleName(tr("Loss scaler of %1").arg(run->name()));

    m_unscaled->setVisible(!isScaled);
    setAllVisible({m_scale, m_double, m_halve}, isScaled);
    m_scale->setScale(run->nextScale);
    m_scale->setPending(run->pendingFor(kScale));
    m_scale->setAccessibleName(tr("Loss scale of %1").arg(run->name()));

    const bool isDynamic = isScaled && run->info.scalerIsDynamic;
    m_fold->setVisible(isDynamic);
    m_details->setVisible(isDynamic && m_isUnfolded);
    if (isDynamic) {
        const ScalerPreset scaler = resolvedScaler(run->info.settings.training.scaler);
        m_fold->setText(foldText(scaler));
        for (const KeyField& each : m_fields) {
            each.caption->setVisible(preset->takes(each.key));
            each.field->setVisible(preset->takes(each.key));
            each.field->setValue(each.value(scaler));
            each.field->setPending(run->pendingFor(each.pointer()));
        }
    }
}

}  // namespace mantissa::gui
