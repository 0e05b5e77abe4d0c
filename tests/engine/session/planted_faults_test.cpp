// SPDX-License-Identifier: Apache-2.0
// Forty faults, drawn by a seed over models, layers, phases, classes and formats, of which it is known beforehand what they are: each must
// be named, judged, and mended by what is said to mend it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "engine/experiment/safetensors.h"
#include "engine/session/diagnose.h"
#include "engine/session/live_run.h"
#include "tests/support/sanitized.h"

namespace mantissa {
namespace {

constexpr std::int64_t kFaultStep = 3;
constexpr const char* kSmallScale = R"(,"scaler":{"preset":"static","init_scale":16})";  // at which nothing else overflows
constexpr std::int64_t kAfter = 100;                                                     // steps that a remedy has to hold

/// What is planted, and what must be said of it.
struct Planted {
    std::string about;
    Experiment experiment;
    std::string layer, operation, phase, cls;  // empty: not fixed beforehand
    std::string tensor;
    std::optional<bool> isProducer;
    StepVerdict verdict = StepVerdict::Unexplained;
    std::int64_t step = kFaultStep;
};

class PlantedFaults : public ::testing::Test {
protected:
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mantissa_faults_" + std::to_string(::getpid()));
    std::mt19937 random{20'261'121};
    std::shared_ptr<Backend> backend = createCpuBackend();

    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    template <typename T>
    const T& oneOf(const std::vector<T>& choices) {
        return choices[random() % choices.size()];
    }

    struct Subject {
        std::string model, data;
    };
    Subject subject(const std::string& kind) {
        if (kind == "gpt")
            return {R"({"kind":"gpt","n_layer":2,"n_head":2,"n_embd":16,"dropout":0})",
                    R"({"name":"opticks","batch_size":4,"context":16})"};
        if (kind == "resnet") return {R"({"kind":"resnet","depth":8})", R"({"name":"digits","batch_size":4})"};
        return {R"({"kind":"mlp","hidden":[24,24,24],"activation":"relu"})", R"({"name":"digits","batch_size":32})"};
    }
    Experiment experiment(const std::string& kind, const std::string& precision, const std::string& more, const std::string& init = "") {
        const auto [model, data] = subject(kind);
        return parseExperiment(R"({"model":)" + model + R"(,"data":)" + data + R"(,"steps":)" + std::to_string(kFaultStep + kAfter + 5) +
                                   R"(,"validation_interval":100000,"optimizer":{"kind":"adamw","lr":0.0003})" + init +
                                   R"(,"runs":[{"name":"run","precision":")" + precision + "\"" + more + "}]}",
                               "faults.json");
    }
    static std::string withEvent(const std::string& set) {
        return R"("events":[{"step":)" + std::to_string(kFaultStep) + R"(,"run":"run","set":{)" + set + "}}],";
    }
    /// The same with an event at the step.
    static Experiment with(const Experiment& base, const std::string& pointer, const Json& value, std::int64_t step = kFaultStep) {
        Experiment changed = base;
        changed.events.push_back({step, "run", {{pointer, value}}});
        return changed;
    }

    /// A step of it as it would be without a fault, in execution order.
    Examination clean(const Experiment& base, std::int64_t step = kFaultStep) {
        return diagnose(base, backend, {.run = "run", .step = step}).examination;
    }
    /// Of the tensors that plans of all formats make, one of that phase.
    ChainLink drawTensor(const Experiment& base, const std::string& phase) {
        std::vector<ChainLink> possible;
        for (const ChainLink& link : clean(base).card.chain) {
            const bool isEverywhere = link.tensor.find(" as ") == std::string::npos && link.tensor != "loss" && link.layer != "input" &&
                                      link.tensor.find("running_") == std::string::npos;  // training does not read those
            const bool isRepeated =
                std::any_of(possible.begin(), possible.end(), [&](const auto& each) { return each.tensor == link.tensor; });
            if (link.phase == phase && isEverywhere && !isRepeated && link.absMax > 0) possible.push_back(link);
        }
        return oneOf(possible);
    }

    Planted planted(int number) {
        switch (number % 5) {
            case 0:
                return nonFiniteTensor("forward");
            case 1:
                return nonFiniteTensor("backward");
            case 2:
                return largeWeights();
            case 3:
                return scaleTooHigh();
            default:
                return number % 10 < 5 ? badData() : badWeights();
        }
    }

