// SPDX-License-Identifier: Apache-2.0
#include "engine/training/block_stats.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>

#include "engine/training/then_restore.h"
#include "kernels/dtype/hadamard.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

/// All numbers of a format with up to eight bits, by code.
std::array<double, 256> numbersOf(Dtype format) {
    std::array<double, 256> numbers{};
    const std::uint32_t count = 1u << facts(format).storageBits;
    for (std::uint32_t code = 0; code < count && code < numbers.size(); ++code)
        numbers[code] = static_cast<double>(decodeBits(format, code));
    return numbers;
}

/// Code `index` of packed codes: bits [index * width, (index + 1) * width), little-endian.
std::uint32_t packedCode(std::span<const std::byte> packed, std::int64_t index, std::int64_t width) {
    const auto bit = static_cast<std::size_t>(index * width), byte = bit / 8;
    std::uint32_t bits = std::to_integer<std::uint32_t>(packed[byte]);
    if (byte + 1 < packed.size()) bits |= std::to_integer<std::uint32_t>(packed[byte + 1]) << 8;
    return bits >> (bit % 8) & ((1u << width) - 1);
}

double largestFinite(std::span<const float> numbers) {
    double largest = 0;
    for (const float x : numbers) {
        const double magnitude = std::abs(static_cast<double>(x));
        if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    return largest;
}

/// Multiplies each 16 consecutive numbers of a column by R; rows after the last 16 stay.
void rotateColumns(MatrixShape shape, std::vector<float>& numbers) {
    for (std::int64_t row = 0; row + kHadamardSize <= shape.rows; row += kHadamardSize) {
        for (std::int64_t col = 0; col < shape.cols; ++col) {
            float sixteen[kHadamardSize];
            const auto at = [&](int k) -> float& { return numbers[static_cast<std::size_t>((row + k) * shape.cols + col)]; };
            for (int k = 0; k < kHadamardSize; ++k) sixteen[k] = at(k);
            rotateSixteen(sixteen);
            for (int k = 0; k < kHadamardSize; ++k) at(k) = roundTo(Dtype::BF16, sixteen[k]);
        }
    }
}

double decibels(double signal, double error) {
    if (signal == 0) return NAN;
    return error == 0 ? INFINITY : 10 * std::log10(signal / error);
}

struct Sums {
    double signal = 0, error = 0;
    std::int64_t nonZero = 0, flushed = 0;
    bool isZero = true;  // each x^ is 0

    void add(double x, double stored) {
        nonZero += x != 0 ? 1 : 0;
        flushed += x != 0 && stored == 0 ? 1 : 0;
        isZero = isZero && stored == 0;
        if (!std::isfinite(x) || !std::isfinite(stored)) return;
        signal += x * x;
        error += (x - stored) * (x - stored);
    }
};

/// The worst figures of the blocks in each cell.
BlockMap mapOf(MatrixShape grid, const std::vector<Sums>& blocks, const std::vector<double>& scales, std::int64_t mostCells) {
    const auto perCell = [&](std::int64_t count) { return (count + mostCells - 1) / mostCells; };
    BlockMap map{.blockRowsPerCell = perCell(grid.rows), .blockColsPerCell = perCell(grid.cols), .sqnr = {}, .flushed = {}};
    map.rows = static_cast<std::int32_t>((grid.rows + map.blockRowsPerCell - 1) / map.blockRowsPerCell);
    map.cols = static_cast<std::int32_t>((grid.cols + map.blockColsPerCell - 1) / map.blockColsPerCell);
    map.sqnr.assign(static_cast<std::size_t>(std::int64_t{map.rows} * map.cols), NAN);
    map.flushed.assign(map.sqnr.size(), 0);
    for (std::int64_t i = 0; i < grid.count(); ++i) {
        const Sums& block = blocks[static_cast<std::size_t>(i)];
        const auto cell = static_cast<std::size_t>(i / grid.cols / map.blockRowsPerCell * map.cols + i % grid.cols / map.blockColsPerCell);
        const bool isBroken = std::isnan(scales[static_cast<std::size_t>(i)]);
        const auto sqnr = static_cast<float>(isBroken ? -INFINITY : decibels(block.signal, block.error));
        map.sqnr[cell] = std::fmin(map.sqnr[cell], sqnr);  // ignores NaN
        if (block.nonZero == 0) continue;
        map.flushed[cell] = std::max(map.flushed[cell], static_cast<float>(block.flushed) / static_cast<float>(block.nonZero));
    }
    return map;
}

/// Stored scales as numbers; fp32 ones are little-endian.
std::vector<double> scalesIn(const BlockFormat& format, std::span<const std::byte> stored, std::size_t count) {
    const std::size_t bytes = facts(format.scale).storageBytes();
    std::vector<double> scales(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t code = 0;
        for (std::size_t k = 0; k < bytes; ++k) code |= std::to_integer<std::uint32_t>(stored[i * bytes + k]) << (8 * k);
        scales[i] = static_cast<double>(decodeBits(format.scale, code));
    }
    return scales;
}

void countScales(const std::vector<double>& scales, OperandBlocks& found) {
    std::map<std::int32_t, std::int64_t> bins;
    for (const double scale : scales) {
        found.zeroScales += scale == 0 ? 1 : 0;
        found.nanScales += std::isnan(scale) ? 1 : 0;
        if (scale == 0 || std::isnan(scale)) continue;
        ++bins[std::ilogb(scale)];
        found.smallestScale = found.smallestScale == 0 ? scale : std::min(found.smallestScale, scale);
        found.largestScale = std::max(found.largestScale, scale);
    }
    for (const auto& [exponent, blocks] : bins) found.scales.push_back({exponent, blocks});
}

}  // namespace

