// SPDX-License-Identifier: Apache-2.0
// An examination for a terminal, and as JSON. Pure; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/diagnosis/examination.h"

namespace mantissa {

std::string examinationText(const std::string& run, const Examination& examination);
nlohmann::ordered_json examinationJson(const std::string& run, const Examination& examination);

}  // namespace mantissa
