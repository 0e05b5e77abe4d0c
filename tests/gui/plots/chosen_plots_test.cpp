// SPDX-License-Identifier: Apache-2.0
// Which plots the board has: chosen, ordered and sized by hand, and what they draw.
#include <QMenu>
#include <QTest>

#include "gui/plots/axis_menus.h"
#include "gui/plots/readout_model.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

using Keys = std::vector<std::string>;

class ChosenPlots : public PlotBoardTest {
protected:
    ChosenPlots() {
        appendSteps(m_session, 0, 0, 300);
        appendSteps(m_session, 1, 0, 300);
        m_board.refreshNow();
    }
    Keys shown() const {
        Keys keys;
        for (const Panel* panel : m_board.panels().shown()) keys.push_back(panel->key());
        return keys;
    }
    const Panel& panelOf(const char* key) const { return *m_board.panels().of(key); }
    void measure(RunId run, double share) {
        for (const std::int64_t step : {31, 95, 287}) m_session.handle(ValuesMeasured{run, step, {{"lost_updates", share}}});
        m_board.refreshNow();
    }
};

TEST_F(ChosenPlots, AreTheUsualFiveUntilOthersAreChosen) {
    const Keys usual{"loss", "loss_scale", "skipped_total", "grad_norm", "samples_per_s"};
    EXPECT_EQ(shown(), usual);
    m_board.choice().choose("loss_scale", false);
    m_board.choice().choose("lost_updates", true);
    EXPECT_EQ(shown(), (Keys{"loss", "skipped_total", "grad_norm", "samples_per_s", "lost_updates"}));
    EXPECT_FALSE(panelOf("loss_scale").rect()->visible());
    EXPECT_TRUE(m_board.choice().move("lost_updates", -1));
    EXPECT_FALSE(m_board.choice().move("loss", -1)) << "it is the first";
    EXPECT_EQ(shown(), (Keys{"loss", "skipped_total", "grad_norm", "lost_updates", "samples_per_s"}));
    m_board.choice().showAlone({"loss", "lr"});
    EXPECT_EQ(shown(), (Keys{"loss", "lr"})) << "as a lesson wishes";
    m_board.choice().showAlone({});
    EXPECT_EQ(shown(), (Keys{"loss", "skipped_total", "grad_norm", "lost_updates", "samples_per_s"}));
    m_board.choice().setPlots({});
    EXPECT_EQ(shown(), usual);
}

TEST_F(ChosenPlots, TheLastOneStays) {
    for (const char* key : {"loss", "loss_scale", "skipped_total", "grad_norm", "samples_per_s"}) m_board.choice().choose(key, false);
    EXPECT_EQ(shown(), Keys{"samples_per_s"});
    EXPECT_EQ(panel(kThroughput).showsStepLabels(), true);
    m_board.resize(1280, 600);
    m_board.setCompact(true);
    EXPECT_FALSE(shown().empty()) << "in a small window it would be folded away";
}

TEST_F(ChosenPlots, ADraggedEdgeMovesHeightFromOnePlotToTheNext) {
    const auto heightOf = [&](PanelIndex index) { return panel(index).rect()->height(); };
    const int loss = heightOf(kLoss), scale = heightOf(kScale), skipped = heightOf(kSkipped);
    const QPoint edge(middleOf(kLoss).x(), panel(kLoss).rect()->bottom());
    QTest::mouseMove(m_board.canvas(), edge);
    EXPECT_EQ(m_board.canvas()->cursor().shape(), Qt::SplitVCursor);
    QTest::mousePress(m_board.canvas(), Qt::LeftButton, {}, edge);
    QTest::mouseMove(m_board.canvas(), edge - QPoint(0, 40));
    QTest::mouseRelease(m_board.canvas(), Qt::LeftButton, {}, edge - QPoint(0, 40));
    EXPECT_NEAR(heightOf(kLoss), loss - 40, 3);
    EXPECT_NEAR(heightOf(kScale), scale + 40, 3);
    EXPECT_NEAR(heightOf(kSkipped), skipped, 3) << "the others keep theirs";
    const QPoint now(edge.x(), panel(kLoss).rect()->bottom());
    QTest::mousePress(m_board.canvas(), Qt::LeftButton, {}, now);
    QTest::mouseMove(m_board.canvas(), now + QPoint(0, 2000));
    QTest::mouseRelease(m_board.canvas(), Qt::LeftButton, {}, now + QPoint(0, 2000));
    EXPECT_GE(heightOf(kScale), 38) << "none is dragged away";
    m_board.choice().setPlots({});
    EXPECT_EQ(heightOf(kLoss), loss);
}

