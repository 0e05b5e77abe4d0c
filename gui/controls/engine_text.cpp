// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/engine_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace mantissa::gui {
namespace {

// The list that the catalogues are filled from; nothing reads it at run time. A number is %1, %2, ... in order.
[[maybe_unused]] const char* const kEngineTexts[] = {
    // engine/precision/health.cpp: titles
    QT_TRANSLATE_NOOP("engine", "Calibrating"),
    QT_TRANSLATE_NOOP("engine", "Collapsing"),
    QT_TRANSLATE_NOOP("engine", "Dead"),
    QT_TRANSLATE_NOOP("engine", "Finite"),
    QT_TRANSLATE_NOOP("engine", "Finite again"),
    QT_TRANSLATE_NOOP("engine", "Fixed scale"),
    QT_TRANSLATE_NOOP("engine", "Hitting a spike"),
    QT_TRANSLATE_NOOP("engine", "Not finite"),
    QT_TRANSLATE_NOOP("engine", "Not started"),
    QT_TRANSLATE_NOOP("engine", "Probing"),
    QT_TRANSLATE_NOOP("engine", "Skip storm"),
    QT_TRANSLATE_NOOP("engine", "Steady"),
    QT_TRANSLATE_NOOP("engine", "Stopped"),
    // and sentences
    QT_TRANSLATE_NOOP("engine", "All finite."),
    QT_TRANSLATE_NOOP("engine", "No step skipped."),
    QT_TRANSLATE_NOOP("engine", "No step yet."),
    QT_TRANSLATE_NOOP("engine", "Normal."),
    QT_TRANSLATE_NOOP("engine", "Not a scale problem."),
    QT_TRANSLATE_NOOP("engine", "Not finite, and nothing skips such a step."),
    QT_TRANSLATE_NOOP("engine", "Not finite since step %1, and nothing skips such a step."),
    QT_TRANSLATE_NOOP("engine", "Finite now, but step %1 was not, and was not skipped."),
    QT_TRANSLATE_NOOP("engine", "%1 skip in a row."),
    QT_TRANSLATE_NOOP("engine", "%1 skips in a row."),
    QT_TRANSLATE_NOOP("engine", "%1 skip so far."),
    QT_TRANSLATE_NOOP("engine", "%1 skips so far."),
    QT_TRANSLATE_NOOP("engine", "%1 skip in a row, and the scale is below %2 by now: hardly a scale problem."),
    QT_TRANSLATE_NOOP("engine", "%1 skips in a row, and the scale is below %2 by now: hardly a scale problem."),
    QT_TRANSLATE_NOOP("engine", "Finding a usable scale: %1 skip so far."),
    QT_TRANSLATE_NOOP("engine", "Finding a usable scale: %1 skips so far."),
    QT_TRANSLATE_NOOP("engine", "Finding a usable scale: %1 skip in a row."),
    QT_TRANSLATE_NOOP("engine", "Finding a usable scale: %1 skips in a row."),
    QT_TRANSLATE_NOOP("engine", "The scale is fixed: every such step is lost."),
    QT_TRANSLATE_NOOP("engine", "%1 of %2 step skipped: the scale is fixed and these overflowed."),
    QT_TRANSLATE_NOOP("engine", "%1 of %2 steps skipped: the scale is fixed and these overflowed."),
    QT_TRANSLATE_NOOP("engine", "Probing: %1 skip in the first %2 step, normal."),
    QT_TRANSLATE_NOOP("engine", "Probing: %1 skip in the first %2 steps, normal."),
    QT_TRANSLATE_NOOP("engine", "Probing: %1 skips in the first %2 steps, normal."),
    QT_TRANSLATE_NOOP("engine", "Tried a larger scale, stepped back."),
    QT_TRANSLATE_NOOP("engine", "Step %1 had larger gradients than the scale allows."),
    QT_TRANSLATE_NOOP("engine", "The scale is infinite: every step overflows."),
    QT_TRANSLATE_NOOP("engine", "Set a smaller one."),
    QT_TRANSLATE_NOOP("engine", "The scale is so small that its reciprocal is infinite."),
    QT_TRANSLATE_NOOP("engine", "Steps are no longer meaningful."),
    QT_TRANSLATE_NOOP("engine", "The scale follows the largest gradients."),
    QT_TRANSLATE_NOOP("engine", "%1 of %2 clean steps to the next growth."),
    // engine/diagnosis/verdict.cpp: headlines, and what would not help
    QT_TRANSLATE_NOOP("engine", "The weights were broken before this step."),
    QT_TRANSLATE_NOOP("engine", "The weights were not finite when they were loaded."),
    QT_TRANSLATE_NOOP("engine", "The loss scale is too small."),
    QT_TRANSLATE_NOOP("engine", "The gradient norm overflows."),
    QT_TRANSLATE_NOOP("engine", "Gradients of an earlier step are still there, and not finite."),
    QT_TRANSLATE_NOOP("engine", "An overflow stays in gradients that are not set to zero."),
    QT_TRANSLATE_NOOP("engine", "Running statistics are not finite."),
    QT_TRANSLATE_NOOP("engine", "Training diverges."),
    QT_TRANSLATE_NOOP("engine", "Finite, but an operation loses its input."),
    QT_TRANSLATE_NOOP("engine", "Finite, but gradients are lost."),
    QT_TRANSLATE_NOOP("engine", "Finite, but the weights hardly move."),
    QT_TRANSLATE_NOOP("engine", "Finite, but the loss has grown."),
    QT_TRANSLATE_NOOP("engine", "Neither the format nor the loss scale is the cause."),
    QT_TRANSLATE_NOOP("engine", "Another loss scale or format would not help: statistics that are not finite stay so."),
    QT_TRANSLATE_NOOP("engine", "The data are not finite."),
    QT_TRANSLATE_NOOP("engine", "The update itself made a NaN."),
    QT_TRANSLATE_NOOP("engine", "The update left the format."),
    QT_TRANSLATE_NOOP("engine", "Nothing is wrong with this step."),
    QT_TRANSLATE_NOOP("engine", "Everything is finite when it is repeated."),
    QT_TRANSLATE_NOOP("engine", "Not searched to the end."),
    QT_TRANSLATE_NOOP("engine", "The arithmetic makes a NaN."),
    QT_TRANSLATE_NOOP("engine", "It overflows in FP32 as well."),
    QT_TRANSLATE_NOOP("engine", "The forward pass overflows."),
    QT_TRANSLATE_NOOP("engine", "The loss scale was too high."),
    QT_TRANSLATE_NOOP("engine", "No loss scale can help."),
    QT_TRANSLATE_NOOP("engine", "Its tensors and gradients are all finite."),
    QT_TRANSLATE_NOOP("engine", "Another loss scale or format would not help: what is read is not finite."),
    QT_TRANSLATE_NOOP("engine", "Neither another loss scale nor FP32 would help."),
    // engine/diagnosis: classes of numbers, gauges, remedies
    QT_TRANSLATE_NOOP("engine", "normal"),
    QT_TRANSLATE_NOOP("engine", "subnormal"),
    QT_TRANSLATE_NOOP("engine", "zero"),
    QT_TRANSLATE_NOOP("engine", "swallowed updates"),
    QT_TRANSLATE_NOOP("engine", "standing weights"),
    QT_TRANSLATE_NOOP("engine", "flushed epsilon"),
    QT_TRANSLATE_NOOP("engine", "broken statistics"),
    QT_TRANSLATE_NOOP("engine", "schedule ahead"),
    QT_TRANSLATE_NOOP("engine", "clipped while scaled"),
    QT_TRANSLATE_NOOP("engine", "TF32 for IEEE"),
    QT_TRANSLATE_NOOP("engine", "Leave it"),
    QT_TRANSLATE_NOOP("engine", "Set gradients to zero"),
    QT_TRANSLATE_NOOP("engine", "Skip such steps"),
    QT_TRANSLATE_NOOP("engine", "A dynamic loss scaler"),
    QT_TRANSLATE_NOOP("engine", "No clipping"),
    QT_TRANSLATE_NOOP("engine", "Unscale before clipping"),
    QT_TRANSLATE_NOOP("engine", "Switch to BF16"),
    QT_TRANSLATE_NOOP("engine", "Switch to FP32"),
    QT_TRANSLATE_NOOP("engine", "No skip, nothing non-finite in the next %1 steps."),
    QT_TRANSLATE_NOOP("engine", "%1 steps with a non-finite value in the next %2 steps."),
    QT_TRANSLATE_NOOP("engine", "every update that was meant moved its weight"),
    QT_TRANSLATE_NOOP("engine", "every update that was meant moved its weight; one block in eight was looked at"),
    QT_TRANSLATE_NOOP("engine", "every tensor of weights moved"),
    QT_TRANSLATE_NOOP("engine", "%1 skip in the next %2 steps."),
    QT_TRANSLATE_NOOP("engine", "%1 skips in the next %2 steps."),
    // engine/experiment: names of settings, and what an empty field stands for
    QT_TRANSLATE_NOOP("engine", "%1/%2 of channels"),
    QT_TRANSLATE_NOOP("engine", "activation"),
    QT_TRANSLATE_NOOP("engine", "as heads"),
    QT_TRANSLATE_NOOP("engine", "as it trains"),
    QT_TRANSLATE_NOOP("engine", "as the precision needs"),
    QT_TRANSLATE_NOOP("engine", "attention"),
    QT_TRANSLATE_NOOP("engine", "attention mask"),
    QT_TRANSLATE_NOOP("engine", "backoff factor"),
    QT_TRANSLATE_NOOP("engine", "base of the rotary angles"),
    QT_TRANSLATE_NOOP("engine", "batch size"),
    QT_TRANSLATE_NOOP("engine", "betas"),
    QT_TRANSLATE_NOOP("engine", "bias"),
    QT_TRANSLATE_NOOP("engine", "by steps"),
    QT_TRANSLATE_NOOP("engine", "channels"),
    QT_TRANSLATE_NOOP("engine", "classes"),
    QT_TRANSLATE_NOOP("engine", "clip"),
    QT_TRANSLATE_NOOP("engine", "code"),
    QT_TRANSLATE_NOOP("engine", "context"),
    QT_TRANSLATE_NOOP("engine", "dampening"),
    QT_TRANSLATE_NOOP("engine", "data path"),
    QT_TRANSLATE_NOOP("engine", "data set"),
    QT_TRANSLATE_NOOP("engine", "degrees of freedom"),
    QT_TRANSLATE_NOOP("engine", "drawn from the seed"),
    QT_TRANSLATE_NOOP("engine", "dropout"),
    QT_TRANSLATE_NOOP("engine", "each"),
    QT_TRANSLATE_NOOP("engine", "epochs between validations"),
    QT_TRANSLATE_NOOP("engine", "eps"),
    QT_TRANSLATE_NOOP("engine", "epsilon of norms"),
    QT_TRANSLATE_NOOP("engine", "falls to 0 at"),
    QT_TRANSLATE_NOOP("engine", "features"),
    QT_TRANSLATE_NOOP("engine", "fused kernels"),
    QT_TRANSLATE_NOOP("engine", "gradient checkpointing"),
    QT_TRANSLATE_NOOP("engine", "gradients start at zero"),
    QT_TRANSLATE_NOOP("engine", "growth factor"),
    QT_TRANSLATE_NOOP("engine", "growth interval"),
    QT_TRANSLATE_NOOP("engine", "heads"),
    QT_TRANSLATE_NOOP("engine", "heads of keys"),
    QT_TRANSLATE_NOOP("engine", "hidden layers"),
    QT_TRANSLATE_NOOP("engine", "hysteresis"),
    QT_TRANSLATE_NOOP("engine", "image height"),
    QT_TRANSLATE_NOOP("engine", "image width"),
    QT_TRANSLATE_NOOP("engine", "initial scale"),
    QT_TRANSLATE_NOOP("engine", "initial weights"),
    QT_TRANSLATE_NOOP("engine", "inner channels"),
    QT_TRANSLATE_NOOP("engine", "label smoothing"),
    QT_TRANSLATE_NOOP("engine", "largest scale"),
    QT_TRANSLATE_NOOP("engine", "layers"),
    QT_TRANSLATE_NOOP("engine", "length"),
    QT_TRANSLATE_NOOP("engine", "logits of the loss"),
    QT_TRANSLATE_NOOP("engine", "loss scaler"),
    QT_TRANSLATE_NOOP("engine", "lr"),
    QT_TRANSLATE_NOOP("engine", "micro-batches"),
    QT_TRANSLATE_NOOP("engine", "model"),
    QT_TRANSLATE_NOOP("engine", "momentum"),
    QT_TRANSLATE_NOOP("engine", "name"),
    QT_TRANSLATE_NOOP("engine", "nesterov"),
    QT_TRANSLATE_NOOP("engine", "noise"),
    QT_TRANSLATE_NOOP("engine", "off"),
    QT_TRANSLATE_NOOP("engine", "optimizer"),
    QT_TRANSLATE_NOOP("engine", "order"),
    QT_TRANSLATE_NOOP("engine", "precision"),
    QT_TRANSLATE_NOOP("engine", "samples"),
    QT_TRANSLATE_NOOP("engine", "schedule"),
    QT_TRANSLATE_NOOP("engine", "schedule on skip"),
    QT_TRANSLATE_NOOP("engine", "score scale"),
    QT_TRANSLATE_NOOP("engine", "seed"),
    QT_TRANSLATE_NOOP("engine", "smallest scale"),
    QT_TRANSLATE_NOOP("engine", "softmax"),
    QT_TRANSLATE_NOOP("engine", "steps"),
    QT_TRANSLATE_NOOP("engine", "text sample"),
    QT_TRANSLATE_NOOP("engine", "the original's"),
    QT_TRANSLATE_NOOP("engine", "the preset's"),
    QT_TRANSLATE_NOOP("engine", "tied head"),
    QT_TRANSLATE_NOOP("engine", "times"),
    QT_TRANSLATE_NOOP("engine", "tokens"),
    QT_TRANSLATE_NOOP("engine", "unscaling"),
    QT_TRANSLATE_NOOP("engine", "validation interval"),
    QT_TRANSLATE_NOOP("engine", "validation precision"),
    QT_TRANSLATE_NOOP("engine", "vocabulary"),
    QT_TRANSLATE_NOOP("engine", "warm-up steps"),
    QT_TRANSLATE_NOOP("engine", "weight decay"),
    QT_TRANSLATE_NOOP("engine", "what decays"),
    QT_TRANSLATE_NOOP("engine", "growth"),
    QT_TRANSLATE_NOOP("engine", "backoff"),
    QT_TRANSLATE_NOOP("engine", "interval"),
    QT_TRANSLATE_NOOP("engine", "scaler"),
    QT_TRANSLATE_NOOP("engine", "loss scale"),
};

/// One sentence, its numbers apart.
QString translatedSentence(const QString& sentence) {
    static const QRegularExpression kNumber(QStringLiteral(R"((?<![A-Za-z])\d+)"));  // not the 32 of FP32
    QStringList numbers;
    QString pattern;
    qsizetype end = 0;
    for (auto it = kNumber.globalMatch(sentence); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        numbers << match.captured();
        pattern += sentence.mid(end, match.capturedStart() - end) + u'%' + QString::number(numbers.size());
        end = match.capturedEnd();
    }
    pattern += sentence.mid(end);
    QString translated = QCoreApplication::translate("engine", pattern.toUtf8().constData());
    if (translated == pattern) return sentence;
    for (qsizetype i = numbers.size(); i > 0; --i) translated.replace(u'%' + QString::number(i), numbers[i - 1]);
    return translated;
}

}  // namespace

QString engineText(const std::string& text) {
    const QString whole = QString::fromStdString(text);
    static const QRegularExpression kSentenceEnd(QStringLiteral(R"((?<=\.) (?=[A-Z0-9]))"));
    QStringList sentences = whole.split(kSentenceEnd);
    for (QString& sentence : sentences) sentence = translatedSentence(sentence);
    return sentences.join(u' ');
}

}  // namespace mantissa::gui
