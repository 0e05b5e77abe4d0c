// SPDX-License-Identifier: Apache-2.0
// What an experiment would be: the ledger of the runs that it becomes, what is wrong with it where it is, and nothing touched.
#include "engine/session/preview.h"

#include <condition_variable>

#include "tests/engine/session/session_fixture.h"

namespace mantissa::test {
namespace {

constexpr const char* kTwoRuns = R"({"model": {"kind": "mlp", "hidden": [16]}, "steps": 20,
    "runs": [{"name": "a", "precision": "fp32"}, {"name": "b", "precision": "fp16"}]})";

ExperimentPreviewed previewOf(const std::string& text, std::int64_t cardBytes = 0) {
    const auto backend = createCpuBackend();
    Experiment planned;
    ExperimentPreviewed preview = previewExperiment(text, *backend, planned);
    if (cardBytes > 0) addLargestBatches(preview, planned, cardBytes, *backend);
    return preview;
}

TEST(Preview, NamesTheLedgersThatTheRunsWillHave) {
    SessionFixture lab;
    lab.load(kTwoRuns);
    const ExperimentPreviewed preview = previewOf(kTwoRuns);
    EXPECT_EQ(preview.sentence, "");
    ASSERT_EQ(preview.runs.size(), 2u);
    const auto runs = lab.runs();
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(preview.runs[i].name, runs[i].settings.name);
        EXPECT_EQ(preview.runs[i].policy, runs[i].policy);
        EXPECT_EQ(preview.runs[i].memory, runs[i].memory);
        EXPECT_EQ(preview.runs[i].largestBatch, -1);
    }
    EXPECT_EQ(preview.modelText, runs[0].modelText);
    EXPECT_EQ(preview.parameters, 64 * 16 + 16 + 16 * 10 + 10);
    EXPECT_EQ(preview.dataBytes, 3 * 1797 * 65 * 4) << "as read, and a copy of each of the two runs";
    EXPECT_GT(preview.availableBytes, 0);
}

TEST(Preview, SaysWhatIsWrongWhereItIs) {
    const auto bad = previewOf(R"({"model": {"kind": "mlp", "hidden": [16, 0]}, "runs": [{"name": "a"}]})");
    EXPECT_EQ(bad.pointer, "/model/hidden/1");
    EXPECT_FALSE(bad.sentence.empty());
    EXPECT_TRUE(bad.runs.empty());
    EXPECT_EQ(previewOf("{").pointer, "");
    EXPECT_FALSE(previewOf("{").sentence.empty());
    const auto path = previewOf(R"({"data": {"name": "mnist", "path": "/no/such"}, "runs": [{"name": "a"}]})");
    EXPECT_EQ(path.pointer, "/data/path");
    EXPECT_TRUE(path.models.empty());
}

/// Loading would find them as well, and say the same at the same place.
TEST(Preview, ReadsTheWeightsThatTheRunsBeginWith) {
    for (const auto& [init, part] : {std::pair(R"({"weights": "/no/such.safetensors"})", "there is no such file"),
                                     {R"({"weights": "bundled:nonsense"})", "no bundled weights of this name"},
                                     {R"({"weights": "bundled:opticks-llama-bf16"})", "lacks "}}) {
        const std::string text = std::string(R"({"init": )") + init + R"(, "runs": [{"name": "a"}, {"name": "b", "precision": "fp16"}]})";
        const auto preview = previewOf(text);
        EXPECT_EQ(preview.pointer, "/init/weights") << init;
        EXPECT_NE(preview.sentence.find(part), std::string::npos) << preview.sentence;
        EXPECT_TRUE(preview.runs.empty());
        SessionFixture lab;
        EXPECT_EQ(lab.command(LoadExperiment{"test", text}), preview.sentence);
        EXPECT_EQ(lab.all<CommandRefused>().back().pointer, "/init/weights");
    }
}

/// So that a form can offer them, also while another model is still chosen.
TEST(Preview, NamesTheModelsThatCanTakeTheData) {
    EXPECT_EQ(previewOf(R"({"data": {"name": "opticks"}, "model": {"kind": "gpt"}, "runs": [{"name": "a"}]})").models,
              (std::vector<std::string>{"gpt", "llama"}));
    const auto misfit = previewOf(R"({"data": {"name": "opticks"}, "runs": [{"name": "a"}]})");
    EXPECT_EQ(misfit.pointer, "/data/name");
    EXPECT_EQ(misfit.models, (std::vector<std::string>{"gpt", "llama"}));
    EXPECT_TRUE(misfit.dataText.starts_with("opticks: ")) << misfit.dataText;
    const auto images = previewOf(R"({"runs": [{"name": "a"}]})").models;
    EXPECT_TRUE(std::find(images.begin(), images.end(), "resnet") != images.end());
    EXPECT_TRUE(std::find(images.begin(), images.end(), "gpt") == images.end());
}

