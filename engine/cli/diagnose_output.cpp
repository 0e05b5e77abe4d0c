// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/diagnose_output.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/cli/commands.h"
#include "engine/diagnosis/number_bits.h"
#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/joined.h"
#include "engine/telemetry/number_format.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string numbersText(const std::vector<std::int64_t>& numbers, const char* between) {
    return joined(numbers, between, [](std::int64_t number) { return std::to_string(number); });
}

/// "1 11111 0000000000": sign, exponent, mantissa.
std::string bitGroups(const ProvenanceCard& card) {
    const auto dtype = dtypeFromName(card.storage);
    if (!dtype) return "";
    return bitText(facts(*dtype), card.bits);
}

/// The parameters whose gradients are not finite.
std::string foundInfText(const ProvenanceCard& card) {
    constexpr std::size_t kNamed = 6;
    const auto count = static_cast<std::int64_t>(card.foundInf.size());
    if (count == 0) return "in no parameter's gradient";
    if (count == card.parameters) return "in all " + groupedText(count) + " parameters";
    std::string names;
    for (std::size_t i = 0; i < card.foundInf.size() && i < kNamed; ++i) names += (i > 0 ? ", " : "") + card.foundInf[i];
    if (card.foundInf.size() > kNamed) names += " and " + std::to_string(card.foundInf.size() - kNamed) + " more";
    const std::int64_t others = card.parameters - count;
    return names + "; " + (others == 1 ? "the other one is" : "the other " + groupedText(others) + " are") + " finite";
}

const char* producerText(const ProvenanceCard& card) {
    if (card.isProducer) return "producer: what it reads is finite";
    if (card.isFromData()) return "passed on: the data held it";
    return card.instructions > 0 ? "passed on: what it reads is not finite" : "";
}

/// "micro-batch 2 of 4, row 713 of the data set"
std::string originText(const ProvenanceCard& card) {
    std::string text;
    if (card.microBatches > 1 && card.microBatch > 0)
        text = "micro-batch " + groupedText(card.microBatch) + " of " + groupedText(card.microBatches);
    if (card.dataRow < 0) return text;
    return text + (text.empty() ? "" : ", ") +
           (card.isRowOfText ? "the text from token " + groupedText(card.dataRow) + " on"
                             : "row " + groupedText(card.dataRow) + " of the data set");
}

void writeCard(std::ostream& out, const ProvenanceCard& card) {
    out << "  " << card.tensor << "  " << card.cls << "\n";
    const std::string instruction =
        card.instructions > 0 ? "instruction " + std::to_string(card.instruction) + " of " + std::to_string(card.instructions) + ", " : "";
    const std::string layer = card.layer.empty() ? "the model" : card.layer;
    const char* producer = producerText(card);  // empty: not known
    out << "  " << (card.operation.empty() ? layer : card.operation + " of " + layer) << ", " << card.phase << (*producer ? ", " : "")
        << instruction << producer << "\n\n";
    std::vector<std::vector<std::string>> rows;
    const bool hasElement = !card.element.empty();  // a watched run's probe does not report it
    if (hasElement)
        rows.push_back({"  element  ", "[" + numbersText(card.element, ", ") + "], the first of " + groupedText(card.nonFinite) +
                                           " among " + groupedText(card.elements)});
    if (const std::string origin = originText(card); !origin.empty()) rows.push_back({"  from     ", origin});
    if (std::isfinite(card.wide)) {
        rows.push_back({"  in FP32  ",
                        numberText(card.wide, 6) + (card.productSum > 0 ? ", a sum of " + groupedText(card.productSum) + " products"
                                                    : overflowsWithin(card, card.wide) ? ": it fits, but an intermediate value overflows"
                                                                                       : "")});
        const std::string times = card.wideRatio() > 1 ? ", " + numberText(card.wideRatio(), 3) + " times the limit" : "";
        rows.push_back({"  largest  ", numberText(card.wideMax, 6) + " at [" + numbersText(card.wideMaxAt, ", ") + "]" + times});
    }
    if (!card.storage.empty())
        rows.push_back({"  stored   ", (card.format == card.storage ? "" : "rounded to " + card.format + ", in ") + card.storage +
                                           (hasElement ? "  " + bitGroups(card) : "")});
    for (const TensorRange& operand : card.operands) {
        rows.push_back({"  reads    ", operand.name + ", " + numbersText(operand.shape, " × ") + ", " + operand.format + ", " +
                                           (operand.nonFinite > 0 ? groupedText(operand.nonFinite) + " not finite" : "finite") + ", " +
                                           numberText(operand.absMin) + " to " + numberText(operand.absMax)});
    }
    if (card.parameters > 0) rows.push_back({"  found_inf", foundInfText(card)});
    for (const auto& row : rows) out << row[0] << "  " << row[1] << "\n";
}

