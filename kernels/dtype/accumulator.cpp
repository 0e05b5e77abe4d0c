// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype/accumulator.h"

namespace mantissa {
namespace {

/// Fraction bits of the aligned sum and terms of one operation, from MMA-Sim's table. 0 terms: no such instruction.
struct Architecture {
    Accumulator accumulator;
    std::string_view name, screenName;
    int fractionBits;
    int terms16;  // fp16
    bool hasBf16;
    int termsTf32;
    int termsFp8;
    bool isFp8Narrow;  // fp8: 13 fraction bits in the sum and the result
};

constexpr std::array kArchitectures{
    Architecture{Accumulator::Fp32, "fp32", "FP32", 0, 0, false, 0, 0, false},
    Architecture{Accumulator::Fp16, "fp16", "FP16 (Hopper)", 25, 16, false, 0, 0, false},
    Architecture{Accumulator::Volta, "volta", "Volta's tensor cores", 23, 4, false, 0, 0, false},
    Architecture{Accumulator::Turing, "turing", "Turing's tensor cores", 24, 8, false, 0, 0, false},
    Architecture{Accumulator::Ampere, "ampere", "Ampere's tensor cores", 24, 8, true, 4, 0, false},
    Architecture{Accumulator::Ada, "ada", "Ada's tensor cores", 24, 8, true, 4, 16, true},
    Architecture{Accumulator::Hopper, "hopper", "Hopper's tensor cores", 25, 16, true, 8, 32, true},
    Architecture{Accumulator::Blackwell, "blackwell", "Blackwell's tensor cores", 25, 16, true, 8, 32, false},
};

int termsOf(const Architecture& architecture, Dtype compute) {
    switch (compute) {
        case Dtype::F16:
            return architecture.terms16;
        case Dtype::BF16:
            return architecture.hasBf16 ? architecture.terms16 : 0;
        case Dtype::TF32:
            return architecture.termsTf32;
        case Dtype::E4M3:
        case Dtype::E5M2:
            return architecture.termsFp8;
        default:
            return 0;
    }
}

}  // namespace

std::string_view accumulatorName(Accumulator accumulator) {
    return kArchitectures[static_cast<std::size_t>(accumulator)].name;
}

std::string_view accumulatorScreenName(Accumulator accumulator) {
    return kArchitectures[static_cast<std::size_t>(accumulator)].screenName;
}

std::optional<Accumulator> accumulatorFromName(std::string_view name) {
    for (const Architecture& architecture : kArchitectures) {
        if (architecture.name == name) return architecture.accumulator;
    }
    return std::nullopt;
}

std::optional<FusedDot> fusedDot(Accumulator accumulator, Dtype compute) {
    const Architecture& architecture = kArchitectures[static_cast<std::size_t>(accumulator)];
    const int terms = termsOf(architecture, compute);
    if (terms == 0) return std::nullopt;
    FusedDot model{.terms = terms, .fractionBits = architecture.fractionBits, .roundsToF16 = accumulator == Accumulator::Fp16};
    if (isFp8(compute) && architecture.isFp8Narrow) model.fractionBits = model.resultBits = 13;
    return model;
}

std::string whyNoSums(Accumulator accumulator, Dtype compute, std::int64_t promoteEvery) {
    const std::string name(accumulatorName(accumulator));
    if (compute == Dtype::F32) return "";  // fp32 does not use tensor cores
    if (accumulator == Accumulator::Fp32) return promoteEvery == 0 ? "" : "sums are in fp32 already: there is nothing to promote";
    const auto model = fusedDot(accumulator, compute);
    if (!model) return "the accumulator '" + name + "' has no instruction for " + std::string(facts(compute).name);
    if (promoteEvery % model->terms == 0) return "";
    return "with the accumulator '" + name + "' it must be a multiple of " + std::to_string(model->terms) + " in " +
           std::string(facts(compute).name);
}

}  // namespace mantissa
