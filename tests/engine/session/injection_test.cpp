// SPDX-License-Identifier: Apache-2.0
// Faults as commands and as events of a file: checked before they are made, told when they are.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/experiment/fields.h"
#include "engine/training/build_plan.h"
#include "engine/training/injection.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

Json tensorFault(const std::string& tensor, const Json& value) {
    return {{"tensor", tensor}, {"value", value}};
}

TEST(InjectedFault, OfAnEventIsThereInItsStepAloneAndIsTold) {
    SessionFixture lab;
    lab.load(task(
        R"({"name":"clean","precision":"fp16"},{"name":"faulty","precision":"fp16"})",
        R"("events":[{"step":20,"run":"faulty","set":{"/inject/tensor":{"tensor":"layers.0.output","value":"Infinity","element":5}}}],)"));
    lab.trainTo(60);
    const auto &clean = lab.recordsOf("clean"), &faulty = lab.recordsOf("faulty");
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(clean[i].loss, faulty[i].loss) << i;
    EXPECT_TRUE(faulty[20].skipped());
    for (std::size_t i = 21; i < 60; ++i) EXPECT_TRUE(std::isfinite(faulty[i].loss)) << i;
    ASSERT_EQ(lab.all<NonFiniteFound>().size(), 1u);
    const FirstNonFinite found = lab.all<NonFiniteFound>()[0].first;
    EXPECT_EQ(found.step, 20);
    EXPECT_EQ(found.tensor, "layers.0.output");
    EXPECT_EQ(found.cls, "+Inf");
    const auto applied = lab.all<SettingApplied>();
    ASSERT_EQ(applied.size(), 1u);
    EXPECT_EQ(applied[0].step, 20);
    EXPECT_EQ(applied[0].label, "a tensor");
    EXPECT_EQ(applied[0].from, "layers.0.output[5]");
    EXPECT_EQ(applied[0].to, "+Inf");
}

TEST(InjectedFault, OfALabelIsARegressionsAlone) {
    SessionFixture lab;
    lab.load(R"({"data":{"name":"synthetic-regression","batch_size":16},"steps":30,"scaler":{"preset":"static","init_scale":1},
        "runs":[{"name":"a"}],"events":[{"step":12,"run":"a","set":{"/inject/label":"NaN"}}]})");
    lab.trainTo(30);
    const auto& records = lab.recordsOf("a");
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(std::isnan(records[i].loss), i == 12) << i;
    EXPECT_TRUE(records[12].skipped());
    const auto applied = lab.all<SettingApplied>();
    ASSERT_EQ(applied.size(), 1u);
    EXPECT_EQ(applied[0].label, "a label");
    EXPECT_EQ(applied[0].to, "NaN");
}

TEST(InjectedFault, ThatCannotBeIsRefusedWithTheNameThatWasMeant) {
    SessionFixture lab;
    lab.load(
        task(R"({"name":"a","precision":"fp16"},{"name":"b","data":{"name":"opticks","context":8},"model":{"kind":"gpt","n_embd":8}})"));
    const RunId a = lab.run("a").id, b = lab.run("b").id;
    const auto refusal = [&](RunId run, const Json& value, const char* pointer = kInjectTensorPointer) {
        return lab.command(ChangeSetting{run, pointer, value});
    };
    EXPECT_EQ(refusal(a, tensorFault("layers.1.outptu", "inf")),
              "the model makes no tensor 'layers.1.outptu' (did you mean 'layers.1.output'?)");
    EXPECT_EQ(refusal(a, tensorFault("layers.1.weight", "inf")),
              "a step does not make 'layers.1.weight' (did you mean 'layers.1.weight.grad'?)");
    EXPECT_EQ(refusal(b, tensorFault("transformer.h.0.attn.mask.scores", 1)).find("the model makes no tensor"), 0u)
        << "it lies in the scores";
    EXPECT_EQ(refusal(a, tensorFault("layers.1.weight as bf16", "inf")),
              "no instruction of this run makes a tensor 'layers.1.weight as bf16' (did you mean 'layers.1.weight as fp16'?)");
    EXPECT_EQ(refusal(a, tensorFault("layers.1.output", "Inf")), "must be a number, \"inf\", \"-inf\" or \"nan\"");
    EXPECT_EQ(refusal(a, {{"tensor", "layers.1.output"}, {"value", 1}, {"elment", 2}}), "unknown key (did you mean 'element'?)");
    EXPECT_EQ(refusal(a, {{"tensor", "layers.1.output"}, {"value", 1}, {"element", -2}}), "must be at least 0");
    EXPECT_EQ(refusal(a, {{"tensor", "layers.1.output"}, {"value", 1}, {"element", 160}}),
              "tensor 'layers.1.output' has elements 0 to 159, and no 160");
    EXPECT_EQ(refusal(a, {{"value", 1}}), "needs a 'tensor'");
    EXPECT_EQ(refusal(a, "inf"), R"(must be an object, as {"tensor": "layers.0.output", "value": "inf"})");
    EXPECT_EQ(refusal(a, "nan", kInjectLabelPointer),
              "labels are classes, only the targets of a regression are numbers that another can stand in for");
    EXPECT_EQ(refusal(b, "nan", kInjectLabelPointer), "tokens are whole numbers, nothing else can be put in their place");
    EXPECT_EQ(refusal(a, tensorFault("layers.1.weight as fp16", 3)), "") << "and what is there is put in";
    lab.trainTo(60);
    EXPECT_EQ(refusal(a, tensorFault("layers.1.output", 3)), "the run has no next batch");
}

