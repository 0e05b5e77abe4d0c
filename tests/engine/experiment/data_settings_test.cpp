// SPDX-License-Identifier: Apache-2.0
// The keys of `data`: which set has which, where paths begin, and what is wrong with the data itself.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/experiment/experiment.h"
#include "tests/engine/data/data_files.h"

namespace mantissa {
namespace {

std::string withData(const std::string& data) {
    return R"({"data":{)" + data + R"(},"model":{"hidden":[4]},"runs":[{"name":"a"}]})";
}

class DataSettingsTest : public testing::Test {
protected:
    DataFolder folder;
    Experiment parse(const std::string& text) const { return parseExperiment(text, "lab.json", folder.path()); }
    void expectRefused(const std::string& data, const std::string& pointer, const std::string& says) const {
        try {
            parse(withData(data));
            ADD_FAILURE() << "accepted: " << data;
        } catch (const InputError& error) {
            EXPECT_EQ(error.pointer(), pointer) << error.what();
            EXPECT_NE(error.sentence().find(says), std::string::npos) << error.what();
            EXPECT_EQ(error.sentence().find('\n'), std::string::npos);
        }
    }
};

TEST_F(DataSettingsTest, KeysThatTheDataSetHasNoUseFor) {
    expectRefused(R"("path":"x")", "/data/path", "data set 'digits' has no path, only mnist cifar10 text npy have");
    expectRefused(R"("name":"mnist","path":"x","context":8)", "/data/context", "'mnist' has no context");
    expectRefused(R"("name":"synthetic-images","tokens":"bytes")", "/data/tokens", "has no tokens, only opticks text have");
    expectRefused(R"("name":"synthetic-images","degrees_of_freedom":3)", "/data/degrees_of_freedom", "only 'synthetic-regression' has");
    expectRefused(R"("name":"synthetic-regression","classes":3)", "/data/classes", "only 'synthetic-images' has");
}

TEST_F(DataSettingsTest, TypesAndRanges) {
    expectRefused(R"("name":"mnst")", "/data/name", "did you mean 'mnist'?");
    expectRefused(R"("name":"mnist")", "/data/path", "choose the folder with MNIST's IDX files");
    expectRefused(R"("name":"cifar10")", "/data/path", "choose the folder with CIFAR-10's binary batches");
    expectRefused(R"("name":"npy")", "/data/path", "choose a folder with x.npy and y.npy");
    expectRefused(R"("name":"text")", "/data/path", "choose a text file");
    expectRefused(R"("name":"text","path":7)", "/data/path", "must be text");
    expectRefused(R"("name":"text","path":"")", "/data/path", "must not be empty");
    expectRefused(R"("name":"text","path":"a\u0000b")", "/data/path", "control characters");
    expectRefused(R"("name":"opticks","tokens":"words")", "/data/tokens", "only characters bytes");
    expectRefused(R"("name":"opticks","context":0)", "/data/context", "at least 1");
    expectRefused(R"("name":"opticks","context":1000000)", "/data/context", "windows of 1000000 need 10000001");
    expectRefused(R"("name":"synthetic-images","samples":0)", "/data/samples", "at least 1");
    expectRefused(R"("name":"synthetic-images","samples":2000000000)", "/data/samples", "more than");
    expectRefused(R"("name":"synthetic-images","height":2000000000,"width":2000000000)", "/data/samples", "more than 8 GiB");
    expectRefused(R"("name":"synthetic-images","noise":-1)", "/data/noise", "must not be negative");
    expectRefused(R"("name":"synthetic-tokens","vocabulary":3)", "/data/vocabulary", "at least 4");
    expectRefused(R"("name":"synthetic-regression","degrees_of_freedom":0)", "/data/degrees_of_freedom", "at least 1");
}

TEST_F(DataSettingsTest, AModelThatCannotTakeTheDataSaysSo) {
    expectRefused(R"("name":"opticks")", "/data/name", "model 'mlp' takes images and vectors, and 'opticks' has tokens");
    expectRefused(R"("name":"synthetic-tokens")", "/data/name", "has tokens");
}

TEST_F(DataSettingsTest, ARegressionHasNoLabels) {
    const std::string data = R"({"data":{"name":"synthetic-regression","samples":20},"runs":[{"name":"a","model":)";
    EXPECT_EQ(parse(data + R"({"hidden":[4]}}]})").runs[0].training.model.kind, "mlp");
    EXPECT_EQ(parse(data + R"({"kind":"autoencoder","code":2}}]})").runs[0].training.model.code, 2);
    for (const auto& [model, pointer, sentence] :
         {std::tuple{R"({"label_smoothing":0.1})", "/runs/0/model/label_smoothing", "a regression has no labels"},
          std::tuple{R"({"kind":"autoencoder","label_smoothing":0.1})", "/runs/0/model/label_smoothing", "has no label_smoothing"},
          std::tuple{R"({"kind":"resnet"})", "/data/name", "has vectors"}}) {
        try {
            parse(data + model + "}]}");
            ADD_FAILURE() << model;
        } catch (const InputError& error) {
            EXPECT_EQ(error.pointer(), pointer);
            EXPECT_NE(error.sentence().find(sentence), std::string::npos) << error.sentence();
        }
    }
}

TEST_F(DataSettingsTest, ARegressionsLossIsTheMeanSquaredError) {
    const auto regression = [&](const std::string& place) {
        parse(R"({"data":{"name":"synthetic-regression","samples":20},"runs":[{"name":"a","precision":{"overrides":{")" + place +
              R"(":"fp32"}}}]})");
    };
    EXPECT_NO_THROW(regression("mean_squared_error"));
    EXPECT_THROW(regression("cross_entropy"), InputError);
    EXPECT_THROW(parse(R"({"runs":[{"name":"a","precision":{"overrides":{"mean_squared_error":"fp32"}}}]})"), InputError);
}

