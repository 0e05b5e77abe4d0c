// SPDX-License-Identifier: Apache-2.0
// The rows of steps without the host: what halts one, and what one leaves to the next. Expectations are written out case by case.
#include <cstring>

#include "kernels/conformance/checks.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

double number(auto value) {
    return static_cast<double>(value);
}

Values numbersOf(const StepLoop& l) {
    return {number(l.scale.scale),
            number(l.scale.stop),
            number(l.scale.growthTracker),
            number(l.scale.hysteresisLeft),
            number(l.optimizerStep),
            number(l.scheduleStep),
            number(l.nextBatch),
            number(l.done),
            number(l.hasMomentum),
            number(l.stopsAtBadStep),
            number(l.isHalted)};
}
Values numbersOf(const StepScalars& s) {
    return {number(s.lossGrad),      number(s.inverseScale), s.lr,
            number(s.optimizerStep), number(s.dropoutStep),  number(s.hasMomentum),
            number(s.foundInf),      number(s.gradNorm),     number(s.gradAbsMax),
            number(s.skipped)};
}
Values numbersOf(const StepOutcome& o) {
    return {number(o.loss), number(o.gradNorm), number(o.gradAbsMax), number(o.scale), o.lr, number(o.foundInf), number(o.skipped)};
}

template <typename T>
Values decoded(std::span<const std::byte> bytes) {
    Values all;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        const Values numbers = numbersOf(value);
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return all;
}

template <typename T>
Operand updatesValue(const T& before, const T& after) {
    return {.role = Role::Updated,
            .before = bytesOf(before),
            .decode = decoded<T>,
            .after = {numbersOf(after), {0}, {.mayBeConstant = true, .maxZeroShare = 1}}};
}

template <typename T>
Operand readsBytes(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {.role = Role::Read, .before = {bytes.begin(), bytes.end()}, .elementBytes = sizeof(T), .decode = {}, .after = {}};
}

void judgeCases(Extent, const CaseSink& sink) {
    struct Judged {
        const char* name;
        std::int32_t stops;
        float loss;
        StepScalars scalars;
        bool halts;
        std::int32_t wasHalted = 0;
    };
    const Judged cases[] = {
        {"clean", 1, 2.5f, {.gradNorm = 3}, false},
        {"overflow", 1, 2.5f, {.foundInf = 1, .gradNorm = kInf, .skipped = 1}, true},
        {"overflow, goes on", 0, 2.5f, {.foundInf = 1, .gradNorm = kInf, .skipped = 1}, false},
        {"NaN loss", 1, kNan, {.gradNorm = 3}, true},
        {"infinite loss", 1, kInf, {.gradNorm = 3}, true},
        {"NaN norm", 1, 1, {.gradNorm = kNan}, true},
        {"NaN norm, goes on", 0, 1, {.gradNorm = kNan}, false},
        {"halted before", 0, 1, {.gradNorm = 3}, true, 1},
    };
    for (const Judged& c : cases) {
        const StepLoop before{.done = 3, .stopsAtBadStep = c.stops, .isHalted = c.wasHalted};
        StepLoop after = before;
        StepScalars scalars = c.scalars;
        if (c.halts) after.isHalted = 1, scalars.skipped = 2;
        sink({.desc = JudgeStepDesc{},
              .inputs = Inputs::Normal,
              .shape = c.name,
              .layout = "",
              .operands = {updatesValue(before, after), reads(Dtype::F32, std::span(&c.loss, 1)), updatesValue(c.scalars, scalars)}});
    }
}

