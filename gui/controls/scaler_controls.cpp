// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/scaler_controls.h"

#include <QAbstractItemView>
#include <QGridLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "engine/precision/scaler.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

const QString kPreset = QStringLiteral("/scaler/preset");
const QString kScale = QStringLiteral("/scaler/scale");
const QString kGrowth = QStringLiteral("/scaler/growth_factor");
const QString kBackoff = QStringLiteral("/scaler/backoff_factor");
const QString kInterval = QStringLiteral("/scaler/growth_interval");

}  // namespace

QString pendingText(const RunState& state, const QString& pointer) {
    for (auto it = state.pending.rbegin(); it != state.pending.rend(); ++it)
        if (it->pointer == pointer) return it->wished;
    return {};
}

ScalerControls::ScalerControls(Lab* lab, EngineClient* engine, QWidget* parent) : QWidget(parent), m_lab(lab), m_engine(engine) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);

    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    m_caption = makeLabel(tr("Scaler"), "secondary", this);
    m_caption->setFixedWidth(42);
    m_preset = new ComboBox(tr("Loss scaler"), this);
    for (const ScalerPreset& preset : scalerPresets()) {
        m_preset->addItem(fromView(preset.name));
        m_preset->setItemData(m_preset->count() - 1, fromView(preset.summary), Qt::ToolTipRole);
    }
    m_unscaled = makeLabel(tr("loss is not scaled"), "secondary", this);
    m_scale = new ScaleSpin(tr("Loss scale"), this);
    m_double = makeButton(QStringLiteral("×2"), {}, tr("Double the loss scale"), this);
    m_halve = makeButton(QStringLiteral("/2"), {}, tr("Halve the loss scale"), this);
    for (QPushButton* button : {m_double, m_halve}) button->setToolTip(button->accessibleName());
    row->addWidget(m_caption);
    row->addWidget(m_preset);
    row->addWidget(m_unscaled);
    row->addWidget(m_scale, 1);
    row->addWidget(m_double);
    row->addWidget(m_halve);
    row->addStretch(0);
    column->addLayout(row);

    buildFold();
    column->addWidget(m_fold);
    column->addWidget(m_details);
    m_badge = new ChangeBadge(lab, {QStringLiteral("/scaler")}, this);
    column->addWidget(m_badge);

    setNarrow(false);
    connect(m_preset, &QComboBox::textActivated, this, [this](const QString& name) {
        const RunState* run = state();
        if (run && name.toStdString() != run->info.scalerPreset) m_engine->change(m_run, kPreset, name.toStdString(), name);
    });
    connect(m_scale, &ScaleSpin::wished, this, &ScalerControls::wishScale);
    connect(m_scale, &ScaleSpin::problem, m_badge, &ChangeBadge::setProblem);
    connect(m_double, &QPushButton::clicked, this, [this] { m_scale->stepBy(1); });
    connect(m_halve, &QPushButton::clicked, this, [this] { m_scale->stepBy(-1); });
    connect(lab, &Lab::refused, this, [this](int run, const QString& pointer, const QString& sentence) {
        if (run == m_run && m_badge->covers(pointer)) m_badge->setProblem(sentence);
    });
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
    // The rules repeat the engine's, so that a slip is told while typing; the engine has the last word.
    m_growth = new NumberField(tr("Growth factor"), {[](double v) { return v > 1; }, tr("The growth factor is above 1."), false}, this);
    m_backoff = new NumberField(tr("Backoff factor"),
                                {[](double v) { return v > 0 && v < 1; }, tr("The backoff factor is between 0 and 1."), false}, this);
    m_interval = new NumberField(tr("Growth interval, steps"),
                                 {[](double v) { return v >= 1 && v == std::floor(v) && v <= 1e9; },
                                  tr("The interval is a whole number of steps, 1 or more."), false},
                                 this);
    const std::tuple<NumberField*, QString, QString> fields[] = {
        {m_growth, tr("growth ×"), kGrowth}, {m_backoff, tr("backoff ×"), kBackoff}, {m_interval, tr("every, steps"), kInterval}};
    int place = 0;
    for (const auto& [field, caption, pointer] : fields) {
        grid->addWidget(makeLabel(caption, "small", m_details), 0, place);
        grid->addWidget(field, 1, place);
        grid->setColumnStretch(place, 1);
        connect(field, &NumberField::problem, this, [this](const QString& sentence) { m_badge->setProblem(sentence); });
        connect(field, &NumberField::wished, this, [this, pointer](std::optional<double> value) {
            const Json json = pointer == kInterval ? Json(static_cast<std::int64_t>(*value)) : Json(*value);
            m_engine->change(m_run, pointer, json, editText(*value));
        });
        ++place;
    }
    m_details->hide();
    connect(m_fold, &QPushButton::clicked, this, [this] { setUnfolded(!m_isUnfolded); });
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
    m_badge->bind(run);
    refresh();
}

void ScalerControls::wishScale(double scale) {
    m_engine->change(m_run, kScale, scale, scaleText(scale));
}

void ScalerControls::refresh() {
    const RunState* run = state();
    if (!run) return;
    const ScalerSettings& settings = run->info.settings.training.scaler;
    const ScalerPreset* preset = scalerPreset(run->info.scalerPreset);
    const bool isScaled = preset && preset->skipsOnFoundInf;
    const QString wishedPreset = pendingText(*run, kPreset);
    if (!m_preset->view()->isVisible()) {
        const QSignalBlocker blocker(m_preset);
        m_preset->setCurrentText(wishedPreset.isEmpty() ? QString::fromStdString(run->info.scalerPreset) : wishedPreset);
    }
    setStyleProperty(m_preset, "state", wishedPreset.isEmpty() ? "" : "pending");
    if (preset) m_preset->setToolTip(fromView(preset->summary));
    m_preset->setAccessibleName(tr("Loss scaler of %1").arg(run->name()));

    m_unscaled->setVisible(!isScaled);
    for (QWidget* widget : {static_cast<QWidget*>(m_scale), static_cast<QWidget*>(m_double), static_cast<QWidget*>(m_halve)})
        widget->setVisible(isScaled);
    m_scale->setScale(run->nextScale);
    m_scale->setPending(pendingText(*run, kScale));
    m_scale->setAccessibleName(tr("Loss scale of %1").arg(run->name()));

    const bool isDynamic = isScaled && run->info.scalerIsDynamic;
    m_fold->setVisible(isDynamic);
    m_details->setVisible(isDynamic && m_isUnfolded);
    if (isDynamic) {
        const double growth = settings.growthFactor.value_or(preset->growthFactor);
        const double backoff = settings.backoffFactor.value_or(preset->backoffFactor);
        const std::int64_t interval = settings.growthInterval.value_or(preset->growthInterval);
        m_fold->setText((m_isNarrow ? tr("×%1, ×%2, every %3 steps") : tr("growth ×%1, backoff ×%2, every %3 steps"))
                            .arg(numberText(growth), numberText(backoff), groupedText(interval)));
        m_growth->setValue(growth);
        m_backoff->setValue(backoff);
        m_interval->setValue(static_cast<double>(interval));
        m_growth->setPending(pendingText(*run, kGrowth));
        m_backoff->setPending(pendingText(*run, kBackoff));
        m_interval->setPending(pendingText(*run, kInterval));
    }
    m_badge->refresh();
}

}  // namespace mantissa::gui
