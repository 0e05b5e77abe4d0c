// SPDX-License-Identifier: Apache-2.0
// Training in fp8 where the library multiplies the codes: its operands lie along k without being turned at a product.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/data/dataset.h"
#include "engine/training/agreement.h"
#include "engine/training/trainer.h"
#include "kernels/cuda/cuda_backend.h"

namespace mantissa {
namespace {

/// Sizes that the library takes, but for the ten classes.
TrainingSettings fp8Run(const std::string& scaling) {
    TrainingSettings settings;
    settings.data = {.batchSize = 16, .order = "sequential"};
    settings.model.hidden = {32, 48};
    settings.precision.policy = "fp8";
    settings.precision.fp8.scaling = scaling;
    settings.optimizer = {.kind = "sgd", .lr = 0.05};
    settings.steps = 100;
    return settings;
}

std::vector<Instruction> productsOf(const Plan& plan) {
    std::vector<Instruction> products;
    for (const Instruction& each : plan.instructions) {
        const auto* desc = std::get_if<MatmulDesc>(&each.operation);
        if (desc != nullptr && desc->isScaled && desc->m % 16 == 0 && desc->n % 16 == 0 && desc->k % 16 == 0) products.push_back(each);
    }
    return products;
}

TEST(CudaTransposedCopies, EveryProductOfCodesReadsAlongK) {
    const TrainingSettings settings = fp8Run("delayed");
    const auto dataset = loadDataset(settings.data);
    const Trainer onCard(settings, dataset, cuda::createBackend(0)), onCpu(settings, dataset, createCpuBackend());
    EXPECT_EQ(productsOf(onCard.plan()).size(), 5u) << "forward and weights of two layers, and one's input";
    for (const Instruction& each : productsOf(onCard.plan())) {
        const auto& desc = std::get<MatmulDesc>(each.operation);
        EXPECT_TRUE(!desc.transposeA && desc.transposeB) << each.layer << ' ' << each.name;
    }
    int turned = 0;
    for (const Instruction& each : onCpu.plan().instructions) {
        if (const auto* desc = std::get_if<QuantizeDesc>(&each.operation)) turned += desc->transposedRows > 0 ? 1 : 0;
    }
    EXPECT_EQ(turned, 0) << "where it would serve nobody";
    int kept = 0;
    for (const Buffer& each : onCard.plan().buffers) {
        if (each.transposeOf < 0 || each.category != BufferCategory::Activations) continue;
        ++kept;
        EXPECT_EQ(onCard.plan().buffers[static_cast<std::size_t>(each.transposeOf)].category, BufferCategory::Workspace)
            << each.name << ": one copy is kept for the backward pass";
    }
    EXPECT_EQ(kept, 2) << "of the inputs of two layers";
}

TEST(CudaTransposedCopies, TrainAsTheCpuDoes) {
    for (const char* scaling : {"delayed", "current"}) {
        const Agreement agreement = compareTraining({scaling, fp8Run(scaling), 4}, cuda::createBackend(0), createCpuBackend());
        EXPECT_TRUE(agreement.holds()) << scaling << ": " << agreement.worst << " of the limit at step " << agreement.worstStep;
    }
}

TEST(CudaTransposedCopies, AFaultInACodeIsInBothCopies) {
    const TrainingSettings settings = fp8Run("delayed");
    const auto dataset = loadDataset(settings.data);
    const auto weightsAfter = [&](const std::shared_ptr<Backend>& backend, bool isFaulty) {
        Trainer run(settings, dataset, backend);
        run.step();
        if (isFaulty) run.injectTensor({"activations.0.output as fp8_e4m3", 448, 16 * 32 - 5});
        run.step();
        std::vector<float> all;
        for (const NamedTensor& tensor : run.weights()) all.insert(all.end(), tensor.values.begin(), tensor.values.end());
        return all;
    };
    const std::vector<float> onCard = weightsAfter(cuda::createBackend(0), true), onCpu = weightsAfter(createCpuBackend(), true),
                             sound = weightsAfter(createCpuBackend(), false);
    double apart = 0, done = 0;
    for (std::size_t i = 0; i < sound.size(); ++i) {
        apart = std::fmax(apart, std::fabs(static_cast<double>(onCard[i]) - static_cast<double>(onCpu[i])));
        done = std::fmax(done, std::fabs(static_cast<double>(sound[i]) - static_cast<double>(onCpu[i])));
    }
    EXPECT_GT(done, 0);
    EXPECT_LT(apart, done / 100) << "the weights' gradient has read the transposed copy";
}

}  // namespace
}  // namespace mantissa
