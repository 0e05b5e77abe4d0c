// SPDX-License-Identifier: Apache-2.0
// Rows of steps without the host: what halts a step, and the state it leaves. Expectations are written out case by case.
#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

constexpr std::int64_t kBefore = 1, kNow = 2;  // clock values: a reading counts as kNow

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
            number(l.batch),
            number(l.reported),
            number(std::min(l.clockNs, kNow)),
            l.lossSum,
            number(l.hasMomentum),
            number(l.stopsAtNonFiniteStep),
            number(l.isHalted)};
}
Values numbersOf(const StepScalars& s) {
    return {number(s.lossGrad),      number(s.inverseScale), s.lr,
            number(s.optimizerStep), number(s.dropoutStep),  number(s.step),
            number(s.hasMomentum),   number(s.foundInf),     number(s.gradNorm),
            number(s.gradAbsMax),    number(s.skipped)};
}
Values numbersOf(const StepSlot& slot) {
    const StepOutcome& o = slot.outcome;
    return {o.loss,
            o.lr,
            number(o.gradNorm),
            number(o.gradAbsMax),
            number(o.scale),
            number(o.foundInf),
            number(o.skipped),
            number(o.next.scale),
            number(o.next.stop),
            number(o.next.growthTracker),
            number(o.next.hysteresisLeft),
            number(o.beganNs),
            number(std::min(o.endedNs, kNow)),
            number(slot.number)};
}

Values numbersOf(std::uint8_t byte) {
    return {number(byte)};
}

