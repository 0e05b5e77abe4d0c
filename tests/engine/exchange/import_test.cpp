// SPDX-License-Identifier: Apache-2.0
// Files of other programs: names, separators, steps, and what is not known is said.
#include "engine/exchange/event_file.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/protobuf.h"
#include "engine/experiment/fields.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {
namespace {

using Steps = std::vector<std::int64_t>;

TEST(MetricNames, EachMetricsOwnNameMeansIt) {
    for (int i = 0; i < kMetricCount; ++i) {
        const auto metric = static_cast<Metric>(i);
        ASSERT_TRUE(metricFromName(metricName(metric))) << metricName(metric);
        EXPECT_EQ(metricFromName(metricName(metric))->metric, metric);
    }
    EXPECT_EQ(metricName(Metric::MemoryBytes), "memory_bytes");
}

TEST(MetricNames, OtherProgramsNamesMeanTheSame) {
    const std::pair<const char*, Metric> names[] = {{"train/loss", Metric::Loss},
                                                    {"Train/Loss", Metric::Loss},
                                                    {"trainLoss", Metric::Loss},
                                                    {"lm loss", Metric::Loss},
                                                    {"eval/loss", Metric::ValidationLoss},
                                                    {"val_loss", Metric::ValidationLoss},
                                                    {"Accuracy", Metric::ValidationAccuracy},
                                                    {"scale", Metric::LossScale},
                                                    {"loss-scale", Metric::LossScale},
                                                    {"train/grad_norm", Metric::GradNorm},
                                                    {"gnorm", Metric::GradNorm},
                                                    {"learning_rate", Metric::LearningRate},
                                                    {"lr-AdamW", Metric::LearningRate},
                                                    {"_loss_", Metric::Loss}};
    for (const auto& [name, metric] : names) {
        ASSERT_TRUE(metricFromName(name)) << name;
        EXPECT_EQ(metricFromName(name)->metric, metric) << name;
    }
    for (const char* name : {"", "epoch", "loss2", "my loss", "step", "//"}) EXPECT_FALSE(metricFromName(name)) << name;
    for (const char* name : {"step", "Step", "_step", "global_step", "trainer/global_step", "Iteration"})
        EXPECT_TRUE(stepNameRank(name)) << name;
    EXPECT_FALSE(stepNameRank("steps per second"));
}

class Import : public ExchangeTest {
protected:
    ImportedRun csv(const std::string& text) const { return importRuns(write("run one.csv", text)).at(0); }
    ImportedRun lines(const std::string& text) const { return importRuns(write("log.jsonl", text)).at(0); }
};

TEST_F(Import, CsvWithAnySeparatorAndStepColumn) {
    for (const std::string separator : {",", ";", "\t"}) {
        for (const std::string end : {"\n", "\r\n"}) {
            std::string text =
                "\xef\xbb\xbf"
                "epoch,Train/Loss,global_step,note" +
                end + "0,2.5,100,\"a,b\"" + end + end + "0, NaN ,200.0,x" + end + "1,-inf,300,";
            if (separator != ",") {
                text = "epoch,Train/Loss,global_step,note" + end + "0,2.5,100,\"a" + separator + "b\"" + end + "0,nan,2e2,x" + end +
                       "1,-Infinity,300,";
                for (char& c : text) c = c == ',' ? separator[0] : c;
            }
            const ImportedRun run = csv(text);
            ASSERT_EQ(run.series.size(), 1u);
            EXPECT_EQ(run.series[0].steps, (Steps{100, 200, 300}));
            EXPECT_EQ(run.series[0].values[0], 2.5);
            EXPECT_TRUE(std::isnan(run.series[0].values[1]));
            EXPECT_EQ(run.series[0].values[2], -kInf);
            EXPECT_EQ(run.series[0].source, "Train/Loss");
            EXPECT_EQ(run.name, "run one");
            EXPECT_EQ(run.remark, "not shown: epoch, note");
        }
    }
}

TEST_F(Import, CsvWithoutStepsCountsRows) {
    const ImportedRun run = csv("loss\n3\n\n+1e-3\nInfinity\n");
    EXPECT_EQ(run.series.at(0).steps, (Steps{0, 1, 2}));
    EXPECT_EQ(run.series[0].values, (std::vector<double>{3, 0.001, kInf}));
    EXPECT_EQ(run.remark, "");
}

TEST_F(Import, AnEmptyCellIsNoValue) {
    // as PyTorch Lightning logs: what is validated has rows of its own at the same steps
    const ImportedRun run = csv("epoch,step,train_loss,val_loss\n0,49,2.5,\n0,49,,2.25\n1,99,1.5,\n1,99,,1.25\n");
    EXPECT_EQ(seriesOf(run, Metric::Loss)->values, (std::vector<double>{2.5, 1.5}));
    EXPECT_EQ(seriesOf(run, Metric::ValidationLoss)->values, (std::vector<double>{2.25, 1.25}));
    EXPECT_EQ(seriesOf(run, Metric::ValidationLoss)->steps, (Steps{49, 99}));
}

TEST_F(Import, QuotedCellsMayHoldAnything) {
    const ImportedRun run = csv("\"say \"\"what\"\"\",\"loss\",text\n1,\"2\",\"one\ntwo, three\"\n4,\"5\",\"\"\n");
    EXPECT_EQ(run.series.at(0).values, (std::vector<double>{2, 5}));
    EXPECT_EQ(run.series.at(1).source, "say \"what\"");
    EXPECT_EQ(run.remark, "not shown: text");
}

TEST_F(Import, WhatOnlyTheFileKnowsIsASeriesOfItsOwn) {
    const ImportedRun run = csv("step,loss,perplexity,epoch,note,entropy\n0,2,7.4,0,first,0.5\n10,1,2.7,0,,nan\n20,1,2.6,1,last,\n");
    ASSERT_EQ(run.series.size(), 3u);
    EXPECT_EQ(run.series[0].metric, Metric::Loss);
    EXPECT_EQ(run.series[1].metric, Metric::Other);
    EXPECT_EQ(run.series[1].source, "perplexity");
    EXPECT_EQ(run.series[1].steps, (Steps{0, 10, 20}));
    EXPECT_EQ(run.series[1].values, (std::vector<double>{7.4, 2.7, 2.6}));
    EXPECT_EQ(run.series[2].source, "entropy");
    EXPECT_TRUE(std::isnan(run.series[2].values.at(1)));
    EXPECT_EQ(run.remark, "not shown: epoch, note") << "rows are counted by the one, and words are the other";
}

TEST_F(Import, FortyOfThemAreRead) {
    std::string head = "step,loss", row = "0,1";
    for (int i = 0; i < 45; ++i) {
        head += ",q" + std::to_string(i);
        row += "," + std::to_string(i);
    }
    const ImportedRun run = csv(head + "\n" + row + "\n");
    EXPECT_EQ(run.series.size(), 1 + kMaxOtherSeries);
    EXPECT_EQ(run.remark, "not shown: q40, q41, q42, q43, q44");
}

TEST_F(Import, ANameThatBecomesATitleIsOneShortLine) {
    const std::string name = "a\nb\x1b[2J" + std::string(900, 'x');
    const ImportedRun run = csv("step,loss,\"" + name + "\"\n0,1,2\n1,1,3\n");
    ASSERT_EQ(run.series.size(), 2u);
    EXPECT_EQ(run.series[1].source.substr(0, 8), "a_b_[2Jx");
    EXPECT_LE(run.series[1].source.size(), kMaxNameBytes);
}

TEST_F(Import, EachColumnHasATitleOfItsOwn) {
    const std::string same(120, 'x');
    const ImportedRun run = csv("step,loss," + same + ".weight," + same + ".bias,lost_updates\n0,1,2,3,4\n1,1,3,4,5\n");
    ASSERT_EQ(run.series.size(), 4u);
    EXPECT_EQ(run.series[1].source, std::string(kMaxNameBytes, 'x'));
    EXPECT_EQ(run.series[2].source, std::string(kMaxNameBytes - 4, 'x') + " (2)");
    EXPECT_EQ(run.series[3].source, "lost_updates (2)") << "the name alone is a share of ours";
}

TEST_F(Import, AConfigurationOfNumbersIsNoStep) {
    const ImportedRun run = lines("{\"width\": 64}\n{\"step\": 5, \"loss\": 1, \"tokens\": 10}\n{\"step\": 6, \"tokens\": 20}\n");
    ASSERT_EQ(run.series.size(), 2u);
    EXPECT_EQ(run.series[0].steps, (Steps{5}));
    EXPECT_EQ(run.series[1].source, "tokens");
    EXPECT_EQ(run.series[1].steps, (Steps{5, 6}));
}

TEST_F(Import, TheBetterNameIsShown) {
    const ImportedRun run = csv("train_loss,loss,lr\n1,2,3\n");
    EXPECT_EQ(seriesOf(run, Metric::Loss)->values, (std::vector<double>{2}));
    EXPECT_EQ(run.remark, "not shown: train_loss (loss is shown)");
}

TEST_F(Import, JsonLinesAsLoggersWriteThem) {
    const ImportedRun run = lines(
        R"({"config": {"lr": 0.1, "name": "x"}, "_step": 0, "note": "no loss here"})"
        "\n"
        R"({"_step": 5, "train": {"loss": NaN, "scale": 65536}, "_timestamp": 1700000000.5, "say": "a \"NaN\" \\"})"
        "\r\n\n"
        R"({"_step": 6, "train": {"loss": -Infinity, "scale": "Infinity"}, "eval/loss": 2, "done": true, "left": null, "list": [1, 2]})"
        "\n"
        R"({"summary": {"loss": 3}})");
    ASSERT_EQ(run.series.size(), 3u);
    EXPECT_EQ(seriesOf(run, Metric::Loss)->source, "train/loss");
    EXPECT_EQ(seriesOf(run, Metric::Loss)->steps, (Steps{5, 6}));
    EXPECT_TRUE(std::isnan(seriesOf(run, Metric::Loss)->values[0]));
    EXPECT_EQ(seriesOf(run, Metric::Loss)->values[1], -kInf);
    EXPECT_EQ(seriesOf(run, Metric::LossScale)->values, (std::vector<double>{65536, kInf}));
    EXPECT_EQ(seriesOf(run, Metric::ValidationLoss)->steps, (Steps{6}));
    EXPECT_EQ(run.name, "log");
    EXPECT_EQ(run.remark, "not shown: config/lr, _timestamp, summary/loss");
}