void writeChain(std::ostream& out, const ProvenanceCard& card) {
    if (card.chain.empty()) return;
    constexpr std::size_t kLinks = 12;
    const auto last = std::find_if(card.chain.begin(), card.chain.end(), [](const ChainLink& link) { return link.nonFinite > 0; });
    const std::size_t end = static_cast<std::size_t>(last - card.chain.begin()) + (last == card.chain.end() ? 0 : 1);
    const std::size_t begin = end > kLinks ? end - kLinks : 0;
    out << "\nLargest magnitudes up to there, in order of execution\n";
    for (std::size_t i = begin; i < end; ++i) {
        const ChainLink& link = card.chain[i];
        const std::string mark = link.nonFinite > 0 ? "  <- " + groupedText(link.nonFinite) + " not finite" : "";
        out << "  " << link.tensor << " (" << link.format << ")  " << numberText(link.absMax) << mark << "\n";
    }
}

/// " It puts 1.2 % of the floating point operations and 3 % of the bytes read and written into FP32."
std::string costText(const Remedy& remedy) {
    if (std::isnan(remedy.fp32Flops)) return "";
    return " It puts " + shareText(remedy.fp32Flops) + " of the floating point operations and " + shareText(remedy.fp32Bytes) +
           " of the bytes read and written into FP32.";
}

/// " The loss ends at 0.041; validation 0.35, 91.7 %."
std::string lossText(const Remedy& remedy) {
    if (remedy.steps == 0) return "";
    if (remedy.skips == remedy.steps) return " No step was taken.";
    std::string text = " The loss ends at " + numberText(remedy.loss, 3);
    if (!std::isnan(remedy.validationLoss) || !std::isnan(remedy.validationAccuracy))
        text += ", in validation " + numberText(remedy.validationLoss, 3);
    if (!std::isnan(remedy.validationAccuracy)) text += ", " + fixedText(100 * remedy.validationAccuracy, 1) + " % right";
    return text + ".";
}

/// The result of a remedy, in sentences.
std::string remedyText(const Remedy& remedy) {
    return (remedy.sentence.empty() ? "not tried." : remedy.sentence.english()) + lossText(remedy) + (remedy.helps ? " It helps." : "") +
           costText(remedy);
}

std::string resultText(const Trial& trial) {
    if (!trial.failure.empty()) return trial.failure;
    if (trial.isFinite()) return "finite";
    return trial.isForwardFinite ? "overflows" : "overflows forward";
}

OrderedJson rangeJson(const TensorRange& range) {
    return {{"tensor", range.name},
            {"format", range.format},
            {"shape", range.shape},
            {"non_finite", range.nonFinite},
            {"abs_min", jsonNumber(range.absMin)},
            {"abs_max", jsonNumber(range.absMax)}};
}

OrderedJson cardJson(const ProvenanceCard& card) {
    OrderedJson operands = OrderedJson::array(), chain = OrderedJson::array();
    for (const TensorRange& operand : card.operands) operands.push_back(rangeJson(operand));
    for (const ChainLink& link : card.chain) {
        chain.push_back({{"layer", link.layer},
                         {"operation", link.operation},
                         {"phase", link.phase},
                         {"tensor", link.tensor},
                         {"format", link.format},
                         {"abs_max", jsonNumber(link.absMax)},
                         {"non_finite", link.nonFinite}});
    }
    return {{"layer", card.layer},
            {"operation", card.operation},
            {"phase", card.phase},
            {"tensor", card.tensor},
            {"class", card.cls},
            {"format", card.format},
            {"storage", card.storage},
            {"shape", card.shape},
            {"instruction", card.instruction},
            {"instructions", card.instructions},
            {"element", card.element},
            {"bits", bitGroups(card)},
            {"non_finite", card.nonFinite},
            {"elements", card.elements},
            {"micro_batch", card.microBatch > 0 ? OrderedJson(card.microBatch) : OrderedJson()},
            {"micro_batches", card.microBatches},
            {"data_row", card.dataRow >= 0 && !card.isRowOfText ? OrderedJson(card.dataRow) : OrderedJson()},
            {"data_token", card.dataRow >= 0 && card.isRowOfText ? OrderedJson(card.dataRow) : OrderedJson()},
            {"producer", card.isProducer},
            {"producer_text", producerText(card)},
            {"found_inf_text", foundInfText(card)},
            {"product_sum", card.productSum > 0 ? OrderedJson(card.productSum) : OrderedJson()},
            {"fp32", {{"value", jsonNumber(card.wide)}, {"abs_max", jsonNumber(card.wideMax)}, {"at", card.wideMaxAt}}},
            {"format_max", card.formatMax},
            {"operands", std::move(operands)},
            {"found_inf", card.foundInf},
            {"parameters", card.parameters},
            {"chain", std::move(chain)}};
}

