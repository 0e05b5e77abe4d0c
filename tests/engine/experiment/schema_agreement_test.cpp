// SPDX-License-Identifier: Apache-2.0
// What the schema refuses, the reader refuses, without exception. The reverse is not so: rules between settings are the reader's.
#include <functional>
#include <limits>
#include <random>

#include "schema_oracle.h"

namespace mantissa {
namespace {

class SchemaAgreement : public SchemaOracle {
protected:
    /// Expects that the reader refuses what the schema refuses. Returns the share of what the reader refuses that the schema refuses.
    double agreement(const std::vector<Json>& documents) const {
        const std::vector<std::string> verdicts = validated(documents);
        int accepted = 0, refused = 0, refusedByBoth = 0;
        for (std::size_t i = 0; i < documents.size(); ++i) {
            const Reading reading = readingOf(documents[i].dump());
            const bool isValid = verdicts[i] == "valid";
            EXPECT_TRUE(isValid || !reading.isAccepted) << verdicts[i] << "\n" << documents[i].dump();
            accepted += reading.isAccepted ? 1 : 0;
            refused += reading.isAccepted ? 0 : 1;
            refusedByBoth += isValid || reading.isAccepted ? 0 : 1;
        }
        EXPECT_GT(accepted, 50);
        EXPECT_GT(refused, 50);
        return static_cast<double>(refusedByBoth) / refused;
    }
};

/// Values at and beyond the limits of fields.
const std::vector<Json>& someValues() {
    static const std::vector<Json> kValues{
        nullptr,
        true,
        -1,
        -0.5,
        0,
        0.0,
        0.5,
        1,
        1.0,
        2,
        4,
        14,
        16,
        17,
        100,
        1e300,
        -1e300,
        1'000'000'000'001,
        std::numeric_limits<std::uint64_t>::max(),
        "",
        "x",
        "inf",
        "-inf",
        "fp16",
        "fp8",
        "a\nb",
        std::string(101, 'x'),
        Json::array(),
        Json::object(),
        Json::array({1, 2}),
        Json::array({0.5, 0.5}),
        Json{{"kind", "cosine"}},
        Json{{"policy", "bf16"}},
        Json{{"x", 1}},
    };
    return kValues;
}

/// Each field with each value, in a run, at the top, or as a change.
TEST_F(SchemaAgreement, OfEachFieldAgreesWithTheReader) {
    std::vector<Json> documents;
    std::mt19937 random(5);
    for (const Field& field : fields()) {
        std::vector<Json> values = someValues();
        for (const std::string& choice : field.choices) values.push_back(choice);
        for (const Json& value : values) {
            Json settings = kindsFor(field), document{{"runs", {{{"name", "a"}}}}};
            const bool isName = field.pointer() == "/name";
            switch (isName ? 0 : random() % 4) {
                case 0:
                    settings[Json::json_pointer(field.pointer())] = value;
                    document["runs"][0].update(settings);
                    break;
                case 1:
                    settings[Json::json_pointer(field.pointer())] = value;
                    document.update(settings);
                    break;
                case 2:  // without the kind that allows it
                    document["runs"][0][Json::json_pointer(field.pointer())] = value;
                    break;
                default:
                    document.update(settings);
                    document["events"] = {{{"step", 1}, {"run", "a"}, {"set", {{field.pointer(), value}}}}};
            }
            documents.push_back(std::move(document));
        }
    }
    EXPECT_GT(agreement(documents), 0.9);
}

/// Each part of a precision and of a schedule with each value.
TEST_F(SchemaAgreement, OfEachPartAgreesWithTheReader) {
    const Json schema = experimentSchema();
    std::vector<Json> documents;
    std::mt19937 random(9);
    const auto addEach = [&](const Json& run, const std::string& pointer, const Json& properties) {
        for (const auto& [key, part] : properties.items()) {
            std::vector<Json> values = someValues();
            for (const Json& choice : part.value("enum", Json::array())) values.push_back(choice);
            for (const Json& value : values) {
                if (random() % 3 != 0) continue;
                documents.push_back({{"runs", Json::array({run})}});
                documents.back()["runs"][0][Json::json_pointer(pointer + "/" + key)] = value;
            }
        }
    };
    const Json& precision = schema["$defs"]["precision"]["anyOf"][1]["properties"];
    for (const char* policy : {"tf32", "fp8", "mxfp8", "nvfp4", "pure-bf16"}) {
        const Json run{{"name", "a"}, {"precision", {{"policy", policy}}}};
        addEach(run, "/precision", precision);
        addEach(run, "/precision/fp8", precision["fp8"]["properties"]);
        addEach(run, "/precision/blocks", precision["blocks"]["properties"]);
    }
    for (const std::string& kind : kScheduleKinds) {
        const Json run{{"name", "a"}, {"optimizer", {{"schedule", {{"kind", kind}}}}}};
        addEach(run, "/optimizer/schedule", schema["$defs"]["optimizer"]["properties"]["schedule"]["properties"]);
    }
    EXPECT_GT(agreement(documents), 0.9);
}

/// Changes a value, a key or the structure of a document at a random place.
Json mutated(Json document, const std::vector<std::string>& keys, std::mt19937& random) {
    std::vector<Json*> containers;
    const std::function<void(Json&)> collectContainers = [&](Json& json) {
        if (!json.is_structured() || json.empty()) return;
        containers.push_back(&json);
        for (Json& inner : json) collectContainers(inner);
    };
    collectContainers(document);
    Json& at = *containers[random() % containers.size()];
    const Json value = someValues()[random() % someValues().size()];
    const std::size_t index = random() % at.size();
    if (at.is_array()) {
        if (random() % 3 == 0) {
            at.push_back(value);
        } else {
            at[index] = value;
        }
        return document;
    }
    const std::string key = std::next(at.begin(), static_cast<std::ptrdiff_t>(index)).key();
    switch (random() % 4) {
        case 0:
            at[key] = value;
            break;
        case 1:
            at.erase(key);
            break;
        case 2:
            at[keys[random() % keys.size()]] = value;
            break;
        default:
            at[keys[random() % keys.size()]] = at[key];
    }
    return document;
}

TEST_F(SchemaAgreement, OfChangedExperimentsAgreesWithTheReader) {
    std::vector<std::string> keys{"runs", "events", "set", "step", "run", "policy", "overrides", "forward", "$schema", "x"};
    for (const Field& field : fields()) {
        keys.push_back(field.key);
        if (!field.group.empty()) keys.push_back(field.group);
        if (field.isLive) keys.push_back(field.pointer());
    }
    const std::vector<Json> bundled = bundledDocuments();
    std::vector<Json> documents;
    std::mt19937 random(3);
    for (int i = 0; i < 600; ++i) documents.push_back(mutated(bundled[random() % bundled.size()], keys, random));
    EXPECT_GT(agreement(documents), 0.95);
}

}  // namespace
}  // namespace mantissa
