// SPDX-License-Identifier: Apache-2.0
// What a backend or a scaler does to a run of a session: it fails, it gives up, it decides the format.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/session/session.h"
#include "kernels/out_of_memory.h"
#include "tests/engine/session/session_fixture.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa {
namespace {

using test::kTwoRuns;
using test::SessionFixture;
using test::task;

struct NoTables : OutOfMemory {
    NoTables() : OutOfMemory("a product's tables", 3 << 20, 1000) {}
};

/// Fails to make anything after the first plans: what a backend without memory does.
class FailingBackend : public test::ForwardingBackend {
public:
    bool fails = false, isFull = false, preparesNothing = false;
    void* allocate(std::size_t bytes) override {
        if (fails || isFull) throw std::bad_alloc();
        return inner->allocate(bytes);
    }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        if (preparesNothing) throw NoTables();
        return inner->prepare(desc);
    }
    void copyIn(Queue& q, void* to, const void* from, std::size_t bytes) override {
        if (fails) throw std::runtime_error("the device is gone");
        inner->copyIn(q, to, from, bytes);
    }
};

TEST(Session, ARunThatCannotGoOnStopsAndIsReported) {
    const auto backend = std::make_shared<FailingBackend>();
    SessionFixture lab(backend);
    lab.load(task(kTwoRuns));
    lab.trainTo(5);
    backend->fails = true;
    for (const std::string& refusal : {lab.command(DuplicateRun{lab.run("a").id}), lab.command(ResetExperiment{})}) {
        EXPECT_TRUE(refusal.starts_with("no memory for the samples: 0.")) << refusal;
        EXPECT_NE(refusal.find(" MiB were asked for, and "), std::string::npos) << refusal;
    }
    lab.trainTo(1000);
    const auto stopped = lab.all<RunStopped>();
    ASSERT_EQ(stopped.size(), 2u);
    EXPECT_EQ(stopped[0].reason, "the device is gone");
    EXPECT_EQ(stopped[0].step, static_cast<std::int64_t>(lab.records[stopped[0].run].size()));
    EXPECT_EQ(lab.session.state(), LabState::Finished);
    backend->fails = false;
    EXPECT_EQ(lab.command(ResetExperiment{}), "");
    lab.trainTo(1000);
    EXPECT_EQ(lab.recordsOf("a").size(), 60u);
}

/// A device that fails, or has no memory left for a step, at the third product that the first run's operations do.
template <typename Failure>
class FaultyBackend : public test::ForwardingBackend {
public:
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        auto operation = inner->prepare(desc);
        if (!std::holds_alternative<MatmulDesc>(desc) || !std::exchange(m_isFirst, false)) return operation;
        return std::make_unique<Faulty>(std::move(operation));
    }

private:
    struct Faulty : Operation {
        std::unique_ptr<Operation> inner;
        int left = 2;
        explicit Faulty(std::unique_ptr<Operation> operation) : inner(std::move(operation)) {}
        void enqueue(Queue& queue, std::span<void* const> operands) override {
            if (left-- == 0) throw Failure{};
            inner->enqueue(queue, operands);
        }
    };
    bool m_isFirst = true;
};

TEST(Session, ARunWithoutMemoryForItsStepStopsWithTheFiguresAndTheOthersGoOn) {
    SessionFixture lab(std::make_shared<FaultyBackend<std::bad_alloc>>());
    lab.load(task(kTwoRuns));
    lab.trainTo(1000);
    const auto stopped = lab.all<RunStopped>();
    ASSERT_EQ(stopped.size(), 1u);
    EXPECT_EQ(stopped[0].step, 2);
    EXPECT_TRUE(stopped[0].reason.starts_with("no memory for what the step needs beside its plan, which has ")) << stopped[0].reason;
    EXPECT_TRUE(stopped[0].reason.ends_with(" are free")) << stopped[0].reason;
    EXPECT_EQ(lab.recordsOf("a").size(), 2u);
    EXPECT_EQ(lab.recordsOf("b").size(), 60u);
}