OperandBlocks blockStatistics(const QuantizeBlocksDesc& desc, std::span<const float> source, std::span<const std::byte> stored,
                              double factor, std::int64_t mostCells) {
    const BlockFormat& format = desc.format;
    const MatrixShape shape = desc.shape, grid = format.scales(shape);
    OperandBlocks found{.format = std::string(format.name),
                        .rows = shape.rows,
                        .cols = shape.cols,
                        .blockRows = format.block.rows,
                        .blockCols = format.block.cols,
                        .isRequantized = desc.source.has_value(),
                        .isRotated = desc.isRotated,
                        .isStochastic = desc.rounding == Rounding::Stochastic,
                        .blocks = grid.count(),
                        .factor = factor};
    std::vector<float> numbers(source.begin(), source.end());
    for (float& x : numbers) x = roundTo(Dtype::BF16, x);
    found.largest = largestFinite(numbers);
    if (desc.isRotated) {
        rotateColumns(shape, numbers);
        found.largestRotated = largestFinite(numbers);
    }

    const std::array<double, 256> elements = numbersOf(format.element);
    const std::int64_t width = facts(format.element).storageBits;
    const auto codes = stored.first(static_cast<std::size_t>(format.packedBytes(shape)));
    const std::vector<double> scales = scalesIn(format, stored.subspan(codes.size()), static_cast<std::size_t>(grid.count()));
    countScales(scales, found);

    const double largestElement = facts(format.element).maxFinite * (format.hasFp32Scales() ? 1 + 0x1p-22 : 1);
    std::vector<Sums> blocks(scales.size());
    Sums all;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        const auto block = static_cast<std::size_t>(i / shape.cols / format.block.rows * grid.cols + i % shape.cols / format.block.cols);
        const double x = static_cast<double>(numbers[static_cast<std::size_t>(i)]), scale = scales[block] * factor;
        const double number = elements[packedCode(codes, i, width)] * scale;
        blocks[block].add(x, number);
        all.add(x, number);
        found.saturated += scale != 0 && std::abs(x) > largestElement * scale ? 1 : 0;  // false for NaN
    }
    found.nonZero = all.nonZero;
    found.flushed = all.flushed;
    found.zeroBlocks = std::count_if(blocks.begin(), blocks.end(), [](const Sums& block) { return block.isZero; });
    found.sqnr = decibels(all.signal, all.error);
    found.map = mapOf(grid, blocks, scales, mostCells);
    return found;
}

namespace {

constexpr std::int64_t kManyOperands = 256, kFewCells = 32;  // keeps an answer within a frame of the wire

/// A quantised operand in the plan.
struct PlannedOperand {
    const Instruction* instruction = nullptr;
    const QuantizeBlocksDesc* desc = nullptr;
    std::vector<Direction> products;
    LinearOperand operand = LinearOperand::Input;
};

/// y = x w^T, dx = dy w, dw = dy^T x.
Direction directionOf(const MatmulDesc& product) {
    return product.transposeB ? Direction::Forward : product.transposeA ? Direction::WeightGrad : Direction::InputGrad;
}

LinearOperand operandOf(Direction product, bool isFirst) {
    if (isFirst) return product == Direction::Forward ? LinearOperand::Input : LinearOperand::OutputGradient;
    return product == Direction::WeightGrad ? LinearOperand::Input : LinearOperand::Weight;
}

/// By instruction.
std::map<std::int64_t, PlannedOperand> plannedOperands(const Plan& plan) {
    std::map<std::int64_t, PlannedOperand> planned;
    std::map<int, PlannedOperand*> byBuffer;
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        const Instruction& instruction = plan.instructions[i];
        if (const auto* desc = std::get_if<QuantizeBlocksDesc>(&instruction.operation)) {
            PlannedOperand& operand = planned[static_cast<std::int64_t>(i)];
            operand.instruction = &instruction;
            operand.desc = desc;
            byBuffer[instruction.operands[1]] = &operand;
        }
        const auto* product = std::get_if<MatmulDesc>(&instruction.operation);
        if (product == nullptr) continue;
        for (const std::size_t which : {0u, 1u}) {
            const auto read = byBuffer.find(instruction.operands[which]);
            if (read == byBuffer.end()) continue;
            PlannedOperand& operand = *read->second;
            const Direction direction = directionOf(*product);
            operand.operand = operandOf(direction, which == 0);
            if (std::find(operand.products.begin(), operand.products.end(), direction) == operand.products.end())
                operand.products.push_back(direction);
        }
    }
    return planned;
}

