// SPDX-License-Identifier: Apache-2.0
// JSON Schemas of single values, each beside its reader in values.h: what a schema refuses, the reader refuses. Pure functions; any thread.
#pragma once

#include "engine/experiment/values.h"

namespace mantissa {

Json numberSchema(Bound bound);
Json integerSchema(std::int64_t least, std::int64_t most);
Json flagSchema();
Json textSchema();
/// Names and paths. A schema counts characters, which are at most as many as bytes.
Json plainTextSchema(std::size_t most);
Json choiceSchema(const std::vector<std::string>& known);
Json listSchema(Json item, std::size_t least, std::size_t most);
/// An object with these keys and no others.
Json objectSchema(Json properties);
/// Also allows null.
Json nullableSchema(Json schema);

}  // namespace mantissa
