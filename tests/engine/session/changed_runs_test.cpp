// SPDX-License-Identifier: Apache-2.0
// Diagnosis of runs that events change: trials go through the event that ends a pulse, and injected values are named.
#include <gtest/gtest.h>

#include "engine/session/diagnose.h"

namespace mantissa {
namespace {

constexpr const char* kDigits = R"({"data": {"name": "digits"}, "model": {"kind": "mlp", "hidden": [64, 64]}, "steps": 200, )";

Examination examined(const std::string& rest) {
    return diagnose(parseExperiment(kDigits + rest, "x"), createCpuBackend(), {}).examination;
}
bool says(const Examination& found, const std::string& words) {
    return found.verdict.explanation.english().find(words) != std::string::npos;
}

TEST(ChangedRuns, ATrialGoesThroughTheEndOfAPulse) {
    const std::string runs = R"("runs": [{"name": "r", "precision": "fp16", "scaler": {"preset": "static", "init_scale": 65536}}],)";
    const std::string raised = R"({"step": 50, "run": "r", "set": {"/scaler/init_scale": 1073741824}})";
    const Examination brief =
        examined(runs + R"("events": [)" + raised + R"(, {"step": 53, "run": "r", "set": {"/scaler/init_scale": 65536}}]})");
    EXPECT_EQ(brief.step, 50);
    EXPECT_EQ(brief.remedies.back().skips, 3) << "as in the run itself";
    EXPECT_TRUE(says(brief, "Left alone, 3 of the next 100 steps are not finite.")) << brief.verdict.explanation.english();
    const Examination lasting = examined(runs + R"("events": [)" + raised + "]}");
    EXPECT_EQ(lasting.remedies.back().skips, 100);
}

TEST(ChangedRuns, AnInjectedValueIsNamed) {
    const Examination found = examined(R"("runs": [{"name": "r", "precision": "fp16"}],
        "events": [{"step": 30, "run": "r", "set": {"/inject/tensor": {"tensor": "layers.1.output", "value": "inf"}}}]})");
    EXPECT_EQ(found.step, 30);
    EXPECT_TRUE(says(found, "A value was injected into layers.1.output in this step: inf.")) << found.verdict.explanation.english();
}

// The next step finds the weights broken, and leads to the update.
TEST(ChangedRuns, AnInjectedWeightIsNamedWithItsUpdate) {
    const Examination found = examined(R"("runs": [{"name": "r", "precision": "fp32"}],
        "events": [{"step": 20, "run": "r", "set": {"/inject/tensor": {"tensor": "parameters", "value": "inf", "element": 5000}}}]})");
    EXPECT_EQ(found.step, 20);
    EXPECT_EQ(found.card.phase, "optimizer");
    EXPECT_TRUE(says(found, "A value was injected into parameters in this step: inf.")) << found.verdict.explanation.english();
}

// The step before has a loss and gradients that are finite, but an infinite activation, and its update breaks the weights.
TEST(ChangedRuns, WeightsThatAStepOfFiniteLossBrokeLeadToThatStep) {
    const Examination found =
        examined(R"("optimizer": {"kind": "sgd", "lr": 0.05, "momentum": 1.5}, "runs": [{"name": "r", "precision": "fp32"}]})");
    EXPECT_EQ(found.verdict.kind, StepVerdict::Divergence);
    EXPECT_TRUE(says(found, "The next step reads what this update wrote.")) << found.verdict.explanation.english();
    ASSERT_FALSE(found.remedies.empty());
    EXPECT_EQ(found.remedies.front().pointer, "/optimizer/momentum");
    EXPECT_TRUE(found.remedies.front().helps);
}

}  // namespace
}  // namespace mantissa