TEST(Session, ARunWithoutMemoryStopsAndSaysForWhatHowMuchWasAskedForAndHowMuchWasFree) {
    SessionFixture named(std::make_shared<FaultyBackend<NoTables>>());
    named.load(task(kTwoRuns));
    named.trainTo(1000);
    ASSERT_EQ(named.all<RunStopped>().size(), 1u);
    const std::string reason = named.all<RunStopped>().front().reason;
    EXPECT_TRUE(reason.starts_with("no memory for a product's tables: 3.0 MiB were asked for, and 1000 bytes are free; the run has 0."))
        << reason;
    EXPECT_EQ(named.recordsOf("b").size(), 60u);

    const auto backend = std::make_shared<FailingBackend>();
    SessionFixture looking(backend);  // at the step that diverges, tensor by tensor
    looking.load(task(R"({"name":"a"},{"name":"b"})", R"("events":[{"step":5,"run":"a","set":{"/optimizer/lr":1e38}}],)"));
    looking.trainTo(4);
    backend->isFull = true;
    looking.trainTo(1000);
    ASSERT_EQ(looking.all<RunStopped>().size(), 1u);
    const std::string found = looking.all<RunStopped>().front().reason;
    EXPECT_TRUE(found.starts_with("no memory for the classes of a tensor's elements: ")) << found;
    EXPECT_NE(found.find(" bytes were asked for, and "), std::string::npos) << found;
    EXPECT_EQ(looking.recordsOf("b").size(), 60u);
}

TEST(Session, AChangeWhoseOperationsFindNoMemoryIsRefusedInTheirWords) {
    const auto backend = std::make_shared<FailingBackend>();
    SessionFixture lab(backend);
    lab.load(task(R"({"name":"a"})"));
    lab.trainTo(5);
    backend->preparesNothing = true;
    EXPECT_EQ(lab.command(ChangeSetting{lab.run("a").id, "/precision", "bf16"}), NoTables().what());
    backend->preparesNothing = false;
    lab.trainTo(1000);
    EXPECT_EQ(lab.recordsOf("a").size(), 60u);
}

struct LostDevice : DeviceError {
    LostDevice() : DeviceError{"cudaGraphLaunch: unspecified launch failure"} {}
};

TEST(Session, ADeviceThatFailsEndsTheSessionAndNoRun) {
    SessionFixture lab(std::make_shared<FaultyBackend<LostDevice>>());
    lab.load(task(kTwoRuns));
    try {
        lab.trainTo(1000);
        FAIL() << "the device had failed";
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.reason, "cudaGraphLaunch: unspecified launch failure");
    }
    EXPECT_TRUE(lab.all<RunStopped>().empty()) << "whoever goes on after it would train on a device that cannot";
}

TEST(Session, WhatADeviceDoesAtMostIsToldOnceNothingTrains) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    EXPECT_FALSE(lab.session.measurePeak()) << "no run has a speed yet";
    lab.trainTo(5);
    lab.post(Train{});
    lab.session.advance(0, 0);
    ASSERT_EQ(lab.session.state(), LabState::Training);
    EXPECT_FALSE(lab.session.measurePeak()) << "it would disturb them";
    EXPECT_EQ(lab.run("a").products.measuredPeak, 0);
    lab.trainTo(1000);
    EXPECT_TRUE(lab.session.measurePeak());
    const ProductRates products = lab.run("a").products;
    EXPECT_EQ(products.format, "fp32");
    EXPECT_GT(products.measuredPeak, 0);
    EXPECT_EQ(products.peak, 0) << "in no table";
    while (lab.session.measurePeak()) {
    }
    EXPECT_EQ(lab.run("a").products, products) << "measured once";
}

/// Has memory for so many pieces more.
class ScarceBackend : public test::ForwardingBackend {
public:
    int piecesLeft = 1 << 20;
    void* allocate(std::size_t bytes) override {
        if (piecesLeft-- <= 0) throw std::bad_alloc();
        return inner->allocate(bytes);
    }
};

const std::string kFewRows =
    R"({"data":{"batch_size":16},"model":{"hidden":[16]},"steps":60,"validation_interval":5,"runs":[{"name":"a"}]})";

TEST(Session, AChangeThatFindsNoMemoryLeavesTheOldPlanAtWork) {
    SessionFixture plain;
    plain.load(kFewRows);
    plain.trainTo(1000);
    for (int pieces = 0; pieces < 3; ++pieces) {  // the shared block, then one for each plan
        const auto backend = std::make_shared<ScarceBackend>();
        SessionFixture lab(backend);
        lab.load(kFewRows);
        lab.trainTo(7);
        backend->piecesLeft = pieces;
        const std::string refusal = lab.command(ChangeSetting{lab.run("a").id, "/precision", "bf16"});
        const std::string purpose = pieces > 0 ? "a step's control values" : "activations and workspaces";
        EXPECT_EQ(refusal.find("no memory for " + purpose + ": "), 0u) << refusal;
        EXPECT_NE(refusal.find(" were asked for, and "), std::string::npos) << refusal;
        backend->piecesLeft = 1 << 20;
        lab.trainTo(1000);
        ASSERT_EQ(lab.recordsOf("a").size(), plain.recordsOf("a").size());
        for (std::size_t i = 0; i < plain.recordsOf("a").size(); ++i) {
            ASSERT_EQ(lab.recordsOf("a")[i].loss, plain.recordsOf("a")[i].loss) << i;
        }
        EXPECT_EQ(lab.recordsOf("a").back().validationLoss, plain.recordsOf("a").back().validationLoss);
    }
}

