// SPDX-License-Identifier: Apache-2.0
// Data from files through the program: it trains, it says what it trains on, and damage is exit code 2 and one line.
#include "tests/engine/data/data_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/engine/cli/program.h"

namespace mantissa {
namespace {

class Data : public ProgramTest {
protected:
    DataFolder data;
    /// An experiment on `name`, whose path is relative to the file's own folder.
    std::string experiment(const std::string& name, const std::string& path) const {
        std::ofstream(data.path() / "e.json")
            << R"({"data":{"name":")" + name + R"(","path":")" + path +
                   R"(","batch_size":4},"model":{"hidden":[8]},"steps":20,"runs":[{"name":"a","precision":"bf16"}]})";
        return (data.path() / "e.json").string();
    }
    void expectRefused(const std::string& file, const std::vector<std::string>& parts) const {
        for (const char* command : {"train ", "plan "}) {
            const Outcome outcome = run(command + file);
            EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
            EXPECT_EQ(outcome.out, "");
            EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
            EXPECT_TRUE(outcome.err.starts_with("mantissa: " + file + ": at /data/")) << outcome.err;
            for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
        }
    }
};

TEST_F(Data, EachFormatTrains) {
    data.writeMnist();
    data.writeCifar();
    data.writeNpy();
    for (const char* name : {"mnist", "cifar10", "npy"}) {
        const Outcome outcome = run("train " + experiment(name, ".") + " --json");
        ASSERT_EQ(outcome.exitCode, 0) << name << outcome.err;
        const auto result = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(result["runs"][0]["steps"], 20) << name;
        EXPECT_TRUE(result["runs"][0]["val_accuracy"].is_number()) << name;
    }
}

TEST_F(Data, WhatIsSyntheticIsCalledSyntheticWhereverItIsShown) {
    const std::string sentence = "synthetic-images (synthetic, seed 3): 40 training and 8 validation images of 4x4, 2 classes";
    write("e.json", R"({"data":{"name":"synthetic-images","seed":3,"samples":40,"height":4,"width":4,"classes":2},"steps":30,
        "runs":[{"name":"a"}]})");
    EXPECT_NE(run("plan e.json").out.find(sentence), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(run("plan e.json --json").out)["runs"][0]["data"], sentence);
    EXPECT_EQ(run("train e.json --quiet --report r").exitCode, 0);
    EXPECT_NE(read(folder / "r" / "index.html").find(sentence), std::string::npos);
    EXPECT_NE(run("experiments").out.find("Data: digits: 1437 training and 360 validation images of 8x8, 10 classes"), std::string::npos);
}

TEST_F(Data, DamageIsOneLine) {
    const std::string mnist = experiment("mnist", ".");
    data.writeMnist();
    data.write("train-images-idx3-ubyte", idxFile({0xffffffff, 0xffff, 0xffff}, "x"));
    expectRefused(mnist, {"/data/path: ", "train-images-idx3-ubyte: its header promises"});
    std::filesystem::remove(data.path() / "train-images-idx3-ubyte");
    expectRefused(mnist, {"train-images-idx3-ubyte: there is no such file, nor one with .gz"});
    data.write("train-images-idx3-ubyte.gz", gzip(idxFile({3, 2, 3}, std::string(100'000'000, '\0'))));
    expectRefused(mnist, {"train-images-idx3-ubyte.gz: its header promises 34 bytes, but it has more"});

    data.writeCifar();
    data.write("data_batch_4.bin", std::string(3072, '\0'));
    expectRefused(experiment("cifar10", "."), {"data_batch_4.bin: is of 3072 bytes, not a multiple of 3073"});
    data.writeNpy();
    data.write("x.npy", npyFile(npyHeader("|O", "(5, 2)"), "x"));
    expectRefused(experiment("npy", "."), {"x.npy: holds values of type '|O'"});
    data.write("t.txt", std::string(999, 'a') + "\xff");
    expectRefused(experiment("text", "t.txt"), {"t.txt: byte 999 is not UTF-8"});
    data.write("t.txt", "");
    expectRefused(experiment("text", "t.txt"), {"t.txt: is empty"});
    expectRefused(experiment("text", "a\\nb"), {"must not hold control characters"});
    expectRefused(experiment("text", "/dev/zero"), {"/dev/zero: is not a file"});
}

}  // namespace
}  // namespace mantissa
