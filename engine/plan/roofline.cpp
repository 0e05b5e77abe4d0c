// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/roofline.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <variant>

#include "engine/plan/product_rate.h"

namespace mantissa {
namespace {

// Measured on an H200 in a bf16 step of GPT-2 124M, by ncu, each kernel alone with cold caches: products in 17.3 ms, attention with its
// gradient in 4.8 ms, AdamW at 3.9 TB/s.
constexpr double kShareOfProducts = 0.7, kShareOfAttention = 0.23, kShareOfMemory = 0.83;

/// The number of elements in the 16 bytes that a tensor core reads at a time.
std::int64_t alignmentOf(Dtype compute) {
    return isFp8(compute) ? 16 : compute == Dtype::TF32 ? 4 : 8;
}
template <typename Product>
bool isUnaligned(const Product& product) {
    const std::int64_t step = alignmentOf(product.compute);
    return product.m % step != 0 || product.n % step != 0 || product.k % step != 0;
}
bool isUnaligned(const Convolution2dDesc& convolution) {
    const std::int64_t step = alignmentOf(convolution.compute) * convolution.groups;
    return convolution.inChannels % step != 0 || convolution.outChannels % step != 0;
}

InstructionTime timeOf(const Instruction& instruction, const GpuRates& gpu) {
    const OperationDesc& operation = instruction.operation;
    const bool isAttention =
        std::holds_alternative<FusedAttentionDesc>(operation) || std::holds_alternative<FusedAttentionGradDesc>(operation);
    const double share = isAttention ? kShareOfAttention : kShareOfProducts;
    const double products =
        isProductOperation(operation) ? instruction.flops / (share * gpu.tflops(substitute(gpu, instruction.compute)) * 1e12) : 0;
    const double memory = instruction.bytes / (kShareOfMemory * gpu.memory * 1e12);
    const double work = std::max(products, memory), launch = instruction.isFollower ? 0 : kLaunchSeconds;
    return {.seconds = work + launch,
            .limit = work < launch       ? TimeLimit::Launch
                     : products > memory ? TimeLimit::Compute
                                         : TimeLimit::Memory};
}

/// The seconds of each group of instructions, by its number.
std::map<int, double> secondsOfGroups(const Plan& plan, const std::vector<InstructionTime>& times) {
    std::map<int, double> seconds;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (const int group = plan.instructions[i].group; group >= 0) seconds[group] += times[i].seconds;
    return seconds;
}

OperationKind kindOf(const OperationDesc& operation) {
    if (isProductOperation(operation)) return OperationKind::Product;
    const bool isConversion = std::holds_alternative<CastDesc>(operation) || std::holds_alternative<QuantizeDesc>(operation) ||
                              std::holds_alternative<QuantizeBlocksDesc>(operation);
    return isConversion ? OperationKind::Conversion : OperationKind::Other;
}

/// How often a step runs an instruction.
std::int64_t repeatsOf(const Plan& plan, std::size_t instruction, std::int64_t microBatches) {
    const auto index = static_cast<std::int64_t>(instruction);
    if (plan.instructions[instruction].isStatistics) return 0;
    return index >= plan.prologueEnd && index < plan.backwardEnd ? microBatches : 1;
}

/// What limits the step, whether it was measured or predicted.
std::vector<Text> notesOfLimits(const StepTimes& times) {
    if (!(times.seconds > 0)) return {};
    if (times.shortSeconds > 0.5 * times.seconds)
        return {
            times.isMeasured()
                ? "Most of the time goes to operations of less than 5 µs, which a narrower format does not shorten: the tensors are too "
                  "small for this device. A larger batch or wider layers use it better."_text
                : "The tensors are too small for this GPU: most of the time goes to the launch of kernels, which a narrower format does "
                  "not shorten. A larger batch or wider layers use it better."_text};
    if (const double others = times.seconds - times.secondsOf(OperationKind::Product); others > 0.5 * times.seconds)
        return {Text("Products take %1 of the time: if they took none, the step would be %2 times as fast."_text,
                     Percent{1 - others / times.seconds}, Figure{times.seconds / others, 3}) +
                "A narrower format helps the other operations only as far as it makes their tensors smaller."_text};
    if (times.byLimit[static_cast<std::size_t>(TimeLimit::Memory)] > 0.5 * times.seconds)
        return {"Most of the time goes to reading and writing memory: a narrower format helps as far as it makes tensors smaller."_text};
    return {};
}

/// Why the tensor cores of a GPU do less than they could.
std::vector<Text> notesOfTensorCores(const Plan& plan, const StepTimes& times, const std::function<Dtype(Dtype)>& used) {
    std::vector<Text> notes;
    double fp32 = 0;
    for (const OperationTime& each : times.operations) {
        const bool isComputed = each.kind == OperationKind::Product && (times.isMeasured() || each.limit == TimeLimit::Compute);
        fp32 += isComputed && used(each.compute) == Dtype::F32 ? each.seconds / times.seconds : 0;
    }
    if (fp32 > 0.1) notes.push_back({"Products in fp32 use no tensor cores: %1 of the time."_text, Percent{fp32}});
    if (const std::int64_t unaligned = unalignedProducts(plan); unaligned > 0)
        notes.push_back(counted(
            unaligned, "%1 product has a dimension that is not a multiple of 8 (16 in fp8, 4 in tf32), which tensor cores pad."_text,
            "%1 products have a dimension that is not a multiple of 8 (16 in fp8, 4 in tf32), which tensor cores pad."_text));
    return notes;
}

/// How the plan's products form their sums.
Accumulator accumulatorOf(const Plan& plan) {
    for (const Instruction& instruction : plan.instructions) {
        const Accumulator accumulator = std::visit(
            [](const auto& each) {
                if constexpr (requires { each.accumulator; }) return each.accumulator;
                return Accumulator::Fp32;
            },
            instruction.operation);
        if (accumulator != Accumulator::Fp32) return accumulator;
    }
    return Accumulator::Fp32;
}

void append(std::vector<Text>& notes, std::vector<Text> more) {
    notes.insert(notes.end(), more.begin(), more.end());
}

std::set<Dtype> productFormats(const StepTimes& times) {
    std::set<Dtype> formats;
    for (const OperationTime& each : times.operations)
        if (each.kind == OperationKind::Product) formats.insert(each.compute);
    return formats;
}

}  // namespace

std::string_view limitName(TimeLimit limit) {
    switch (limit) {
        case TimeLimit::Compute:
            return "compute";
        case TimeLimit::Memory:
            return "memory";
        case TimeLimit::Launch:
            return "launch";
    }
    return "";
}

std::vector<InstructionTime> predictTimes(const Plan& plan, const GpuRates& gpu, std::int64_t microBatches) {
    std::vector<InstructionTime> times;
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        times.push_back(timeOf(plan.instructions[i], gpu));
        times.back().repeats = repeatsOf(plan, i, microBatches);
    }
    // The launch limits a group as a whole, or none of its parts.
    const std::map<int, double> ofGroups = secondsOfGroups(plan, times);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const int group = plan.instructions[i].group;
        if (group < 0) continue;
        if (ofGroups.at(group) < 2 * kLaunchSeconds) {
            times[i].limit = TimeLimit::Launch;
        } else if (times[i].limit == TimeLimit::Launch) {
            times[i].limit = TimeLimit::Memory;
        }
    }
    return times;
}

