// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the number inspector and the bench of dot products. Pure functions; GUI thread only, because of translation.
#pragma once

#include <QString>

#include "engine/diagnosis/dot_bench.h"
#include "engine/diagnosis/given_number.h"
#include "engine/diagnosis/number_line.h"

namespace mantissa::gui {

/// Returns a rounding's name: "to nearest, ties to even".
QString roundingText(Rounding rounding);
/// Returns a value with nine digits, which distinguish any two fp32 numbers. `valueOrDash` returns a dash for NaN, which means no number.
QString valueText(double value);
QString valueOrDash(double value);

/// Returns a sentence about the value's position and its rounding: "0.1 lies 40 % of the way from … to …".
QString lineSentence(Dtype format, const NumberLine& line, const RoundingMode& mode);
/// Returns the text field's note about its content; empty: none.
QString typedNote(const TypedNumber& typed);

QString dotValuesText(DotValues values);
/// Returns the name of a way to sum: "in FP16, chunks of 128".
QString wayText(const SumWay& way);
/// Describes a way to sum in a sentence or two.
QString wayHint(const SumWay& way);
/// Describes the chosen way's result in a sentence.
QString dotSentence(const SumWay& way, const DotError& found);

}  // namespace mantissa::gui