TEST_F(Import, JsonLinesWithoutStepsCountThemselves) {
    EXPECT_EQ(lines("{\"loss\":1}\n{\"text\":\"\"}\n{\"loss\":-0.0}\n").series.at(0).steps, (Steps{0, 1}));
}

/// An event with one value; `tensor` instead of a simple value when given.
std::string event(std::int64_t step, const std::string& tag, float value, const std::string& tensor = "", const std::string& plugin = "") {
    std::string inner, summary, message;
    protobuf::putBytes(inner, 1, tag);
    if (tensor.empty()) protobuf::putFloat(inner, 2, value);
    if (!tensor.empty()) protobuf::putBytes(inner, 8, tensor);
    if (!plugin.empty()) {
        std::string data, metadata;
        protobuf::putBytes(data, 1, plugin);
        protobuf::putBytes(metadata, 1, data);
        protobuf::putBytes(inner, 9, metadata);
    }
    protobuf::putBytes(summary, 1, inner);
    protobuf::putBytes(message, 5, summary);  // before the step, as the format allows
    protobuf::putVarint(message, 2, static_cast<std::uint64_t>(step));
    std::string record;
    event_file::appendRecord(record, message);
    return record;
}

std::string tensor(std::uint64_t dtype, int field, const std::string& bytes) {
    std::string message;
    protobuf::putVarint(message, 1, dtype);
    protobuf::putBytes(message, 2, "");  // its shape: a scalar's
    protobuf::putBytes(message, field, bytes);
    return message;
}

