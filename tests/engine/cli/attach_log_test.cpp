// SPDX-License-Identifier: Apache-2.0
// attach of logs that other programs write: read, followed, recorded, refused.
#include <nlohmann/json.hpp>

#include "program.h"

namespace mantissa {
namespace {

class AttachLog : public ProgramTest {
protected:
    std::string golden(const std::string& name) const { return std::string(MANTISSA_GOLDEN) + "/" + name; }
};

TEST_F(AttachLog, ReadsALogOfEachFormat) {
    write("a.csv", "step,loss,lr,perplexity\n0,2,0.1,9\n1,nan,0.1,8\n2,0.5,0.1,7\n");
    write("m.log", "building\n iteration 1/ 9 | lm loss: 2.5E+00 |\n iteration 2/ 9 | lm loss: 2E+00 |\n");
    for (const auto& [path, steps] :
         {std::pair(std::string("a.csv"), 3), std::pair(std::string("m.log"), 2), std::pair(golden("logs.wandb"), 13),
          std::pair(golden("logs-trackio.db"), 12), std::pair(golden("logs.tfevents"), 12)}) {
        const Outcome read = run("attach '" + path + "' --json");
        ASSERT_EQ(read.exitCode, 0) << read.err;
        const auto first = nlohmann::json::parse(read.out)["runs"][0];
        EXPECT_EQ(first["steps"], steps) << path;
        EXPECT_EQ(first["state"], "read");
        EXPECT_EQ(first["series"][0]["values"].get<int>() > 0, true);
    }
    const Outcome table = run("attach a.csv");
    EXPECT_NE(table.out.find("a: from a.csv\n"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("       1          NaN            -            -        0.1"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("a: 3 steps, 2 metrics, 1 other series\n"), std::string::npos) << table.out;
    EXPECT_EQ(run("attach a.csv --quiet").out, "");
}

TEST_F(AttachLog, ALineOfSeparatorsTakesNoTime) {
    for (const char separator : {';', '"'}) {
        write("a.csv", std::string(7 << 20, separator) + ",\n1\n");
        const Outcome ended = shell("timeout -k 10 3 '" MANTISSA_PROGRAM "' attach a.csv --follow --quiet >stdout 2>stderr");
        EXPECT_NE(ended.exitCode, 137) << "it was not killed";
    }
}

TEST_F(AttachLog, FollowsUntilItIsToldToEnd) {
    write("a.csv", "step,loss\n0,2\n");
    const Outcome followed =
        shell("{ '" MANTISSA_PROGRAM
              "' attach a.csv --follow --record r.mantissa --json >stdout 2>stderr & pid=$!; "
              "for i in $(seq 300); do [ -e r.mantissa ] && break; sleep 0.1; done; sleep 0.3; printf '1,1\\n' >>a.csv; "
              "sleep 1.5; mv a.csv b.csv; sleep 1.5; kill -INT $pid; wait $pid; }");
    EXPECT_EQ(followed.exitCode, 130) << followed.err;
    const auto first = nlohmann::json::parse(followed.out)["runs"][0];
    EXPECT_EQ(first["last_step"], 1);
    EXPECT_EQ(first["state"], "lost");
    EXPECT_EQ(followed.err, "mantissa: a.csv: has gone; it is read again when it is back\n");
    EXPECT_EQ(std::filesystem::exists(folder / "r.mantissa-wal"), false) << "the recording is closed";
}

TEST_F(AttachLog, AFileOfAFolderThatIsLeftOutIsNamed) {
    std::filesystem::create_directory(folder / "logs");
    write("logs/a.csv", "step,loss\n0,2\n");
    write("logs/other.csv", "city,people\nUlm,3\n");
    const Outcome read = run("attach logs --quiet");
    EXPECT_EQ(read.exitCode, 0);
    EXPECT_EQ(read.err, "mantissa: logs/other.csv: is left out: it has no values of a known metric\n");
}

TEST_F(AttachLog, WhatIsNoLogIsRefusedInASentence) {
    write("a.csv", "step,loss\n1,x\n");
    for (const auto& [path, sentence] :
         {std::pair("missing.csv", "missing.csv: there is no such file"),
          std::pair("a.csv", "a.csv: line 2: loss is 'x', which is no number"),
          std::pair("r.mantissa", "r.mantissa: is a recording: open it in the window, or export it with 'mantissa export'")})
        for (const char* follow : {"", " --follow"}) {
            const Outcome refused = run(std::string("attach ") + path + follow);
            EXPECT_EQ(refused.exitCode, 2);
            EXPECT_EQ(refused.out, "");
            EXPECT_NE(refused.err.find(sentence), std::string::npos) << refused.err;
        }
}

}  // namespace
}  // namespace mantissa
