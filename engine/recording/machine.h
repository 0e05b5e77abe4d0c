// SPDX-License-Identifier: Apache-2.0
// Facts about where and when a recording was made, in addition to the caller's. Internal to engine/recording. Any thread.
#pragma once

#include <map>
#include <string>

namespace mantissa {

/// The facts: uuid, started (UTC, "2026-11-21T22:05:33Z"), version, build (compiler, SQLite), machine (system, cores, memory).
std::map<std::string, std::string> ownFacts();

}  // namespace mantissa
