// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/examination_text.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/diagnosis/number_bits.h"
#include "engine/diagnosis/verdict.h"
#include "engine/experiment/experiment.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/precision_menu.h"

namespace mantissa::gui {
namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(text);
}

/// "64 × 10"
QString shapeText(const std::vector<std::int64_t>& shape) {
    QStringList sizes;
    for (const std::int64_t size : shape) sizes << groupedText(size);
    return sizes.join(QStringLiteral(" × "));
}

/// "64 × 10, FP16, finite, 0.127 to 0.809"
QString operandText(const TensorRange& range) {
    QStringList parts{plain(range.name), shapeText(range.shape), formatText(range.format)};
    parts.removeAll(QString());
    if (range.nonFinite > 0) {
        parts << QObject::tr("%1 not finite").arg(groupedText(range.nonFinite));
    } else if (range.absMax == 0) {
        parts << QObject::tr("all 0");
    } else {
        parts << QObject::tr("finite");
    }
    if (range.absMax > 0)
        parts << (range.absMin > 0 ? QObject::tr("magnitudes %1 to %2").arg(numberText(range.absMin, 3), numberText(range.absMax, 5))
                                   : QObject::tr("magnitudes up to %1").arg(numberText(range.absMax, 5)));
    return parts.join(QStringLiteral(", "));
}

QString elementText(const ProvenanceCard& card) {
    const QString place = indexText(card.element);
    if (card.nonFinite <= 1) return QObject::tr("%1, the only one of %2").arg(place, groupedText(card.elements));
    return QObject::tr("%1, the first of %2 among %3").arg(place, groupedText(card.nonFinite), groupedText(card.elements));
}

/// "micro-batch 2 of 4, row 713 of the data set"; empty if neither is known.
QString originText(const ProvenanceCard& card) {
    QStringList parts;
    if (card.microBatches > 1 && card.microBatch > 0)
        parts << QObject::tr("micro-batch %1 of %2").arg(groupedText(card.microBatch), groupedText(card.microBatches));
    if (card.dataRow >= 0)
        parts << (card.isRowOfText ? QObject::tr("the text from token %1 on").arg(groupedText(card.dataRow))
                                   : QObject::tr("row %1 of the data set").arg(groupedText(card.dataRow)));
    return parts.join(QStringLiteral(", "));
}

/// Empty for a finite number, which cannot be the non-finite value.
BitGroups bitsOf(const ProvenanceCard& card) {
    const BitGroups bits = bitGroups(card.bits, card.storage);
    return bits.isExponentFull ? bits : BitGroups();
}

/// Class of that one element: the tensor may have other classes.
std::string classOfBits(const ProvenanceCard& card) {
    const auto dtype = dtypeFromName(card.storage);
    const BitGroups bits = bitsOf(card);
    if (!dtype || bits.isEmpty()) return card.cls;
    if (facts(*dtype).specials != Specials::InfAndNan || bits.mantissa.contains(u'1')) return "NaN";
    return bits.sign == QStringLiteral("1") ? "-Inf" : "+Inf";
}

void addFoundInf(std::vector<CardLine>& lines, const ProvenanceCard& card) {
    if (card.parameters == 0) return;
    const auto found = static_cast<std::int64_t>(card.foundInf.size()), others = card.parameters - found;
    if (found == 0) {
        lines.push_back({QStringLiteral("found_inf"), QObject::tr("in none of %1 parameters").arg(groupedText(card.parameters)), {}});
        return;
    }
    constexpr std::int64_t kMostNames = 4;
    QStringList names;
    for (std::int64_t i = 0; i < std::min(found, kMostNames); ++i) names << plain(card.foundInf[static_cast<std::size_t>(i)]);
    QString text = names.join(QStringLiteral(", "));
    if (found > kMostNames) text += QObject::tr(" and %1 more").arg(groupedText(found - kMostNames));
    lines.push_back({QStringLiteral("found_inf"), text, {}});
    lines.push_back({{},
                     others == 0   ? QObject::tr("no gradient is finite")
                     : others == 1 ? QObject::tr("1 other parameter is finite")
                                   : QObject::tr("%1 other parameters are finite").arg(groupedText(others)),
                     {}});
}

}  // namespace

BitGroups bitGroups(std::uint32_t bits, const std::string& format) {
    const auto dtype = dtypeFromName(format);
    if (!dtype) return {};
    const DtypeFacts& fact = facts(*dtype);
    QStringList parts = QString::fromStdString(bitText(fact, bits)).split(u' ');
    if (!fact.isSigned) parts.prepend({});
    BitGroups groups{.sign = parts.value(0), .exponent = parts.value(1), .mantissa = parts.value(2)};
    groups.isExponentFull = !groups.exponent.contains(u'0');
    return groups;
}

