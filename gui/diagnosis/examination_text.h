// SPDX-License-Identifier: GPL-3.0-or-later
// Formats an examination as text: lines of the card, groups of bits, shares. Pure functions; GUI thread only, because of translation.
#pragma once

#include <QString>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "gui/plots/marks.h"
#include "kernels/dtype/dtype.h"

namespace mantissa::gui {

/// The bits of one value, in the format's groups.
struct BitGroups {
    QString sign, exponent, mantissa;
    bool isExponentFull = false;  // all ones, as in Inf and NaN
    bool isEmpty() const { return sign.isEmpty(); }
    QString text() const { return isEmpty() ? QString() : sign + u' ' + exponent + u' ' + mantissa; }
};
/// Returns the groups of bits; empty for an unknown format.
BitGroups bitGroups(std::uint32_t bits, const std::string& format);

/// A line of the card: "element", "[0, 0], the first of 351 among 1 280".
struct CardLine {
    QString label;  // empty: continues the line before
    QString text;
    BitGroups bits;  // after the text
};
/// Returns the known facts about the origin, in display order; empty if every tensor was finite.
std::vector<CardLine> cardLines(const Examination& examination);

bool hasOrigin(const Examination& examination);
/// Returns a tensor's title: "layers.7.weight, gradient".
QString tensorTitle(const std::string& tensor);
/// Returns the origin's operation: "linear, weight gradient · instruction 41 of 63".
QString placeText(const ProvenanceCard& card);
/// Returns whether the value was produced there, passed on, or came with the data: "producer: its inputs are finite". Empty: not known.
QString producerText(const ProvenanceCard& card);
/// Returns the displayed class: "−Inf" for "-Inf".
QString classText(const std::string& cls);
Glyph classGlyph(const std::string& cls);
/// Formats an index: "[6, 81]".
QString indexText(const std::vector<std::int64_t>& index);
/// Returns a format's displayed name: "FP16" for "fp16".
QString formatText(const std::string& format);
QString formatText(Dtype format);
/// Formats a share: "0.047 %"; NaN: a dash. Three decimals, so that decimal points align.
QString percentText(double share);
/// Returns the examination as lines of plain text, for the clipboard: "layers.7, linear_grad_weight ...".
QString examinationText(const QString& run, const Examination& examination);
/// Returns the name of a remedy's change: "scale 2¹⁹", "BF16", "layers.7 in FP32".
QString changeName(const Remedy& remedy);

/// Formats progress: "Trying: BF16, 43 of 100 steps".
QString progressText(const WorkProgress& progress);
/// Describes the result of trying a remedy: "2 skips in the next 100 steps. Loss at the end: 0.041, in validation 0.38 (91.7 % right)."
QString remedyText(const Remedy& remedy);
/// Returns the main remedy: the first one with a change among those that were tried and helped; null: none.
const Remedy* mainRemedy(const Examination& examination);

}  // namespace mantissa::gui