std::string sentenceOfEvent(const std::string& set) {
    try {
        parseExperiment(task(R"({"name":"a"},{"name":"e","data":{"name":"synthetic-regression"},"model":{"kind":"autoencoder"}})",
                             R"("events":[{"step":2,)" + set + R"(}],)"),
                        "x");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(InjectedFault, OfAFileIsCheckedWhenItIsRead) {
    EXPECT_EQ(sentenceOfEvent(R"("run":"a","set":{"/inject/tensor":{"tensor":"layers.0.otput","value":1}})"),
              "x: at /events/0/set/~1inject~1tensor: the model makes no tensor 'layers.0.otput' (did you mean 'layers.0.output'?)");
    EXPECT_EQ(sentenceOfEvent(R"("run":"a","set":{"/inject/tensor":{"tensor":"layers.0.output","value":1,"element":256}})"),
              "x: at /events/0/set/~1inject~1tensor/element: tensor 'layers.0.output' has elements 0 to 255");
    EXPECT_EQ(sentenceOfEvent(R"("run":"a","set":{"/inject/tensor":{"tensor":"layers.0.output","value":1,"element":255}})"), "");
    EXPECT_EQ(sentenceOfEvent(R"("run":"e","set":{"/inject/label":1})"),
              "x: at /events/0/set/~1inject~1label: the targets of model 'autoencoder' are its inputs: use /inject/input");
}

TEST(InjectedFault, OfAPartLiesAmongTheWholesColumns) {
    const Experiment experiment = parseExperiment(
        R"({"data":{"name":"opticks","batch_size":2,"context":4},"model":{"kind":"gpt","n_layer":1,"n_embd":8,"attention":"fused"},
            "runs":[{"name":"a","precision":"bf16"}]})",
        "x");
    const Plan plan = buildPlans(experiment.runs[0].training, shapeOf(*experiment.data[0]), *createCpuBackend()).training;
    const auto place = [&](const char* part, std::int64_t element) {
        const ElementWrite write = elementWrites({std::string("transformer.h.0.attn.qkv.") + part, 1, element}, plan).front();
        return plan.buffers[static_cast<std::size_t>(write.buffer)].name + " " + std::to_string(write.element);
    };
    EXPECT_EQ(place("part0", 0), "transformer.h.0.attn.c_attn.output 0");
    EXPECT_EQ(place("part1", 9), "transformer.h.0.attn.c_attn.output 33") << "row 1 of 24 columns, the second eight of them, place 1";
    EXPECT_EQ(place("part2", 63), "transformer.h.0.attn.c_attn.output 191");
    EXPECT_EQ(place("part1.grad", 9), "transformer.h.0.attn.c_attn.output.grad 33");
    EXPECT_THROW(place("part1", 64), std::invalid_argument);
}

TEST(InjectedFault, EveryTensorThatAFileMayNameIsMadeInEveryFormat) {
    // What the file's check takes from the graph, the plan must have, whatever its casts: else an event could fail in the middle of
    // training.
    const auto backend = createCpuBackend();
    for (const char* model :
         {R"("mlp")", R"("autoencoder")", R"("resnet","depth":8)", R"("gpt","n_layer":1,"n_embd":8,"dropout":0.1)",
          R"("llama","n_layer":1,"n_embd":8,"n_head":2)", R"("gpt","n_layer":1,"n_embd":8,"attention":"fused")",
          R"("gpt","n_layer":2,"n_embd":8,"gradient_checkpointing":true)", R"("gpt","n_layer":1,"n_embd":8,"mask":-50)"}) {
        const bool isText = std::string(model).find("n_embd") != std::string::npos;
        for (const char* policy : {"fp32", "fp16", "bf16", "fp8", "pure-fp16"}) {
            const Experiment experiment =
                parseExperiment(std::string(R"({"data":{"batch_size":2)") + (isText ? R"(,"name":"opticks","context":4)" : "") +
                                    R"(},"model":{"kind":)" + model + R"(},"runs":[{"name":"a","precision":")" + policy + "\"}]}",
                                "x");
            const RunSettings& run = experiment.runs[0];
            const DataShape shape = shapeOf(*experiment.data[0]);
            const Plan plan = buildPlans(run.training, shape, *backend).training;
            Graph graph = buildModel(run.training.model, run.training.data.batchSize, shape);
            appendBackward(graph);
            int named = 0;
            for (const Value& value : graph.values) {
                if (whyNotInjected(run, kInjectTensorPointer, tensorFault(value.name, 1), experiment.data[0].get())) continue;
                ++named;
                EXPECT_NO_THROW(elementWrites({value.name, 1, {}}, plan)) << model << ", " << policy << ": " << value.name;
            }
            EXPECT_GT(named, 10) << model;
        }
    }
}

}  // namespace
}  // namespace mantissa
