// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/symptoms.h"

#include <QCoreApplication>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/precision/scaler.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr std::int64_t kFewestSymptomSteps = 50;  // fewer steps give no statement about a run's course
constexpr std::int64_t kSymptomMean = 10;         // steps of a mean

double symptomMean(const Series& series, std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t step = begin; step < end; ++step) sum += series.exact(step);
    return sum / static_cast<double>(end - begin);
}

using OptionalSign = std::optional<SymptomSign>;

struct SymptomJudge {
    const SessionModel& session;
    const RunState& run;
    const std::int64_t begin = run.info.firstStep, end = run.stepCount(), steps = end - begin;

    OptionalSign sign(std::int64_t step, const QString& words) const { return SymptomSign{run.id, step, words}; }

    /// Another run of this model in FP32, if there is one.
    const RunState* reference() const {
        for (const auto& each : session.runs()) {
            const bool isIt = each->id != run.id && !each->isWithheld && each->info.policy == "fp32" && each->hasSteps();
            if (isIt && each->info.modelText == run.info.modelText) return each.get();
        }
        return nullptr;
    }
    bool isNarrow() const { return run.info.policy != "fp32" && run.info.policy != "tf32" && !run.info.policy.empty(); }
    bool isLossFinite() const { return std::isfinite(run.loss.exact(end - 1)); }
    const Gauge* badGauge(GaugeKind kind, const std::vector<Gauge>& gauges) const {
        const auto found =
            std::ranges::find_if(gauges, [kind](const Gauge& gauge) { return gauge.kind == kind && gauge.severity == Severity::Bad; });
        return found == gauges.end() ? nullptr : &*found;
    }

    OptionalSign lossIsNaN() const {
        if (isLossFinite()) return {};
        if (const auto first = run.firstNonFiniteStep())
            return sign(*first, QObject::tr("not finite since step %1").arg(groupedText(*first)));
        return sign(end - 1, QObject::tr("the loss of step %1 is not finite").arg(groupedText(end - 1)));
    }

    OptionalSign lossDoesNotFall() const {
        if (!isLossFinite()) return {};
        const auto gauges = run.gauges();
        for (const GaugeKind kind : {GaugeKind::ClippedWhileScaled, GaugeKind::UnchangedWeights, GaugeKind::LostUpdates})
            if (badGauge(kind, gauges)) return sign(-1, engineText(silentMatter({*badGauge(kind, gauges)})->headline()));
        if (!run.examinations.empty() && run.examinations.back().verdict.kind == StepVerdict::SilentFailure)
            return sign(run.examinations.back().step, engineText(run.examinations.back().verdict.headline));
        if (steps < kFewestSymptomSteps) return {};
        const double first = symptomMean(run.loss, begin, begin + kSymptomMean), last = symptomMean(run.loss, end - kSymptomMean, end);
        if (last > 0.95 * first)
            return sign(end - 1, QObject::tr("the loss was %1 and is %2").arg(numberText(first, 3), numberText(last, 3)));
        const RunState* other = reference();
        if (!other || other->info.firstStep > begin || other->stepCount() < end) return {};
        const double otherFirst = symptomMean(other->loss, begin, begin + kSymptomMean),
                     otherLast = symptomMean(other->loss, end - kSymptomMean, end);
        if (last <= otherLast) return {};  // such as a fork from where the other run went wrong
        if (otherFirst - otherLast < 0.1 * std::abs(otherFirst) || first - last > 0.5 * (otherFirst - otherLast)) return {};
        return sign(end - 1,
                    QObject::tr("the loss is %1, and that of %2 is %3").arg(numberText(last, 3), other->name(), numberText(otherLast, 3)));
    }

    OptionalSign stepsAreSkipped() const {
        const auto skips = run.skipCount();
        if (skips < kSymptomMean || skips * kSymptomMean < steps) return {};
        return sign(run.skippedSteps.back(), QObject::tr("%1 of %2 steps skipped").arg(groupedText(skips), groupedText(steps)));
    }

    OptionalSign scaleIsStuck() const {
        if (!run.info.scalerIsDynamic || run.flags.empty()) return {};
        if (std::abs(run.nextScale) < 1)
            return sign(run.skippedSteps.empty() ? -1 : run.skippedSteps.back(),
                        QObject::tr("the loss scale is %1").arg(scaleText(run.nextScale)));
        const std::int64_t interval = resolvedScaler(run.info.settings.training.scaler).growthInterval;
        const std::int64_t left = std::max<std::int64_t>(0, run.info.settings.training.steps - end);
        const bool hasGrown = std::ranges::any_of(run.flags, [](std::uint32_t flag) { return (flag & kFlagScaleGrew) != 0; });
        if (interval <= 0 || hasGrown || steps < kFewestSymptomSteps || run.cleanSteps + left >= interval) return {};
        return sign(-1, QObject::tr("%1 of %2 clean steps to a growth, and %3 steps are left")
                            .arg(groupedText(run.cleanSteps), groupedText(interval), groupedText(left)));
    }

    OptionalSign notFaster() const {
        const RunState* other = reference();
        if (!isNarrow() || !other || steps < kFewestSymptomSteps || other->stepCount() - other->info.firstStep < kFewestSymptomSteps)
            return {};
        const std::int64_t otherEnd = other->stepCount();
        const double speed = symptomMean(run.samplesPerSecond, end - kSymptomMean, end);
        const double wide = symptomMean(other->samplesPerSecond, otherEnd - kSymptomMean, otherEnd);
        if (!(speed < 1.05 * wide)) return {};
        const QString words = run.info.isEmulated ? QObject::tr("%1 samples/s, %2 has %3; the format is emulated here")
                                                  : QObject::tr("%1 samples/s, %2 has %3");
        return sign(-1, words.arg(groupedText(std::llround(speed)), other->name(), groupedText(std::llround(wide))));
    }

