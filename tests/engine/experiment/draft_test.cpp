// SPDX-License-Identifier: Apache-2.0
// An experiment put together in a form: what it asks, what it remembers, and that its text is a file.
#include "engine/experiment/draft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace mantissa {
namespace {

const DraftRow* rowAt(const std::vector<DraftRow>& rows, const std::string& pointer) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const DraftRow& row) { return row.pointer == pointer; });
    return found == rows.end() ? nullptr : &*found;
}

Json valueAt(const Draft& draft, const std::string& pointer) {
    const std::vector<DraftRow> rows = draft.rows();
    const DraftRow* row = rowAt(rows, pointer);
    return row == nullptr ? Json("no such row") : row->value;
}

std::set<std::string> pointersOf(const Draft& draft) {
    std::set<std::string> pointers;
    for (const DraftRow& row : draft.rows()) EXPECT_TRUE(pointers.insert(row.pointer).second) << row.pointer << " twice";
    return pointers;
}

/// A field that no form could ask for would be one that the window cannot set.
TEST(FieldKinds, EveryFieldSaysHowAFormAsksForIt) {
    for (const Field& field : fields()) {
        const bool isRunsOwn = field.pointer() == "/name" || field.pointer() == "/precision";
        EXPECT_EQ(field.kind == FieldKind::None, isRunsOwn) << field.pointer();
        EXPECT_EQ(field.kind == FieldKind::Choice, !field.choices.empty()) << field.pointer();
        EXPECT_EQ(field.kind == FieldKind::Parts, static_cast<bool>(field.parts)) << field.pointer();
        EXPECT_TRUE(field.choiceLabels.empty() || field.choiceLabels.size() == field.choices.size()) << field.pointer();
        for (const std::string& choice : field.choices) {
            RunSettings run;
            EXPECT_NO_THROW(field.read(run, choice)) << field.pointer() << " " << choice;
        }
    }
}

/// The kinds' own words for a value agree with what the table writes.
TEST(FieldKinds, AreThoseOfTheValuesWritten) {
    for (const std::string& model : modelKinds()) {
        for (const char* optimizer : {"adamw", "sgd"}) {
            RunSettings run;
            run.training.model.kind = model;
            run.training.optimizer.kind = optimizer;
            for (const Field& field : fields()) {
                const std::optional<Json> value = field.write(run);
                if (!value || value->is_null()) {
                    EXPECT_TRUE(!field.unset.empty() || (field.whyNot && !field.whyNot(run).empty()) || field.kind == FieldKind::Path ||
                                field.kind == FieldKind::Parts)
                        << field.pointer() << " has no value and no word for that";
                    continue;
                }
                const std::string at = model + " " + field.pointer();
                EXPECT_EQ(field.kind == FieldKind::Flag, value->is_boolean()) << at;
                EXPECT_EQ(field.kind == FieldKind::Count, value->is_number_integer()) << at;
                EXPECT_EQ(field.kind == FieldKind::Number, value->is_number_float()) << at;
                EXPECT_EQ(field.kind == FieldKind::Numbers, value->is_array()) << at;
            }
        }
    }
}

TEST(Draft, AsksExactlyWhatTheKindsHave) {
    Draft draft;
    const auto mlp = pointersOf(draft);
    EXPECT_TRUE(mlp.contains("/model/hidden"));
    EXPECT_TRUE(mlp.contains("/optimizer/betas"));
    EXPECT_FALSE(mlp.contains("/model/n_layer"));
    EXPECT_FALSE(mlp.contains("/data/path"));
    EXPECT_FALSE(mlp.contains("/precision"));
    EXPECT_FALSE(mlp.contains("/scaler/preset")) << "it follows the precision";
    draft.set("/model/kind", "llama");
    draft.set("/data/name", "text");
    draft.set("/optimizer/kind", "sgd");
    const auto llama = pointersOf(draft);
    for (const char* pointer :
         {"/model/n_layer", "/model/n_kv_head", "/data/context", "/data/path", "/sample_tokens", "/optimizer/momentum"})
        EXPECT_TRUE(llama.contains(pointer)) << pointer;
    for (const char* pointer : {"/model/hidden", "/model/bias", "/optimizer/betas"}) EXPECT_FALSE(llama.contains(pointer)) << pointer;
    EXPECT_EQ(valueAt(draft, "/optimizer/weight_decay"), 0) << "SGD's default, not AdamW's";
    EXPECT_FALSE(rowAt(draft.rows(), "/data/path")->isFolder);
    draft.set("/data/name", "mnist");
    EXPECT_TRUE(rowAt(draft.rows(), "/data/path")->isFolder);
}