/// Says that it has so many bytes, and hands out what it is asked for.
class SmallBackend : public test::ForwardingBackend {
public:
    std::int64_t availableMiB = 1;
    std::int64_t asked = 0;
    std::int64_t availableBytes() const override { return availableMiB << 20; }
    void* allocate(std::size_t bytes) override {
        asked += static_cast<std::int64_t>(bytes);
        return inner->allocate(bytes);
    }
};

TEST(Session, WhatDoesNotFitIsRefusedWithBothFiguresBeforeItIsAllocated) {
    const auto backend = std::make_shared<SmallBackend>();
    SessionFixture lab(backend);
    const LoadExperiment big{"big", R"({"model":{"hidden":[1024]},"runs":[{"name":"a"}]})"};
    SessionFixture roomy;
    ASSERT_EQ(roomy.command(big), "");
    const MemoryLedger ledger = roomy.run("a").memory;
    char need[16];  // the ledger, and the weights on their way in: tensor by tensor, in one piece, and in the backend
    std::snprintf(need, sizeof need, "%.1f", static_cast<double>(ledger.total() + 3 * ledger.weights) / (1 << 20));
    const std::string refusal = lab.command(big);
    EXPECT_TRUE(refusal.starts_with("big: at /runs/0: the run needs " + std::string(need) + " MiB of memory (weights ")) << refusal;
    EXPECT_TRUE(refusal.ends_with(" MiB), and 1.0 MiB can be had here")) << refusal;
    for (const char* part : {"gradients ", "optimizer ", "activations ", "workspace ", "on the way in "})
        EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
    EXPECT_LT(backend->asked, 1 << 20) << "the samples alone";

    lab.load(task(R"({"name":"a"})"));
    lab.trainTo(5);
    backend->availableMiB = 0;
    const std::string change = lab.command(ChangeSetting{lab.run("a").id, "/precision", "fp16"});
    EXPECT_TRUE(change.starts_with("the change needs 0.")) << change;
    EXPECT_NE(change.find(" MiB more memory, and 0.0 MiB can be had here; the run would then have weights "), std::string::npos) << change;
    EXPECT_EQ(lab.command(ChangeSetting{lab.run("a").id, "/optimizer/lr", 0.5}), "") << "that needs none";
    lab.trainTo(1000);
    EXPECT_EQ(lab.recordsOf("a").size(), 60u);
}

TEST(Session, AnEventThatFindsNoMemoryIsRefusedAndItsRunGoesOn) {
    const auto backend = std::make_shared<ScarceBackend>();
    SessionFixture lab(backend);
    lab.load(task(R"({"name":"a"})", R"("events":[{"step":30,"run":"a","set":{"/precision":"bf16"}}],)"));
    backend->piecesLeft = 0;
    lab.trainTo(1000);
    EXPECT_EQ(lab.count<CommandRefused>([](const CommandRefused& refused) {
        return refused.commandId == 0 && refused.pointer == "/precision" &&
               refused.sentence.starts_with("no memory for activations and workspaces: ");
    }),
              1);
    EXPECT_TRUE(lab.all<RunStopped>().empty());
    EXPECT_EQ(lab.recordsOf("a").size(), 60u);
}

/// Whatever the session is doing when its listener fails, the failure comes out of `advance` as it was thrown.
TEST(Session, WhatTheSinkThrowsIsNoRefusalAndNoEndOfARun) {
    struct DiskFull : std::runtime_error {
        DiskFull() : std::runtime_error("the disk is full") {}
    };
    const auto failsAt = [](auto isLast, const std::vector<CommandBody>& commands) {
        int heard = 0, heardAfter = 0;
        Session session(createCpuBackend(), [&](Event&& event) {
            heardAfter += heard;
            if (heard == 0 && isLast(event)) {
                ++heard;
                throw DiskFull();
            }
        });
        std::uint64_t id = 0;
        for (const CommandBody& command : commands) session.post({++id, command});
        bool isOut = false;
        try {
            for (int i = 0; i < 100; ++i) session.advance(8, 0);
        } catch (const DiskFull&) {
            isOut = true;
        }
        EXPECT_EQ(heardAfter, 0) << "nothing is made of it";
        return isOut;
    };
    const auto isSteps = [](const Event& event) { return std::holds_alternative<StepsRecorded>(event); };
    const LoadExperiment load{"t", task(kTwoRuns, R"("events":[{"step":0,"run":"a","set":{"/optimizer/lr":0.5}}],)")};
    EXPECT_TRUE(failsAt(isSteps, {load, Train{}})) << "in a step";
    EXPECT_TRUE(failsAt(isSteps, {load, SetPace{1e-3}, SingleStep{}})) << "in a command";
    EXPECT_TRUE(failsAt([](const Event& event) { return std::holds_alternative<SettingApplied>(event); }, {load, Train{}}))
        << "in an event";
}

