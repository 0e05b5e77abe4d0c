// SPDX-License-Identifier: Apache-2.0
// The lower row of the Diagnose layout: what was measured, under the microscope, in the strip and in the range of usable scales.
#include "gui/diagnosis/instruments.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/diagnosis/gauge_list.h"
#include "tests/engine/diagnosis/histogram_values.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

TensorStats tensorOf(const std::string& layer, TensorRole role, const std::vector<float>& values, bool isScaled) {
    TensorStats stats{.tensor = layer + (role == TensorRole::WeightGradient ? ".weight.grad" : ".output"), .layer = layer, .role = role};
    stats.isScaled = isScaled;
    for (const float value : values) {
        if (std::isnan(value)) {
            ++stats.classes.nan;
        } else if (std::isinf(value)) {
            ++(value > 0 ? stats.classes.positiveInf : stats.classes.negativeInf);
        } else if (value == 0) {
            ++stats.classes.zero;
        } else {
            ++(value > 0 ? stats.classes.positive : stats.classes.negative);
            stats.classes.absMax = std::max(stats.classes.absMax, std::abs(static_cast<double>(value)));
        }
    }
    stats.magnitudes = test::histogramOfValues(values);
    return stats;
}

/// Two layers; the gradients of the second one reach 2^12 with the loss scale 2^16 in them.
TensorsMeasured measuredAt(RunId run, std::int64_t step) {
    TensorsMeasured event;
    event.run = run;
    event.cost = 1.05;
    event.stats.step = step;
    event.stats.lossScale = 65536;
    event.stats.tensors = {tensorOf("layers.0", TensorRole::Value, {1, 2, 0}, false), tensorOf("layers.1", TensorRole::Value, {4}, false),
                           tensorOf("layers.1", TensorRole::WeightGradient, {4096, -2048, 1, 0}, true),
                           tensorOf("layers.0", TensorRole::WeightGradient, {0x1p-30F, 1}, true)};
    return event;
}

struct InstrumentTest : testing::Test {
    SessionModel session;
    Measurements measurements{&session, nullptr};
    InstrumentTest() {
        loadThreeRuns(session);
        for (RunId run = 0; run < 3; ++run) session.handle(steps(run, 0, 100));
    }
};

TEST_F(InstrumentTest, ACellCountsWhatTheFormatMakesOfALayer) {
    StepStats stats;
    // fp16: 70000 overflows, 2^-30 is flushed, 2^-20 is subnormal
    stats.tensors = {tensorOf("a", TensorRole::Value, {70000, 0x1p-30F, 0x1p-20F, 1, INFINITY}, false)};
    const StripCell cell = stripCell(stats, "a", StripGroup::Forward, Dtype::F16);
    EXPECT_FLOAT_EQ(cell[static_cast<std::size_t>(StripMeasure::Overflow)], 0.25F);
    EXPECT_FLOAT_EQ(cell[static_cast<std::size_t>(StripMeasure::Flushed)], 0.25F);
    EXPECT_FLOAT_EQ(cell[static_cast<std::size_t>(StripMeasure::Subnormal)], 0.25F);
    EXPECT_FLOAT_EQ(cell[static_cast<std::size_t>(StripMeasure::NonFinite)], 0.2F);
    EXPECT_NEAR(static_cast<double>(cell[0]), std::log2(65504.0 / 70000), 1e-6);
    EXPECT_TRUE(std::isnan(stripCell(stats, "b", StripGroup::Forward, Dtype::F16)[0]));
    EXPECT_TRUE(std::isnan(stripCell(stats, "a", StripGroup::Gradients, Dtype::F16)[0]));
}

TEST_F(InstrumentTest, LooksAreKeptByRunAndGoWithARewind) {
    EXPECT_EQ(measurements.of(1), nullptr);
    for (const std::int64_t step : {10, 20, 30}) session.handle(measuredAt(1, step));
    session.handle(measuredAt(1, 30));
    ASSERT_NE(measurements.of(1), nullptr);
    EXPECT_EQ(measurements.of(1)->columns.size(), 3u) << "a step that is known already is no news";
    const auto& layers = measurements.of(1)->layers;
    EXPECT_EQ(layers[static_cast<std::size_t>(StripGroup::Gradients)], (std::vector<std::string>{"layers.1", "layers.0"}));
    EXPECT_EQ(layers[static_cast<std::size_t>(StripGroup::Forward)], layers[static_cast<std::size_t>(StripGroup::Gradients)])
        << "the same rows, whichever way they were made";
    session.handle(RunRewound{1, 20});
    EXPECT_EQ(measurements.of(1)->columns.size(), 1u);
    session.handle(RunRewound{1, 0});
    EXPECT_EQ(measurements.of(1), nullptr);
    session.handle(measuredAt(2, 5));
    session.handle(RunRemoved{2});
    EXPECT_EQ(measurements.of(2), nullptr);
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(Measurements::kMostColumns) + 10; ++step)
        session.handle(measuredAt(0, step));
    EXPECT_EQ(measurements.of(0)->columns.size(), Measurements::kMostColumns);
    EXPECT_EQ(measurements.of(0)->samples.size(), Measurements::kMostSamples);
}

