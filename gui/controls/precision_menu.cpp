// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/precision_menu.h"

#include <QMenu>
#include <algorithm>
#include <functional>

#include "engine/experiment/fields.h"
#include "engine/experiment/values.h"

namespace mantissa::gui {
namespace {

using Change = std::function<void(PrecisionSettings&)>;

/// Adds entries that change a run's precision; the one that changes nothing is ticked.
class Entries {
public:
    Entries(QMenu* menu, const RunSettings& settings, EngineClient* engine, RunId run)
        : m_menu(menu), m_settings(settings), m_engine(engine), m_run(run) {}

    void add(const QString& text, const Change& change) {
        RunSettings wished = m_settings;
        change(wished.training.precision);
        QAction* action = m_menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(wished.training.precision == m_settings.training.precision);
        if (action->isChecked()) return;
        const Json value = writePrecision(wished.training.precision);
        const QString shown = QString::fromStdString(settingText(wished, "/precision"));
        QObject::connect(action, &QAction::triggered, m_engine, [engine = m_engine, run = m_run, value, shown] {
            engine->change(run, QStringLiteral("/precision"), value, shown);
        });
    }

    Entries submenu(const QString& title) { return {m_menu->addMenu(title), m_settings, m_engine, m_run}; }
    void separate() { m_menu->addSeparator(); }

private:
    QMenu* m_menu;
    RunSettings m_settings;
    EngineClient* m_engine;
    RunId m_run;
};

QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

}  // namespace

QString policyText(const QString& policy) {
    return QString::fromStdString(policyScreenName(policy.toStdString()));
}

PrecisionSettings withPolicy(const PrecisionSettings& precision, const std::string& policy) {
    if (policy == precision.policy) return precision;
    return {.policy = policy, .autocast = precision.autocast, .overrides = precision.overrides};
}

void fillPrecisionMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run) {
    const RunState* state = lab->run(run);
    if (!state) return;
    const PrecisionSettings& now = state->info.settings.training.precision;
    Entries policies(menu, state->info.settings, engine, run);
    for (const std::string& policy : policyNames()) {
        if (policy != "auto") policies.add(text(policyScreenName(policy)), [&](PrecisionSettings& p) { p = withPolicy(p, policy); });
    }
    policies.separate();
    if (isPure(now.policy)) {
        Entries updates = policies.submenu(QMenu::tr("Weights are written"));
        const std::pair<const char*, QString> names[] = {{"nearest-even", QMenu::tr("Rounded to nearest even")},
                                                         {"stochastic", QMenu::tr("Rounded stochastically")},
                                                         {"kahan", QMenu::tr("With Kahan's summation")}};
        for (const auto& [name, shown] : names)
            updates.add(shown, [update = *weightUpdateFromName(name)](PrecisionSettings& p) { p.weightUpdate = update; });
    }
    if (now.policy == "fp8") {
        Entries scaling = policies.submenu(QMenu::tr("FP8 scales come from"));
        scaling.add(QMenu::tr("Past steps (delayed)"), [](PrecisionSettings& p) { p.fp8.scaling = "delayed"; });
        scaling.add(QMenu::tr("The tensor itself (current)"), [](PrecisionSettings& p) { p.fp8.scaling = "current"; });
    }
    if (now.policy == "tf32") {
        Entries operands = policies.submenu(QMenu::tr("TF32 operands are rounded"));
        const std::pair<Rounding, QString> roundings[] = {{Rounding::NearestEven, QMenu::tr("To nearest even (cuBLAS)")},
                                                          {Rounding::NearestAway, QMenu::tr("To nearest, ties away (cvt.rna)")},
                                                          {Rounding::TowardZero, QMenu::tr("Toward zero (raw tensor core)")}};
        for (const auto& [rounding, shown] : roundings)
            operands.add(shown, [rounding = rounding](PrecisionSettings& p) { p.products.tf32Rounding = rounding; });
    }
    const std::vector<Dtype> computed = productDtypes(now.policy);
    const auto hasSums = [&](Accumulator accumulator) {
        return std::all_of(computed.begin(), computed.end(), [&](Dtype dtype) { return whyNoSums(accumulator, dtype, 0).empty(); });
    };
    if (computed.empty() || computed == std::vector{Dtype::F32}) return;
    Entries sums = policies.submenu(QMenu::tr("Sums of products"));
    for (const Accumulator accumulator : kAllAccumulators) {
        if (!hasSums(accumulator)) continue;
        sums.add(text(accumulatorScreenName(accumulator)), [accumulator](PrecisionSettings& p) {
            p.products.accumulator = accumulator;
            p.products.promoteEvery = 0;
        });
    }
    if (!hasSums(Accumulator::Hopper)) return;
    sums.add(QMenu::tr("Hopper's tensor cores, promoted each 128"), [](PrecisionSettings& p) {
        p.products.accumulator = Accumulator::Hopper;
        p.products.promoteEvery = 128;
    });
}

void fillFormatMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run, const LayerLine& layer) {
    const RunState* state = lab->run(run);
    if (!state) return;
    Entries formats(menu, state->info.settings, engine, run);
    const auto forced = [&](PrecisionSettings& p, std::optional<Dtype> dtype) {
        std::erase_if(p.overrides, [&](const PrecisionOverride& each) { return each.place == layer.layer; });
        if (dtype) p.overrides.emplace_back(layer.layer, *dtype);
    };
    // Without an override of its own it follows the longest path above it, else its kind, else the policy.
    QString follows = QMenu::tr("As the policy");
    std::size_t longest = 0;
    for (const PrecisionOverride& each : state->info.settings.training.precision.overrides) {
        const bool isAbove = each.place != layer.layer && coversLayer(each.place, layer.layer);
        if (!(isAbove && each.place.size() > longest) && !(longest == 0 && each.place == layer.operation)) continue;
        follows = QMenu::tr("As %1").arg(QString::fromStdString(each.place));
        if (isAbove) longest = each.place.size();
    }
    formats.add(follows, [&](PrecisionSettings& p) { forced(p, std::nullopt); });
    formats.separate();
    // what experiments may say, and the engine takes, is said once: in the experiment's own check
    for (const Dtype dtype : {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2}) {
        RunSettings wished = state->info.settings;
        forced(wished.training.precision, dtype);
        if (findContradiction(wished)) continue;
        formats.add(QString::fromUtf8(facts(dtype).name.data()), [&](PrecisionSettings& p) { forced(p, dtype); });
    }
}

}  // namespace mantissa::gui
