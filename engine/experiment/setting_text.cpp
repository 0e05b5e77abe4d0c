// SPDX-License-Identifier: Apache-2.0
// Display texts of settings: on cards, in markers, in event lists.
#include <algorithm>
#include <cmath>

#include "engine/experiment/fields.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// The scaler, with the preset's values for unset keys.
Json effectiveScaler(const ScalerSettings& scaler) {
    const ScalerPreset values = resolvedScaler(scaler);
    Json json{{"preset", scaler.preset},
              {"init_scale", values.initScale},
              {"growth_factor", values.growthFactor},
              {"backoff_factor", values.backoffFactor},
              {"growth_interval", values.growthInterval},
              {"hysteresis", values.hysteresis}};
    if (values.minScale > 0) json["min_scale"] = values.minScale;
    if (std::isfinite(values.maxScale)) json["max_scale"] = values.maxScale;
    return json;
}

std::string tf32InputsText(Rounding rounding) {
    switch (rounding) {
        case Rounding::NearestAway:
            return "inputs rounded to nearest, ties away from 0";
        case Rounding::TowardZero:
            return "inputs truncated";
        case Rounding::NearestEven:
        case Rounding::Stochastic:  // not a setting of tf32
            break;
    }
    return "inputs rounded to nearest even";
}

/// The changes to a block policy's recipe.
std::string blocksText(const BlockSettings& blocks) {
    std::string text;
    const auto flag = [&](const std::optional<bool>& value, const char* what) {
        if (value) text += std::string(*value ? ", " : ", no ") + what;
    };
    if (blocks.scaleRule) text += ", scales " + std::string(scaleRuleName(*blocks.scaleRule));
    if (blocks.dialect) text += ", dialect " + std::string(nvfp4DialectName(*blocks.dialect));
    if (blocks.gradients) text += ", gradients " + *blocks.gradients;
    flag(blocks.hasSquareWeights, "square blocks of weights");
    flag(blocks.rotates, "Hadamard transform");
    flag(blocks.roundsStochastically, "stochastic rounding");
    flag(blocks.requantizesInput, "requantised input");
    if (blocks.keepLast) text += *blocks.keepLast == 0 ? ", no block in BF16" : ", last " + shortest(*blocks.keepLast * 100) + " % in BF16";
    return text;
}

std::string precisionText(const PrecisionSettings& precision) {
    const std::string detail = precisionDetail(precision);
    return policyScreenName(precision.policy) + (detail.empty() ? "" : ", " + detail);
}

}  // namespace

std::string precisionDetail(const PrecisionSettings& precision) {
    std::string text;
    if (precision.autocast != PrecisionSettings{}.autocast) text += ", " + precision.autocast;
    if (precision.policy == "fp8") text += ", " + precision.fp8.scaling + " scaling";
    text += blocksText(precision.blocks);
    const ProductSettings& products = precision.products;
    if (precision.policy == "tf32" || products.tf32Rounding != Rounding::NearestEven) text += ", " + tf32InputsText(products.tf32Rounding);
    if (precision.weightUpdate != WeightUpdate{}) text += ", " + std::string(weightUpdateName(precision.weightUpdate)) + " update";
    if (products.accumulator != Accumulator::Fp32) text += ", " + std::string(accumulatorName(products.accumulator)) + " sums";
    if (products.promoteEvery != 0)
        text +=
            (products.accumulator != Accumulator::Fp32 ? " promoted each " : ", promoted each ") + std::to_string(products.promoteEvery);
    for (const PrecisionOverride& forced : precision.overrides) {
        text += ", " + forced.place;
        if (forced.isSameEverywhere()) {
            text += " " + std::string(facts(*forced.in(Direction::Forward)).screenName);
            continue;
        }
        for (const Direction direction : kAllDirections) {
            if (!forced.in(direction)) continue;
            text += " " + std::string(directionName(direction)) + " " + std::string(facts(*forced.in(direction)).screenName);
        }
    }
    return text.substr(std::min<std::size_t>(text.size(), 2));
}

std::string settingLabel(const std::string& pointer) {
    if (pointer == kScalePointer) return "loss scale";
    if (pointer == "/scaler" || pointer == kResetScalerPointer) return "loss scaler";
    if (pointer == kResetStatisticsPointer) return "running statistics";
    if (pointer == kInjectInputPointer) return "an input";
    if (pointer == kInjectLabelPointer) return "a label";
    if (pointer == kInjectTensorPointer) return "a tensor";
    const Field* field = fieldAt(pointer);
    return field == nullptr ? pointer : field->label;
}

std::string choiceLabel(const Field& field, const std::string& choice) {
    const auto found = std::find(field.choices.begin(), field.choices.end(), choice);
    const auto at = static_cast<std::size_t>(found - field.choices.begin());
    return at < field.choiceLabels.size() ? field.choiceLabels[at] : choice;
}

std::string settingText(const RunSettings& run, const std::string& pointer) {
    if (pointer.starts_with("/precision")) return precisionText(run.training.precision);
    if (pointer == "/scaler") return run.training.scaler.preset;
    Json json = runToJson(run);
    json["scaler"] = effectiveScaler(run.training.scaler);
    const Json::json_pointer at(pointer);
    if (!json.contains(at) || json[at].is_null()) return "off";
    const Json& value = json[at];
    if (pointer.starts_with("/scaler/") && pointer.ends_with("_scale")) return scaleText(value.get<double>());
    if (value.is_object()) return value.value("kind", value.dump());
    if (value.is_string()) {
        const auto text = value.get<std::string>();
        const Field* field = fieldAt(pointer);
        return pointer == "/eval_precision" ? policyScreenName(text) : field == nullptr ? text : choiceLabel(*field, text);
    }
    if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
    if (value.is_number_float()) return shortest(value.get<double>());
    return value.dump();
}

std::string scaleText(double scale) {
    int exponent = 0;
    if (scale > 0 && std::frexp(scale, &exponent) == 0.5) return "2^" + std::to_string(exponent - 1);
    return shortest(scale);
}

}  // namespace mantissa
