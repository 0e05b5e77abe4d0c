// SPDX-License-Identifier: Apache-2.0
// Writes a run's records as CSV. Scripts rely on the columns: new ones are only appended.
#pragma once

#include <iosfwd>
#include <string_view>

#include "engine/telemetry/record.h"

namespace mantissa {

inline constexpr std::string_view kCsvHeader =
    "step,samples,epoch,wall_s,loss,val_loss,val_accuracy,loss_scale,skipped,skipped_total,grad_norm,lr,step_ms,samples_per_s,memory_bytes,"
    "flags";

/// Whether a column holds whole numbers. Of the others `flags` holds text, all others real numbers, also where these are whole.
bool isWholeColumn(std::string_view column);

/// Writes one row with its newline. A column is empty if the record lacks the value, as for validation in other steps.
void writeCsvRow(std::ostream& out, const StepRecord& record);

}  // namespace mantissa
