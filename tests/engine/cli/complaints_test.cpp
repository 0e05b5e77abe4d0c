// SPDX-License-Identifier: Apache-2.0
// Whatever the input holds, the answer is exit code 2 and one short line; and what is not an error is not refused.
#include <unistd.h>

#include <algorithm>

#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

class Complaints : public ProgramTest {
protected:
    void expectOneLine(const std::string& arguments, const std::string& part) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments << "\n" << outcome.err.substr(0, 2000);
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err.substr(0, 2000);
        EXPECT_LT(outcome.err.size(), 1200u);
        EXPECT_TRUE(outcome.err.starts_with("mantissa: ")) << outcome.err.substr(0, 2000);
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err.substr(0, 2000);
    }
};

TEST_F(Complaints, ControlCharactersOfTheInputAreEscaped) {
    write("key.json", R"({"a\nb\u001b[31m": 1, "runs": [{"name": "a"}]})");
    expectOneLine("plan key.json", R"(at /a\u000ab\u001b[31m: unknown key)");
}

TEST_F(Complaints, BytesThatAreNoTextAreEscaped) {
    write("x.json", "\xff\xfe{");
    expectOneLine("plan x.json", R"(\xff)");
    expectOneLine("plan 'caf\xc3\xa9\xff.json'", "caf\xc3\xa9\\xff.json");
    // a sentence that is cut within a character of two bytes
    for (const char* before : {"k", "kk"}) {
        write(
            "long.json", "{\"" + std::string(before) + [] {
                std::string key;
                for (int i = 0; i < 1000; ++i) key += "\xc3\xa9";
                return key;
            }() + R"(": 1, "runs": [{"name": "a"}]})");
        expectOneLine("plan long.json", " ... ");
        EXPECT_EQ(run("plan long.json").err.find("\\x"), std::string::npos);
    }
}

TEST_F(Complaints, ACommandIsNamed) {
    expectOneLine("selftset", "there is no command 'selftset' (did you mean 'selftest'?)");
    expectOneLine("convert", "convert: --to is required");
    expectOneLine("bits 1 --seed 3", "bits: --seed: only stochastic rounding has one");
}

TEST_F(Complaints, WhatCannotBePrintedIsAnError) {
    for (const char* command : {"--help", "--version", "train --help", "formats"}) {
        const Outcome outcome = shell(std::string("'" MANTISSA_PROGRAM "' ") + command + " >/dev/full 2>stderr");
        EXPECT_EQ(outcome.exitCode, 3) << command;
        EXPECT_EQ(outcome.err, "mantissa: standard output could not be written\n") << command;
    }
}

TEST_F(Complaints, MegabytesOfInputAreNotRepeated) {
    write("key.json", "{\"" + std::string(1'000'000, 'k') + R"(": 1, "runs": [{"name": "a"}]})");
    expectOneLine("plan key.json", "unknown key");
    write("value.json", R"({"runs": [{"name": "a", "precision": ")" + std::string(1'000'000, 'k') + "\"}]}");
    expectOneLine("plan value.json", "at /runs/0/precision: ");
}

TEST_F(Complaints, FoldersThatCannotBeMadeAreSaidBeforeTraining) {
    for (const char* option : {"--report", "--save-weights", "--csv"}) {
        const Outcome outcome = run(std::string("train four-formats --steps 100000000 ") + option + " /proc/none");
        EXPECT_EQ(outcome.exitCode, 2) << option;
        EXPECT_NE(outcome.err.find("/proc/none: the folder cannot be made"), std::string::npos) << outcome.err;
    }
}

TEST_F(Complaints, ANameThatIsNoText) {
    for (const char* command : {"plan four-formats --json", "train four-formats --steps 1 --json"})
        expectOneLine(std::string(command) + " --set '/runs/0/name=\xff'", "at /runs/0/name: must be UTF-8 text");
    write("g.json", R"({"fp16": true})");
    expectOneLine("import g.json --name '\xff'", "--name: must be UTF-8 text");
}

TEST_F(Complaints, AModelThatTheMachineCannotHoldIsRefusedBeforeItIsBuilt) {
    const double physicalGiB = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 0x1p30;
    if (physicalGiB > 90) GTEST_SKIP() << "this machine may hold any model that a file may ask for";
        // 61 GiB of weights, gradients and moments, and three quarters of that for weights on their way in; bounded in case it should be
        // tried all the same, but for the address sanitizer, which reserves terabytes
#if defined(__SANITIZE_ADDRESS__)
    const std::string bound;
#else
    const std::string bound = "ulimit -v 30000000;";
#endif
    const Outcome outcome = run("train four-formats --quiet --set /model/hidden=[63700,63700]", "", bound);
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("at /runs/0: the run needs 1"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" GiB can be had here"), std::string::npos) << outcome.err;
}

TEST_F(Complaints, SecondsThatAreNotANumber) {
    expectOneLine("train four-formats --seconds nan", "--seconds");
}

TEST_F(Complaints, FewerStepsLeaveOutLaterEvents) {
    for (const std::string name : {"scale-storm", "switch-mid-run"}) {
        const Outcome outcome = run("train " + name + " --steps 5 --quiet --csv csv-" + name);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    }
}

}  // namespace
}  // namespace mantissa