TEST(Preview, FindsTheBatchThatFitsBesideTheData) {
    const std::int64_t card = 2 << 20, samples = 1797 * 65 * 4;
    const ExperimentPreviewed preview = previewOf(kTwoRuns, card);
    for (const PreviewedRun& run : preview.runs) {
        const auto totalAt = [&](std::int64_t batch) {
            Json document = Json::parse(kTwoRuns);
            document["data"]["batch_size"] = batch;
            const auto runs = previewOf(document.dump()).runs;
            return run.name == "a" ? runs[0].memory.total() : runs[1].memory.total();
        };
        ASSERT_GT(run.largestBatch, 0);
        EXPECT_LE(totalAt(run.largestBatch) + samples, card);
        EXPECT_GT(totalAt(run.largestBatch + 1) + samples, card);
    }
}

TEST(Preview, LeavesTheSessionAsItIs) {
    SessionFixture asked, left;
    for (SessionFixture* lab : {&asked, &left}) {
        lab->load(kTwoRuns);
        lab->trainTo(5);
        if (lab == &asked) {
            const std::size_t before = lab->events.size();
            EXPECT_EQ(lab->command(PreviewExperiment{R"({"model": {"hidden": [8]}, "runs": [{"name": "x"}]})", 1 << 20}), "");
            EXPECT_EQ(lab->command(PreviewExperiment{R"({"runs": 3})"}), "");
            EXPECT_EQ(lab->events.size(), before + 4) << "two answers, two acknowledgements, nothing else";
            EXPECT_EQ(lab->all<ExperimentPreviewed>().back().pointer, "/runs");
        }
        EXPECT_EQ(lab->session.state(), LabState::Paused);
        lab->trainTo(20);
    }
    for (const auto& [run, records] : left.records) {
        ASSERT_EQ(asked.records[run].size(), records.size());
        for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(asked.records[run][i].loss, records[i].loss);
    }
}

/// What a Previewer has said, from its own thread.
struct Heard {
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<Event> events;
    Previewer previewer{createCpuBackend(), [this](Event&& event) {
                            const std::lock_guard lock(mutex);
                            events.push_back(std::move(event));
                            wake.notify_all();
                        }};

    /// Every question has been acknowledged.
    bool hasEnded(std::uint64_t count) {
        std::unique_lock lock(mutex);
        return wake.wait_for(lock, std::chrono::seconds(60), [&] {
            return static_cast<std::uint64_t>(std::count_if(events.begin(), events.end(), [](const Event& event) {
                       return std::holds_alternative<CommandDone>(event);
                   })) == count;
        });
    }
};

TEST(Previewer, AnswersAtOnceAndAgainWithTheBatches) {
    Heard heard;
    heard.previewer.ask(7, {kTwoRuns, 2 << 20});
    ASSERT_TRUE(heard.hasEnded(1));
    ASSERT_EQ(heard.events.size(), 3u);
    const auto &first = std::get<ExperimentPreviewed>(heard.events[0]), &second = std::get<ExperimentPreviewed>(heard.events[1]);
    EXPECT_EQ(first.commandId, 7u);
    EXPECT_EQ(first.runs[0].largestBatch, -1);
    EXPECT_EQ(second.commandId, 7u);
    EXPECT_GT(second.runs[0].largestBatch, 0);
    EXPECT_EQ(std::get<CommandDone>(heard.events[2]).commandId, 7u);
}

/// A batch norm over one value a channel has no plan.
TEST(Previewer, FindsTheBatchWhereOneSampleHasNoPlan) {
    Heard heard;
    heard.previewer.ask(1, {R"({"model": {"kind": "resnet18"}, "runs": [{"name": "a"}]})", 8LL << 30});
    ASSERT_TRUE(heard.hasEnded(1));
    ASSERT_EQ(heard.events.size(), 3u);
    EXPECT_GT(std::get<ExperimentPreviewed>(heard.events[1]).runs[0].largestBatch, 64);
}

TEST(Previewer, AcknowledgesEveryQuestionAndAnswersTheLatest) {
    Heard heard;
    constexpr std::uint64_t kCount = 40;
    for (std::uint64_t id = 1; id <= kCount; ++id) heard.previewer.ask(id, {kTwoRuns, 1LL << 33});
    ASSERT_TRUE(heard.hasEnded(kCount));
    std::uint64_t last = 0;
    for (const Event& event : heard.events) {
        if (const auto* preview = std::get_if<ExperimentPreviewed>(&event)) last = preview->commandId;
    }
    EXPECT_EQ(last, kCount);
}

}  // namespace
}  // namespace mantissa::test
