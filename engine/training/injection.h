// SPDX-License-Identifier: Apache-2.0
// Faults that are put into one step on purpose: where they lie, that they are there in each repetition of the step, and that they go.
// One thread at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/plan/executor.h"
#include "engine/training/run_memory.h"
#include "engine/training/settings.h"

namespace mantissa {

/// The first instruction that makes the tensor, and the element there, its value rounded to the nearest of the tensor's format; then the
/// same element of the transposed copy that the instruction writes, if any. Throws std::invalid_argument, in a sentence, when no
/// instruction of the plan makes it or it has no such element. A product in a narrow format and the cast that keeps it name the same
/// weight gradient: the product's is meant.
std::vector<ElementWrite> elementWrites(const TensorInjection& injection, const Plan& plan);

/// An element of a run's training samples that is not the data set's for a step.
struct DataFault {
    Home home;  // Inputs or, of a regression, Labels
    std::size_t at = 0;
    float value = 0;
};

/// What has been put into one step.
struct Faults {
    std::vector<DataFault> data;
    std::vector<TensorInjection> tensors;
};

class StepFaults {
public:
    /// Puts `value` in place of element `at` of a run's training samples: of Home::Inputs or, of a regression, Home::Labels. Returns what
    /// the data set has there.
    float putIntoData(RunMemory& memory, const Dataset& data, Home home, std::size_t at, float value);
    /// Throws as `elementWrites`, and then is as it was.
    void add(const TensorInjection& injection, const Plan& plan);
    /// Throws as `elementWrites` when another plan could not have what was added.
    void check(const Plan& plan) const;

    /// To be called before each micro-batch of the step, and of each repetition of it: the passes of the first one meet the faults, and
    /// so does what the optimizer makes, once a step.
    void arm(Executor& executor, const Plan& plan, bool isFirstMicroBatch) const;
    /// The data are the data set's again, and the run's training plan as it was.
    void takeBack(RunMemory& memory, const Dataset& data);

    const Faults& faults() const { return m_faults; }
    /// The same faults once more, after `takeBack`, under whatever plan: those in tensors that it does not make are left out.
    void putAgain(const Faults& faults, RunMemory& memory, const Plan& plan);

private:
    Faults m_faults;
};

}  // namespace mantissa
