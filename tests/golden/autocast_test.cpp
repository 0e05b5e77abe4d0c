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
    return {{"mlp", mlp("relu")},
            {"mlp", mlp("gelu")},
            {"mlp", mlp("sigmoid")},
            {"mlp-smoothing", mlp("relu", 0.1)},
            {"mlp-float", mlp("relu")},
            {"mlp-float-smoothing", mlp("relu", 0.1)},
            {"autoencoder", {.kind = "autoencoder", .hidden = {24}, .activation = "tanh", .code = 6}},
            {"gpt", gpt},
            {"gpt-flash", fused(gpt)},
            {"llama", llama},
            {"llama-flash", fused(llama)},
            {"resnet", {.kind = "resnet", .depth = 14}}};
}

/// What an instruction reads and writes.
struct Signature {
    std::string phase, role, name;
    Formats in, out;
    bool rounds = false;  // to the low format, in the end
    bool operator<(const Signature& other) const {
        return std::tie(phase, role, name, in, out, rounds) < std::tie(other.phase, other.role, other.name, other.in, other.out, other.rounds);
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

class Autocast : public testing::TestWithParam<const char*> {
protected:
    Autocast() : m_low(GetParam() == std::string("bf16") ? Dtype::BF16 : Dtype::F16) {}

    Plan planOf(const ModelSettings& model) const {
        TrainingSettings settings{.model = model};
        settings.data = {.name = "digits", .batchSize = 7};
        if (takesTokens(model.kind)) settings.data = {.name = "opticks", .batchSize = 3, .context = 12};
        settings.precision.policy = GetParam();
        return buildPlans(settings, shapeOf(*loadDataset(settings.data)), *m_backend).training;
    }

    /// What keeps an instruction from being this chain of operations; empty: nothing.
    std::string differenceFrom(const Mapping& mapping, const std::vector<TraceRow>& trace, const Signature& ours, const Plan& plan,
                               const Instruction& instruction, const ModelSettings& model) const {
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
        if (isWide(ours.in) && !isWide(first->in)) return first->op + " reads " + joined(first->in);
        for (std::size_t i = 0; i < std::min(ours.out.size(), last->out.size()); ++i) {
            if (ours.out[i] != last->out[i]) return last->op + " writes " + joined(last->out);
        }
        const bool isProduct = isOneOf(first->op, "mm|addmm|bmm|convolution|convolution_backward");
        if (isProduct && (first->in.front() == "low") != (instruction.compute == m_low)) return "operands of another format";
        if (mapping.probe == nullptr) return roundings == int{ours.rounds} ? "" : std::to_string(roundings) + " roundings";
        const Ran ran = runOf(plan, instruction, *m_backend, m_low, model.labelSmoothing);
        return mapping.probe(ran, instruction) ? "" : "its numbers are not those of these roundings";
    }

    Dtype m_low;
    std::shared_ptr<Backend> m_backend = createCpuBackend();
};

TEST_P(Autocast, APlanUsesTheFormatsOfPyTorchsDispatcher) {
    const std::vector<Mapping> table = mappings();
    const std::vector<Deviation> listed = deviations();
    std::set<std::size_t> used, seen;
    for (const Case& one : cases()) {
        const std::vector<TraceRow> trace = traceOf(std::string(MANTISSA_GOLDEN_DIR) + "/autocast-trace.json", one.trace, GetParam());
        ASSERT_FALSE(trace.empty()) << one.trace;
        const Plan plan = planOf(one.model);
        std::set<Signature> checked;
        for (std::int64_t i = 0; i < plan.backwardEnd; ++i) {
            const Instruction& instruction = plan.instructions[static_cast<std::size_t>(i)];
            if (isOneOf(instruction.name, "gather|keep_statistics")) continue;
            const Signature ours = signatureOf(plan, instruction);
            if (!checked.insert(ours).second) continue;
            std::string differences;
            bool isFound = false;
            for (std::size_t row = 0; row < table.size() && !isFound; ++row) {
                const Mapping& m = table[row];
                if (m.phase != ours.phase || m.instruction != ours.name || (!m.role.empty() && m.role != ours.role)) continue;
                if (!m.models.empty() && !isOneOf(one.trace, m.models)) continue;
                const std::string difference = differenceFrom(m, trace, ours, plan, instruction, one.model);
                isFound = difference.empty();
                if (isFound) used.insert(row);
                differences += "\n  " + difference;
            }
            if (isFound) continue;
            std::size_t deviation = 0;
            while (deviation < listed.size() && !(listed[deviation].instruction == ours.name &&
                                                  (listed[deviation].models.empty() || isOneOf(one.trace, listed[deviation].models))))
                ++deviation;
            if (deviation < listed.size())
                seen.insert(deviation);
            else
                ADD_FAILURE() << one.trace << ": " << ours << differences;
        }
    }
    for (std::size_t i = 0; i < listed.size(); ++i)
        EXPECT_TRUE(seen.count(i)) << "no longer deviates: " << listed[i].models << " " << listed[i].instruction;
    for (std::size_t i = 0; i < table.size(); ++i)
        EXPECT_TRUE(used.count(i)) << "nothing is " << table[i].models << " " << table[i].phase << " " << table[i].instruction;
}

INSTANTIATE_TEST_SUITE_P(, Autocast, testing::Values("fp16", "bf16"), [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace mantissa
