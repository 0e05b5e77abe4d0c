// SPDX-License-Identifier: Apache-2.0
// bits: one number in every format.
#include <cmath>
#include <iostream>

#include "engine/cli/rounding_options.h"
#include "engine/diagnosis/number_bits.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

double parseValue(const std::string& text) {
    const auto isNamed = [&](std::initializer_list<const char*> names) {
        return std::find(names.begin(), names.end(), text) != names.end();
    };
    if (isNamed({"nan", "NaN"})) return std::nan("");
    if (isNamed({"inf", "+inf", "Inf", "Infinity"})) return INFINITY;
    if (isNamed({"-inf", "-Inf", "-Infinity"})) return -INFINITY;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') throw UsageError("bits: '" + text + "' is not a number");
    return value;
}

struct BitsOptions {
    std::string value;
    bool json = false;
    RoundingOptions rounding;
};

int showBits(const BitsOptions& options) {
    const double given = parseValue(options.value);
    const auto value = static_cast<float>(given);  // every format is a rounding of fp32
    const bool isOther = !std::isnan(given) && static_cast<double>(value) != given;
    const RoundingMode mode = options.rounding.mode("bits");
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"format", "bits: sign exponent mantissa", "value", "error", "class", "below", "above"}};
    const auto orDash = [](float x) { return std::isnan(x) ? std::string("-") : shortest(x); };
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        const NumberBits number = numberBits(dtype, value, mode);
        const std::string bits = bitText(f, number.bits), className(numberClass(number));
        const bool isFinite = std::isfinite(number.rounded);
        rows.push_back({std::string(f.name), bits, shortest(number.rounded),
                        isFinite && std::isfinite(value) ? shortest(number.error) : "-", className, orDash(number.below),
                        orDash(number.above)});
        list.push_back({{"format", f.name},
                        {"bits", bits},
                        {"value", jsonNumber(static_cast<double>(number.rounded))},
                        {"error", jsonNumber(number.error)},
                        {"class", className},
                        {"below", jsonNumber(static_cast<double>(number.below))},
                        {"above", jsonNumber(static_cast<double>(number.above))}});
    }
    if (options.json) {
        std::cout << nlohmann::ordered_json{{"given", jsonNumber(given)},
                                            {"input", jsonNumber(static_cast<double>(value))},
                                            {"formats", list}}
                         .dump()
                  << '\n';
    } else {
        if (isOther) std::cout << options.value << " is taken as the nearest fp32, " << shortest(static_cast<double>(value)) << "\n\n";
        std::cout << alignedTable(rows);
        if (std::isnan(value))
            std::cout << "\nfp6 and fp4 have no NaN: the hardware writes their largest number. `convert` keeps the NaN.\n";
    }
    return kExitDone;
}

}  // namespace

void addBits(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("bits", "Show one value's bits in every format");
    auto options = std::make_shared<BitsOptions>();
    command->add_option("VALUE", options->value, "a number, nan, inf or -inf")->required();
    command->add_flag("--json", options->json, "one JSON object on standard output");
    options->rounding.addTo(*command);
    command->allow_extras(false);
    command->callback([&work, options] { work = [options] { return showBits(*options); }; });
}

}  // namespace mantissa