TEST_F(InstrumentTest, AStepOfAWatchedRunStaysUnderTheMicroscope) {
    RunInfo info = session.run(1)->info;
    info.kind = RunKind::Watched;
    session.handle(RunChanged{info});
    constexpr std::int64_t kSteps = 100;
    for (std::int64_t step = 0; step < kSteps; ++step) {
        session.handle(measuredAt(0, step));
        session.handle(measuredAt(1, step));
    }
    EXPECT_EQ(measurements.of(1)->samples.size(), Measurements::kMostSamples);
    EXPECT_EQ(measurements.of(1)->nearest(3)->step, 3);
    EXPECT_EQ(measurements.of(0)->nearest(3)->step, kSteps - static_cast<std::int64_t>(Measurements::kMostSamples))
        << "its steps can be repeated";
    const auto most = static_cast<std::int64_t>(Measurements::kMostEarlierTensors / measuredAt(1, 0).stats.tensors.size());
    for (std::int64_t step = kSteps; step < most + 100; ++step) session.handle(measuredAt(1, step));
    EXPECT_EQ(static_cast<std::int64_t>(measurements.of(1)->earlier.size()), most);
    EXPECT_EQ(measurements.of(1)->nearest(3)->step, 3) << "the first ones stay";
}

TEST_F(InstrumentTest, ADragOfTheScaleSlidesTheBars) {
    Microscope microscope(nullptr);
    microscope.resize(600, 240);
    microscope.show({{{0, 5}, {1, 2}}, Dtype::F16, true, 16, 16});
    QSignalSpy tried(&microscope, &Microscope::scaleTried);
    for (const int requested : {12, 14, 17}) {
        QTest::mouseClick(&microscope, Qt::LeftButton, Qt::NoModifier,
                          QPoint(static_cast<int>(std::lround(microscope.place(requested))), 100));
        ASSERT_FALSE(tried.isEmpty());
        EXPECT_EQ(tried.takeLast()[0].toInt(), requested);
    }
    QTest::keyClick(&microscope, Qt::Key_Right);
    EXPECT_EQ(tried.takeLast()[0].toInt(), 17) << "from the one that is shown";
    microscope.show({{{0, 5}}, Dtype::F16, false, 16, 16});
    tried.clear();
    QTest::mouseClick(&microscope, Qt::LeftButton, Qt::NoModifier, QPoint(300, 100));
    EXPECT_EQ(tried.count(), 0) << "what carries no scale does not move";
    microscope.show({});
    EXPECT_FALSE(microscope.grab().isNull());
}

TEST_F(InstrumentTest, TheCountsAreThoseOfTheFormat) {
    session.handle(measuredAt(1, 10));
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1300, 380);
    instruments.show(1, -1);
    ASSERT_TRUE(instruments.hasStats());
    EXPECT_EQ(instruments.tried(), 16) << "the used one, until another is tried";
    const auto* counts = instruments.findChild<CopyTable*>()->model();
    const auto row = [&](int at) {
        QStringList cells;
        for (int column = 0; column < counts->columnCount(); ++column) cells << counts->index(at, column).data().toString();
        return cells.join(u'|');
    };
    // all weight gradients: 4096, 2048, 1, 1, 2^-30, and one 0
    EXPECT_EQ(row(0), QStringLiteral("used 2¹⁶|1|0|4|0|1|0"));
    instruments.tryScale(21);  // 32 times: 4096 and 2048 times 32 are 2^17 and 2^16, beyond 65504; 2^-25 is a tie that goes to 0
    EXPECT_EQ(row(1), QStringLiteral("try 2²¹|1|0|2|2|1|\u2013"));
    instruments.tryScale(22);
    EXPECT_EQ(row(1), QStringLiteral("try 2²²|0|1|2|2|1|\u2013"));
    QSignalSpy requested(&instruments, &Instruments::scaleRequested);
    for (QPushButton* button : instruments.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Use it")) button->click();
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested[0][1].toDouble(), 0x1p22);
    instruments.chooseLayer(QStringLiteral("layers.1"));
    EXPECT_EQ(row(0), QStringLiteral("used 2¹⁶|0|0|3|0|1|0"));
    EXPECT_FALSE(instruments.grab().isNull());
    instruments.show(0, -1);
    EXPECT_FALSE(instruments.hasStats());
    EXPECT_FALSE(instruments.grab().isNull());
}

