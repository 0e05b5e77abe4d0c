// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/engine_text.h"

#include <QCoreApplication>

namespace mantissa::gui {
namespace {

// Names from tables of the engine, for the translation catalogues; not read at run time.
[[maybe_unused]] const char* const kNames[] = {
    // engine/diagnosis/verdict_words.cpp: verdictName
    QT_TRANSLATE_NOOP("engine", "scale too high"),
    QT_TRANSLATE_NOOP("engine", "forward overflow"),
    QT_TRANSLATE_NOOP("engine", "bad data"),
    QT_TRANSLATE_NOOP("engine", "bad weights"),
    QT_TRANSLATE_NOOP("engine", "arithmetic NaN"),
    QT_TRANSLATE_NOOP("engine", "unexplained"),
    QT_TRANSLATE_NOOP("engine", "divergence"),
    QT_TRANSLATE_NOOP("engine", "kept gradients"),
    QT_TRANSLATE_NOOP("engine", "silent failure"),
    QT_TRANSLATE_NOOP("engine", "bad statistics"),
    QT_TRANSLATE_NOOP("engine", "scale too low"),
    QT_TRANSLATE_NOOP("engine", "norm overflow"),
    // engine/diagnosis: classes of numbers, gauges
    QT_TRANSLATE_NOOP("engine", "normal"),
    QT_TRANSLATE_NOOP("engine", "subnormal"),
    QT_TRANSLATE_NOOP("engine", "zero"),
    QT_TRANSLATE_NOOP("engine", "saturated"),
    QT_TRANSLATE_NOOP("engine", "lost updates"),
    QT_TRANSLATE_NOOP("engine", "unchanged weights"),
    QT_TRANSLATE_NOOP("engine", "Adam epsilon rounds to 0"),
    QT_TRANSLATE_NOOP("engine", "second moments do not decay"),
    QT_TRANSLATE_NOOP("engine", "BatchNorm buffers not finite"),
    QT_TRANSLATE_NOOP("engine", "weights not finite"),
    QT_TRANSLATE_NOOP("engine", "LR schedule ahead"),
    QT_TRANSLATE_NOOP("engine", "clipped while scaled"),
    QT_TRANSLATE_NOOP("engine", "TF32 in place of FP32"),
    // engine/experiment: names of settings, and placeholders of empty fields
    QT_TRANSLATE_NOOP("engine", "8/3 of channels"),
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
    QT_TRANSLATE_NOOP("engine", "fused softmax"),
    QT_TRANSLATE_NOOP("engine", "gradient checkpointing"),
    QT_TRANSLATE_NOOP("engine", "zero_grad every step"),
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
    QT_TRANSLATE_NOOP("engine", "LR schedule on a skipped step"),
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
    QT_TRANSLATE_NOOP("engine", "unscale"),
    QT_TRANSLATE_NOOP("engine", "validation interval"),
    QT_TRANSLATE_NOOP("engine", "validation precision"),
    QT_TRANSLATE_NOOP("engine", "vocabulary"),
    QT_TRANSLATE_NOOP("engine", "warm-up steps"),
    QT_TRANSLATE_NOOP("engine", "weight decay"),
    QT_TRANSLATE_NOOP("engine", "weight decay on"),
    QT_TRANSLATE_NOOP("engine", "Newton-Schulz steps"),
    QT_TRANSLATE_NOOP("engine", "Newton-Schulz format"),
    QT_TRANSLATE_NOOP("engine", "factor of the rate"),
    QT_TRANSLATE_NOOP("engine", "optimizer state in"),
    QT_TRANSLATE_NOOP("engine", "growth"),
    QT_TRANSLATE_NOOP("engine", "backoff"),
    QT_TRANSLATE_NOOP("engine", "interval"),
    QT_TRANSLATE_NOOP("engine", "scaler"),
    QT_TRANSLATE_NOOP("engine", "loss scale"),
    // engine/experiment: display texts of choices
    QT_TRANSLATE_NOOP("engine", "before clipping"),
    QT_TRANSLATE_NOOP("engine", "after clipping"),
    QT_TRANSLATE_NOOP("engine", "all parameters"),
    QT_TRANSLATE_NOOP("engine", "matrices only"),
    QT_TRANSLATE_NOOP("engine", "advances"),
    QT_TRANSLATE_NOOP("engine", "waits"),
    QT_TRANSLATE_NOOP("engine", "as AdamW's RMS"),
    QT_TRANSLATE_NOOP("engine", "original"),
    QT_TRANSLATE_NOOP("engine", "spectral, unclamped"),
    QT_TRANSLATE_NOOP("engine", "the weights' format"),
};

std::string translated(const std::string& pattern) {
    return QCoreApplication::translate("engine", pattern.c_str()).toStdString();
}

}  // namespace

QString engineText(const Text& text) {
    return QString::fromStdString(text.in(translated));
}

QString engineText(const std::string& name) {
    return QCoreApplication::translate("engine", name.c_str());
}

QString nameText(std::string_view name) {
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace mantissa::gui
