// SPDX-License-Identifier: Apache-2.0
#include "engine/training/step_tensors.h"

#include <algorithm>
#include <variant>

#include "engine/plan/tensor_statistics.h"

namespace mantissa {
namespace {

void appendWeights(const Trainer& trainer, StepTensors& tensors) {
    const std::size_t parameters = trainer.plan().parameterBuffers.size();  // statistics come after them
    std::vector<NamedTensor> weights = trainer.weights();
    for (std::size_t i = 0; i < parameters; ++i) {
        const std::string layer = weights[i].name.substr(0, weights[i].name.rfind('.'));
        tensors.push_back({layer, "weights", weights[i].name, TensorRole::Weight, 1, std::move(weights[i].values)});
    }
}

}  // namespace

StepTensors readStepTensors(Trainer& trainer) {
    const Plan& plan = trainer.plan();
    StepTensors tensors;
    appendWeights(trainer, tensors);
    const auto lossScale = static_cast<double>(trainer.scaler().scale());
    const Trainer::Observer observer{.at = [&](Executor& executor, Queue& queue, std::int64_t at, int written, const ElementClasses&) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(at)];
        if (at < plan.prologueEnd || at >= plan.backwardEnd || std::holds_alternative<QuantizeDesc>(instruction.operation)) return;
        const Buffer& buffer = plan.buffers[static_cast<std::size_t>(written)];
        const TensorRole role = tensorRoleOf(buffer);
        if (role == TensorRole::Statistic) return;
        const auto isIt = [&](const StepTensor& each) {
            return each.role == role && each.tensor == buffer.name && each.operation == instruction.name && each.layer == instruction.layer;
        };
        auto place = std::find_if(tensors.begin(), tensors.end(), isIt);  // of the previous micro-batch, or recomputed
        if (place == tensors.end()) {
            place = tensors.insert(
                tensors.end(),
                StepTensor{instruction.layer, instruction.name, buffer.name, role, 1, {}, buffer.dtype.value_or(Dtype::F32)});
            if (isGradient(role)) place->scale = lossScale;
        }
        place->values = executor.values(queue, written);
    }};
    trainer.tryStep(&observer);
    return tensors;
}

}  // namespace mantissa
