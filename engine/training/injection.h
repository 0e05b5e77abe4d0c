// SPDX-License-Identifier: Apache-2.0
// Faults injected into one step: their places, and their presence in each repetition of this step only. One thread at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/plan/executor.h"
#include "engine/training/run_memory.h"
#include "engine/training/settings.h"

namespace mantissa {

/// Returns the write after the first instruction that makes the tensor, with the value rounded to nearest in its format, and the write into
/// the transposed copy that the instruction makes, if any. A weight gradient that a product and a following cast name alike is the
/// product's. Throws std::invalid_argument, with a sentence, if no instruction makes the tensor or it has no such element.
std::vector<ElementWrite> elementWrites(const TensorInjection& injection, const Plan& plan);

/// An element of a run's training samples that is replaced for one step.
struct DataFault {
    Arena arena;  // Inputs or, of a regression, Labels
    std::size_t at = 0;
    float value = 0;
};

/// The faults of one step.
struct Faults {
    std::vector<DataFault> data;
    std::vector<TensorInjection> tensors;
};

class StepFaults {
public:
    /// Replaces element `at` of a run's training samples by `value`, in Arena::Inputs or, for a regression, Arena::Labels. Returns the data
    /// set's value.
    float putIntoData(RunMemory& memory, const Dataset& data, Arena arena, std::size_t at, float value);
    /// Adds a fault. Throws like `elementWrites`, without changing anything.
    void add(const TensorInjection& injection, const Plan& plan);
    /// Throws like `elementWrites` if another plan does not support the faults.
    void check(const Plan& plan) const;

    /// Activates the faults. Must be called before each micro-batch of the step and of its repetitions: faults apply to the passes of the
    /// first one, and once to the optimizer's results.
    void arm(Executor& executor, const Plan& plan, bool isFirstMicroBatch) const;
    /// Removes all faults and restores the data.
    void takeBack(RunMemory& memory, const Dataset& data);

    const Faults& faults() const { return m_faults; }
    /// Injects faults again after `takeBack`, under any plan; those in tensors that it does not have are omitted.
    void putAgain(const Faults& faults, RunMemory& memory, const Plan& plan);

private:
    Faults m_faults;
};

}  // namespace mantissa
