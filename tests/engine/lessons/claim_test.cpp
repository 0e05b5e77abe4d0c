// SPDX-License-Identifier: Apache-2.0
// Claims against facts that are made up: which hold, what is said of them, and why one cannot be said.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "engine/lessons/claim.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Run "a" has done five steps; "gone" is not there.
class MadeUpFacts : public LessonFacts {
public:
    std::vector<double> losses{4, 3, kNaN, 1, 2};
    std::vector<std::uint32_t> stepFlags{0, kFlagSkipped | kFlagFoundInf, kFlagLossNonFinite, kFlagScaleGrew, 0};
    StepStats measured;
    Examination examined;

    MadeUpFacts() {
        measured.step = 3;
        TensorStats update{.tensor = "layers.0.weight", .layer = "layers.0", .role = TensorRole::Update};
        update.meant = 8;
        update.lost = 6;
        TensorStats gradient{.tensor = "layers.0.weight.grad", .layer = "layers.0", .role = TensorRole::WeightGradient};
        gradient.classes.zero = 1;
        gradient.classes.positive = 3;
        TensorStats statistic{.tensor = "bn.running_mean", .layer = "bn", .role = TensorRole::Statistic};
        statistic.classes.nan = 1;
        measured.tensors = {update, gradient, statistic};
        examined.step = 1;
        examined.card.layer = "layers.2";
        examined.card.operation = "linear";
        examined.card.phase = "forward";
        examined.card.tensor = "layers.2.output";
        examined.card.wideMax = 66246;
        examined.verdict.kind = StepVerdict::ForwardOverflow;
        examined.verdict.suspectLayer = "layers.2";
    }

    static constexpr RunId kOther = 8;  // "b", whose losses are higher by 0.5

    std::optional<RunId> idOf(const std::string& run) const override {
        if (run == "b") return kOther;
        return run == "a" ? std::optional<RunId>(7) : std::nullopt;
    }
    std::int64_t stepsOf(RunId) const override { return static_cast<std::int64_t>(losses.size()); }
    std::optional<double> value(RunId run, Metric metric, std::int64_t step) const override {
        if (metric == Metric::ValidationLoss) return step % 2 == 1 ? std::optional(10.0 * static_cast<double>(step)) : std::nullopt;
        if (metric == Metric::LossScale) return 65536;
        return losses.at(static_cast<std::size_t>(step)) + (run == kOther ? 0.5 : 0);
    }
    std::uint32_t flags(RunId, std::int64_t step) const override { return stepFlags.at(static_cast<std::size_t>(step)); }
    MemoryLedger memory(RunId) const override { return {.weights = 2, .masterWeights = 4, .gradients = 8}; }
    const StepStats* stats(RunId, std::int64_t step) const override { return step == 3 ? &measured : nullptr; }
    const Examination* examination(RunId, std::int64_t step) const override { return step == 1 ? &examined : nullptr; }
};

ClaimResult checkedClaim(const std::string& text, std::int64_t stepsDone = 5) {
    return Claim(text, "l.md:1", {"a", "b", "gone"}).check(MadeUpFacts(), stepsDone);
}

