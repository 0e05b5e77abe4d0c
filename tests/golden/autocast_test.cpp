// SPDX-License-Identifier: Apache-2.0
// The plan computes and stores in the formats that PyTorch's dispatcher uses under CUDA autocast, forward and backward: trace_autocast.py
// recorded those, autocast_table.h says which instruction stands for which operations and lists what deviates.
#include <gtest/gtest.h>

#include <set>

#include "engine/training/build_plan.h"
#include "tests/golden/autocast_table.h"

namespace mantissa {
namespace {

using namespace test;

struct Case {
    std::string trace;
    ModelSettings model;
    LossSettings loss = {};
};

std::vector<Case> cases() {
    const auto mlp = [](const char* activation, double labelSmoothing = 0) {
        return ModelSettings{.kind = "mlp", .hidden = {24, 24}, .activation = activation, .labelSmoothing = labelSmoothing};
    };
    const ModelSettings gpt{.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 16};
    const ModelSettings llama{.kind = "llama", .nLayer = 2, .nHead = 4, .nEmbd = 16, .tieWeights = false, .nKvHead = 2, .nInner = 24};
    const auto fused = [](ModelSettings model) {
        model.attention = "fused";
        return model;
    };
    const LossSettings wide{"fp32"};  // logits.float()
    return {{"mlp", mlp("relu")},
            {"mlp", mlp("gelu")},
            {"mlp", mlp("sigmoid")},
            {"mlp-smoothing", mlp("relu", 0.1)},
            {"mlp-float", mlp("relu"), wide},
            {"mlp-float-smoothing", mlp("relu", 0.1), wide},
            {"autoencoder", {.kind = "autoencoder", .hidden = {24}, .activation = "tanh", .code = 6}},
            {"gpt", gpt},
            {"gpt-flash", fused(gpt)},
            {"llama", llama, wide},
            {"llama-flash", fused(llama), wide},
            {"resnet", {.kind = "resnet", .depth = 14}}};
}

/// What an instruction reads and writes.
struct Signature {
    std::string phase, role, name;
    Formats in, out;
    bool rounds = false;  // to the low format, in the end
    bool operator<(const Signature& other) const {
        return std::tie(phase, role, name, in, out, rounds) <
               std::tie(other.phase, other.role, other.name, other.in, other.out, other.rounds);
    }
};

std::ostream& operator<<(std::ostream& to, const Signature& s) {
    return to << s.phase << " " << s.role << " " << s.name << ": " << joined(s.in) << " -> " << joined(s.out);
}

Dtype widenedFrom(const OperationDesc& operation) {
    if (const auto* product = std::get_if<MatmulDesc>(&operation)) return product->result;
    if (const auto* gradient = std::get_if<Convolution2dWeightGradDesc>(&operation)) return gradient->result;
    return Dtype::F32;
}

Signature signatureOf(const Plan& plan, const Instruction& instruction) {
    Signature s{.phase = std::string(phaseName(instruction.phase)), .role = roleOf(instruction.layer), .name = instruction.name};
    std::vector<int> written{instruction.output >= 0 ? instruction.output : instruction.operands.back()};
    written.insert(written.end(), instruction.others.begin(), instruction.others.end());
    const auto formatOf = [&](int buffer) -> std::string {
        const auto dtype = plan.buffers[static_cast<std::size_t>(buffer)].dtype;
        return !dtype ? "" : *dtype == Dtype::F32 ? "fp32" : "low";
    };
    for (const int buffer : written) {
        if (!formatOf(buffer).empty()) s.out.push_back(formatOf(buffer));
    }
    const bool isInPlace = instruction.operands.front() == written.front();
    for (const int operand : instruction.operands) {
        const bool isWritten = std::find(written.begin(), written.end(), operand) != written.end();
        if (operand >= 0 && (!isWritten || isInPlace) && !formatOf(operand).empty()) s.in.push_back(formatOf(operand));
    }
    s.rounds = s.out.front() == "low" || widenedFrom(instruction.operation) != Dtype::F32;
    return s;
}

Plan planOf(const Case& one, const std::string& policy, const Backend& backend) {
    const ModelSettings& model = one.model;
    TrainingSettings settings{.model = model, .loss = one.loss};
    settings.data = {.name = "digits", .batchSize = 7};
    if (takesTokens(model.kind)) settings.data = {.name = "opticks", .batchSize = 3, .context = 12};
    settings.precision.policy = policy;
    return buildPlans(settings, shapeOf(*loadDataset(settings.data)), backend).training;
}

const std::shared_ptr<Backend> kBackend = createCpuBackend();

/// What keeps an instruction from being a mapping's operations; empty: nothing.
std::string differenceFrom(const Mapping& mapping, const std::vector<TraceRow>& trace, const Signature& ours, const Plan& plan,
                           const Instruction& instruction, Dtype low, double labelSmoothing) {
    if (mapping.steps.empty()) return ours.in.front() == ours.out.front() ? "" : "moved numbers change their format";
    const TraceRow *first = nullptr, *last = nullptr;
    int roundings = 0;
    for (const Step& step : mapping.steps) {
        last = find(trace, ours.phase, ours.role, step);
        if (last == nullptr) return step.op + " is not in the trace";
        if (first == nullptr) first = last;
        roundings += last->out.front() == "low";
    }
    const auto isWide = [](const Formats& formats) { return std::find(formats.begin(), formats.end(), "fp32") != formats.end(); };
    // What PyTorch widens before it reads it may be read as it is stored.
    if (isWide(ours.in) && !isWide(first->in)) return first->op + " reads " + joined(first->in);
    for (std::size_t i = 0; i < std::min(ours.out.size(), last->out.size()); ++i) {
        if (ours.out[i] != last->out[i]) return last->op + " writes " + joined(last->out);
    }
    const bool isProduct = isOneOf(first->op, "mm|addmm|bmm|convolution|convolution_backward");
    if (isProduct && (first->in.front() == "low") != (instruction.compute == low)) return "operands of another format";
    if (mapping.probe == nullptr) return roundings == int{ours.rounds} ? "" : std::to_string(roundings) + " roundings";
    const bool follows = mapping.probe(runOf(plan, instruction, *kBackend, low, labelSmoothing), instruction);
    return follows ? "" : "its numbers are not those of these roundings";
}

/// What the comparison of all models has met.
struct Met {
    std::set<std::size_t> mappings;
    std::set<std::pair<std::size_t, std::string>> deviations;  // and in which model
};

void compare(const Case& one, const std::string& format, Met& met) {
    static const std::vector<Mapping> table = mappings();
    static const std::vector<Deviation> listed = deviations();
    const std::vector<TraceRow> trace = traceOf(std::string(MANTISSA_GOLDEN_DIR) + "/autocast-trace.json", one.trace, format);
    const Plan plan = planOf(one, format, *kBackend);
    std::set<Signature> checked;
    for (std::int64_t i = 0; i < plan.backwardEnd; ++i) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(i)];
        if (isOneOf(instruction.name, "gather|keep_statistics")) continue;
        const Signature ours = signatureOf(plan, instruction);
        if (!checked.insert(ours).second) continue;
        std::string differences;
        std::set<std::size_t> candidates;
        bool isFound = false;
        for (std::size_t row = 0; row < table.size() && !isFound; ++row) {
            if (!table[row].concerns(one.trace, ours.phase, ours.name, ours.role)) continue;
            const Dtype low = format == "bf16" ? Dtype::BF16 : Dtype::F16;
            const std::string difference = differenceFrom(table[row], trace, ours, plan, instruction, low, one.model.labelSmoothing);
            isFound = difference.empty();
            if (isFound) candidates.clear();
            candidates.insert(row);
            differences += "\n  " + difference;
        }
        std::size_t deviation = 0;
        while (deviation < listed.size() && !listed[deviation].concerns(one.trace, ours.phase, ours.name, joined(ours.in))) ++deviation;
        const bool isListed = !isFound && deviation < listed.size();
        if (isListed) met.deviations.insert({deviation, one.trace});
        EXPECT_TRUE(isFound || isListed) << one.trace << ": " << ours << differences;
        met.mappings.merge(candidates);
    }
}