TEST_F(Import, TensorsOfOneNumberAreScalars) {
    std::string f32, f64;
    protobuf::putLittleEndian(f32, 0x3f000000, 4);
    protobuf::putLittleEndian(f64, 0x3fb999999999999a, 8);
    std::string unpacked;
    protobuf::putVarint(unpacked, 1, 1);
    protobuf::putFloat(unpacked, 5, 4);
    std::string text = event(0, "loss", 0, tensor(1, 4, f32), "scalars") + event(1, "loss", 0, tensor(1, 5, f32)) +
                       event(2, "loss", 0, tensor(2, 4, f64)) + event(3, "loss", 0, tensor(2, 6, f64)) + event(4, "loss", 0, unpacked) +
                       event(5, "loss", 0, tensor(1, 4, f32 + f32)) + event(6, "loss", 0, tensor(7, 4, f32)) +
                       event(0, "accuracy", 0, tensor(1, 4, f32), "histograms") + event(1, "accuracy", 0, tensor(1, 4, f32));
    const ImportedRun run = importRuns(write("logs/version_3/events.out.tfevents.1.host", text)).at(0);
    ASSERT_EQ(run.series.size(), 1u);
    EXPECT_EQ(run.series[0].steps, (Steps{0, 1, 2, 3, 4}));
    EXPECT_EQ(run.series[0].values, (std::vector<double>{0.5, 0.5, 0.1, 0.1, 4}));
    EXPECT_EQ(run.name, "version_3");
}

TEST_F(Import, AFolderOfEventFilesIsARunAFolder) {
    write("logs/a/train/events.out.tfevents.1", event(0, "epoch_loss", 2) + event(1, "epoch_loss", 1));
    write("logs/a/validation/events.out.tfevents.1", event(1, "epoch_accuracy", 0.5f));
    write("logs/b/events.out.tfevents.1.x", event(0, "Loss/train", 3) + event(1, "Loss/train", 2) + event(2, "Loss/train", 9));
    write("logs/b/events.out.tfevents.2.x", event(1, "Loss/train", 2.5f) + event(5, "Loss/train", 1));  // begun again from step 1
    write("logs/b/notes.csv", "loss\n1\n");
    const auto runs = importRuns(folder / "logs" / "");
    ASSERT_EQ(runs.size(), 2u);  // what holds nothing that is known is left out
    EXPECT_EQ(runs[0].name, "a/train");
    EXPECT_EQ(runs[1].name, "b");
    EXPECT_EQ(runs[1].series.at(0).steps, (Steps{0, 1, 5}));
    EXPECT_EQ(runs[1].series[0].values, (std::vector<double>{3, 2.5, 1}));
}

TEST_F(Import, AFolderOfTextFilesIsARunAFile) {
    writeCsv(everyKindOfValue(), folder / "out");
    write("out/other.jsonl", "{\"step\":1,\"loss\":2}\n");
    write("out/report.html", "<html>");
    write("out/below/deeper.csv", "loss\n1\n");
    const auto runs = importRuns(folder / "out");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].name, "fp16_a_b");
    EXPECT_EQ(runs[1].name, "other");
}

}  // namespace
}  // namespace mantissa