TEST(Claim, HoldsWhereItsSidesDo) {
    for (const char* text :
         {"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "2^3^2 == 512", "-2^2 == -4", "2^-2 == 0.25", "7 - 2 - 1 == 4", "1e-4 * 1e4 == 1",
          "8 / 2 / 2 == 2", "1 < 2 <= 2 < 3", "nan == nan", "nan != 1", "inf == inf", "-inf < inf", "\"x y\" == \"x y\"", "\"x\" != \"y\"",
          "abs(-3) == 3", "sqrt(9) == 3", "log(exp(1)) == 1",
          // of runs
          "loss(\"a\") == 2", "loss(\"a\", 0) == 4", "loss(\"a\", 2) == nan", "loss(\"a\", 0..2) == 3.5", "loss(\"a\", 3..5) == 1.5",
          "highest(loss(\"a\", 0..2)) == 4", "lowest(loss(\"a\", 3..5)) == 1", "loss(\"a\", 1 + 2) == 1",
          "loss_gap(\"a\", \"b\", 0..2) == 0.5", "loss_gap(\"b\", \"a\", 3..5) == 0.5", "loss_gap(\"a\", \"a\", 3..5) == 0",
          "loss_gap(\"a\", \"b\", 0..5) == nan", "val_loss(\"a\") == 30", "val_loss(\"a\", 0..5) == 20", "loss_scale(\"a\") == 2^16",
          "skips(\"a\") == 1", "skips(\"a\", 2..5) == 0", "growths(\"a\") == 1", "lost_losses(\"a\") == 1", "first_skip(\"a\") == 1",
          "first_bad(\"a\") == 1", "memory(\"a\", \"masters\") == 4", "memory(\"a\", \"total\") == 14", "unchanged(\"a\", 3) == 0.75",
          "zero_gradients(\"a\", 3) == 0.25", "broken_statistics(\"a\", 3) == 1", "verdict(\"a\") == \"forward overflow\"",
          "verdict(\"a\", 1) == \"forward overflow\"", "origin(\"a\") == \"layers.2, linear, forward\"",
          "origin_tensor(\"a\") == \"layers.2.output\"", "suspect(\"a\") == \"layers.2\"", "wide_max(\"a\") == 66246",
          "safe_scale(\"a\") == 0",
          // of formats
          "rounded(65520, fp16) == inf", "rounded(0.1 + 0.2, bf16) == rounded(0.3, bf16)", "ulp(1, bf16) == 2^-7",
          "smallest(fp16) == 2^-24", "smallest_normal(fp16) == 2^-14", "largest(fp8_e5m2) == 57344", "epsilon(tf32) == 2^-10",
          "exponent_bits(fp16) == 5", "mantissa_bits(bf16) == 7", "storage_bits(tf32) == 32"}) {
        const ClaimResult result = checkedClaim(text);
        EXPECT_TRUE(result.holds) << text << "\nmeasured: " << result.measured << result.problem;
        EXPECT_EQ(result.problem, "") << text;
    }
}

TEST(Claim, DoesNotHoldWhereTheyDoNotAndSaysWhatIsTrue) {
    const std::vector<std::pair<const char*, const char*>> claims{
        {"1 == 2", "1 ≠ 2"},
        {"1 != 1", "1 = 1"},
        {"2 < 1", "2 ≥ 1"},
        {"2 <= 1", "2 > 1"},
        {"1 > 1", "1 ≤ 1"},
        {"1 >= 2", "1 < 2"},
        {"0 < 2 < 1", "0 < 2 ≥ 1"},
        {"loss(\"a\", 2) < 9", "NaN is not < 9"},
        {"\"x\" == \"y\"", "\"x\" ≠ \"y\""},
        {"loss_scale(\"a\") == 1", "2¹⁶ ≠ 1"},
        {"loss(\"a\", 0..2) < 3", "3.5 ≥ 3"},
    };
    for (const auto& [text, measured] : claims) {
        const ClaimResult result = checkedClaim(text);
        EXPECT_FALSE(result.holds) << text;
        EXPECT_EQ(result.measured, measured) << text;
    }
    EXPECT_EQ(checkedClaim("rounded(1 / 3, fp16) < 0.6667 * 1").measured, "0.3333 < 0.6667");
}

