// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of the experiment file, made from the table of fields, for editors and programs.
#pragma once

#include "engine/experiment/experiment.h"

namespace mantissa {

/// Returns the schema, draft 2020-12. It has the types, ranges and keys of all settings, and which keys belong to which kind of data, model
/// and optimizer. What it refuses, `parseExperiment` refuses too; other rules between settings are only in `parseExperiment`.
Json experimentSchema();

}  // namespace mantissa
