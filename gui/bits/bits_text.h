// SPDX-License-Identifier: GPL-3.0-or-later
// What the number inspector and the bench of dot products say. Pure functions; GUI thread only for their translation.
#pragma once

#include <QString>

#include "engine/diagnosis/dot_bench.h"
#include "engine/diagnosis/given_number.h"
#include "engine/diagnosis/number_line.h"

namespace mantissa::gui {

/// "to nearest, ties to even"
QString roundingText(Rounding rounding);
/// Nine digits, which tell any two fp32 numbers apart; NaN where there is no number: a dash.
QString valueText(double value);
QString valueOrDash(double value);

/// A sentence about where the value stands and what rounding makes of it: "0.1 lies 40 % of the way from … to …".
QString lineSentence(Dtype format, const NumberLine& line, const RoundingMode& mode);
/// What the text field says of what stands in it; empty: nothing.
QString typedNote(const TypedNumber& typed);

QString dotValuesText(DotValues values);
/// "in FP16, chunks of 128"
QString wayText(const SumWay& way);
/// How it sums, in a sentence or two.
QString wayHint(const SumWay& way);
/// What the chosen way did, in a sentence.
QString dotSentence(const SumWay& way, const DotError& found);

}  // namespace mantissa::gui
