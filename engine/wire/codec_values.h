// SPDX-License-Identifier: Apache-2.0
// The keys of values in messages. One table serves both directions: its rows pass each field to `Writer` or `Reader`.
#pragma once

#include <tuple>

#include "engine/experiment/messages.h"

namespace mantissa {

/// A key of a map, and the member that it holds.
template <class T, class Value>
constexpr auto key(const char* name, Value T::*member) {
    return [=](auto& archive, auto& value) { archive(name, value.*member); };
}
/// The keys of a member that has no map of its own.
template <class T, class Part, class... Keys>
constexpr auto inside(Part T::*member, Keys... keys) {
    return [=](auto& archive, auto& value) { (keys(archive, value.*member), ...); };
}

/// A type of the wire with its fields, and its name if it is a message.
template <class T, class... Fields>
struct Row {
    const char* name;
    std::tuple<Fields...> fields;

    template <class Archive, class Value>
    void describe(Archive& archive, Value& value) const {
        std::apply([&](const auto&... field) { (field(archive, value), ...); }, fields);
    }
};
template <class T, class... Fields>
constexpr Row<T, Fields...> message(const char* name, Fields... fields) {
    return {name, {fields...}};
}
template <class T, class... Fields>
constexpr Row<T, Fields...> value(Fields... fields) {
    return message<T>("", fields...);
}

template <class... Rows>
struct Table : Rows... {};
template <class... Rows>
Table(Rows...) -> Table<Rows...>;

/// The row of `T` in a table.
template <class T, class... Fields>
constexpr const Row<T, Fields...>& rowOf(const Row<T, Fields...>& row) {
    return row;
}

// ---- Fields of more than a key and a member ----

inline constexpr auto kRecordColumns = [](auto& a, auto& m) { a.columns(m.records); };
inline constexpr auto kCellsAndSketch = [](auto& a, auto& m) {
    a.cells(m.magnitudes.cells);
    a.sketch(m.sketch);
};
inline constexpr auto kArgumentOfItsKind = [](auto& a, auto& m) {
    using Kind = TextArgument::Kind;
    a("kind", m.kind);
    if (m.kind == Kind::Count) a("count", m.count);
    if (m.kind == Kind::Figure || m.kind == Kind::Percent || m.kind == Kind::PowerOfTwo) a("value", m.value);
    if (m.kind == Kind::Figure) a("digits", m.digits);
    if (m.kind == Kind::Name) a("name", m.name);
    if (m.kind == Kind::Text) a("text", m.text);
};
inline constexpr auto kCellsOfMap = [](auto& a, auto& m) {
    const auto cells = std::int64_t{m.rows} * m.cols;
    a.floats("sqnr", m.sqnr, cells);
    a.floats("flushed", m.flushed, cells);
};
inline constexpr auto kSecondsByLimit = [](auto& a, auto& m) {
    a("compute_seconds", m.byLimit[0]);
    a("memory_seconds", m.byLimit[1]);
    a("launch_seconds", m.byLimit[2]);
};

inline constexpr Table kValues{
    value<MemoryLedger>(key("weights", &MemoryLedger::weights), key("master_weights", &MemoryLedger::masterWeights),
                        key("gradients", &MemoryLedger::gradients), key("optimizer", &MemoryLedger::optimizer),
                        key("activations", &MemoryLedger::activations), key("workspace", &MemoryLedger::workspace),
                        key("scratch", &MemoryLedger::scratch)),
    value<ProductRates>(key("format", &ProductRates::format), key("flops_per_sample", &ProductRates::flopsPerSample),
                        key("tokens_per_sample", &ProductRates::tokensPerSample), key("peak", &ProductRates::peak),
                        key("ceiling", &ProductRates::measuredPeak)),
    value<LayerLine>(key("layer", &LayerLine::layer), key("operation", &LayerLine::operation), key("format", &LayerLine::format),
                     key("parameters", &LayerLine::parameters), key("output_bytes", &LayerLine::outputBytes)),
    value<WatchInfo>(key("link", &WatchInfo::link), key("key", &WatchInfo::key), key("process", &WatchInfo::process),
                     key("rank", &WatchInfo::rank), key("world", &WatchInfo::world), key("dropped", &WatchInfo::dropped),
                     key("statistics_period", &WatchInfo::statisticsPeriod), key("problems", &WatchInfo::problems)),
    value<RunInfo>(key("id", &RunInfo::id), key("settings", &RunInfo::settings), key("policy", &RunInfo::policy),
                   key("policy_reason", &RunInfo::policyReason), key("is_emulated", &RunInfo::isEmulated),
                   key("scaler_preset", &RunInfo::scalerPreset), key("scaler_is_dynamic", &RunInfo::scalerIsDynamic),
                   key("memory", &RunInfo::memory), key("allocated_bytes", &RunInfo::allocatedBytes),
                   key("device_used_bytes", &RunInfo::deviceUsedBytes), key("products", &RunInfo::products),
                   key("model_text", &RunInfo::modelText), key("layers", &RunInfo::layers), key("kind", &RunInfo::kind),
                   key("parent", &RunInfo::parent), key("first_step", &RunInfo::firstStep), key("origin", &RunInfo::origin),
                   key("watch", &RunInfo::watch)),
    value<DeviceInfo>(key("name", &DeviceInfo::name), key("description", &DeviceInfo::description),
                      key("available", &DeviceInfo::available), key("reason", &DeviceInfo::reason), key("threads", &DeviceInfo::threads)),
    value<BundledExperiment>(key("name", &BundledExperiment::name), key("title", &BundledExperiment::title),
                             key("description", &BundledExperiment::description), key("data", &BundledExperiment::data),
                             key("look_for", &BundledExperiment::lookFor), key("group", &BundledExperiment::group)),
    value<FirstNonFinite>(key("step", &FirstNonFinite::step), key("layer", &FirstNonFinite::layer),
                          key("operation", &FirstNonFinite::operation), key("phase", &FirstNonFinite::phase),
                          key("tensor", &FirstNonFinite::tensor), key("class", &FirstNonFinite::cls)),
    value<PreviewedRun>(key("name", &PreviewedRun::name), key("policy", &PreviewedRun::policy),
                        key("policy_reason", &PreviewedRun::policyReason), key("memory", &PreviewedRun::memory),
                        key("largest_batch", &PreviewedRun::largestBatch)),
    value<SettingChange>(key("pointer", &SettingChange::pointer), key("value", &SettingChange::value)),
    value<RunStyle>(key("run", &RunStyle::run), key("identity", &RunStyle::identity)),
    value<Note>(key("id", &Note::id), key("run", &Note::run), key("step", &Note::step), key("text", &Note::text)),
    value<ListedRun>(key("policy", &ListedRun::policy), key("steps", &ListedRun::steps), key("loss_steps", &ListedRun::lossSteps),
                     key("losses", &ListedRun::losses)),
    value<ListedRecording>(key("path", &ListedRecording::path), key("title", &ListedRecording::title),
                           key("started", &ListedRecording::started), key("steps", &ListedRecording::steps),
                           key("bytes", &ListedRecording::bytes), key("runs", &ListedRecording::runs)),
    value<ElementClasses>(key("negative_inf", &ElementClasses::negativeInf), key("negative", &ElementClasses::negative),
                          key("zero", &ElementClasses::zero), key("positive", &ElementClasses::positive),
                          key("positive_inf", &ElementClasses::positiveInf), key("nan", &ElementClasses::nan),
                          key("first_non_finite", &ElementClasses::firstNonFinite), key("abs_max", &ElementClasses::absMax)),
    value<StepThreshold>(key("step", &StepThreshold::step), key("highest", &StepThreshold::highest),
                         key("overflow_from", &StepThreshold::overflowFrom), key("gradient_max", &StepThreshold::gradientMax)),
    value<TensorStats>(key("tensor", &TensorStats::tensor), key("layer", &TensorStats::layer), key("operation", &TensorStats::operation),
                       key("phase", &TensorStats::phase), key("role", &TensorStats::role), key("storage", &TensorStats::storage),
                       key("is_scaled", &TensorStats::isScaled), key("elements", &TensorStats::elements),
                       key("classes", &TensorStats::classes), key("smallest", &TensorStats::smallest), key("passed", &TensorStats::passed),
                       kCellsAndSketch, key("meant", &TensorStats::meant), key("swallowed", &TensorStats::lost)),
    value<TensorName>(key("tensor", &TensorName::tensor), key("layer", &TensorName::layer), key("operation", &TensorName::operation),
                      key("phase", &TensorName::phase), key("role", &TensorName::role)),
    value<ElementRequest>(key("tensors", &ElementRequest::tensors), key("kind", &ElementRequest::kind), key("from", &ElementRequest::from),
                          key("below", &ElementRequest::below), key("limit", &ElementRequest::limit)),
    value<Element>(key("tensor", &Element::tensor), key("index", &Element::index), key("storage", &Element::storage),
                   key("is_scaled", &Element::isScaled), key("value", &Element::value), key("bits", &Element::bits),
                   key("wide", &Element::wide)),
    value<TensorRange>(key("name", &TensorRange::name), key("format", &TensorRange::format), key("shape", &TensorRange::shape),
                       key("non_finite", &TensorRange::nonFinite), key("abs_min", &TensorRange::absMin),
                       key("abs_max", &TensorRange::absMax)),
    value<ChainLink>(key("layer", &ChainLink::layer), key("operation", &ChainLink::operation), key("phase", &ChainLink::phase),
                     key("tensor", &ChainLink::tensor), key("format", &ChainLink::format), key("abs_max", &ChainLink::absMax),
                     key("non_finite", &ChainLink::nonFinite)),
    value<ProvenanceCard>(
        key("layer", &ProvenanceCard::layer), key("operation", &ProvenanceCard::operation), key("phase", &ProvenanceCard::phase),
        key("tensor", &ProvenanceCard::tensor), key("class", &ProvenanceCard::cls), key("format", &ProvenanceCard::format),
        key("storage", &ProvenanceCard::storage), key("shape", &ProvenanceCard::shape), key("instruction", &ProvenanceCard::instruction),
        key("instructions", &ProvenanceCard::instructions), key("element", &ProvenanceCard::element),
        key("non_finite", &ProvenanceCard::nonFinite), key("elements", &ProvenanceCard::elements), key("bits", &ProvenanceCard::bits),
        key("is_producer", &ProvenanceCard::isProducer), key("wide", &ProvenanceCard::wide), key("wide_max", &ProvenanceCard::wideMax),
        key("wide_max_at", &ProvenanceCard::wideMaxAt), key("format_max", &ProvenanceCard::formatMax),
        key("product_sum", &ProvenanceCard::productSum), key("micro_batch", &ProvenanceCard::microBatch),
        key("micro_batches", &ProvenanceCard::microBatches), key("data_row", &ProvenanceCard::dataRow),
        key("is_row_of_text", &ProvenanceCard::isRowOfText), key("operands", &ProvenanceCard::operands),
        key("chain", &ProvenanceCard::chain), key("found_inf", &ProvenanceCard::foundInf), key("parameters", &ProvenanceCard::parameters)),
    value<Text>(key("parts", &Text::parts)),
    value<TextPart>(key("pattern", &TextPart::pattern), key("arguments", &TextPart::arguments)),
    value<TextArgument>(kArgumentOfItsKind),
    value<Trial>(key("label", &Trial::label), key("policy", &Trial::policy), key("scale", &Trial::scale),
                 key("overridden_layer", &Trial::overriddenLayer), key("is_as_used", &Trial::isAsUsed),
                 key("is_reference", &Trial::isReference), key("is_forward_finite", &Trial::isForwardFinite),
                 key("non_finite", &Trial::nonFinite), key("flushed_share", &Trial::flushedShare), key("difference", &Trial::difference),
                 key("loss", &Trial::loss), key("failure", &Trial::failure)),
    value<SkipVerdict>(key("kind", &SkipVerdict::kind), key("headline", &SkipVerdict::headline),
                       key("explanation", &SkipVerdict::explanation), key("is_normal_probing", &SkipVerdict::isNormalProbing),
                       key("safe_scale", &SkipVerdict::safeScale), key("suspect_layer", &SkipVerdict::suspectLayer),
                       key("factor", &SkipVerdict::factor), key("would_not_help", &SkipVerdict::wouldNotHelp)),
    value<Remedy>(key("label", &Remedy::label), key("pointer", &Remedy::pointer), key("value", &Remedy::value),
                  key("steps", &Remedy::steps), key("skips", &Remedy::skips), key("non_finite", &Remedy::nonFinite),
                  key("helps", &Remedy::helps), key("sentence", &Remedy::sentence), key("loss", &Remedy::loss),
                  key("validation_loss", &Remedy::validationLoss), key("validation_accuracy", &Remedy::validationAccuracy),
                  key("rewind_to", &Remedy::rewindTo), key("fp32_flops", &Remedy::fp32Flops), key("fp32_bytes", &Remedy::fp32Bytes)),
    value<RunPast::Change>(key("step", &RunPast::Change::step), key("pointer", &RunPast::Change::pointer),
                           key("label", &RunPast::Change::label), key("from", &RunPast::Change::from), key("to", &RunPast::Change::to),
                           key("before", &RunPast::Change::before)),
    value<RunPast>(key("usual_loss", &RunPast::usualLoss), key("highest_loss", &RunPast::highestLoss),
                   key("usual_grad_norm", &RunPast::usualGradNorm), key("grad_norm_spread", &RunPast::gradNormSpread),
                   key("usual_until", &RunPast::usualUntil), key("healthy_until", &RunPast::healthyUntil),
                   key("latest_loss", &RunPast::latestLoss), key("latest_mean", &RunPast::latestMean),
                   key("first_loss", &RunPast::firstLoss), key("first_mean", &RunPast::firstMean), key("steps", &RunPast::steps),
                   key("changes", &RunPast::changes)),
    value<SilentFinding>(key("kind", &SilentFinding::kind), key("layer", &SilentFinding::layer), key("tensor", &SilentFinding::tensor),
                         key("value", &SilentFinding::value)),
    value<Gauge>(key("kind", &Gauge::kind), key("severity", &Gauge::severity), key("value", &Gauge::value),
                 key("sentence", &Gauge::sentence)),
    value<Examination>(key("step", &Examination::step), key("policy", &Examination::policy), key("loss_scale", &Examination::lossScale),
                       key("was_skipped", &Examination::wasSkipped), key("card", &Examination::card), key("trials", &Examination::trials),
                       key("verdict", &Examination::verdict), key("remedies", &Examination::remedies), key("past", &Examination::past),
                       key("silent", &Examination::silent), key("gauges", &Examination::gauges), key("card_ms", &Examination::cardMs),
                       key("all_ms", &Examination::allMs), key("was_stopped", &Examination::wasStopped)),
    value<LayerDifference>(key("layer", &LayerDifference::layer), key("role", &LayerDifference::role),
                           key("tensor", &LayerDifference::tensor), key("distance", &LayerDifference::distance),
                           key("length", &LayerDifference::length), key("elements", &LayerDifference::elements),
                           key("broken", &LayerDifference::broken), key("alike", &LayerDifference::alike)),
    value<ScaleBin>(key("exponent", &ScaleBin::exponent), key("blocks", &ScaleBin::blocks)),
    value<BlockMap>(key("rows", &BlockMap::rows), key("cols", &BlockMap::cols), key("block_rows_per_cell", &BlockMap::blockRowsPerCell),
                    key("block_cols_per_cell", &BlockMap::blockColsPerCell), kCellsOfMap),
    value<OperandBlocks>(
        key("tensor", &OperandBlocks::tensor), key("layer", &OperandBlocks::layer), key("products", &OperandBlocks::products),
        key("operand", &OperandBlocks::operand), key("format", &OperandBlocks::format), key("rows", &OperandBlocks::rows),
        key("cols", &OperandBlocks::cols), key("block_rows", &OperandBlocks::blockRows), key("block_cols", &OperandBlocks::blockCols),
        key("is_requantized", &OperandBlocks::isRequantized), key("is_rotated", &OperandBlocks::isRotated),
        key("is_stochastic", &OperandBlocks::isStochastic), key("non_zero", &OperandBlocks::nonZero),
        key("flushed", &OperandBlocks::flushed), key("saturated", &OperandBlocks::saturated), key("blocks", &OperandBlocks::blocks),
        key("zero_blocks", &OperandBlocks::zeroBlocks), key("zero_scales", &OperandBlocks::zeroScales),
        key("nan_scales", &OperandBlocks::nanScales), key("scales", &OperandBlocks::scales),
        key("smallest_scale", &OperandBlocks::smallestScale), key("largest_scale", &OperandBlocks::largestScale),
        key("factor", &OperandBlocks::factor), key("sqnr", &OperandBlocks::sqnr), key("largest", &OperandBlocks::largest),
        key("largest_rotated", &OperandBlocks::largestRotated), key("map", &OperandBlocks::map)),
    value<OperationTime>(key("operation", &OperationTime::operation), key("kind", &OperationTime::kind),
                         key("compute", &OperationTime::compute), key("runs", &OperationTime::runs), key("flops", &OperationTime::flops),
                         key("bytes", &OperationTime::bytes), key("seconds", &OperationTime::seconds), key("limit", &OperationTime::limit),
                         key("peak_tflops", &OperationTime::peakTflops)),
    value<StepTimes>(key("device", &StepTimes::device), key("operations", &StepTimes::operations), key("seconds", &StepTimes::seconds),
                     key("short_seconds", &StepTimes::shortSeconds), kSecondsByLimit, key("step_seconds", &StepTimes::stepSeconds),
                     key("notes", &StepTimes::notes)),
    value<NamedValue>(key("name", &NamedValue::name), key("value", &NamedValue::value)),
};

/// The columns of StepsRecorded.
template <class Visit>
void eachColumn(Visit visit) {
    visit("step", &StepRecord::step);
    visit("samples", &StepRecord::samples);
    visit("epoch", &StepRecord::epoch);
    visit("wall_s", &StepRecord::wallSeconds);
    visit("loss", &StepRecord::loss);
    visit("val_loss", &StepRecord::validationLoss);
    visit("val_accuracy", &StepRecord::validationAccuracy);
    visit("loss_scale", &StepRecord::lossScale);
    visit("skipped_total", &StepRecord::skippedTotal);
    visit("grad_norm", &StepRecord::gradNorm);
    visit("lr", &StepRecord::lr);
    visit("step_ms", &StepRecord::stepMs);
    visit("samples_per_s", &StepRecord::samplesPerSecond);
    visit("memory_bytes", &StepRecord::memoryBytes);
    visit("flags", &StepRecord::flags);
}

}  // namespace mantissa
