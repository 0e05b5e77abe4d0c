// SPDX-License-Identifier: Apache-2.0
// convert and bits: what a format makes of numbers.
#include <bit>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/telemetry/number_format.h"
#include "kernels/cpu/round_array.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

std::string knownFormats() {
    std::string names;
    for (const Dtype dtype : kAllDtypes) names += (names.empty() ? "" : ", ") + std::string(facts(dtype).name);
    return names;
}

struct ConvertOptions {
    std::string format, rounding = "nearest-even";
};

/// float32 in, float32 out, in blocks: a pipe of any length takes constant memory.
int convert(const ConvertOptions& options) {
    const auto dtype = dtypeFromName(options.format);
    if (!dtype) throw UsageError("convert: --to: '" + options.format + "' is not a format (" + knownFormats() + ")");
    if (options.rounding != "nearest-even") throw UsageError("convert: --rounding: '" + options.rounding + "' is not known (nearest-even)");
    static_assert(std::endian::native == std::endian::little, "the stream is little-endian");
    std::vector<float> block(1 << 16);
    while (true) {
        const std::size_t bytes = std::fread(block.data(), 1, block.size() * sizeof(float), stdin);
        if (std::ferror(stdin)) throw RunError("convert: standard input could not be read");
        const std::size_t count = bytes / sizeof(float);
        roundArray(*dtype, block.data(), block.data(), count);
        if (std::fwrite(block.data(), sizeof(float), count, stdout) != count)
            throw RunError("convert: standard output could not be written");
        if (bytes < block.size() * sizeof(float)) {
            if (std::fflush(stdout) != 0) throw RunError("convert: standard output could not be written");
            if (bytes % sizeof(float) != 0) throw UsageError("convert: standard input ends in the middle of a float32");
            return kExitDone;
        }
    }
}

std::string bitText(const DtypeFacts& f, std::uint32_t bits) {
    const int width = 1 + f.exponentBits + f.mantissaBits;
    std::string text;
    for (int i = width - 1; i >= 0; --i) {
        text += (bits >> i & 1u) != 0 ? '1' : '0';
        if (i == width - 1 || i == f.mantissaBits) text += ' ';
    }
    return text;
}

std::string className(const DtypeFacts& f, float value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return "Inf";
    if (value == 0) return "zero";
    return std::fabs(static_cast<double>(value)) < f.minNormal ? "subnormal" : "normal";
}

/// The next value of the format towards +Inf or -Inf, through the order of its codes.
float neighbour(Dtype dtype, std::uint32_t bits, bool up) {
    const DtypeFacts& f = facts(dtype);
    const std::uint32_t sign = 1u << (f.exponentBits + f.mantissaBits);
    const bool isNegative = (bits & sign) != 0;
    std::uint32_t magnitude = bits & (sign - 1);
    if (magnitude == 0) return decodeBits(dtype, up ? 1u : sign | 1u);
    magnitude = isNegative == up ? magnitude - 1 : magnitude + 1;
    return decodeBits(dtype, (isNegative ? sign : 0u) | magnitude);
}

float parseValue(const std::string& text) {
    const auto isNamed = [&](std::initializer_list<const char*> names) {
        return std::find(names.begin(), names.end(), text) != names.end();
    };
    if (isNamed({"nan", "NaN"})) return std::nanf("");
    if (isNamed({"inf", "+inf", "Inf", "Infinity"})) return INFINITY;
    if (isNamed({"-inf", "-Inf", "-Infinity"})) return -INFINITY;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') throw UsageError("bits: '" + text + "' is not a number");
    return static_cast<float>(value);
}

int showBits(const std::string& text, bool json) {
    const float value = parseValue(text);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"format", "bits: sign exponent mantissa", "value", "error", "class", "below", "above"}};
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t bits = encodeBits(dtype, value);
        const float rounded = decodeBits(dtype, bits);
        const double error = static_cast<double>(rounded) - static_cast<double>(value);
        const bool isFinite = std::isfinite(rounded);
        rows.push_back({std::string(f.name), bitText(f, bits), shortest(rounded), isFinite && std::isfinite(value) ? shortest(error) : "-",
                        className(f, rounded), isFinite ? shortest(neighbour(dtype, bits, false)) : "-",
                        isFinite ? shortest(neighbour(dtype, bits, true)) : "-"});
        list.push_back({{"format", f.name},
                        {"bits", bitText(f, bits)},
                        {"value", jsonNumber(static_cast<double>(rounded))},
                        {"error", jsonNumber(error)},
                        {"class", className(f, rounded)}});
    }
    if (json) {
        std::cout << nlohmann::ordered_json{{"input", jsonNumber(static_cast<double>(value))}, {"formats", list}}.dump() << '\n';
    } else {
        std::cout << alignedTable(rows);
    }
    return kExitDone;
}

}  // namespace

void addConvert(CLI::App& app, Work& work) {
    CLI::App* command =
        app.add_subcommand("convert", "Round float32 from standard input to a format, as float32 on standard output (little-endian)");
    auto options = std::make_shared<ConvertOptions>();
    command->add_option("--to", options->format, "the format: " + knownFormats())->required();
    command->add_option("--rounding", options->rounding, "nearest-even")->capture_default_str();
    command->callback([&work, options] { work = [options] { return convert(*options); }; });
}

void addBits(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("bits", "Show one value's bits in every format");
    auto value = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command->add_option("VALUE", *value, "a number, nan, inf or -inf")->required();
    command->add_flag("--json", *json, "one JSON object on standard output");
    command->allow_extras(false);
    command->callback([&work, value, json] { work = [value, json] { return showBits(*value, *json); }; });
}

}  // namespace mantissa
