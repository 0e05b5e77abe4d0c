// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/product_rate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/plan/executor.h"
#include "kernels/dtype/rounding.h"
#include "kernels/random/philox.h"

namespace mantissa {
namespace {

constexpr std::int64_t kFirstSize = 256, kLargestSize = 8192;
constexpr double kLongEnough = 2e-3;  // seconds: far above a launch; the next size takes about eight times as long
constexpr int kRepeats = 4;

template <typename... Products>
bool isAmong(const OperationDesc& operation) {
    return (std::holds_alternative<Products>(operation) || ...);
}

/// A linear layer's product under a policy in this format.
MatmulDesc squareProduct(std::int64_t size, Dtype compute) {
    const Dtype stored = compute == Dtype::TF32 ? Dtype::F32 : compute;
    return {.m = size,
            .n = size,
            .k = size,
            .transposeB = true,
            .a = stored,
            .b = stored,
            .out = isFp8(compute) ? Dtype::BF16 : stored,
            .compute = compute,
            .isScaled = isFp8(compute)};
}

/// Varied numbers: a GPU multiplies zeros at a higher clock than other values.
void fill(Backend& backend, Queue& queue, const DeviceMemory& memory, std::int64_t count, Dtype dtype) {
    constexpr std::size_t kElements = 65536;  // then repeated
    const std::size_t width = facts(dtype).storageBytes(), all = static_cast<std::size_t>(count) * width;
    std::vector<std::byte> bytes(std::min(kElements * width, all));
    for (std::size_t at = 0; at < bytes.size(); at += width) {
        const std::uint32_t random = philox4x32({{static_cast<std::uint32_t>(at)}}, 0, 0).word[0];
        const std::uint32_t code = encodeBits(dtype, static_cast<float>(random >> 8) * 0x1p-23f - 1);
        std::memcpy(bytes.data() + at, &code, width);
    }
    for (std::size_t at = 0; at < all; at += bytes.size())
        backend.copyIn(queue, static_cast<std::byte*>(memory.data()) + at, bytes.data(), std::min(bytes.size(), all - at));
}

/// Seconds of one product, the minimum of several runs.
double secondsOf(Backend& backend, Queue& queue, const MatmulDesc& desc) {
    const auto bytesOf = [&](Dtype dtype) { return desc.m * desc.n * static_cast<std::int64_t>(facts(dtype).storageBytes()); };
    constexpr const char* kPurpose = "a product that is timed";
    const DeviceMemory a(backend, bytesOf(desc.a), kPurpose), b(backend, bytesOf(desc.b), kPurpose),
        c(backend, bytesOf(desc.out), kPurpose), scales(backend, sizeof(QuantScale), kPurpose),
        workspace(backend, static_cast<std::int64_t>(backend.workspaceBytes(desc)), kPurpose);
    fill(backend, queue, a, desc.m * desc.k, desc.a);
    fill(backend, queue, b, desc.n * desc.k, desc.b);
    const auto product = backend.prepare(desc);
    std::vector<void*> operands{a.data(), b.data()};
    if (desc.isScaled) operands.insert(operands.end(), {scales.data(), scales.data()});
    operands.insert(operands.end(), {c.data(), workspace.data()});
    double best = 0;
    for (int repeat = 0; repeat <= kRepeats; ++repeat) {
        queue.mark(Queue::Mark::Begin);
        product->enqueue(queue, operands);
        queue.mark(Queue::Mark::End);
        queue.wait();
        const double seconds = queue.secondsBetweenMarks();
        if (repeat > 0) best = repeat == 1 ? seconds : std::min(best, seconds);  // the first one initialises libraries
        if (repeat > 0 && seconds > kLongEnough * kRepeats) break;
    }
    return best;
}

double measure(Backend& backend, Dtype compute) {
    const auto queue = backend.createQueue();
    double best = 0;
    for (std::int64_t size = kFirstSize; size <= kLargestSize; size *= 2) {
        const MatmulDesc desc = squareProduct(size, compute);
        if (!backend.supports(desc).supported || 16 * size * size > backend.availableBytes()) break;
        const double seconds = secondsOf(backend, *queue, desc);
        constexpr double kTera = 1e12;
        if (seconds > 0) best = std::max(best, 2.0 * static_cast<double>(size * size) * static_cast<double>(size) / seconds / kTera);
        if (seconds >= kLongEnough) break;
    }
    return best;
}

struct Measured {
    std::mutex mutex;
    std::map<std::pair<std::string, Dtype>, double> rates;
};
Measured& measured() {
    static Measured all;
    return all;
}

/// A product with an operand in a block format; null: the instruction is none.
const MatmulDesc* blockProduct(const Instruction& instruction) {
    const auto* const product = std::get_if<MatmulDesc>(&instruction.operation);
    return product && (product->aBlocks || product->bBlocks) ? product : nullptr;
}

}  // namespace

bool isProductOperation(const OperationDesc& operation) {
    return isAmong<MatmulDesc, BatchedMatmulDesc, Convolution2dDesc, Convolution2dInputGradDesc, Convolution2dWeightGradDesc,
                   FusedAttentionDesc, FusedAttentionGradDesc>(operation);
}

bool hasBlockProducts(const Plan& plan) {
    return std::any_of(plan.instructions.begin(), plan.instructions.end(),
                       [](const Instruction& each) { return blockProduct(each) != nullptr; });
}

bool decodesBlocks(const Plan& plan, const Backend& backend) {
    return std::any_of(plan.instructions.begin(), plan.instructions.end(), [&](const Instruction& each) {
        const MatmulDesc* const product = blockProduct(each);
        return product != nullptr && !backend.blockMultiplication(*product).isNative;
    });
}

ProductWork productWork(const Plan& plan) {
    ProductWork work;
    std::map<Dtype, double> flops;
    for (const Instruction& instruction : plan.instructions) {
        if (!isProductOperation(instruction.operation)) continue;
        flops[isFp8(instruction.compute) ? Dtype::E4M3 : instruction.compute] += instruction.flops;
        work.flops += instruction.flops;
    }
    const auto isLess = [](const auto& a, const auto& b) { return a.second < b.second; };
    if (const auto most = std::max_element(flops.begin(), flops.end(), isLess); most != flops.end()) work.compute = most->first;
    return work;
}

double measurePeak(Backend& backend, Dtype compute) {
    if (const auto known = knownPeak(backend, compute)) return *known;
    double rate = 0;
    try {
        rate = measure(backend, compute);
    } catch (const std::exception&) {  // unknown: runs use the memory, or the product is unsupported
    }
    const std::lock_guard lock(measured().mutex);
    return measured().rates.try_emplace({backend.device().name, compute}, rate).first->second;
}

std::optional<double> knownPeak(const Backend& backend, Dtype compute) {
    const std::lock_guard lock(measured().mutex);
    const auto found = measured().rates.find({backend.device().name, compute});
    if (found == measured().rates.end()) return {};
    return found->second;
}

}  // namespace mantissa