TEST_F(InstrumentTest, ABlockFormatHasTheRangeOfItsBlockWithTheLargestNumber) {
    session.handle(measuredAt(1, 10));
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1300, 380);
    instruments.show(1, -1);
    const QImage before = instruments.findChild<Microscope*>()->grab().toImage();
    for (auto* formats : instruments.findChildren<QComboBox*>()) {
        const int at = formats->findData(QStringLiteral("nvfp4"));
        if (at < 0) continue;
        formats->setCurrentIndex(at);
        emit formats->activated(at);
    }
    // all weight gradients: 4096, 2048, 1, 1, 2^-30, and one 0; 4096 / 24 and below become 0
    const auto* counts = instruments.findChild<CopyTable*>()->model();
    EXPECT_EQ(counts->index(0, 1).data().toString(), QStringLiteral("\u22643"));
    EXPECT_EQ(counts->index(0, 2).data().toString(), QStringLiteral("\u2013"));
    EXPECT_EQ(counts->index(0, 5).data().toString(), QStringLiteral("1"));
    EXPECT_NE(instruments.findChild<Microscope*>()->grab().toImage(), before);
}

TEST_F(InstrumentTest, StoredInfinitiesAreCountedApartFromFiniteNumbersThatAreTooLarge) {
    TensorsMeasured event = measuredAt(1, 10);
    event.stats.tensors[2] = tensorOf("layers.1", TensorRole::WeightGradient, {4096, INFINITY, INFINITY, -INFINITY, NAN}, true);
    session.handle(event);
    Instruments instruments(&session, &measurements, nullptr);
    instruments.resize(1300, 380);
    instruments.show(1, -1);
    const auto* counts = instruments.findChild<CopyTable*>()->model();
    EXPECT_EQ(counts->headerData(4, Qt::Horizontal).toString(), QStringLiteral("too large"));
    EXPECT_EQ(counts->index(0, 4).data().toString(), QStringLiteral("0")) << "finite numbers only";
    EXPECT_EQ(counts->index(0, 6).data().toString(), QStringLiteral("4"));
    const auto* shown = instruments.findChild<Microscope*>();
    EXPECT_TRUE(shown->accessibleDescription().endsWith(QStringLiteral("In no bar: 2 +Inf, 1 \u2212Inf, 1 NaN")))
        << shown->accessibleDescription().toStdString();

    Microscope microscope(nullptr);
    microscope.resize(600, 240);
    microscope.show({{{0, 5}, {1, 2}}, Dtype::F16, true, 16, 16});
    EXPECT_FALSE(microscope.accessibleDescription().contains(QStringLiteral("Inf")));
    const QImage without = microscope.grab().toImage();
    microscope.show({{{0, 5}, {1, 2}}, Dtype::F16, true, 16, 16, {}, {.positiveInf = 192}});
    EXPECT_NE(microscope.grab().toImage(), without);
}

/// Shares are of what was seen, the notes say that it was a part, and the rest can be asked for.
TEST_F(InstrumentTest, WhatWasSeenInPartSaysSo) {
    TensorsMeasured part = measuredAt(1, 10);
    for (TensorStats& tensor : part.stats.tensors) tensor.elements = 8 * tensor.classes.count();
    const StripCell cell = stripCell(part.stats, "layers.0", StripGroup::Gradients, Dtype::F16);
    EXPECT_FLOAT_EQ(cell[static_cast<std::size_t>(StripMeasure::Flushed)], 0.5F);
    session.handle(part);
    Instruments instruments(&session, &measurements, nullptr);
    instruments.setAsking(true, false);
    const auto texts = [&] {
        QStringList all;
        for (const QLabel* label : instruments.findChildren<QLabel*>()) all << label->text();
        return all;
    };
    const auto offers = [&] {
        const auto buttons = instruments.findChildren<QPushButton*>();
        return std::any_of(buttons.begin(), buttons.end(), [](const QPushButton* button) {
            return button->text() == QStringLiteral("Measure step 10") && !button->isHidden() && !button->parentWidget()->isHidden();
        });
    };
    instruments.show(1, 10);
    EXPECT_TRUE(texts().contains(QStringLiteral("step 10, one block in eight")));
    EXPECT_TRUE(texts().contains(QStringLiteral("FP16, one block in eight")));
    EXPECT_TRUE(texts().filter(QStringLiteral("as far as one block in eight shows")).size() == 1);
    EXPECT_TRUE(offers());
    TensorsMeasured whole = measuredAt(1, 10);
    whole.wasAskedFor = true;
    session.handle(whole);
    instruments.refreshNow();
    EXPECT_TRUE(texts().contains(QStringLiteral("step 10")));
    EXPECT_TRUE(texts().filter(QStringLiteral("as far as")).isEmpty());
    EXPECT_FALSE(offers());
}

