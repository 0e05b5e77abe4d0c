// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/value_schema.h"

namespace mantissa {

Json numberSchema(Bound bound) {
    Json schema{{"type", "number"}};
    if (bound == Bound::Positive) schema["exclusiveMinimum"] = 0;
    if (bound == Bound::NotNegative || bound == Bound::BelowOne || bound == Bound::UpToOne) schema["minimum"] = 0;
    if (bound == Bound::BelowOne) schema["exclusiveMaximum"] = 1;
    if (bound == Bound::UpToOne) schema["maximum"] = 1;
    return schema;
}

Json integerSchema(std::int64_t least, std::int64_t most) {
    return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

Json flagSchema() {
    return {{"type", "boolean"}};
}

Json textSchema() {
    return {{"type", "string"}};
}

Json plainTextSchema(std::size_t most) {
    return {{"type", "string"}, {"minLength", 1}, {"maxLength", most}, {"pattern", R"(^[^\u0000-\u001f\u007f]*$)"}};
}

Json choiceSchema(const std::vector<std::string>& known) {
    return {{"type", "string"}, {"enum", known}};
}

Json listSchema(Json item, std::size_t least, std::size_t most) {
    return {{"type", "array"}, {"items", std::move(item)}, {"minItems", least}, {"maxItems", most}};
}

Json objectSchema(Json properties) {
    return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

Json nullableSchema(Json schema) {
    schema["type"] = Json::array({schema["type"], "null"});
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
    return schema;
}

}  // namespace mantissa
