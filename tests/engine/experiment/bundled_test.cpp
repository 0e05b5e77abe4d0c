// SPDX-License-Identifier: Apache-2.0
// The experiments that come with the program, and where an experiment's file is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "engine/experiment/experiment.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

TEST(Bundled, EachIsSoundAndExplained) {
    const auto& all = bundledExperiments();
    ASSERT_GE(all.size(), 7u);
    EXPECT_EQ(all.front().name, "four-formats");
    for (const BundledExperiment& bundled : all) {
        EXPECT_FALSE(bundled.title.empty()) << bundled.name;
        EXPECT_FALSE(std::isdigit(bundled.name.front())) << "the number of the order is not part of a name";
        EXPECT_TRUE(bundled.description.ends_with('.')) << bundled.name;
        EXPECT_TRUE(bundled.lookFor.ends_with('.')) << bundled.name;
        EXPECT_LE(bundled.description.size() + bundled.lookFor.size(), 320u) << bundled.name << ": two sentences, and what to look for";
        EXPECT_TRUE(std::ranges::count(experimentGroups(), bundled.group)) << bundled.name;
    }
    for (const std::string& group : experimentGroups())
        EXPECT_TRUE(std::ranges::any_of(all, [&](const BundledExperiment& each) { return each.group == group; })) << group;
}

TEST(Bundled, EachIsTranslated) {
    for (const BundledExperiment& bundled : bundledExperiments()) {
        for (const char* language : {"de", "zh_CN"}) {
            const auto words = translatedWords(bundled.name, language);
            ASSERT_TRUE(words.has_value()) << bundled.name << " " << language;
            for (const std::string& text : {words->title, words->description, words->lookFor}) EXPECT_FALSE(text.empty()) << bundled.name;
            EXPECT_NE(words->description, bundled.description) << bundled.name << " " << language;
        }
        EXPECT_FALSE(translatedWords(bundled.name, "").has_value()) << "English stands in the experiment";
        EXPECT_FALSE(translatedWords(bundled.name, "fr").has_value());
    }
    EXPECT_FALSE(translatedWords("/home/mine.json", "de").has_value());
    EXPECT_FALSE(isBundledExperiment("de/10-four-formats"));
}

TEST(Bundled, FilesAreFoundByPathAndRefusedInASentence) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "mantissa_experiment_test";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "mine.json").string();
    std::ofstream(path) << R"({"runs":[{"name":"a"}]})";
    std::string source;
    std::filesystem::path found;
    EXPECT_EQ(loadExperimentText(path, source, found), R"({"runs":[{"name":"a"}]})");
    EXPECT_EQ(source, path);
    EXPECT_EQ(found, folder);
    std::ofstream(path, std::ios::trunc);
    EXPECT_EQ(loadExperimentText(path, source, found), "");
    const auto said = [&](const std::string& name) -> std::string {
        try {
            loadExperimentText(name, source, found);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(said("four-formts").find("(did you mean 'four-formats'?)"), std::string::npos);
    EXPECT_NE(said(folder.string()).find("is not a file"), std::string::npos);
    EXPECT_NE(said("/dev/null").find("is not a file"), std::string::npos);
    EXPECT_NE(said("").find("no such file"), std::string::npos);
    std::filesystem::resize_file(path, kMaxJsonBytes + 1);
    EXPECT_NE(said(path).find("larger than 1 MiB"), std::string::npos);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mantissa