std::vector<InstructionTime> measuredTimes(const Plan& plan, std::span<const double> seconds, std::int64_t microBatches) {
    std::vector<InstructionTime> times;
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        InstructionTime& time = times.emplace_back();
        time.repeats = repeatsOf(plan, i, microBatches);
        if (time.repeats > 0) time.seconds = seconds[i] / static_cast<double>(time.repeats);
    }
    return times;
}

StepTimes timesByOperation(const Plan& plan, const std::vector<InstructionTime>& times) {
    StepTimes sum;
    std::vector<SecondsByLimit> limits;  // of sum.operations
    const std::map<int, double> ofGroups = secondsOfGroups(plan, times);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i].repeats == 0) continue;
        const Instruction& instruction = plan.instructions[i];
        OperationTime like{.operation = instruction.name, .kind = kindOf(instruction.operation)};
        if (like.kind == OperationKind::Product) like.compute = instruction.compute;
        const OperationTime* found = sum.find(like);
        const auto place = static_cast<std::size_t>(found ? found - sum.operations.data() : std::ssize(sum.operations));
        if (!found) sum.operations.push_back(like), limits.emplace_back();
        OperationTime& row = sum.operations[place];
        const auto repeats = static_cast<double>(times[i].repeats);
        const double seconds = times[i].seconds * repeats;
        row.runs += times[i].repeats;
        row.flops += instruction.flops * repeats;
        row.bytes += instruction.bytes * repeats;
        row.seconds += seconds;
        sum.seconds += seconds;
        if ((instruction.group < 0 ? times[i].seconds : ofGroups.at(instruction.group)) < kShortSeconds) sum.shortSeconds += seconds;
        for (SecondsByLimit* each : {&limits[place], &sum.byLimit}) (*each)[static_cast<std::size_t>(times[i].limit)] += seconds;
        row.limit = static_cast<TimeLimit>(std::max_element(limits[place].begin(), limits[place].end()) - limits[place].begin());
    }
    std::stable_sort(sum.operations.begin(), sum.operations.end(),
                     [](const OperationTime& a, const OperationTime& b) { return a.seconds > b.seconds; });
    return sum;
}

