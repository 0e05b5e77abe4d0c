// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/precision_menu.h"

#include <QMenu>
#include <algorithm>
#include <functional>

#include "engine/experiment/fields.h"
#include "engine/experiment/values.h"
#include "gui/controls/engine_text.h"

namespace mantissa::gui {
namespace {

using Change = std::function<void(PrecisionSettings&)>;

/// Adds entries that change a run's precision; the current one is checked. A change applies to the precision requested when it is chosen.
class Entries {
public:
    Entries(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run)
        : m_menu(menu), m_session(session), m_engine(engine), m_run(run) {}

    void add(const QString& text, const Change& change) {
        const PrecisionSettings now = m_session->run(m_run)->requestedSettings().training.precision;
        PrecisionSettings changed = now;
        change(changed);
        QAction* action = m_menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(changed == now);
        if (changed == now) return;
        QObject::connect(action, &QAction::triggered, m_engine, [session = m_session, engine = m_engine, run = m_run, change] {
            const RunState* state = session->run(run);
            if (!state) return;
            RunSettings requested = state->requestedSettings();
            change(requested.training.precision);
            engine->change(run, QStringLiteral("/precision"), writePrecision(requested.training.precision),
                           QString::fromStdString(settingText(requested, "/precision")));
        });
    }

    /// Adds an entry that is checked while `isOn`, and changes the precision to the opposite.
    void addSwitch(const QString& text, bool isOn, const std::function<void(PrecisionSettings&, bool)>& change) {
        add(text, [change, isOn](PrecisionSettings& p) { change(p, !isOn); });
        m_menu->actions().back()->setChecked(isOn);
    }

