// SPDX-License-Identifier: Apache-2.0
// convert: rounds numbers to a format, as a filter from float32 to float32. NaN stays NaN even if the format has none.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <span>

#include "engine/cli/rounding_options.h"
#include "engine/telemetry/joined.h"
#include "kernels/cpu/block_array.h"
#include "kernels/cpu/round_array.h"

namespace mantissa {
namespace {

static_assert(std::endian::native == std::endian::little, "the stream is little-endian");
constexpr std::size_t kPiece = 1 << 16;

struct ConvertOptions {
    std::string format, scaleRule, dialect, block;
    std::optional<std::int64_t> columns;  // row length if the stream is a matrix; otherwise it is one row
    RoundingOptions rounding;
};

struct Piece {
    std::size_t count = 0;
    bool isLast = false, isCut = false;  // the end of the input; an incomplete number
};

Piece readPiece(std::span<float> into) {
    const std::size_t bytes = std::fread(into.data(), 1, into.size_bytes(), stdin);
    if (std::ferror(stdin)) throw RunError("convert: standard input could not be read");
    return {bytes / sizeof(float), bytes < into.size_bytes(), bytes % sizeof(float) != 0};
}

void write(std::span<const float> values) {
    if (std::fwrite(values.data(), sizeof(float), values.size(), stdout) != values.size())
        throw RunError("convert: standard output could not be written");
}

int finish(const Piece& last) {
    if (std::fflush(stdout) != 0) throw RunError("convert: standard output could not be written");
    if (last.isCut) throw UsageError("convert: standard input ends in the middle of a float32");
    return kExitDone;
}

/// Uses constant memory for a pipe of any length.
int convertNumbers(Dtype dtype, const RoundingMode& mode) {
    std::vector<float> values(kPiece);
    for (std::uint64_t firstIndex = 0;;) {
        const Piece piece = readPiece(values);
        roundArray(dtype, values.data(), values.data(), piece.count, mode, firstIndex);
        write(std::span(values).first(piece.count));
        firstIndex += piece.count;
        if (piece.isLast) return finish(piece);
    }
}

/// Reads everything before it writes: nvfp4 needs the largest magnitude of all numbers.
int convertBlocks(const BlockFormat& format, const ConvertOptions& options, const RoundingMode& mode) {
    std::vector<float> values, next(kPiece);
    Piece piece;
    do {
        piece = readPiece(next);
        values.insert(values.end(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(piece.count));
    } while (!piece.isLast);
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t columns = options.columns.value_or(count);
    if (count > 0 && count % columns != 0)
        throw UsageError("convert: standard input ends in the middle of a row of " + std::to_string(columns) + " numbers");
    const MatrixShape shape{columns == 0 ? 0 : count / columns, columns};
    roundBlocks(format, shape, values.data(), tensorScaleOf(format, largestMagnitude(values.data(), count)), values.data(), mode);
    write(values);
    return finish(piece);
}

/// The block shapes of all formats, without duplicates.
std::string allBlockShapes() {
    std::vector<MatrixShape> shapes;
    for (const BlockFormat& format : blockFormats()) {
        for (const MatrixShape shape : blockShapes(format))
            if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
    }
    return joined(shapes, ", ", blockShapeName);
}

[[noreturn]] void refuseUnknown(const char* option, const std::string& given, const std::string& known) {
    throw UsageError(std::string("convert: ") + option + ": '" + given + "' is not known (" + known + ")");
}

void setScaleRule(BlockFormat& format, const ConvertOptions& options) {
    if (options.scaleRule.empty()) return;
    if (format.isNvfp4()) throw UsageError("convert: --scale-rule: only the mx formats and block FP8 have one, not " + options.format);
    const auto rule = scaleRuleFromName(options.scaleRule);
    const auto rules = scaleRules(format);
    if (!rule || std::find(rules.begin(), rules.end(), *rule) == rules.end())
        refuseUnknown("--scale-rule", options.scaleRule, joined(rules, ", ", scaleRuleName));
    format = withRule(format, *rule);
}

void setDialect(BlockFormat& format, const ConvertOptions& options) {
    if (options.dialect.empty()) return;
    if (!format.isNvfp4()) throw UsageError("convert: --dialect: only nvfp4 has one, not " + options.format);
    const auto dialect = nvfp4DialectFromName(options.dialect);
    if (!dialect) refuseUnknown("--dialect", options.dialect, joined(kAllNvfp4Dialects, ", ", nvfp4DialectName));
    format.dialect = *dialect;
}

void setBlock(BlockFormat& format, const ConvertOptions& options) {
    if (options.columns && *options.columns <= 0) throw UsageError("convert: --columns: a row has at least one number");
    if (options.block.empty()) return;
    const auto shapes = blockShapes(format);
    const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](MatrixShape s) { return blockShapeName(s) == options.block; });
    if (shape == shapes.end()) refuseUnknown("--block", options.block, joined(shapes, ", ", blockShapeName));
    if (shape->rows > 1 && !options.columns)
        throw UsageError("convert: --block " + options.block + " needs --columns, the length of a row");
    format.block = *shape;
}

/// Throws UsageError.
BlockFormat blocksAsAsked(BlockFormat format, const ConvertOptions& options, const RoundingMode& mode) {
    setScaleRule(format, options);
    setDialect(format, options);
    setBlock(format, options);
    const std::string refusal = refusalOf(format, mode.rounding);
    if (!refusal.empty()) throw UsageError("convert: --rounding: " + refusal);
    return format;
}

void refuseBlockOptions(const ConvertOptions& options) {
    if (!options.scaleRule.empty())
        throw UsageError("convert: --scale-rule: only the mx formats and block FP8 have one, not " + options.format);
    if (!options.dialect.empty()) throw UsageError("convert: --dialect: only nvfp4 has one, not " + options.format);
    if (!options.block.empty() || options.columns)
        throw UsageError("convert: --block, --columns: only block formats have blocks, not " + options.format);
}

std::string allFormats() {
    return knownFormats() + ", " + joined(blockFormats(), ", ", &BlockFormat::name);
}

int convert(const ConvertOptions& options) {
    const auto dtype = dtypeFromName(options.format);
    const auto blocks = blockFormatFromName(options.format);
    if (!dtype && !blocks) throw UsageError("convert: --to: '" + options.format + "' is not a format (" + allFormats() + ")");
    const RoundingMode mode = options.rounding.mode("convert");
    if (blocks) return convertBlocks(blocksAsAsked(*blocks, options, mode), options, mode);
    refuseBlockOptions(options);
    return convertNumbers(*dtype, mode);
}

}  // namespace

void addConvert(CLI::App& app, Work& work) {
    CLI::App* command =
        app.add_subcommand("convert", "Round float32 from standard input to a format, as float32 on standard output (little-endian)");
    auto options = std::make_shared<ConvertOptions>();
    command->add_option("--to", options->format, "the format: " + allFormats())->required();
    command->add_option("--scale-rule", options->scaleRule,
                        "how a format chooses its scales: " + joined(kAllScaleRules, ", ", scaleRuleName) +
                            " (fp32: block FP8 only; default: floor, of block FP8 power-of-two)");
    command->add_option("--dialect", options->dialect,
                        "whose nvfp4: " + joined(kAllNvfp4Dialects, ", ", nvfp4DialectName) + " (default: te)");
    command->add_option("--block", options->block,
                        "the numbers that share a scale, rows x columns: " + allBlockShapes() + " (mx: 32, nvfp4: 16)");
    command->add_option("--columns", options->columns, "the stream is a matrix with rows of so many numbers");
    options->rounding.addTo(*command);
    command->callback([&work, options] { work = [options] { return convert(*options); }; });
}

}  // namespace mantissa