StepTimes predictStep(const Plan& plan, const GpuRates& gpu, std::int64_t microBatches) {
    StepTimes times = timesByOperation(plan, predictTimes(plan, gpu, microBatches));
    times.device = gpu.name;
    times.shortSeconds = times.byLimit[static_cast<std::size_t>(TimeLimit::Launch)];
    times.notes = notesOfLimits(times);
    for (const Dtype format : productFormats(times)) {
        if (const Dtype used = substitute(gpu, format); used != format)
            times.notes.push_back({"This GPU has no instructions for products in %1; the prediction uses the rate of %2."_text,
                                   std::string(facts(format).name), std::string(facts(used).name)});
    }
    if (hasBlockProducts(plan))
        times.notes.push_back("The time to decode block formats, if the GPU does not multiply their codes, is not predicted."_text);
    append(times.notes, notesOfTensorCores(plan, times, [&](Dtype format) { return substitute(gpu, format); }));
    return times;
}

double predictStatistics(const Plan& plan, const GpuRates& gpu) {
    double seconds = 0;
    for (const Instruction& each : plan.instructions) seconds += each.isStatistics ? timeOf(each, gpu).seconds : 0;
    return seconds;
}

std::vector<Text> notesOfMeasured(const Plan& plan, const StepTimes& times, const Backend& backend) {
    if (!(times.seconds > 0)) return {};
    std::vector<Text> notes = notesOfLimits(times);
    const auto used = [&](Dtype format) { return backend.isNative(format) ? format : Dtype::F32; };
    for (const Dtype format : productFormats(times)) {
        if (used(format) != format)
            notes.push_back(
                {"This device computes products in %1 with fp32 arithmetic and rounds their results, so they are not faster "
                 "than in fp32."_text,
                 std::string(facts(format).name)});
    }
    if (decodesBlocks(plan, backend))
        notes.push_back("This device decodes operands in block formats before it multiplies them, so their products are not faster."_text);
    if (const double conversions = times.secondsOf(OperationKind::Conversion) / times.seconds; conversions > 0.1)
        notes.push_back({"Conversions between formats take %1 of the time. A step in fp32 has none."_text, Percent{conversions}});
    double products = 0, atPeak = 0;
    for (const OperationTime& each : times.operations) {
        if (each.peakTflops > 0) products += each.seconds, atPeak += each.flops / (each.peakTflops * 1e12);
    }
    if (const Accumulator accumulator = accumulatorOf(plan); accumulator != Accumulator::Fp32)
        notes.push_back(
            {"The sums of matrix products are emulated (accumulator %1), which takes most of their time and says nothing about such a GPU."_text,
             std::string(accumulatorName(accumulator))});
    else if (products > 0 && atPeak < 0.5 * products)
        notes.push_back({"The matrix products reach %1 of the rate of one large product: larger tensors use the device better."_text,
                         Percent{atPeak / products}});
    if (!backend.device().busId.empty()) append(notes, notesOfTensorCores(plan, times, used));
    if (const double outside = 1 - times.seconds / times.stepSeconds; outside > 0.1)
        notes.push_back(
            {"%1 of the step passes between its operations, for example to start them and to read results."_text, Percent{outside}});
    return notes;
}

Dtype substitute(const GpuRates& gpu, Dtype compute) {
    if (gpu.tflops(compute) > 0) return compute;
    return isFp8(compute) ? Dtype::F16 : Dtype::F32;
}

std::int64_t unalignedProducts(const Plan& plan) {
    return std::count_if(plan.instructions.begin(), plan.instructions.end(), [](const Instruction& instruction) {
        if (instruction.compute == Dtype::F32) return false;
        return std::visit(
            [](const auto& each) {
                if constexpr (requires { each.m, each.n, each.k, each.compute; }) return isUnaligned(each);
                if constexpr (requires { each.inChannels; }) return isUnaligned(each);
                if constexpr (requires { each.forward.inChannels; }) return isUnaligned(each.forward);
                return false;
            },
            instruction.operation);
    });
}

}  // namespace mantissa