    Entries submenu(const QString& title) { return {m_menu->addMenu(title), m_session, m_engine, m_run}; }
    void separate() { m_menu->addSeparator(); }

private:
    QMenu* m_menu;
    SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run;
};

}  // namespace

QString policyText(const QString& policy) {
    return QString::fromStdString(policyScreenName(policy.toStdString()));
}

PrecisionSettings withPolicy(const PrecisionSettings& precision, const std::string& policy) {
    if (policy == precision.policy) return precision;
    return {.policy = policy, .autocast = precision.autocast, .overrides = precision.overrides};
}

namespace {

/// Whether an override has all linear layers' forward products in bf16.
bool isForwardInBf16(const PrecisionSettings& p) {
    return std::ranges::any_of(
        p.overrides, [](const PrecisionOverride& each) { return each.place == "linear" && each.in(Direction::Forward) == Dtype::BF16; });
}

void setForwardInBf16(PrecisionSettings& p, bool isBf16) {
    const auto isLinear = [](const PrecisionOverride& each) { return each.place == "linear"; };
    const auto found = std::ranges::find_if(p.overrides, isLinear);
    if (found == p.overrides.end()) {
        if (isBf16) p.overrides.emplace_back("linear", Direction::Forward, Dtype::BF16);
        return;
    }
    auto& dtypes = found->dtypes;
    dtypes[static_cast<std::size_t>(Direction::Forward)] = isBf16 ? std::optional(Dtype::BF16) : std::nullopt;
    if (std::ranges::none_of(dtypes, [](const auto& dtype) { return dtype.has_value(); })) p.overrides.erase(found);
}

/// A switch's value as a setting: empty if the policy has it by default.
template <typename Value>
std::optional<Value> unlessUsual(Value value, Value usual) {
    return value == usual ? std::nullopt : std::optional(value);
}

QString scaleRuleText(ScaleRule rule) {
    switch (rule) {
        case ScaleRule::RoundUp:
            return QMenu::tr("Rounded up (Transformer Engine)");
        case ScaleRule::Floor:
            return QMenu::tr("Rounded down (OCP)");
        case ScaleRule::PowerOfTwo:
            return QMenu::tr("Powers of two (Transformer Engine)");
        case ScaleRule::Fp32:
            return QMenu::tr("FP32 numbers");
        case ScaleRule::Rceil:
        case ScaleRule::Ceil:
        case ScaleRule::Even:
            break;
    }
    return nameText(scaleRuleName(rule)).toUpper();
}

/// The ingredients of a block policy's recipe.
void addRecipe(Entries& menu, const PrecisionSettings& now) {
    const BlockRecipe recipe = blockRecipe(now.policy, now.blocks), usual = blockRecipe(now.policy, {});
    Entries ingredients = menu.submenu(QMenu::tr("Recipe of %1").arg(nameText(policyScreenName(now.policy))));
    if (const std::vector<std::string> elements = gradientElements(now.policy); elements.size() > 1) {
        Entries gradients = ingredients.submenu(QMenu::tr("Gradients are"));
        for (const std::string& element : elements) {
            gradients.add(QString::fromStdString(element).toUpper(),
                          [element, first = elements.front()](PrecisionSettings& p) { p.blocks.gradients = unlessUsual(element, first); });
        }
    }
    if (const std::span<const ScaleRule> rules = policyScaleRules(now.policy); !rules.empty()) {
        Entries scales = ingredients.submenu(QMenu::tr("Scales are"));
        for (const ScaleRule rule : rules) {
            scales.add(scaleRuleText(rule),
                       [rule, usual = rules.front()](PrecisionSettings& p) { p.blocks.scaleRule = unlessUsual(rule, usual); });
        }
    }
    if (!recipe.hasWholeRows) {
        ingredients.addSwitch(QMenu::tr("Weights in square blocks"), recipe.hasSquareWeights, [usual](PrecisionSettings& p, bool isOn) {
            p.blocks.hasSquareWeights = unlessUsual(isOn, usual.hasSquareWeights);
        });
    }
    ingredients.addSwitch(QMenu::tr("Random Hadamard transform for weight gradients"), recipe.rotates,
                          [usual](PrecisionSettings& p, bool isOn) { p.blocks.rotates = unlessUsual(isOn, usual.rotates); });
    ingredients.addSwitch(
        QMenu::tr("Gradients rounded stochastically"), recipe.roundsStochastically,
        [usual](PrecisionSettings& p, bool isOn) { p.blocks.roundsStochastically = unlessUsual(isOn, usual.roundsStochastically); });
    if (!refusalOf(now.policy, {.requantizesInput = true})) {
        ingredients.addSwitch(
            QMenu::tr("Input of weight gradients requantised from its rows"), recipe.requantizesInput,
            [usual](PrecisionSettings& p, bool isOn) { p.blocks.requantizesInput = unlessUsual(isOn, usual.requantizesInput); });
    }
    constexpr double kUsualShare = 0.15;  // arXiv 2509.25149
    ingredients.addSwitch(QMenu::tr("Last 15 % of the blocks in BF16"), recipe.keepLast > 0, [usual](PrecisionSettings& p, bool isOn) {
        p.blocks.keepLast = unlessUsual(isOn ? kUsualShare : 0, usual.keepLast);
    });
    ingredients.separate();
    ingredients.addSwitch(QMenu::tr("Forward products in BF16"), isForwardInBf16(now), setForwardInBf16);
}

}  // namespace

void fillPrecisionMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run) {
    const RunState* state = session->run(run);
    if (!state) return;
    const PrecisionSettings now = state->requestedSettings().training.precision;
    Entries policies(menu, session, engine, run);
    std::string last;
    for (const std::string& policy : policyNames()) {
        if (policy == blockPolicies().front().name || (isPure(policy) && !isPure(last))) policies.separate();
        last = policy;
        if (policy != "auto")
            policies.add(nameText(policyScreenName(policy)), [policy](PrecisionSettings& p) { p = withPolicy(p, policy); });
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
    if (isBlockPolicy(now.policy)) addRecipe(policies, now);
    if (now.policy == "fp8") {
        Entries scaling = policies.submenu(QMenu::tr("FP8 scales come from"));
        scaling.add(QMenu::tr("Past steps (delayed)"), [](PrecisionSettings& p) { p.fp8.scaling = "delayed"; });
        scaling.add(QMenu::tr("The tensor itself (current)"), [](PrecisionSettings& p) { p.fp8.scaling = "current"; });
    }
    if (now.policy == "tf32") {
        Entries operands = policies.submenu(QMenu::tr("TF32 inputs are rounded"));
        const std::pair<Rounding, QString> roundings[] = {{Rounding::NearestEven, QMenu::tr("To nearest even (cuBLAS)")},
                                                          {Rounding::NearestAway, QMenu::tr("To nearest, ties away (cvt.rna)")},
                                                          {Rounding::TowardZero, QMenu::tr("Toward zero (raw tensor core)")}};
        for (const auto& [rounding, shown] : roundings)
            operands.add(shown, [rounding = rounding](PrecisionSettings& p) { p.products.tf32Rounding = rounding; });
    }
    const std::vector<Dtype> computed = productDtypes(now.policy);
    const auto hasSums = [&](Accumulator accumulator) {
        return std::ranges::all_of(computed, [&](Dtype dtype) { return whyNoSums(accumulator, dtype, 0).empty(); });
    };
    if (computed.empty() || computed == std::vector{Dtype::F32}) return;
    Entries sums = policies.submenu(QMenu::tr("Matmul accumulator"));
    for (const Accumulator accumulator : kAllAccumulators) {
        if (!hasSums(accumulator)) continue;
        sums.add(nameText(accumulatorScreenName(accumulator)), [accumulator](PrecisionSettings& p) {
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

void fillFormatMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run, const LayerLine& layer) {
    const RunState* state = session->run(run);
    if (!state) return;
    Entries formats(menu, session, engine, run);
    const RunSettings now = state->requestedSettings();
    const auto forced = [place = layer.layer](PrecisionSettings& p, std::optional<Dtype> dtype) {
        std::erase_if(p.overrides, [&](const PrecisionOverride& each) { return each.place == place; });
        if (dtype) p.overrides.emplace_back(place, *dtype);
    };
    // Without an override of its own, the longest path above the layer decides, else its kind, else the policy.
    QString follows = QMenu::tr("As the policy");
    std::size_t longest = 0;
    for (const PrecisionOverride& each : now.training.precision.overrides) {
        const bool isAbove = each.place != layer.layer && coversLayer(each.place, layer.layer);
        if (!(isAbove && each.place.size() > longest) && !(longest == 0 && each.place == layer.operation)) continue;
        follows = QMenu::tr("As %1").arg(QString::fromStdString(each.place));
        if (isAbove) longest = each.place.size();
    }
    formats.add(follows, [forced](PrecisionSettings& p) { forced(p, std::nullopt); });
    formats.separate();
    // findContradiction decides which formats are offered
    for (const Dtype dtype : {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2}) {
        RunSettings requested = now;
        forced(requested.training.precision, dtype);
        if (findContradiction(requested)) continue;
        formats.add(QString::fromUtf8(facts(dtype).name.data()), [forced, dtype](PrecisionSettings& p) { forced(p, dtype); });
    }
}

}  // namespace mantissa::gui