TEST(Draft, FindsAgainWhatAKindHadWhenItComesBack) {
    Draft draft;
    draft.set("/model/hidden", Json::array({7, 9}));
    draft.set("/data/batch_size", 16);
    draft.set("/model/kind", "resnet");
    EXPECT_EQ(draft.text().find("hidden"), std::string::npos) << draft.text();
    draft.set("/model/kind", "mlp");
    EXPECT_EQ(valueAt(draft, "/model/hidden"), Json::array({7, 9}));
    EXPECT_EQ(valueAt(draft, "/data/batch_size"), 16);
    draft.set("/model/hidden", nullptr);
    EXPECT_EQ(valueAt(draft, "/model/hidden"), Json::array({128, 128})) << "not given: the default";
}

TEST(Draft, BeginsWithARunAndReadsBackAsIt) {
    RunSettings run;
    run.name = "anything";
    run.training.data = {.name = "opticks", .batchSize = 12, .context = 32};
    run.training.model = {.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 64, .dropout = 0.1};
    run.training.optimizer = {.kind = "lion", .lr = 3e-4, .beta2 = 0.98, .weightDecay = 1};
    run.training.optimizer.schedule = {.kind = "cosine", .warmupSteps = 10, .totalSteps = 300};
    run.training.clipGradNorm = 1;
    run.training.steps = 500;
    run.training.evalPrecision = "fp32";
    run.training.precision.policy = "fp16";
    const Draft draft(run, {"fp32", "bf16"});
    const Experiment read = parseExperiment(draft.text(), "");
    ASSERT_EQ(read.runs.size(), 2u);
    EXPECT_EQ(read.title, "gpt on opticks");
    EXPECT_EQ(draft.name(), "gpt-on-opticks");
    run.name = run.training.precision.policy = "bf16";
    EXPECT_EQ(read.runs[1], run);
    EXPECT_EQ(valueAt(draft, "/optimizer/schedule/kind"), "cosine");
    EXPECT_EQ(valueAt(draft, "/optimizer/schedule/total_steps"), 300);
}

TEST(Draft, BeginsWithWhatAllRunsShare) {
    RunSettings one;
    one.training.steps = 500;
    one.training.data.batchSize = 12;
    one.training.model.hidden = {16};
    one.training.optimizer = {.kind = "adamw", .lr = 3e-4, .weightDecay = 0.5};
    one.training.optimizer.schedule = {.kind = "cosine", .warmupSteps = 10, .totalSteps = 300};
    RunSettings other = one;
    other.training.steps = 600;
    other.training.optimizer.lr = 1e-4;
    other.training.optimizer.schedule.warmupSteps = 20;
    const Draft draft({one, other}, {"fp32"});
    EXPECT_EQ(draft.settings().training.data.batchSize, 12);
    EXPECT_EQ(draft.settings().training.model.hidden, (std::vector<std::int64_t>{16}));
    EXPECT_EQ(draft.settings().training.optimizer.weightDecay, 0.5);
    const RunSettings plain;
    EXPECT_EQ(draft.settings().training.steps, plain.training.steps);
    EXPECT_EQ(draft.settings().training.optimizer.lr, plain.training.optimizer.lr);
    EXPECT_EQ(draft.settings().training.optimizer.schedule, plain.training.optimizer.schedule);
    other.training.model.kind = "resnet";
    EXPECT_EQ(Draft({one, other}, {"fp32"}).settings().training.model.kind, "mlp") << "the first one's";
    EXPECT_NO_THROW(parseExperiment(Draft({other, one}, {"fp32"}).text(), ""));
}

TEST(Draft, HasThePartsOfItsScheduleAndNoOthers) {
    Draft draft;
    EXPECT_EQ(valueAt(draft, "/optimizer/schedule/kind"), "constant");
    EXPECT_FALSE(pointersOf(draft).contains("/optimizer/schedule/total_steps"));
    draft.set("/optimizer/schedule/kind", "linear");
    draft.set("/optimizer/schedule/total_steps", 100);
    EXPECT_EQ(parseExperiment(draft.text(), "").runs[0].training.optimizer.schedule.totalSteps, 100);
    draft.set("/optimizer/schedule/kind", "step");
    EXPECT_FALSE(pointersOf(draft).contains("/optimizer/schedule/total_steps"));
    EXPECT_EQ(parseExperiment(draft.text(), "").runs[0].training.optimizer.schedule.kind, "step") << "and is no error";
}

/// What was typed stays in the text, for the reader to name it where it stands; the form goes on meanwhile.
TEST(Draft, KeepsAValueThatCannotBe) {
    Draft draft;
    draft.set("/data/batch_size", "many");
    EXPECT_EQ(valueAt(draft, "/data/batch_size"), "many");
    EXPECT_EQ(draft.settings().training.data.batchSize, 64);
    try {
        parseExperiment(draft.text(), "");
        FAIL() << "was read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.pointer(), "/data/batch_size");
    }
}

}  // namespace
}  // namespace mantissa
