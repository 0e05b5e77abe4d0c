// SPDX-License-Identifier: Apache-2.0
// Formats an examination for a terminal, and as JSON. Pure; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/diagnosis/examination.h"
#include "engine/session/diagnose.h"

namespace mantissa {

std::string examinationText(const std::string& run, const Examination& examination);
nlohmann::ordered_json examinationJson(const std::string& run, const Examination& examination);

/// Formats all non-finite steps: a table for each run; an array with an object for each group.
std::string listText(const ListedSteps& listed);
nlohmann::ordered_json listJson(const ListedSteps& listed);

}  // namespace mantissa