std::string rangesText(const NonFiniteStepGroup& group) {
    constexpr std::size_t kNamed = 8;
    std::string text;
    for (std::size_t i = 0; i < group.ranges.size() && i < kNamed; ++i) {
        const auto [first, last] = group.ranges[i];
        text += (i > 0 ? ", " : "") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    }
    if (group.ranges.size() > kNamed) text += ", ... " + std::to_string(group.ranges.back().second);
    return group.steps > 1 ? text + ", " + groupedText(group.steps) + " steps" : text;
}

std::string microBatchText(const ProvenanceCard& card) {
    return card.microBatch > 0 && !card.layer.empty() ? std::to_string(card.microBatch) + " of " + std::to_string(card.microBatches) : "-";
}

}  // namespace

std::string listText(const ListedSteps& listed) {
    std::ostringstream out;
    std::vector<std::string> runs;
    for (const NonFiniteStepGroup& group : listed.groups) {
        if (std::find(runs.begin(), runs.end(), group.run) == runs.end()) runs.push_back(group.run);
    }
    for (const std::string& run : runs) {
        std::vector<std::vector<std::string>> rows{{"  verdict", "first non-finite tensor", "class", "micro-batch", "examined", "steps"}};
        std::string normal;
        std::int64_t bad = 0;
        for (const NonFiniteStepGroup& group : listed.groups) {
            if (group.run != run) continue;
            bad += group.steps;
            const std::string steps = rangesText(group);
            if (!group.examination) {
                rows.push_back({"  not examined", "-", "-", "-", "0", steps});
            } else if (group.examination->verdict.isNormalProbing) {
                normal = "  Normal, a dynamic scaler was looking for its scale: " + steps + "\n";
            } else {
                const Examination& e = *group.examination;
                rows.push_back({std::string("  ") + verdictName(e.verdict.kind), e.card.tensor.empty() ? "-" : e.card.tensor,
                                e.card.cls.empty() ? "-" : e.card.cls, microBatchText(e.card),
                                groupedText(static_cast<std::int64_t>(group.examined.size())), steps});
            }
        }
        out << "Run '" << run << "': " << groupedText(bad) << (bad == 1 ? " non-finite step\n" : " non-finite steps\n");
        if (rows.size() > 1) out << alignedTable(rows);
        out << normal << "\n";
    }
    out << "Of steps in a row the 1st, 2nd, 4th, 8th, ... are examined, and each that is bad in another way than the one before it; the "
           "others\n"
           "are listed with the one before them. 'mantissa diagnose SOURCE --run NAME --step N' examines one of them in full.\n";
    return out.str();
}

OrderedJson listJson(const ListedSteps& listed) {
    OrderedJson groups = OrderedJson::array();
    for (const NonFiniteStepGroup& group : listed.groups) {
        OrderedJson json{{"run", group.run},       {"verdict", nullptr},         {"normal_probing", false},
                         {"headline", nullptr},    {"steps", group.steps},       {"skipped", group.skipped},
                         {"ranges", group.ranges}, {"examined", group.examined}, {"card", nullptr}};
        if (group.examination) {
            const Examination& e = *group.examination;
            json["verdict"] = verdictName(e.verdict.kind);
            json["normal_probing"] = e.verdict.isNormalProbing;
            json["headline"] = e.verdict.headline.english();
            if (!e.card.layer.empty()) json["card"] = cardJson(e.card);
        }
        groups.push_back(std::move(json));
    }
    return groups;
}

std::string examinationText(const std::string& run, const Examination& e) {
    std::ostringstream out;
    out << "Step " << groupedText(e.step) << " of run '" << run << "', " << e.policy;
    if (e.lossScale != 1) out << ", loss scale " << powerOfTwoText(e.lossScale);
    out << (e.wasSkipped ? ", skipped" : "") << "\n\n";
    if (e.card.layer.empty()) {
        out << "Every tensor of it is finite.\n";
    } else {
        out << "Where it began\n";
        writeCard(out, e.card);
        writeChain(out, e.card);
    }
    out << "\nVerdict: " << verdictName(e.verdict.kind) << (e.verdict.isNormalProbing ? " (normal probing)" : "") << "\n";
    out << "  " << e.verdict.headline.english() << " " << e.verdict.explanation.english() << "\n";
    if (const std::string gauges = gaugesText(e.gauges, "  "); !gauges.empty()) out << "\nGauges that are not good\n" << gauges;
    if (!e.trials.empty()) {
        out << "\nThe step repeated; the run is unchanged\n";
        std::vector<std::vector<std::string>> rows{{"  trial", "non-finite gradients", "flushed to zero", "differs from FP32", ""}};
        for (const Trial& trial : e.trials) {
            const auto share = [](double value) { return std::isnan(value) ? std::string("-") : shareText(value); };
            rows.push_back({"  " + trial.label.english(), trial.failure.empty() ? groupedText(trial.nonFinite) : "-",
                            share(trial.flushedShare), trial.isReference ? "reference" : share(trial.difference), resultText(trial)});
        }
        out << alignedTable(rows);
    }
    if (!e.remedies.empty()) out << "\nRemedies tried\n";
    for (const Remedy& remedy : e.remedies) {
        out << "  " << remedy.label.english() << ": " << remedyText(remedy);
        if (!remedy.pointer.empty()) out << "  [" << remedy.pointer << " to " << remedy.value << "]";
        out << "\n";
    }
    for (const Text& sentence : e.verdict.wouldNotHelp) out << "  " << sentence.english() << "\n";
    return out.str();
}