TEST_F(InstrumentTest, GradientsThatAreNotFiniteBoundNoScale) {
    Instruments instruments(&session, &measurements, nullptr);
    instruments.show(1, -1);
    TensorsMeasured dead = measuredAt(1, 10);
    dead.stats.lossScale = 0;
    session.handle(dead);
    instruments.refreshNow();
    QStringList texts;
    for (const QLabel* label : instruments.findChildren<QLabel*>()) texts << label->text();
    EXPECT_TRUE(texts.contains(QStringLiteral("These gradients are not finite, so no loss scale follows from them.")));
}

TEST_F(InstrumentTest, AStepThatOverflowedBoundsItsLossScale) {
    Instruments instruments(&session, &measurements, nullptr);
    TensorsMeasured sound = measuredAt(1, 10);
    sound.stats.tensors.pop_back();  // which FP16 cannot hold at any scale
    session.handle(sound);
    StepsRecorded skipped = steps(1, 100, 1, kFlagSkipped | kFlagFoundInf);
    skipped.records[0].lossScale = 65536;
    session.handle(skipped);
    StepsRecorded lost = steps(1, 101, 1, kFlagSkipped | kFlagFoundInf | kFlagLossNonFinite);
    lost.records[0].lossScale = 65536;
    session.handle(lost);
    const auto says = [&](int step, const QString& words) {
        instruments.show(1, step);
        instruments.refreshNow();
        for (const QLabel* label : instruments.findChildren<QLabel*>())
            if (label->text().contains(words)) return true;
        return false;
    };
    EXPECT_TRUE(says(10, QStringLiteral("is safe")));
    EXPECT_TRUE(says(100, QStringLiteral("how far below 2¹⁵ it must be is not known, because step 100 overflowed")))
        << "which was not measured";
    EXPECT_TRUE(says(101, QStringLiteral("is safe"))) << "its loss was lost, not its gradients";
    TensorsMeasured broken = measuredAt(1, 100);
    broken.stats.tensors[0] = tensorOf("layers.0", TensorRole::Value, {1, INFINITY, 0}, false);
    broken.stats.tensors[2] = tensorOf("layers.1", TensorRole::WeightGradient, {4096, NAN}, true);
    session.handle(broken);
    EXPECT_TRUE(says(100, QStringLiteral("At step 100: the forward pass is not finite, and no loss scale changes that")));
}

TEST_F(InstrumentTest, CellsAreRedOnlyWhereNumbersAreNotFinite) {
    const StripCell fine{10, 0, 0, 0, 0}, broken{10, 0, 0, 0, 0.5F}, tight{0, 0, 0, 0, 0};
    EXPECT_EQ(PrecisionStrip::colorOf(StripMeasure::Headroom, broken), Theme::current().danger);
    EXPECT_NE(PrecisionStrip::colorOf(StripMeasure::Headroom, fine), Theme::current().danger);
    EXPECT_EQ(PrecisionStrip::colorOf(StripMeasure::Headroom, tight), Theme::current().accent) << "deep: no room";
    EXPECT_EQ(PrecisionStrip::colorOf(StripMeasure::Flushed, fine), Theme::current().accentWeak);
}

TEST_F(InstrumentTest, TheSwitchShowsWhatHolds) {
    GaugeList list(&session, &measurements, nullptr);
    QSignalSpy requested(&list, &GaugeList::levelRequested);
    auto* box = list.findChild<ComboBox*>();
    constexpr Instrumentation kOffered[] = {Instrumentation::Off, Instrumentation::Sampled, Instrumentation::Blocks, Instrumentation::Full};
    ASSERT_EQ(box->count(), 4);
    for (const int index : {2, 3}) {
        const int before = box->currentIndex();
        box->setCurrentIndex(index);
        emit box->activated(index);
        ASSERT_EQ(requested.count(), 1);
        EXPECT_EQ(requested.takeFirst()[0].value<Instrumentation>(), kOffered[index]);
        EXPECT_EQ(box->currentIndex(), before) << "asked for, not in force yet";
        session.handle(StateChanged{LabState::Training, 0, true, kOffered[index]});
        EXPECT_EQ(box->currentIndex(), index);
    }
    EXPECT_FALSE(box->itemData(2, Qt::ToolTipRole).toString().isEmpty());
    session.handle(measuredAt(1, 10));
    list.show(1);
    QStringList texts;
    for (const QLabel* label : list.findChildren<QLabel*>()) texts << label->text();
    EXPECT_TRUE(texts.contains(QStringLiteral("+5.0\u202F% of a step's time, measured."))) << texts.join(u'|').toStdString();
}

}  // namespace
}  // namespace mantissa::gui