TEST(Session, AScalerThatGivesUpEndsItsRunAfterTheStep) {
    SessionFixture lab;
    lab.load(task(R"({"name":"hot","precision":"fp16","scaler":{"preset":"deepspeed","init_scale":1099511627776,"min_scale":1099511627776}},
                     {"name":"calm"})"));
    lab.trainTo(1000);
    const auto stopped = lab.all<RunStopped>();
    ASSERT_EQ(stopped.size(), 1u);
    EXPECT_EQ(stopped[0].reason, "a step overflowed at the smallest loss scale, 1.09951e+12, where deepspeed stops");
    EXPECT_EQ(stopped[0].step, 2);
    EXPECT_EQ(lab.recordsOf("hot").size(), 2u) << "the step that ended it has its row";
    EXPECT_TRUE(lab.recordsOf("hot").back().skipped());
    EXPECT_EQ(lab.recordsOf("calm").size(), 60u);
    EXPECT_EQ(lab.session.state(), LabState::Finished);
}

/// A card of before 2020: FP16 in hardware, BF16 not.
class OldCard : public test::ForwardingBackend {
public:
    bool isNative(Dtype compute) const override { return compute == Dtype::F32 || compute == Dtype::F16; }
};

TEST(Session, AutoThatBecomesFp16IsScaledAsFp16Is) {
    const std::string runs = R"({"name":"auto","precision":"auto"},{"name":"bare","precision":"auto","scaler":{"preset":"none"}})";
    SessionFixture card(std::make_shared<OldCard>()), cpu;
    card.load(task(runs));
    EXPECT_EQ(card.run("auto").policy, "fp16");
    EXPECT_EQ(card.run("auto").scalerPreset, "pytorch");
    EXPECT_EQ(card.run("bare").scalerPreset, "none") << "that was chosen";
    card.trainTo(3);
    EXPECT_EQ(card.recordsOf("auto").front().lossScale, 65536);

    // a setting of the scaler that followed is a choice, and is kept when the experiment is saved
    EXPECT_EQ(card.command(ChangeSetting{card.run("auto").id, "/scaler/growth_interval", 50}), "");
    EXPECT_EQ(card.run("auto").settings.training.scaler, (ScalerSettings{.preset = "pytorch", .growthInterval = 50}));
    EXPECT_NE(card.all<ExperimentText>().back().json.find(R"("growth_interval": 50)"), std::string::npos);
    card.command(ChangeSetting{card.run("bare").id, "/precision", "bf16"});
    EXPECT_EQ(card.run("bare").scalerPreset, "none");

    cpu.load(task(runs));
    EXPECT_EQ(cpu.run("auto").policy, "fp32");
    EXPECT_EQ(cpu.run("auto").scalerPreset, "none");
}

/// A card that computes every format, and multiplies the codes of blocks of this length along k.
class BlockCard : public test::ForwardingBackend {
public:
    explicit BlockCard(std::int64_t length) : m_length(length) {}
    bool isNative(Dtype) const override { return true; }
    BlockMultiplication blockMultiplication(const MatmulDesc& desc) const override { return {desc.aBlocks->blockSize() == m_length, ""}; }

private:
    std::int64_t m_length;
};

TEST(Session, ARunInBlocksIsEmulatedWhereAProductDecodesThem) {
    const std::string runs = R"({"name":"blocks","precision":"mxfp8"},{"name":"checked","precision":"bf16","eval_precision":"mxfp8"})";
    SessionFixture native(std::make_shared<BlockCard>(32)), other(std::make_shared<BlockCard>(16));
    native.load(task(runs)), other.load(task(runs));
    EXPECT_FALSE(native.run("blocks").isEmulated);
    EXPECT_TRUE(other.run("blocks").isEmulated);
    EXPECT_TRUE(native.run("checked").isEmulated) << "what its evaluation decodes is not known";
}

}  // namespace
}  // namespace mantissa
