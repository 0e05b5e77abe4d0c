// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a script would: arguments, standard input, and what came out.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace mantissa {

struct Outcome {
    int exitCode = -1;
    std::string out, err;
};

class ProgramTest : public testing::Test {
protected:
    std::filesystem::path folder;

    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_cli_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(folder / name, std::ios::binary) << content;
        return (folder / name).string();
    }
    static std::string read(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// `arguments` as a shell reads them, in the test's own folder.
    Outcome run(const std::string& arguments, const std::string& input = "", const std::string& environment = "") const {
        write("stdin", input);
        return shell(environment + " timeout 120 '" MANTISSA_PROGRAM "' " + arguments + " <stdin >stdout 2>stderr");
    }
    /// The same with an input that stays open and says nothing; `output`: where its standard output goes, for a shell.
    Outcome runHeld(const std::string& arguments, const std::string& output) const {
        write("stdout", "");
        return shell("mkfifo held; exec 3<>held; (timeout 10 '" MANTISSA_PROGRAM "' " + arguments + " <&3 2>stderr; echo $? >status) " +
                     output + "; rm held; exit $(cat status)");
    }
    Outcome shell(const std::string& command) const {
        const int status = std::system(("cd '" + folder.string() + "' && " + command).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "stdout"), read(folder / "stderr")};
    }

    using Rows = std::vector<std::vector<std::string>>;
    static Rows readCsv(const std::filesystem::path& path) {
        Rows rows;
        std::istringstream in(read(path));
        for (std::string line; std::getline(in, line);) {
            std::vector<std::string> cells(1);
            for (const char c : line) {
                if (c == ',') {
                    cells.emplace_back();
                } else {
                    cells.back() += c;
                }
            }
            rows.push_back(std::move(cells));
        }
        return rows;
    }
    /// A column by name, without the header.
    static std::vector<std::string> column(const Rows& rows, const std::string& name) {
        std::vector<std::string> values;
        for (std::size_t i = 0; i < rows.at(0).size(); ++i) {
            if (rows[0][i] != name) continue;
            for (std::size_t r = 1; r < rows.size(); ++r) values.push_back(rows[r][i]);
        }
        EXPECT_FALSE(values.empty()) << name;
        return values;
    }
};

}  // namespace mantissa