TEST_F(ChosenPlots, SharesOfTensorStatisticsAreDrawnInPercentFromZero) {
    m_board.choice().choose("lost_updates", true);
    EXPECT_EQ(panelOf("lost_updates").title().note, QStringLiteral("not measured: see Measure tensors in Diagnose"));
    m_session.handle(StateChanged{LabState::Training, 0, true, Instrumentation::Sampled});
    m_board.refreshNow();
    EXPECT_EQ(panelOf("lost_updates").title().note, QStringLiteral("no value yet"));
    measure(0, 0.0);
    measure(1, 0.87);
    const Panel& lost = panelOf("lost_updates");
    EXPECT_EQ(lost.title().note, QString());
    EXPECT_EQ(lost.yAxis()->range().lower, 0);
    EXPECT_LE(lost.yAxis()->range().upper, 100);
    EXPECT_GT(lost.yAxis()->range().upper, 87);
    EXPECT_EQ(lost.lines().size(), 2u);
    EXPECT_DOUBLE_EQ(lost.cursorY(m_board.traces().of(1), 200), 87) << "of the last one before";
    EXPECT_TRUE(std::isnan(lost.cursorY(m_board.traces().of(1), 10))) << "none had come";
    EXPECT_EQ(lost.endText(m_board.traces().of(1), 299), QStringLiteral("87\u202F%"));
}

TEST_F(ChosenPlots, ValidationAccuracyAndLearningRateAreOffered) {
    appendSteps(m_session, 0, 300, 400, [](StepRecord& record) {
        record.lr = record.step < 350 ? 0.1 : 0.01;
        if (record.step % 50 != 0) return;
        record.flags |= kFlagValidated;
        record.validationAccuracy = 0.5;
    });
    m_board.choice().choose("val_accuracy", true);
    m_board.choice().choose("lr", true);
    m_board.refreshNow();
    EXPECT_DOUBLE_EQ(panelOf("val_accuracy").cursorY(m_board.traces().of(0), 399), 50);
    EXPECT_DOUBLE_EQ(panelOf("lr").cursorY(m_board.traces().of(0), 349), -1) << "a logarithm";
    EXPECT_DOUBLE_EQ(panelOf("lr").cursorY(m_board.traces().of(0), 350), -2);
}

TEST_F(ChosenPlots, WhatAFileBringsIsOfferedWhileARunHasIt) {
    const auto isOffered = [&] {
        const Keys offered = m_board.choice().offered();
        return std::find(offered.begin(), offered.end(), "perplexity") != offered.end();
    };
    EXPECT_FALSE(isOffered());
    RunInfo theirs = makeRun(7, "theirs");
    theirs.kind = RunKind::Recorded;
    m_session.handle(RunAdded{theirs});
    m_session.handle(SeriesImported{7, Metric::Other, {0, 100, 200}, {30, NAN, 10}, "perplexity"});
    m_board.refreshNow();
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(shown().size(), 5u) << "it is offered, and not forced on anybody";
    m_board.choice().choose("perplexity", true);
    m_board.refreshNow();
    EXPECT_EQ(panelOf("perplexity").title().title, QStringLiteral("perplexity"));
    std::int64_t nan = 0;
    for (const GlyphMark& mark : panelOf("perplexity").glyphs().marks()) nan += mark.glyph == Glyph::NaN ? mark.count : 0;
    EXPECT_EQ(nan, 1);
    m_session.handle(RunRemoved{7});
    m_board.choice().choose("perplexity", false);
    EXPECT_FALSE(isOffered());
}

TEST_F(ChosenPlots, TheMenuOfAPlotMovesAndHidesIt) {
    QMenu menu;
    const auto act = [&](int panel, const QString& text) {
        fillPanelMenu(&menu, &m_board, panel);
        for (QAction* action : menu.actions())
            if (action->text() == text) return action->isEnabled() ? (action->trigger(), true) : false;
        return false;
    };
    EXPECT_FALSE(act(kLoss, QStringLiteral("Move up")));
    EXPECT_TRUE(act(kLoss, QStringLiteral("Move down")));
    EXPECT_EQ(shown().front(), "loss_scale");
    EXPECT_TRUE(act(kNorm, QStringLiteral("Hide this plot")));
    EXPECT_EQ(shown(), (Keys{"loss_scale", "loss", "skipped_total", "samples_per_s"}));
    fillChoiceMenu(&menu, &m_board);
    for (QAction* action : menu.actions())
        if (action->text() == QStringLiteral("The usual plots")) action->trigger();
    EXPECT_EQ(shown().size(), 5u);
}

