// SPDX-License-Identifier: GPL-3.0-or-later
// An examination in words: the lines of the card, bits in their groups, shares. Pure functions; GUI thread only for their translation.
#pragma once

#include <QString>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "gui/plots/marks.h"
#include "kernels/dtype/dtype.h"

namespace mantissa::gui {

/// Bits of one value, apart as the format has them.
struct BitGroups {
    QString sign, exponent, mantissa;
    bool isExponentFull = false;  // all ones: what Inf and NaN have
    bool isEmpty() const { return sign.isEmpty(); }
    QString text() const { return isEmpty() ? QString() : sign + u' ' + exponent + u' ' + mantissa; }
};
/// Empty for a format that is not known.
BitGroups bitGroups(std::uint32_t bits, const std::string& format);

/// A line of the card: "element", "[0, 0], the first of 351 among 1 280".
struct CardLine {
    QString label;  // empty: goes on from the line before
    QString text;
    BitGroups bits;  // after the text
};
/// What is known of where it began, in the order of the screen; nothing when every tensor was finite.
std::vector<CardLine> cardLines(const Examination& examination);

bool hasOrigin(const Examination& examination);
/// "layers.7.weight, gradient"
QString tensorTitle(const std::string& tensor);
/// "linear, weight gradient · instruction 41 of 63"
QString placeText(const ProvenanceCard& card);
/// Whether it was made there, handed on, or came with the data: "producer: its inputs are finite"
QString producerText(const ProvenanceCard& card);
/// "−Inf" for "-Inf"
QString classText(const std::string& cls);
Glyph classGlyph(const std::string& cls);
/// "64 × 10"
QString shapeText(const std::vector<std::int64_t>& shape);
/// "[6, 81]"
QString indexText(const std::vector<std::int64_t>& index);
/// "FP16" for "fp16"
QString formatText(const std::string& format);
QString formatText(Dtype format);
/// "0.047 %"; NaN: a dash. Three decimals, so that a column's points align.
QString percentText(double share);
/// "layers.7, linear_grad_weight ...": all of it as lines of text, to be pasted elsewhere.
QString examinationText(const QString& run, const Examination& examination);
/// The change that a remedy makes, as a name: "scale 2¹⁹", "BF16", "layers.7 in FP32".
QString changeName(const Remedy& remedy);

/// "Trying: BF16, 43 of 100 steps"
QString progressText(const WorkProgress& progress);
/// What came of trying it: "2 skips in the next 100 steps. Loss at the end: 0.041, in validation 0.38 (91.7 % right)."
QString remedyText(const Remedy& remedy);
/// The remedy to offer first: of those that were tried and help, the first that changes something; null: none does.
const Remedy* mainRemedy(const Examination& examination);

}  // namespace mantissa::gui