template <typename T>
Values decoded(std::span<const std::byte> bytes) {
    Values all;
    for (std::size_t first = 0; first < bytes.size(); first += sizeof(T)) {
        const Values numbers = numbersOf(valueIn<T>(bytes.subspan(first)));
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return all;
}

template <typename T>
Operand updatesAll(const std::vector<T>& before, const std::vector<T>& after) {
    return {.role = Role::Updated, .before = bytesOf(before), .decode = decoded<T>, .after = {decoded<T>(bytesOf(after)), {0}, kAnything}};
}

template <typename T>
Operand updatesValue(const T& before, const T& after) {
    return updatesAll(std::vector{before}, std::vector{after});
}

/// The indices of the next batch, or unchanged ones.
Operand updatesIndices(const std::vector<std::int32_t>& before, const std::vector<std::int32_t>& after) {
    Operand written = writesLabels(after);
    written.role = Role::Updated;
    written.before = bytesOf(before);
    return written;
}

constexpr std::int64_t kIndices = 37;

std::vector<std::int32_t> someBatches(std::int64_t count) {
    std::vector<std::int32_t> batches(at(count * kIndices));
    for (std::size_t i = 0; i < batches.size(); ++i) batches[i] = static_cast<std::int32_t>(1000 + i);
    return batches;
}

void beginCases(Extent, const CaseSink& sink) {
    struct Begun {
        const char* name;
        StepLoop loop;
    };
    const Begun cases[] = {{"first", {}},
                           {"after others", {.optimizerStep = 5, .nextBatch = 7, .reported = 3}},
                           {"with a scale", {.scale = {.scale = 8, .growthTracker = 2}}},
                           {"halted", {.isHalted = 1}}};
    for (const Begun& c : cases) {
        StepLoop before = c.loop, after = c.loop;
        before.clockNs = kBefore;
        after.clockNs = kNow;
        sink({.desc = BeginStepsDesc{}, .shape = c.name, .operands = {updatesValue(before, after)}});
    }
}

void batchCases(Extent, const CaseSink& sink) {
    constexpr std::int64_t kBatches = 3;
    struct Advanced {
        const char* name;
        StepLoop before, after;
        bool hasNext = false;
    };
    const Advanced cases[] = {
        {"first", {.nextBatch = 7}, {.nextBatch = 8, .batch = 1, .lossSum = 1.25}, true},
        {"second", {.nextBatch = 8, .batch = 1, .lossSum = 0.5}, {.nextBatch = 9, .batch = 2, .lossSum = 1.75}, true},
        {"past the last", {.nextBatch = 9, .batch = 2}, {.nextBatch = 10, .batch = 3, .lossSum = 1.25}},
        {"halted", {.nextBatch = 7, .isHalted = 1}, {.nextBatch = 7, .isHalted = 1}},
    };
    const std::vector<std::int32_t> batches = someBatches(kBatches), stale(kIndices, -1);
    const float loss = 1.25f;
    for (const Advanced& c : cases) {
        const StepScalars before{.dropoutStep = c.before.nextBatch}, after{.dropoutStep = c.after.nextBatch};
        std::vector<std::int32_t> next = stale;
        if (c.hasNext) std::copy_n(batches.begin() + c.after.batch * kIndices, kIndices, next.begin());
        sink({.desc = AdvanceBatchDesc{.indices = kIndices, .batches = kBatches},
              .shape = c.name,
              .operands = {updatesValue(c.before, c.after),
                           reads(Dtype::F32, std::span(&loss, 1)),
                           updatesValue(before, after),
                           {.before = bytesOf(batches)},
                           updatesIndices(stale, next)}});
    }
}

void judgeCases(Extent, const CaseSink& sink) {
    struct Judged {
        const char* name;
        std::int32_t stops;
        float loss;
        StepScalars scalars;
        bool halts;
        std::int32_t wasHalted = 0;
        float earlierLoss = 1.5f;
    };
    const Judged cases[] = {
        {"clean", 1, 2.5f, {.gradNorm = 3}, false},
        {"overflow", 1, 2.5f, {.foundInf = 1, .gradNorm = kInf, .skipped = 1}, true},
        {"overflow, goes on", 0, 2.5f, {.foundInf = 1, .gradNorm = kInf, .skipped = 1}, false},
        {"NaN loss", 1, kNan, {.gradNorm = 3}, true},
        {"infinite loss", 1, kInf, {.gradNorm = 3}, true},
        {"infinite loss of an earlier micro-batch", 1, -kInf, {.gradNorm = 3}, true, 0, kInf},
        {"NaN norm", 1, 1, {.gradNorm = kNan}, true},
        {"NaN norm, goes on", 0, 1, {.gradNorm = kNan}, false},
        {"halted before", 0, 1, {.gradNorm = 3}, true, 1},
    };
    for (const Judged& c : cases) {
        const StepLoop before{.lossSum = number(c.earlierLoss), .stopsAtNonFiniteStep = c.stops, .isHalted = c.wasHalted};
        StepLoop after = before;
        if (c.wasHalted == 0) after.lossSum += number(c.loss);
        StepScalars scalars = c.scalars;
        if (c.halts) after.isHalted = 1, scalars.skipped = 2;
        sink({.desc = JudgeStepDesc{},
              .shape = c.name,
              .operands = {updatesValue(before, after), reads(Dtype::F32, std::span(&c.loss, 1)), updatesValue(c.scalars, scalars)}});
    }
}

void advanceCases(Extent, const CaseSink& sink) {
    constexpr std::int64_t kSlots = 4, kBatches = 6;
    struct Advanced {
        const char* name;
        bool holds = false, usesMomentum = false;
        StepLoop before;
        StepScalars scalars;
        StepLoop after;
        bool hasNext = true;  // otherwise the indices stay unchanged
        BackoffRules rules = {.isDynamic = true,
                              .growthFactor = 2,
                              .backoffFactor = 0.5,
                              .growthInterval = 3,
                              .minScale = 1,
                              .maxScale = 65536,
                              .refusesInfinity = true,
                              .stopsAtFloor = true};
    };
    // Factors that are no powers of two, in each arithmetic: NumPy's values for 1.7 and 0.3.
    const double infinity = number(kInf), factor32 = number(1.7f), divisor32 = number(static_cast<float>(1 / 0.3));
    const BackoffRules narrowed{.isDynamic = true, .growthFactor = 1.7, .growthInterval = 1, .minScale = -infinity, .maxScale = infinity};
    const BackoffRules inFp32{.isDynamic = true,
                              .arithmetic = ScaleArithmetic::Fp32,
                              .growthFactor = factor32,
                              .backoffFactor = number(0.3f),
                              .growthInterval = 1,
                              .maxScale = infinity};
    BackoffRules dividedInFp32 = inFp32;
    dividedInFp32.backoffDivisor = divisor32;
    const BackoffRules inDouble{.isDynamic = true,
                                .arithmetic = ScaleArithmetic::Double,
                                .growthFactor = 1.7,
                                .backoffDivisor = 1.7,
                                .growthInterval = 1,
                                .maxScale = infinity};
    const StepScalars clean{.lr = 0.5, .foundInf = 0, .gradNorm = 3, .gradAbsMax = 2, .skipped = 0};
    const StepScalars skipped{.lr = 0.5, .foundInf = 1, .gradNorm = kInf, .gradAbsMax = kInf, .skipped = 1};
    // A first step with new rules, from one scale to another.
    const auto scaled = [](const char* name, const StepScalars& scalars, double from, double to, const BackoffRules& rules) {
        return Advanced{.name = name,
                        .before = {.scale = {.scale = from}},
                        .scalars = scalars,
                        .after = {.scale = {.scale = to},
                                  .optimizerStep = scalars.skipped != 0 ? 0 : 1,
                                  .scheduleStep = 1,
                                  .nextBatch = 1,
                                  .batch = 1,
                                  .reported = 1},
                        .rules = rules};
    };
    // Two micro-batches per step, so scaled losses are halved. Slots are reused after kSlots steps.
    const Advanced cases[] = {
        {.name = "clean",
         .usesMomentum = true,
         .before =
             {.scale = {.scale = 8}, .optimizerStep = 5, .scheduleStep = 1, .nextBatch = 7, .batch = 2, .reported = 1, .lossSum = 2.5},
         .scalars = clean,
         .after = {.scale = {.scale = 8, .growthTracker = 1},
                   .optimizerStep = 6,
                   .scheduleStep = 2,
                   .nextBatch = 8,
                   .batch = 3,
                   .reported = 2,
                   .hasMomentum = 1}},
        {.name = "grows, in a slot that was used",
         .before = {.scale = {.scale = 8, .growthTracker = 2}, .optimizerStep = 5, .nextBatch = 7, .reported = kSlots + 2, .lossSum = 2.5},
         .scalars = clean,
         .after = {.scale = {.scale = 16}, .optimizerStep = 6, .scheduleStep = 1, .nextBatch = 8, .batch = 1, .reported = kSlots + 3}},
        {.name = "backs off",
         .usesMomentum = true,
         .before = {.scale = {.scale = 8, .growthTracker = 2}, .optimizerStep = 5, .nextBatch = 7, .lossSum = 2.5},
         .scalars = skipped,
         .after = {.scale = {.scale = 4}, .optimizerStep = 5, .scheduleStep = 1, .nextBatch = 8, .batch = 1, .reported = 1}},
        {.name = "backs off, the schedule holds",
         .holds = true,
         .usesMomentum = true,
         .before = {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .lossSum = 2.5},
         .scalars = skipped,
         .after = {.scale = {.scale = 4}, .optimizerStep = 5, .scheduleStep = 0, .nextBatch = 8, .batch = 1, .reported = 1}},
        {.name = "stops",
         .before = {.scale = {.scale = 1}, .optimizerStep = 5, .nextBatch = 7, .lossSum = 2.5},
         .scalars = skipped,
         .after = {.scale = {.scale = 1, .stop = ScaleStop::AtFloor},
                   .optimizerStep = 5,
                   .scheduleStep = 1,
                   .nextBatch = 8,
                   .batch = 1,
                   .reported = 1,
                   .isHalted = 1}},
        {.name = "halted",
         .before = {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .reported = 2, .lossSum = 2.5, .isHalted = 1},
         .scalars = skipped,
         .after = {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .reported = 2, .lossSum = 2.5, .isHalted = 1},
         .hasNext = false},
        {.name = "the last batch",
         .before = {.scale = {.scale = 8}, .optimizerStep = 5, .nextBatch = 7, .batch = kBatches - 1, .reported = 3, .lossSum = 2.5},
         .scalars = clean,
         .after = {.scale = {.scale = 8, .growthTracker = 1},
                   .optimizerStep = 6,
                   .scheduleStep = 1,
                   .nextBatch = 8,
                   .batch = kBatches,
                   .reported = 4},
         .hasNext = false},
        scaled("grows, a double product narrowed", clean, 0x1.b0a8c2p+8, 0x1.6fc2a4p+9, narrowed),
        scaled("grows in fp32", clean, 0x1.b0a8c2p+8, 0x1.6fc2a6p+9, inFp32),
        scaled("backs off in fp32", skipped, 0x1.b0a8c2p+8, 0x1.039876p+7, inFp32),
        scaled("backs off in fp32, by a division", skipped, 0x1.b0a8c2p+8, 0x1.039874p+7, dividedInFp32),
        scaled("grows beyond fp32", clean, 0x1.c363cbf21f28ap+127, 0x1.7fae6d5a9a7c2p+128, inDouble),
        scaled("comes back from beyond fp32", skipped, 0x1.7fae6d5a9a7c2p+128, 0x1.c363cbf21f28ap+127, inDouble),
    };
    std::vector<double> rates(kSlots + 1);
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = 0.1 / number(i + 1);
    const std::vector<std::int32_t> batches = someBatches(kBatches), stale(kIndices, -1);
    for (const Advanced& c : cases) {
        const bool isHalted = c.before.isHalted != 0;
        StepLoop before = c.before, after = c.after;
        before.clockNs = kBefore;
        after.clockNs = isHalted ? kBefore : kNow;
        StepScalars scalars = c.scalars;
        const std::vector<StepSlot> blank(kSlots, StepSlot{.outcome = {.loss = -1}, .number = -1});
        std::vector<StepSlot> slots = blank;
        if (!isHalted) {
            scalars.lossGrad = static_cast<float>(c.after.scale.scale) / 2;
            scalars.inverseScale = static_cast<float>(1 / c.after.scale.scale);
            scalars.lr = rates[at(c.after.scheduleStep)];
            scalars.optimizerStep = c.after.optimizerStep;
            scalars.dropoutStep = c.after.nextBatch;
            scalars.step = c.scalars.step + 1;
            scalars.hasMomentum = c.after.hasMomentum;
            slots[at(c.before.reported % kSlots)] = {
                {c.before.lossSum / 2, c.scalars.lr, c.scalars.gradNorm, c.scalars.gradAbsMax, static_cast<float>(c.before.scale.scale),
                 c.scalars.foundInf != 0 ? 1 : 0, c.scalars.skipped, c.after.scale, kBefore, kNow},
                c.after.reported};
        }
        std::vector<std::int32_t> next = stale;
        if (c.hasNext) std::copy_n(batches.begin() + c.after.batch * kIndices, kIndices, next.begin());
        sink({.desc = AdvanceStepDesc{.scaler = c.rules,
                                      .batch = {.indices = kIndices, .batches = kBatches},
                                      .microBatches = 2,
                                      .slotCount = kSlots,
                                      .holdsScheduleOnSkip = c.holds,
                                      .usesMomentum = c.usesMomentum},
              .shape = c.name,
              .operands = {updatesValue(before, after),
                           updatesValue(c.scalars, scalars),
                           {.before = bytesOf(rates)},
                           {.before = bytesOf(batches)},
                           updatesAll(blank, slots),
                           updatesIndices(stale, next)}});
    }
}

void copyCases(Extent, const CaseSink& sink) {
    struct Copied {
        const char* name;
        bool onlyWhenHalted;
        std::int32_t isHalted;
        bool copies;
    };
    for (const Copied& c : {Copied{"always", false, 0, true}, {"halted", true, 1, true}, {"not halted", true, 0, false}}) {
        const StepLoop loop{.isHalted = c.isHalted};
        constexpr std::int64_t kOddBytes = 1003;
        std::vector<std::uint8_t> from(kOddBytes), before(kOddBytes, 255);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(7 * i + 1);
        sink({.desc = CopyStateDesc{.bytes = kOddBytes, .onlyWhenHalted = c.onlyWhenHalted},
              .shape = c.name,
              .operands = {{.before = bytesOf(loop)}, {.before = bytesOf(from)}, updatesAll(before, c.copies ? from : before)}});
    }
}

}  // namespace

void addSteps(std::vector<Check>& checks) {
    checks.push_back({"begin steps", Dtype::F32, "fp32", beginCases});
    checks.push_back({"advance batch", Dtype::F32, "fp32", batchCases});
    checks.push_back({"judge step", Dtype::F32, "fp32", judgeCases});
    checks.push_back({"advance step", Dtype::F32, "fp32", advanceCases});
    checks.push_back({"copy state", Dtype::F32, "fp32", copyCases});
}

}  // namespace mantissa::conformance