void advanceCases(Extent, const CaseSink& sink) {
    const BackoffRules rules{.isDynamic = true,
                             .growthFactor = 2,
                             .backoffFactor = 0.5,
                             .growthInterval = 3,
                             .floor = 1,
                             .ceiling = 65536,
                             .refusesInfinity = true,
                             .stopsAtFloor = true};
    struct Advanced {
        const char* name;
        bool holds, usesMomentum;
        StepLoop before;
        StepScalars scalars;
        StepLoop after;
        bool isOver = false;  // there is no next step: its indices stay what they were
    };
    const StepScalars clean{.lr = 0.5, .foundInf = 0, .gradNorm = 3, .gradAbsMax = 2, .skipped = 0};
    const StepScalars skipped{.lr = 0.5, .foundInf = 1, .gradNorm = kInf, .gradAbsMax = kInf, .skipped = 1};
    const Advanced cases[] = {
        {"clean",
         false,
         true,
         {.scale = {.scale = 8}, .optimizerStep = 5, .scheduleStep = 1, .nextBatch = 7, .done = 1},
         clean,
         {.scale = {.scale = 8, .growthTracker = 1}, .optimizerStep = 6, .scheduleStep = 2, .nextBatch = 8, .done = 2, .hasMomentum = 1}},
        {"grows",
         false,
         false,
         {.scale = {.scale = 8, .growthTracker = 2}, .optimizerStep = 5, .nextBatch = 7},
         clean,
         {.scale = {.scale = 16}, .optimizerStep = 6, .scheduleStep = 1, .nextBatch = 8, .done = 1}},
        {"backs off",
         false,
         true,
         {.scale = {.scale = 8, .growthTracker = 2}, .optimizerStep = 5, .nextBatch = 7},
         skipped,
         {.scale = {.scale = 4}, .optimizerStep = 5, .scheduleStep = 1, .nextBatch = 8, .done = 1}},
        {"backs off, the schedule holds",
         true,
         true,
         {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7},
         skipped,
         {.scale = {.scale = 4}, .optimizerStep = 5, .scheduleStep = 0, .nextBatch = 8, .done = 1}},
        {"gives up",
         false,
         false,
         {.scale = {.scale = 1}, .optimizerStep = 5, .nextBatch = 7},
         skipped,
         {.scale = {.scale = 1, .stop = ScaleStop::AtFloor},
          .optimizerStep = 5,
          .scheduleStep = 1,
          .nextBatch = 8,
          .done = 1,
          .isHalted = 1},
         true},
        {"halted",
         false,
         false,
         {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .done = 2, .isHalted = 1},
         skipped,
         {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .done = 2, .isHalted = 1},
         true},
        {"the last one",
         false,
         false,
         {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .done = 3},
         clean,
         {.scale = {.scale = 8, .growthTracker = 1}, .optimizerStep = 6, .scheduleStep = 1, .nextBatch = 8, .done = 4},
         true},
    };
    constexpr std::int32_t kSteps = 4;
    constexpr std::int64_t kIndices = 37;
    std::vector<double> rates(kSteps + 1);
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = 0.1 / number(i + 1);
    std::vector<std::int32_t> batches(kSteps * kIndices), stale(kIndices, -1);
    for (std::size_t i = 0; i < batches.size(); ++i) batches[i] = static_cast<std::int32_t>(1000 + i);
    const float loss = 1.25f;
    for (const Advanced& c : cases) {
        const bool isHalted = c.before.isHalted != 0;
        StepScalars scalars = c.scalars;
        const std::vector<StepOutcome> blank(kSteps, StepOutcome{.loss = -1});
        std::vector<StepOutcome> outcomes = blank;
        if (!isHalted) {
            scalars.lossGrad = c.after.scale.scale;
            scalars.inverseScale = 1 / c.after.scale.scale;
            scalars.lr = rates[at(c.after.scheduleStep)];
            scalars.optimizerStep = c.after.optimizerStep;
            scalars.dropoutStep = c.after.nextBatch;
            scalars.hasMomentum = c.after.hasMomentum;
            outcomes[at(c.before.done)] = {loss,
                                           c.scalars.gradNorm,
                                           c.scalars.gradAbsMax,
                                           c.before.scale.scale,
                                           c.scalars.lr,
                                           c.scalars.foundInf != 0 ? 1 : 0,
                                           c.scalars.skipped};
        }
        Values expectedOutcomes;
        for (const StepOutcome& outcome : outcomes) {
            const Values numbers = numbersOf(outcome);
            expectedOutcomes.insert(expectedOutcomes.end(), numbers.begin(), numbers.end());
        }
        std::vector<std::int32_t> next(kIndices, -1);
        if (!c.isOver) std::copy_n(batches.begin() + c.after.done * kIndices, kIndices, next.begin());
        Operand indices = readsLabels(stale), written = writesLabels(next);
        written.role = Role::Updated;
        written.before = indices.before;
        sink(
            {.desc =
                 AdvanceStepDesc{
                     .scaler = rules, .indices = kIndices, .steps = kSteps, .holdsScheduleOnSkip = c.holds, .usesMomentum = c.usesMomentum},
             .inputs = Inputs::Normal,
             .shape = c.name,
             .layout = "",
             .operands = {updatesValue(c.before, c.after),
                          reads(Dtype::F32, std::span(&loss, 1)),
                          updatesValue(c.scalars, scalars),
                          readsBytes(rates),
                          readsBytes(batches),
                          {.role = Role::Updated,
                           .before = readsBytes(blank).before,
                           .decode = decoded<StepOutcome>,
                           .after = {expectedOutcomes, {0}, {.mayBeConstant = true, .maxZeroShare = 1}}},
                          written}});
    }
}

}  // namespace

void addSteps(std::vector<Check>& checks) {
    checks.push_back({"judge step", Dtype::F32, "fp32", judgeCases});
    checks.push_back({"advance step", Dtype::F32, "fp32", advanceCases});
}

}  // namespace mantissa::conformance