TEST(Claim, IsSaidInWords) {
    const std::pair<const char*, const char*> claims[] = {
        {"loss(\"a\") < 2", "training loss of a < 2"},
        {"loss(\"a\", 3) < inf", "training loss of a at step 3 < +Inf"},
        {"0.4 <= loss(\"a\", 0..5) < 0.5", "0.4 ≤ mean training loss of a, steps 0 to 4 < 0.5"},
        {"highest(grad_norm(\"a\", 1..3)) != 1", "highest gradient norm of a, steps 1 to 2 ≠ 1"},
        {"skips(\"a\", 0..5) == 1", "skipped steps of a, steps 0 to 4 = 1"},
        {"loss_scale(\"a\") == 2^16", "loss scale of a = 2¹⁶"},
        {"memory(\"a\", \"masters\") == 2 * memory(\"a\", \"weights\")",
         "memory of the master weights of a = 2 × (memory of the weights of a)"},
        {"verdict(\"a\", 1) == \"forward overflow\"", "verdict of a at step 1 = “forward overflow”"},
        {"rounded(1 + 2^-8, fp8_e4m3) == 65504", "(1 + 0.00390625) rounded to FP8 E4M3 = 65 504"},
        {"largest(fp16) > 3 * (1 - -2^2) / 7^3", "largest number of FP16 > 3 × (1 − −4) / 7^3"},
        {"1 / (2 * 3) < -(1 + 2)", "1 / (2 × 3) < −(1 + 2)"},
        {"rounded(2, fp16) / 4 < 1", "(2 rounded to FP16) / 4 < 1"},
        {"abs(loss(\"a\", 0) / loss(\"a\", 1) - 1) < 0.01",
         "training loss of a at step 0 and training loss of a at step 1 differ by less than 1 %"},
        {"abs(loss(\"a\", 0) - loss(\"a\", 1)) < 0.01", "|(training loss of a at step 0) − (training loss of a at step 1)| < 0.01"},
    };
    for (const auto& [text, words] : claims) {
        std::string shown = Claim(text, "l.md:1", {"a"}).words().english();
        for (std::size_t at; (at = shown.find("\u202F")) != std::string::npos;) shown.replace(at, 3, " ");
        EXPECT_EQ(shown, words) << text;
    }
    EXPECT_EQ(checkedClaim("abs(loss(\"a\", 0) / loss(\"a\", 1) - 1) < 0.5").measured, "33 % < 50 %");
    EXPECT_EQ(checkedClaim("abs(1 / 0 - 1) < 0.5").measured, "+Inf ≥ 50 %");
}

TEST(Claim, ThatCannotBeSaidDoesNotHold) {
    const std::vector<std::pair<const char*, const char*>> claims{
        {"loss(\"gone\") < 9", "there is no run \"gone\" now"},
        {"loss(\"a\", 5) < 9", "\"a\" has no step 5 here: 5 steps are done, and they count from 0"},
        {"loss(\"a\", 0..9) < 9", "\"a\" has no step 8 here: 5 steps are done, and they count from 0"},
        {"loss(\"a\", 3..3) < 9", "a range goes from a lower step to a higher one"},
        {"loss(\"a\", 0.5) < 9", "a step is a whole number"},
        {"val_loss(\"a\", 2) < 9", "\"a\" has no such value at step 2"},
        {"val_loss(\"a\", 2..3) < 9", "\"a\" has no such value yet"},
        {"unchanged(\"a\", 4) < 9", "step 4 of \"a\" was not measured"},
        {"verdict(\"a\", 2) == \"sound\"", "step 2 of \"a\" was not examined"},
    };
    for (const auto& [text, problem] : claims) {
        const ClaimResult result = checkedClaim(text);
        EXPECT_FALSE(result.holds) << text;
        EXPECT_EQ(result.problem, problem) << text;
        EXPECT_EQ(result.measured, "") << text;
    }
    EXPECT_EQ(checkedClaim("first_skip(\"a\") == 1", 1).problem, "\"a\" has skipped no step");
    EXPECT_EQ(checkedClaim("first_bad(\"a\") == 1", 1).problem, "no step of \"a\" is bad: its losses and gradients are all finite");
}

TEST(Claim, LooksNoFurtherThanTheLessonHasGone) {
    EXPECT_TRUE(checkedClaim("loss(\"a\") == 3", 2).holds) << "steps that came after are somebody else's";
    EXPECT_TRUE(checkedClaim("skips(\"a\") == 0", 1).holds);
    EXPECT_EQ(checkedClaim("loss(\"a\", 2) < 9", 2).problem, "\"a\" has no step 2 here: 2 steps are done, and they count from 0");
    EXPECT_TRUE(checkedClaim("loss(\"a\") == 2", 9).holds) << "where the run has ended before";
}

TEST(Claim, EachFunctionIsListedWithAMeaning) {
    ASSERT_GT(claimFunctions().size(), 30u);
    for (const ClaimFunction& each : claimFunctions()) EXPECT_FALSE(each.meaning.empty()) << each.signature;
}

}  // namespace
}  // namespace mantissa