TEST_F(DataSettingsTest, DamagedDataIsSaidWhereThePathStands) {
    folder.writeMnist();
    folder.write("train-labels-idx1-ubyte", idxFile({3}, "\x01\x0b\x02"));
    expectRefused(R"("name":"mnist","path":".")", "/data/path", "train-labels-idx1-ubyte: label 1 is 11, the largest is 9");
    expectRefused(R"("name":"mnist","path":"none")", "/data/path", "none: there is no such folder");
    try {  // the run's own path, where the run has it
        parse(R"({"runs":[{"name":"a"},{"name":"b","data":{"name":"mnist","path":"none"}}]})");
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(error.pointer(), "/runs/1/data/path");
    }
}

TEST_F(DataSettingsTest, PathsBeginAtTheExperimentAndAreWrittenInFull) {
    folder.writeMnist();
    const Experiment experiment = parse(R"({"data":{"name":"mnist","path":"."},"runs":[{"name":"a"},{"name":"b","precision":"bf16"}]})");
    const std::string path = experiment.runs[0].training.data.path;
    EXPECT_TRUE(std::filesystem::equivalent(path, folder.path())) << path;
    ASSERT_EQ(experiment.data.size(), 1u);  // shared
    EXPECT_EQ(experiment.data.front(), loadDataset(experiment.runs[1].training.data));
    const Experiment again = parseExperiment(writeExperiment(experiment), "elsewhere.json", "/");
    EXPECT_EQ(again.runs, experiment.runs);
    EXPECT_EQ(again.data, experiment.data);
}

TEST_F(DataSettingsTest, RunsOfDifferentDataKeepTheirOwnKeys) {
    folder.writeMnist();
    const std::string text = R"({"data":{"name":"synthetic-images","classes":3,"batch_size":8},
        "runs":[{"name":"a"},{"name":"b","data":{"name":"digits"}},{"name":"c","data":{"name":"mnist","path":"."}},{"name":"d","data":{"classes":4}}]})";
    const Experiment experiment = parse(text);
    EXPECT_EQ(experiment.runs[0].training.data.classes, 3);
    EXPECT_EQ(experiment.runs[1].training.data, (DataSettings{.name = "digits", .batchSize = 8}));
    EXPECT_EQ(experiment.runs[3].training.data.classes, 4);
    EXPECT_EQ(experiment.data.size(), 4u);
    EXPECT_EQ(dataText(experiment).substr(0, 35), "synthetic-images (synthetic, seed 1");
    const std::string written = writeExperiment(experiment);
    EXPECT_EQ(parse(written).runs, experiment.runs) << written;
}

TEST_F(DataSettingsTest, ALiveChangeDoesNotNeedTheFilesAnyMore) {
    folder.writeMnist();
    const Experiment experiment = parse(R"({"data":{"name":"mnist","path":"."},"runs":[{"name":"a"}]})");
    std::filesystem::remove(folder.path() / "train-images-idx3-ubyte");
    EXPECT_EQ(withChange(experiment.runs[0], "/optimizer/lr", 0.5).training.optimizer.lr, 0.5);
    EXPECT_THROW(withChange(experiment.runs[0], "/data/path", "x"), InputError);  // fixed for the life of a run
    EXPECT_THROW(makeRun(Json{{"name", "b"}}, experiment), InputError);           // a new run does need them
}

}  // namespace
}  // namespace mantissa
