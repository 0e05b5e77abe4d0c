// SPDX-License-Identifier: Apache-2.0
// The two judges of a document: the schema, by Python's jsonschema, and the reader.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/experiment/fields.h"
#include "engine/experiment/schema.h"
#include "tests/support/python.h"

namespace mantissa {

/// The schema that a reference of `schema` names, or `schema` itself.
inline const Json& resolved(const Json& whole, const Json& schema) {
    return schema.contains("$ref") ? whole.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))) : schema;
}

/// The properties of a level of the file, or of a group in it.
inline const Json& propertiesAt(const Json& whole, const Json& level, const std::string& group) {
    return group.empty() ? level["properties"] : resolved(whole, level["properties"].at(group))["properties"];
}

inline std::vector<Json> bundledDocuments() {
    std::vector<Json> documents;
    for (const BundledExperiment& bundled : bundledExperiments()) {
        std::string source;
        std::filesystem::path at;
        documents.push_back(Json::parse(loadExperimentText(bundled.name, source, at)));
    }
    return documents;
}

/// A run with the kinds that allow the field; an empty object if none is needed.
inline Json kindsFor(const Field& wanted) {
    if (isAllowed(wanted, {})) return Json::object();
    for (const Field& kind : fields()) {
        for (const std::string& choice : isKind(kind) ? kind.choices : std::vector<std::string>{}) {
            RunSettings run;
            kind.read(run, choice);
            if (!isAllowed(wanted, run)) continue;
            Json json{{kind.group, {{kind.key, choice}}}};
            if (takesTokens(run.training.model.kind)) json["data"]["name"] = "opticks";
            return json;
        }
    }
    ADD_FAILURE() << wanted.pointer();
    return Json::object();
}

/// Whether the reader takes a document, and what it says.
struct Reading {
    bool isAccepted;
    std::string sentence;
};
inline Reading readingOf(const std::string& text) {
    try {
        parseExperiment(text, "x");
        return {true, ""};
    } catch (const InputError& error) {
        return {false, error.what()};
    }
}

class SchemaOracle : public testing::Test {
protected:
    std::filesystem::path folder;
    std::string python = pythonWith("jsonschema");
    /// Keeps the data in memory while files are read.
    Experiment held = parseExperiment(R"({"runs":[{"name":"a"},{"name":"b","data":{"name":"opticks"},"model":{"kind":"gpt"}}]})", "x");

    void SetUp() override {
        if (python.empty()) GTEST_SKIP() << "there is no Python with jsonschema";
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_schema_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override {
        if (!folder.empty()) std::filesystem::remove_all(folder);
    }

    /// What the validator says of each document: "valid", or an error.
    std::vector<std::string> validated(const std::vector<Json>& documents) const {
        std::ofstream(folder / "schema.json") << experimentSchema().dump();
        std::ofstream lines(folder / "documents");
        for (const Json& document : documents) lines << document.dump() << '\n';
        lines.close();
        const std::string command = python + " -W ignore '" MANTISSA_VALIDATOR "' schema.json documents >said 2>&1";
        EXPECT_EQ(std::system(("cd '" + folder.string() + "' && " + command).c_str()), 0);
        std::vector<std::string> verdicts;
        std::ifstream said(folder / "said");
        for (std::string line; std::getline(said, line);) verdicts.push_back(line);
        EXPECT_EQ(verdicts.size(), documents.size()) << (verdicts.empty() ? "" : verdicts.back());
        verdicts.resize(documents.size());
        return verdicts;
    }
};

}  // namespace mantissa