    /// An Inf or a NaN out of nowhere: no format has a part in it.
    Planted nonFiniteTensor(const std::string& phase) {
        const std::string kind = oneOf<std::string>({"mlp", "gpt", "resnet"}), format = oneOf<std::string>({"fp32", "fp16", "bf16"});
        const Experiment base = experiment(kind, format, kSmallScale);
        const ChainLink at = drawTensor(base, phase);
        const auto [text, cls] = oneOf<std::pair<std::string, std::string>>({{"inf", "+Inf"}, {"-inf", "-Inf"}, {"nan", "NaN"}});
        Experiment faulty;
        for (int element = 0; element < 24; ++element) {  // where a ReLU is closed it takes no gradient, and so no Inf: then the next one
            faulty = with(base, "/inject/tensor", {{"tensor", at.tensor}, {"value", text}, {"element", element}});
            if (nonFiniteSteps(faulty, kFaultStep, kFaultStep + 1) > 0) break;
        }
        return {.about = kind + ", " + format + ", " + cls + " in " + at.tensor,
                .experiment = faulty,
                .layer = at.layer,
                .operation = at.operation,
                .phase = phase,
                .cls = cls,
                .tensor = at.tensor,
                .isProducer = true,
                .verdict = StepVerdict::ArithmeticNaN};
    }

    /// Weights as large as fp16 can hold: what they make, it cannot, as fp32 shows.
    Planted largeWeights() {
        const std::string kind = oneOf<std::string>({"mlp", "gpt"});
        for (;;) {
            LiveRun run(0, experiment(kind, "fp16", "").runs.front(), backend, [](Event&&) {});
            std::vector<NamedTensor> weights = run.trainer().weights();
            NamedTensor& chosen = weights[random() % weights.size()];
            const bool isLookedUp = chosen.name.find("wte") != std::string::npos || chosen.name.find("wpe") != std::string::npos;
            if (chosen.shape.size() != 2 || isLookedUp) continue;
            float largest = 0;
            for (const float w : chosen.values) largest = std::max(largest, std::abs(w));
            for (float& w : chosen.values) w *= 60'000 / largest;
            const std::string file = (folder / ("large" + std::to_string(random()) + ".safetensors")).string();
            writeSafetensors(file, weights);
            const std::string layer = chosen.name.substr(0, chosen.name.rfind('.')), init = R"(,"init":{"weights":")" + file + "\"}";
            const std::vector<ChainLink> chain = clean(experiment(kind, "fp32", "", init), 0).card.chain;
            const auto first = std::find_if(chain.begin(), chain.end(),
                                            [](const ChainLink& link) { return link.absMax >= facts(Dtype::F16).overflowFrom; });
            if (first == chain.end() || first->tensor != layer + ".output" || first->absMax < 1.1 * facts(Dtype::F16).overflowFrom)
                continue;
            return {.about = kind + ", large " + chosen.name,
                    .experiment = experiment(kind, "fp16", "", init),
                    .layer = layer,
                    .operation = "linear",
                    .phase = "forward",
                    .tensor = layer + ".output",
                    .isProducer = true,
                    .verdict = StepVerdict::ForwardOverflow,
                    .step = 0};
        }
    }

    /// A scale at which the first gradient to leave fp16 can be told from fp32's gradients.
    Planted scaleTooHigh() {
        const Experiment wide = experiment("mlp", "fp32", ""),
                         base = experiment("mlp", "fp16", R"(,"scaler":{"preset":"pytorch","init_scale":16})");
        const std::vector<ChainLink> chain = clean(wide).card.chain;
        const double limit = facts(Dtype::F16).overflowFrom;
        for (;;) {
            const double scale = std::exp2(18 + static_cast<double>(random() % 12));
            const auto isNear = [&](const ChainLink& link) { return std::abs(link.absMax * scale / limit - 1) < 0.1; };
            const auto first = std::find_if(chain.begin(), chain.end(), [&](const ChainLink& link) {
                return link.phase == "backward" && link.absMax * scale >= limit;
            });
            if (first == chain.end() || std::any_of(chain.begin(), chain.end(), isNear)) continue;
            return {.about = "scale " + std::to_string(std::log2(scale)),
                    .experiment = with(base, "/scaler/scale", scale),
                    .phase = "backward",
                    .tensor = first->tensor,
                    .isProducer = true,
                    .verdict = StepVerdict::ScaleTooHigh};
        }
    }