TEST(Autocast, APlanUsesTheFormatsOfPyTorchsDispatcher) {
    Met met;
    for (const std::string format : {"fp16", "bf16"}) {
        SCOPED_TRACE(format);
        met.deviations.clear();
        for (const Case& one : cases()) compare(one, format, met);
        for (std::size_t i = 0; i < deviations().size(); ++i) {
            const Deviation listed = deviations()[i];
            std::istringstream models(listed.models);
            for (std::string model; std::getline(models, model, '|');)
                EXPECT_TRUE(met.deviations.count({i, model})) << "does not deviate any more: " << model << ", " << listed.instruction;
        }
    }
    for (std::size_t i = 0; i < mappings().size(); ++i)
        EXPECT_TRUE(met.mappings.count(i)) << "nothing is " << mappings()[i].models << " " << mappings()[i].instruction;
}

TEST(AutocastProbes, ComputeWhatTheInstructionsDoWhereNothingRounds) {
    const std::vector<Mapping> table = mappings();
    std::set<std::size_t> probed, all;
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (table[row].probe != nullptr) all.insert(row);
    }
    for (const Case& one : cases()) {
        const Plan plan = planOf(one, "fp32", *kBackend);
        for (const Instruction& instruction : plan.instructions) {
            for (const std::size_t row : all) {
                if (!table[row].concerns(one.trace, std::string(phaseName(instruction.phase)), instruction.name, roleOf(instruction.layer)))
                    continue;
                const Ran ran = runOf(plan, instruction, *kBackend, Dtype::F32, one.model.labelSmoothing);
                EXPECT_TRUE(table[row].probe(ran, instruction)) << one.trace << " " << instruction.name << " of " << instruction.layer;
                probed.insert(row);
            }
        }
    }
    EXPECT_EQ(probed, all);
}

}  // namespace
}  // namespace mantissa