bool hasOrigin(const Examination& examination) {
    return !examination.card.tensor.empty();
}

std::vector<CardLine> cardLines(const Examination& examination) {
    const ProvenanceCard& card = examination.card;
    std::vector<CardLine> lines;
    if (!hasOrigin(examination)) {
        addFoundInf(lines, card);
        return lines;
    }
    if (!card.element.empty()) lines.push_back({QObject::tr("element"), elementText(card), {}});
    if (card.element.empty() && card.nonFinite > 0)
        lines.push_back({QObject::tr("elements"),
                         QObject::tr("%1 of %2 are not finite").arg(groupedText(card.nonFinite), groupedText(card.elements)),
                         {}});
    if (const QString origin = originText(card); !origin.isEmpty()) lines.push_back({QObject::tr("from"), origin, {}});
    if (!std::isnan(card.wide)) {
        QString wide = numberText(card.wide, 5);
        if (examination.lossScale != 1 && card.phase == "backward") wide = QObject::tr("%1 with the loss scale").arg(wide);
        if (card.productSum > 0)
            wide = QObject::tr("%1, a sum of %2 products").arg(wide, groupedText(card.productSum));
        else if (overflowsWithin(card, card.wide))
            wide = QObject::tr("%1: it fits, but an intermediate value overflows").arg(wide);
        lines.push_back({QObject::tr("in FP32"), wide, {}});
    }
    if (!std::isnan(card.wideMax)) {
        QString largest = numberText(card.wideMax, 6);
        if (!card.wideMaxAt.empty()) largest = QObject::tr("%1 at %2").arg(largest, indexText(card.wideMaxAt));
        if (card.formatMax > 0 && card.wideMax > card.formatMax)
            largest += QObject::tr(", %1 times the limit of %2").arg(numberText(card.wideRatio(), 3), numberText(card.formatMax, 5));
        lines.push_back({QObject::tr("largest"), largest, {}});
    }
    const QString cls = classText(classOfBits(card)), storage = formatText(card.storage);
    lines.push_back({QObject::tr("stored"),
                     card.storage == card.format
                         ? QStringLiteral("%1 %2").arg(storage, cls)
                         : QObject::tr("%1, rounded to %2 and kept in %3").arg(cls, formatText(card.format), storage),
                     bitsOf(card)});
    bool isFirst = true;
    for (const TensorRange& operand : card.operands)
        lines.push_back({std::exchange(isFirst, false) ? QObject::tr("reads") : QString(), operandText(operand), {}});
    addFoundInf(lines, card);
    return lines;
}

QString tensorTitle(const std::string& tensor) {
    QString name = plain(tensor);
    if (!name.endsWith(QStringLiteral(".grad"))) return name;
    name.chop(5);
    return QObject::tr("%1, gradient").arg(name);
}

QString placeText(const ProvenanceCard& card) {
    static const std::pair<QLatin1String, const char*> kGradients[] = {
        {QLatin1String("_grad_weight"), QT_TRANSLATE_NOOP("QObject", "%1, weight gradient")},
        {QLatin1String("_grad_input"), QT_TRANSLATE_NOOP("QObject", "%1, input gradient")},
        {QLatin1String("_grad_bias"), QT_TRANSLATE_NOOP("QObject", "%1, bias gradient")}};
    QString operation = plain(card.operation);
    for (const auto& [suffix, sentence] : kGradients) {
        if (!operation.endsWith(suffix)) continue;
        operation.chop(suffix.size());
        operation = QObject::tr(sentence).arg(operation);
        break;
    }
    operation.replace(u'_', u' ');
    if (card.instructions == 0) return operation;
    return QObject::tr("%1 · instruction %2 of %3").arg(operation, groupedText(card.instruction), groupedText(card.instructions));
}

QString producerText(const ProvenanceCard& card) {
    if (card.isProducer) return QObject::tr("producer: its inputs are finite");
    if (card.isFromData()) return QObject::tr("passed on: the data held it");
    return card.instructions > 0 ? QObject::tr("passed on: what it reads is not finite") : QString();
}

QString classText(const std::string& cls) {
    return plain(cls).replace(u'-', QChar(0x2212));
}

Glyph classGlyph(const std::string& cls) {
    return cls == "+Inf" || cls == "Inf" ? Glyph::PositiveInf : cls == "-Inf" ? Glyph::NegativeInf : Glyph::NaN;
}