/// "layers.0.weight" of the quantised copy's name "layers.0.weight as nvfp4 in blocks of 1x16"; also of "layers.0.weight again as ...",
/// which a checkpointed block recomputes.
std::string quantizedTensor(const Plan& plan, const Instruction& instruction) {
    const std::string& name = plan.buffers[static_cast<std::size_t>(instruction.operands[1])].name;
    const std::string tensor = name.substr(0, name.find(" as "));
    return tensor.substr(0, tensor.rfind(" again"));
}

/// Whether both are the same operand, of two micro-batches or because a checkpointed block computes it again.
bool isSameOperand(const OperandBlocks& a, const OperandBlocks& b) {
    return a.tensor == b.tensor && a.layer == b.layer && a.operand == b.operand && a.format == b.format && a.blockRows == b.blockRows &&
           a.blockCols == b.blockCols && a.isRequantized == b.isRequantized && a.isRotated == b.isRotated &&
           a.isStochastic == b.isStochastic;
}

/// Element times scale of a stored matrix.
std::vector<float> numbersOf(const BlockFormat& format, MatrixShape shape, std::span<const std::byte> stored) {
    const std::vector<double> scales = scalesIn(format, stored.subspan(static_cast<std::size_t>(format.packedBytes(shape))),
                                                static_cast<std::size_t>(format.scales(shape).count()));
    const std::array<double, 256> elements = numbersOf(format.element);
    std::vector<float> numbers(static_cast<std::size_t>(shape.count()));
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        const std::int64_t block = i / shape.cols / format.block.rows * format.scales(shape).cols + i % shape.cols / format.block.cols;
        numbers[static_cast<std::size_t>(i)] = static_cast<float>(elements[packedCode(stored, i, facts(format.element).storageBits)] *
                                                                  scales[static_cast<std::size_t>(block)]);
    }
    return numbers;
}

std::vector<OperandBlocks> readBlocksOfStep(Trainer& trainer) {
    const Plan& plan = trainer.plan();
    const std::map<std::int64_t, PlannedOperand> planned = plannedOperands(plan);
    if (planned.empty())
        throw std::invalid_argument("step " + std::to_string(trainer.nextStep()) + " quantises nothing to blocks: its precision is " +
                                    plan.policy.name);
    const std::int64_t mostCells = static_cast<std::int64_t>(planned.size()) > kManyOperands ? kFewCells : kMostMapCells;
    std::vector<OperandBlocks> all;
    const Trainer::Observer observer{.after = [&](Executor& executor, Queue& queue, std::int64_t at) {
        const auto one = planned.find(at);
        if (one == planned.end()) return;
        const PlannedOperand& operand = one->second;
        const std::vector<int>& buffers = operand.instruction->operands;
        QuantScale scale;
        std::memcpy(&scale, executor.bytes(queue, buffers[2]).data(), sizeof scale);
        const std::vector<float> source = operand.desc->source
                                              ? numbersOf(*operand.desc->source, operand.desc->shape, executor.bytes(queue, buffers[0]))
                                              : executor.values(queue, buffers[0]);
        OperandBlocks found =
            blockStatistics(*operand.desc, source, executor.bytes(queue, buffers[1]), static_cast<double>(scale.inverse), mostCells);
        found.tensor = quantizedTensor(plan, *operand.instruction);
        found.layer = operand.instruction->layer;
        found.operand = operand.operand;
        found.products = operand.products;
        const auto before = std::find_if(all.begin(), all.end(), [&](const OperandBlocks& each) { return isSameOperand(each, found); });
        if (before == all.end()) return void(all.push_back(std::move(found)));
        for (const Direction product : before->products) {
            if (std::find(found.products.begin(), found.products.end(), product) == found.products.end()) found.products.push_back(product);
        }
        std::sort(found.products.begin(), found.products.end());
        *before = std::move(found);
    }};
    trainer.tryStep(&observer);
    return all;
}

}  // namespace

std::vector<OperandBlocks> readBlocks(Trainer& trainer) {
    return thenRestore(trainer, [&] { return readBlocksOfStep(trainer); });
}

}  // namespace mantissa