    Planted badData() {
        const std::string kind = oneOf<std::string>({"mlp", "resnet"}), format = oneOf<std::string>({"fp32", "fp16", "bf16"});
        const auto [text, cls] = oneOf<std::pair<std::string, std::string>>({{"inf", "+Inf"}, {"-inf", "-Inf"}, {"nan", "NaN"}});
        return {.about = kind + ", " + format + ", " + cls + " in the batch",
                .experiment = with(experiment(kind, format, kSmallScale), "/inject/input", text),
                .layer = "input",
                .operation = "gather",
                .phase = "forward",
                .cls = cls,
                .tensor = "input",
                .isProducer = false,
                .verdict = StepVerdict::BadData};
    }

    Planted badWeights() {
        const std::string kind = oneOf<std::string>({"mlp", "gpt"}), format = oneOf<std::string>({"fp32", "bf16"});
        LiveRun run(0, experiment(kind, format, "").runs.front(), backend, [](Event&&) {});
        std::vector<NamedTensor> weights = run.trainer().weights();
        NamedTensor& chosen = weights[random() % weights.size()];
        std::fill(chosen.values.begin(), chosen.values.end(), NAN);  // of a table of words, one row might not be looked up
        const std::string file = (folder / ("bad" + std::to_string(random() % 1'000'000) + ".safetensors")).string();
        writeSafetensors(file, weights);
        return {.about = kind + ", " + format + ", NaN in " + chosen.name,
                .experiment = experiment(kind, format, "", R"(,"init":{"weights":")" + file + "\"}"),
                .phase = "forward",
                .cls = "NaN",
                .verdict = StepVerdict::BadWeights,
                .step = 0};
    }

    /// Steps with a non-finite value, from `first` to before `end`.
    std::int64_t nonFiniteSteps(const Experiment& trained, std::int64_t first, std::int64_t end) {
        std::int64_t bad = 0;
        LiveRun run(0, trained.runs.front(), backend, [&](Event&& event) {
            const auto* steps = std::get_if<StepsRecorded>(&event);
            if (steps == nullptr) return;
            bad += std::count_if(steps->records.begin(), steps->records.end(),
                                 [&](const StepRecord& record) { return record.step >= first && isNonFiniteStep(record); });
        });
        run.schedule(trained.events);
        while (run.nextStep() < end) run.step();
        run.flush();
        return bad;
    }
    std::int64_t nonFiniteStepsWith(const Planted& fault, const Remedy& remedy) {
        return nonFiniteSteps(with(fault.experiment, remedy.pointer, Json::parse(remedy.value), fault.step), fault.step,
                              fault.step + kAfter);
    }
};

TEST_F(PlantedFaults, FortyAreNamedJudgedAndMended) {
    int remediesHeld = 0;
    for (int number = 0; number < 40; number += test::kIsSanitized ? 7 : 1) {
        const Planted fault = planted(number);
        SCOPED_TRACE(std::to_string(number) + ": " + fault.about);
        const Diagnosed diagnosed = diagnose(fault.experiment, backend, {});
        ASSERT_EQ(diagnosed.run, "run");
        const Examination& e = diagnosed.examination;
        const ProvenanceCard& card = e.card;
        EXPECT_EQ(e.step, fault.step);
        if (!fault.layer.empty()) {
            EXPECT_EQ(card.layer, fault.layer);
        }
        if (!fault.operation.empty()) {
            EXPECT_EQ(card.operation, fault.operation);
        }
        EXPECT_EQ(card.phase, fault.phase);
        if (!fault.cls.empty()) {
            EXPECT_EQ(card.cls, fault.cls);
        }
        if (!fault.tensor.empty()) {
            EXPECT_EQ(card.tensor.substr(0, card.tensor.find(" as ")), fault.tensor);
        }
        if (fault.isProducer) {
            EXPECT_EQ(card.isProducer, *fault.isProducer);
        }
        EXPECT_EQ(e.verdict.kind, fault.verdict) << verdictName(e.verdict.kind) << ": " << e.verdict.explanation.english();
        for (const Remedy& remedy : e.remedies) {
            if (!remedy.helps || remedy.pointer.empty()) continue;
            EXPECT_EQ(nonFiniteStepsWith(fault, remedy), remedy.nonFinite) << remedy.label.english();
            EXPECT_TRUE(std::isfinite(remedy.loss)) << remedy.label.english();
            ++remediesHeld;
        }
        if (fault.verdict == StepVerdict::ScaleTooHigh || fault.verdict == StepVerdict::ForwardOverflow) {
            EXPECT_TRUE(std::any_of(e.remedies.begin(), e.remedies.end(), [](const Remedy& r) { return r.helps && !r.pointer.empty(); }));
        }
    }
    EXPECT_GE(remediesHeld, test::kIsSanitized ? 0 : 16);
}

}  // namespace
}  // namespace mantissa