QString indexText(const std::vector<std::int64_t>& index) {
    QStringList places;
    for (const std::int64_t place : index) places << groupedText(place);
    return u'[' + places.join(QStringLiteral(", ")) + u']';
}

QString formatText(const std::string& format) {
    const auto dtype = dtypeFromName(format);
    return dtype ? formatText(*dtype) : plain(format);
}

QString formatText(Dtype format) {
    return nameText(facts(format).screenName);
}

QString percentText(double share) {
    if (std::isnan(share)) return QStringLiteral("–");
    if (share == 0) return QStringLiteral("0");
    const double percent = share * 100;
    return (percent < 0.0005 ? QStringLiteral("< 0.001") : fixedText(percent, 3)) + QStringLiteral("\u202F%");
}

QString examinationText(const QString& run, const Examination& examination) {
    QStringList lines{QObject::tr("%1, step %2, loss scale %3").arg(run, groupedText(examination.step), scaleText(examination.lossScale))};
    if (hasOrigin(examination)) {
        const ProvenanceCard& card = examination.card;
        lines << tensorTitle(card.tensor) << placeText(card)
              << QStringLiteral("%1, %2, %3").arg(classText(card.cls), plain(card.phase), producerText(card));
        if (producerText(card).isEmpty()) lines.back().chop(2);
    }
    for (const CardLine& line : cardLines(examination)) {
        const QString bits = line.bits.text();
        lines << QStringLiteral("%1\t%2").arg(line.label, bits.isEmpty() ? line.text : line.text + QStringLiteral("  ") + bits);
    }
    lines << engineText(examination.verdict.headline) << engineText(examination.verdict.explanation);
    return lines.join(u'\n');
}

QString changeName(const Remedy& remedy) {
    const Json value = Json::parse(remedy.value, nullptr, false);
    if (remedy.pointer == kScalePointer && value.is_number()) return QObject::tr("scale %1").arg(scaleText(value.get<double>()));
    if (remedy.pointer == "/precision" && value.is_string()) return policyText(plain(value.get<std::string>()));
    return engineText(remedy.label);
}

QString progressText(const WorkProgress& progress) {
    const QString done = groupedText(progress.done), of = groupedText(progress.of);
    switch (progress.work) {
        case QuestionWork::Waiting:
            return QObject::tr("Waiting for an earlier question");
        case QuestionWork::Rerunning:
            return progress.of > 0 ? QObject::tr("Going back to the step: %1 of %2 steps").arg(done, of)
                                   : QObject::tr("Going back to the step");
        case QuestionWork::RepeatingStep:
            return QObject::tr("Repeating the step in other ways");
        case QuestionWork::SearchingLosses:
            return QObject::tr("Comparing the step with FP32");
        case QuestionWork::SearchingOverride:
            return QObject::tr("Searching for the layers that need FP32");
        case QuestionWork::TryingRemedy: {
            const QString shown = engineText(progress.remedy);
            return progress.of > 0 ? QObject::tr("Trying: %1, %2 of %3 steps").arg(shown, done, of) : QObject::tr("Trying: %1").arg(shown);
        }
        case QuestionWork::Measuring:
            return QObject::tr("Measuring: %1 of %2 steps").arg(done, of);
    }
    return {};
}

QString remedyText(const Remedy& remedy) {
    QString sentence = engineText(remedy.sentence);
    if (!std::isnan(remedy.fp32Flops))
        sentence += u' ' + QObject::tr("In FP32: %1 of the arithmetic, %2 of the memory traffic.")
                               .arg(percentText(remedy.fp32Flops), percentText(remedy.fp32Bytes));
    if (std::isnan(remedy.loss)) return sentence;  // lost, as the sentence says, or from an earlier recording
    const QString loss = numberText(remedy.loss, 3), validation = numberText(remedy.validationLoss, 3);
    if (!std::isnan(remedy.validationAccuracy))
        return QObject::tr("%1 Loss at the end: %2, in validation %3 (%4 % right).")
            .arg(sentence, loss, validation, fixedText(100 * remedy.validationAccuracy, 1));
    if (!std::isnan(remedy.validationLoss)) return QObject::tr("%1 Loss at the end: %2, in validation %3.").arg(sentence, loss, validation);
    return QObject::tr("%1 Loss at the end: %2.").arg(sentence, loss);
}

const Remedy* mainRemedy(const Examination& examination) {
    const auto found = std::ranges::find_if(
        examination.remedies, [](const Remedy& remedy) { return remedy.steps > 0 && remedy.helps && !remedy.pointer.empty(); });
    return found == examination.remedies.end() ? nullptr : &*found;
}

}  // namespace mantissa::gui