TEST_F(ChosenPlots, TheReadOutHasARowForEach) {
    ReadoutModel model(&m_session);
    measure(0, 0);
    measure(1, 0.8712);
    model.setPlots({"loss", "lr", "lost_updates", "val_accuracy"});
    ASSERT_EQ(model.rowCount(), ReadoutModel::RowCount + 1) << "the others have their row";
    EXPECT_EQ(model.headerData(ReadoutModel::RowCount, Qt::Vertical, Qt::DisplayRole).toString(), QStringLiteral("lost updates, %"));
    EXPECT_EQ(model.index(ReadoutModel::RowCount, 1).data().toString(), QStringLiteral("87"));
    model.setStep(10);
    EXPECT_EQ(model.index(ReadoutModel::RowCount, 1).data().toString(), QStringLiteral("\u2013"));
    model.setPlots({"loss"});
    EXPECT_EQ(model.rowCount(), ReadoutModel::RowCount);
}

TEST_F(ChosenPlots, APictureShowsTheSame) {
    m_board.choice().choose("loss_scale", false);
    m_board.choice().choose("lr", true);
    PlotBoard other(&m_session);
    other.resize(1200, 900);
    other.takeView(m_board);
    other.choice().showOnly(-1);
    Keys keys;
    for (const Panel* panel : other.panels().shown()) keys.push_back(panel->key());
    EXPECT_EQ(keys, shown());
}

TEST_F(ChosenPlots, APictureOfOneIsThatOneInWhateverOrderFilesCame) {
    const auto import = [&](RunId id, const char* key) {
        RunInfo theirs = makeRun(id, key);
        theirs.kind = RunKind::Recorded;
        m_session.handle(RunAdded{theirs});
        m_session.handle(SeriesImported{id, Metric::Other, {0, 100}, {30, 10}, key});
    };
    const auto pictured = [&](const std::string& key) {
        PlotBoard picture(&m_session);
        picture.resize(1200, 900);
        picture.takeView(m_board);
        const auto& panels = m_board.panels().all();
        picture.choice().showOnly(static_cast<int>(
            std::find_if(panels.begin(), panels.end(), [&](const auto& panel) { return panel->key() == key; }) - panels.begin()));
        Keys keys;
        for (const Panel* panel : picture.panels().shown()) keys.push_back(panel->key());
        return keys;
    };
    import(7, "perplexity");
    m_board.refreshNow();
    import(8, "bleu");
    m_board.refreshNow();
    m_session.handle(RunRemoved{7});  // a new board makes the plot of the other one alone
    EXPECT_EQ(pictured("bleu"), Keys{"bleu"});
    EXPECT_EQ(pictured("perplexity"), Keys{"perplexity"});
    import(9, "rouge");
    EXPECT_EQ(m_board.panels().of("rouge"), nullptr) << "as of a board that is hidden";
    EXPECT_EQ(pictured("loss"), Keys{"loss"});
}

TEST_F(ChosenPlots, AScaleIsKeptForAPlotThatNoFileHasBroughtYet) {
    AxisChoices choices = m_board.axisChoices();
    choices.scales["perplexity"] = AxisScale::Log10;
    m_board.setAxisChoices(choices);
    RunInfo theirs = makeRun(7, "theirs");
    theirs.kind = RunKind::Recorded;
    m_session.handle(RunAdded{theirs});
    m_session.handle(SeriesImported{7, Metric::Other, {0, 100}, {30, 10}, "perplexity"});
    m_board.refreshNow();
    EXPECT_EQ(panelOf("perplexity").scale(), AxisScale::Log10);
    EXPECT_EQ(m_board.axisChoices().scales.at("perplexity"), AxisScale::Log10);
}

TEST_F(ChosenPlots, TheWholeBoardIsWhatIsShownAlone) {
    m_board.choice().showAlone({"loss", "lost_updates"});
    EXPECT_EQ(m_board.choice().keys(-1), (Keys{"loss", "val_loss", "val_accuracy", "lost_updates"}));
    PlotBoard picture(&m_session);
    picture.resize(1200, 900);
    picture.takeView(m_board);
    picture.choice().showOnly(-1);
    EXPECT_EQ(picture.panels().shown().size(), 2u);
    m_board.choice().showAlone({});
}

}  // namespace
}  // namespace mantissa::gui
