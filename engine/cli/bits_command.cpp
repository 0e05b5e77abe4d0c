// SPDX-License-Identifier: Apache-2.0
// bits: one number in every format.
#include <cmath>
#include <iostream>

#include "engine/cli/rounding_options.h"
#include "engine/telemetry/number_format.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

std::string bitText(const DtypeFacts& f, std::uint32_t bits) {
    const int width = f.codeBits();
    std::string text;
    for (int i = width - 1; i >= 0; --i) {
        if (i == f.mantissaBits + f.exponentBits - 1 || i == f.mantissaBits - 1) text += ' ';
        text += (bits >> i & 1u) != 0 ? '1' : '0';
    }
    return f.isSigned ? text : text.substr(1);
}

std::string className(const DtypeFacts& f, float value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return "Inf";
    if (value == 0) return "zero";
    return std::fabs(static_cast<double>(value)) < f.minNormal ? "subnormal" : "normal";
}

/// The next value of the format towards +Inf or -Inf, through the order of its codes; NaN where there is none.
float neighbour(const DtypeFacts& f, std::uint32_t bits, bool up) {
    const std::uint32_t sign = 1u << (f.exponentBits + f.mantissaBits);
    const bool isNegative = f.isSigned && (bits & sign) != 0;
    const std::uint32_t magnitude = bits & (sign - 1);
    if (magnitude == 0 && f.isSigned) return decodeBits(f.dtype, up ? 1u : sign | 1u);
    const bool isOutwards = isNegative != up;
    if (isOutwards ? magnitude == sign - 1 : magnitude == 0) return std::nanf("");
    return decodeBits(f.dtype, (isNegative ? sign : 0u) | (isOutwards ? magnitude + 1 : magnitude - 1));
}

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
        const std::uint32_t bits = encodeBits(dtype, value, mode);
        const float rounded = decodeBits(dtype, bits);
        const double error = static_cast<double>(rounded) - static_cast<double>(value);
        const bool isFinite = std::isfinite(rounded);
        rows.push_back({std::string(f.name), bitText(f, bits), shortest(rounded), isFinite && std::isfinite(value) ? shortest(error) : "-",
                        className(f, rounded), isFinite ? orDash(neighbour(f, bits, false)) : "-",
                        isFinite ? orDash(neighbour(f, bits, true)) : "-"});
        list.push_back({{"format", f.name},
                        {"bits", bitText(f, bits)},
                        {"value", jsonNumber(static_cast<double>(rounded))},
                        {"error", jsonNumber(error)},
                        {"class", className(f, rounded)},
                        {"below", jsonNumber(static_cast<double>(isFinite ? neighbour(f, bits, false) : std::nanf("")))},
                        {"above", jsonNumber(static_cast<double>(isFinite ? neighbour(f, bits, true) : std::nanf("")))}});
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