    OptionalSign memoryIsLarge() const {
        const RunState* other = reference();
        if (!isNarrow() || !other ||
            static_cast<double>(run.info.memory.withoutScratch()) < 0.95 * static_cast<double>(other->info.memory.withoutScratch()))
            return {};
        return sign(-1,
                    QObject::tr("%1, %2 has %3")
                        .arg(bytesText(run.info.memory.withoutScratch()), other->name(), bytesText(other->info.memory.withoutScratch())));
    }

    OptionalSign validationDiffers() const {
        if (!isLossFinite()) return {};
        if (badGauge(GaugeKind::BrokenStatistics, run.gauges())) return sign(-1, QObject::tr("running statistics are not finite"));
        if (!run.health.isLastValidationFinite()) return sign(end - 1, QObject::tr("the latest validation is not finite, and training is"));
        return {};
    }

    OptionalSign checkpointFails() const {
        const bool isIt = !run.info.settings.training.init.weights.empty() && (run.info.policy == "fp16" || run.info.policy == "pure-fp16");
        if (!isIt || !run.firstNonFinite || run.firstNonFinite->phase != "forward") return {};
        return sign(run.firstNonFinite->step,
                    QObject::tr("%1 exceeds the range of FP16 at step %2")
                        .arg(QString::fromStdString(run.firstNonFinite->tensor), groupedText(run.firstNonFinite->step)));
    }

    OptionalSign gradientsAreClipped() const {
        const auto bound = run.info.settings.training.clipGradNorm;
        if (!bound) return {};
        if (const auto gauges = run.gauges(); badGauge(GaugeKind::ClippedWhileScaled, gauges))
            return sign(-1, engineText(silentMatter({*badGauge(GaugeKind::ClippedWhileScaled, gauges)})->headline()));
        if (steps < kFewestSymptomSteps) return {};
        const double norm = symptomMean(run.gradNorm, end - kSymptomMean, end);
        if (!std::isfinite(norm) || norm < 10 * *bound) return {};
        return sign(end - 1, QObject::tr("the gradient norm is %1, and the bound %2").arg(numberText(norm, 3), numberText(*bound, 3)));
    }
};

struct SymptomRow {
    const char *title, *anchor, *experiment;
    OptionalSign (SymptomJudge::*sign)() const;  // null: one run is not enough
};
/// In the order of Symptom.
constexpr SymptomRow kSymptomRows[] = {
    {QT_TRANSLATE_NOOP("symptoms", "The loss is NaN"), "loss-is-nan", "pure-fp16", &SymptomJudge::lossIsNaN},
    {QT_TRANSLATE_NOOP("symptoms", "The loss does not fall, or falls slower than in FP32"), "loss-does-not-fall", "lost-updates",
     &SymptomJudge::lossDoesNotFall},
    {QT_TRANSLATE_NOOP("symptoms", "Steps are skipped all the time"), "steps-are-skipped-all-the-time", "too-hot",
     &SymptomJudge::stepsAreSkipped},
    {QT_TRANSLATE_NOOP("symptoms", "The loss scale collapses, or never grows"), "the-loss-scale-collapses-or-never-grows", "scale-collapse",
     &SymptomJudge::scaleIsStuck},
    {QT_TRANSLATE_NOOP("symptoms", "FP16 is not faster"), "fp16-is-not-faster", "a-small-gpt", &SymptomJudge::notFaster},
    {QT_TRANSLATE_NOOP("symptoms", "Memory does not shrink"), "memory-does-not-shrink", "four-formats", &SymptomJudge::memoryIsLarge},
    {QT_TRANSLATE_NOOP("symptoms", "Validation or inference differs from training"), "validation-differs-from-training", "one-bad-pixel",
     &SymptomJudge::validationDiffers},
    {QT_TRANSLATE_NOOP("symptoms", "Results change from run to run"), "results-change-from-run-to-run", "whose-sums", nullptr},
    {QT_TRANSLATE_NOOP("symptoms", "A BF16 checkpoint fails in FP16"), "a-bf16-checkpoint-fails-in-fp16", "a-bf16-checkpoint",
     &SymptomJudge::checkpointFails},
    {QT_TRANSLATE_NOOP("symptoms", "Gradients are clipped to nothing"), "gradients-are-clipped-to-nothing", "clip-order",
     &SymptomJudge::gradientsAreClipped},
};
static_assert(std::size(kSymptomRows) == kSymptoms);

}  // namespace

SymptomEntry symptomEntry(Symptom symptom) {
    const SymptomRow& row = kSymptomRows[static_cast<std::size_t>(symptom)];
    return {QCoreApplication::translate("symptoms", row.title), QStringLiteral("troubleshooting.md#") + QLatin1String(row.anchor),
            QString::fromLatin1(row.experiment)};
}

std::vector<SymptomSign> signsOf(Symptom symptom, const SessionModel& session) {
    std::vector<SymptomSign> signs;
    const auto sign = kSymptomRows[static_cast<std::size_t>(symptom)].sign;
    if (!sign) return signs;
    for (const auto& run : session.runs()) {
        if (run->isWithheld || !run->hasSteps() || run->loss.isEmpty()) continue;
        const SymptomJudge judge{session, *run};
        if (auto found = (judge.*sign)()) signs.push_back(std::move(*found));
    }
    return signs;
}

}  // namespace mantissa::gui