OrderedJson examinationJson(const std::string& run, const Examination& e) {
    OrderedJson trials = OrderedJson::array(), remedies = OrderedJson::array(), changes = OrderedJson::array();
    OrderedJson silent = OrderedJson::array();
    std::vector<std::string> wouldNotHelp;
    for (const Text& sentence : e.verdict.wouldNotHelp) wouldNotHelp.push_back(sentence.english());
    for (const SilentFinding& finding : e.silent)
        silent.push_back({{"kind", silentName(finding.kind)},
                          {"layer", finding.layer},
                          {"tensor", finding.tensor},
                          {"value", jsonNumber(finding.value)}});
    for (const RunPast::Change& change : e.past.changes)
        changes.push_back({{"step", change.step}, {"set", change.pointer}, {"from", change.from}, {"to", change.to}});
    for (const Trial& trial : e.trials) {
        trials.push_back({{"label", trial.label.english()},
                          {"precision", trial.policy},
                          {"loss_scale", jsonNumber(trial.scale)},
                          {"layer_in_fp32", trial.overriddenLayer},
                          {"finite", trial.isFinite()},
                          {"forward_finite", trial.isForwardFinite},
                          {"non_finite_gradients", trial.failure.empty() ? OrderedJson(trial.nonFinite) : OrderedJson()},
                          {"flushed_share", jsonNumber(trial.flushedShare)},
                          {"difference_from_fp32", jsonNumber(trial.difference)},
                          {"loss", jsonNumber(trial.loss)},
                          {"result", resultText(trial)},
                          {"failure", trial.failure}});
    }
    for (const Remedy& remedy : e.remedies) {
        remedies.push_back({{"label", remedy.label.english()},
                            {"set", remedy.pointer},
                            {"value", remedy.value.empty() ? OrderedJson() : OrderedJson::parse(remedy.value)},
                            {"steps_tried", remedy.steps},
                            {"skips", remedy.skips},
                            {"non_finite_steps", remedy.nonFinite},
                            {"helps", remedy.helps},
                            {"loss", jsonNumber(remedy.loss)},
                            {"validation_loss", jsonNumber(remedy.validationLoss)},
                            {"validation_accuracy", jsonNumber(remedy.validationAccuracy)},
                            {"sentence", remedy.sentence.english()},
                            {"text", remedyText(remedy)},
                            {"rewind_to", remedy.rewindTo >= 0 ? OrderedJson(remedy.rewindTo) : OrderedJson()},
                            {"fp32_flops_share", jsonNumber(remedy.fp32Flops)},
                            {"fp32_bytes_share", jsonNumber(remedy.fp32Bytes)}});
    }
    return {{"run", run},
            {"step", e.step},
            {"precision", e.policy},
            {"loss_scale", jsonNumber(e.lossScale)},
            {"skipped", e.wasSkipped},
            {"card", e.card.layer.empty() ? OrderedJson() : cardJson(e.card)},
            {"verdict",
             {{"kind", verdictName(e.verdict.kind)},
              {"headline", e.verdict.headline.english()},
              {"explanation", e.verdict.explanation.english()},
              {"normal_probing", e.verdict.isNormalProbing},
              {"safe_scale", jsonNumber(e.verdict.safeScale)},
              {"layer", e.verdict.suspectLayer},
              {"would_not_help", wouldNotHelp},
              {"times_the_limit", jsonNumber(e.verdict.factor)}}},
            {"silent", std::move(silent)},
            {"gauges", gaugesJson(e.gauges)},
            {"past",
             {{"usual_loss", jsonNumber(e.past.usualLoss)},
              {"usual_until", e.past.usualUntil},
              {"latest_loss", jsonNumber(e.past.latestLoss)},
              {"changes", std::move(changes)}}},
            {"trials", std::move(trials)},
            {"remedies", std::move(remedies)},
            {"card_ms", e.cardMs},
            {"all_ms", e.allMs}};
}

}  // namespace mantissa
