// SPDX-License-Identifier: Apache-2.0
// The gallery: its cards, its keys, what a choice opens; and the strip that says above the plots what to look for.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <cmath>

#include "gui/controls/experiment_words.h"
#include "gui/controls/number_text.h"
#include "gui/gallery/gallery_page.h"
#include "gui/recordings/recording_words.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

struct GalleryWindow : LiveWindow {
    ~GalleryWindow() { window.reset(); }
    GalleryPage* page = nullptr;

    bool opens(const QString& folder = {}, QSize size = {1600, 960}) {
        make(kDefaultExperiment, folder);
        window->resize(size);
        window->show();
        window->activateWindow();
        window->begin();
        if (!QTest::qWaitFor([this] { return session.state().state == LabState::Paused; }, kPatienceMs)) return false;
        return showsGallery();
    }
    bool showsGallery() {
        window->actionList().gallery->trigger();
        page = window->findChild<GalleryPage*>();
        return page && QTest::qWaitFor([this] { return focused() != nullptr; }, kPatienceMs);
    }
    static GalleryCard* focused() { return qobject_cast<GalleryCard*>(QApplication::focusWidget()); }
    static void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    QLineEdit* field() const { return page->findChild<QLineEdit*>(); }
    bool closes() {
        return QTest::qWaitFor([this] { return window->findChild<GalleryPage*>() == nullptr; }, kPatienceMs);
    }
};

TEST(Curves, EachBundledExperimentHasThoseOfItsRuns) {
    for (const BundledExperiment& each : bundledExperiments()) {
        std::string source;
        std::filesystem::path folder;
        const auto runs = parseExperiment(loadExperimentText(each.name, source, folder), each.name).runs;
        const CurveSet curves = bundledCurves(QString::fromStdString(each.name));
        ASSERT_EQ(curves.runs.size(), runs.size()) << each.name << ": resources/curves/make_curves.py makes them";
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const Curve& curve = curves.runs[i];
            EXPECT_EQ(curve.steps.size(), curve.values.size()) << each.name;
            ASSERT_GE(curve.steps.size(), 2u) << each.name << ", " << runs[i].name;
            EXPECT_LE(curve.steps.size(), 200u) << each.name;
            EXPECT_TRUE(std::is_sorted(curve.steps.begin(), curve.steps.end())) << each.name;
            EXPECT_LT(curve.steps.back(), runs[i].training.steps) << each.name << ": the run's own steps";
        }
    }
    EXPECT_TRUE(bundledCurves(QStringLiteral("nothing")).isEmpty());
}

TEST(Curves, AreDrawnInTheThemesColoursAndWhatIsNotFiniteHasASign) {
    const auto drawn = [](CurveSet curves) {
        CurvePicture picture(std::move(curves), nullptr);
        picture.resize(240, picture.height());
        return picture.grab().toImage();
    };
    const auto counted = [](const QImage& image, const QColor& color) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor pixel = image.pixelColor(x, y);
                count +=
                    std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) + std::abs(pixel.blue() - color.blue()) <
                    60;
            }
        return count;
    };
    const double nan = std::nan("");
    const CurveSet whole{Metric::Loss, {{{0, 1, 2, 3}, {3, 2, 2, 1}}}}, broken{Metric::Loss, {{{0, 1, 2, 3}, {3, 2, nan, nan}}}},
        nothing{Metric::Loss, {{{0, 1}, {nan, nan}}}};
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark})
        for (const Contrast contrast : {Contrast::Normal, Contrast::High}) {
            Theme::apply(*qApp, kind, contrast);
            const Theme& theme = Theme::current();
            const QImage all = drawn(whole), part = drawn(broken), sign = drawn(nothing);
            EXPECT_EQ(all.pixelColor(4, 60), theme.surface);
            EXPECT_GT(counted(all, theme.run(0).color), 100);
            EXPECT_LT(counted(part, theme.run(0).color), counted(all, theme.run(0).color)) << "it ends where it is no number";
            EXPECT_GT(counted(sign, theme.run(0).color), 3) << "and a sign says so";
        }
    Theme::apply(*qApp, ThemeKind::Light);
}

TEST(Gallery, HasACardForEachExperimentAndBeginsAtTheOneThatIsOpen) {
    GalleryWindow live;
    ASSERT_TRUE(live.opens());
    EXPECT_EQ(live.page->shownCards().size(), static_cast<qsizetype>(bundledExperiments().size()));
    EXPECT_EQ(live.focused()->accessibleName(), QStringLiteral("Four formats, one task"));
    for (GalleryCard* card : live.page->shownCards()) {
        EXPECT_FALSE(card->accessibleDescription().isEmpty()) << card->accessibleName().toStdString();
        EXPECT_GE(card->width(), 280);
    }
}

TEST(Gallery, ArrowKeysReachEachCardAndItIsSeen) {
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080), QSize(1000, 600)}) {
        GalleryWindow live;
        ASSERT_TRUE(live.opens({}, size));
        const QList<GalleryCard*> cards = live.page->shownCards();
        const auto isSeen = [&] {
            const QWidget* view = live.page->findChild<QScrollArea*>()->viewport();
            const QRect place(live.focused()->mapTo(view, QPoint(0, 0)), live.focused()->size());
            return view->rect().contains(place);
        };
        live.press(Qt::Key_Home);
        for (GalleryCard* card : cards) {
            ASSERT_EQ(live.focused(), card);
            EXPECT_TRUE(isSeen()) << card->accessibleName().toStdString() << " at " << size.width();
            if (card != cards.back()) live.press(Qt::Key_Right);
        }
        live.press(Qt::Key_Right);
        EXPECT_EQ(live.focused(), cards.back()) << "there is none behind";
        live.press(Qt::Key_Left);
        EXPECT_EQ(live.focused(), cards[cards.size() - 2]);
        live.press(Qt::Key_Home);
        std::set<int> heights;
        for (int i = 0; i < 12; ++i) {
            heights.insert(live.focused()->mapTo(live.page, QPoint(0, 0)).y() + live.page->findChild<QScrollArea*>()->widget()->y() * -1);
            live.press(Qt::Key_Down);
        }
        EXPECT_GE(heights.size(), 6u) << "a row each, through all groups";
        while (live.focused()) live.press(Qt::Key_Up);
        EXPECT_EQ(QApplication::focusWidget(), live.field()) << "above the first row";
        live.press(Qt::Key_Down);
        EXPECT_EQ(live.focused(), cards.front());
    }
}

TEST(Gallery, LettersFilterAndEnterOpens) {
    GalleryWindow live;
    ASSERT_TRUE(live.opens());
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("z"));
    ASSERT_EQ(QApplication::focusWidget(), live.field());
    QTest::keyClicks(live.field(), QStringLiteral("ero_GRAD fp16"));
    const QList<GalleryCard*> left = live.page->shownCards();
    ASSERT_EQ(left.size(), 1);
    EXPECT_EQ(left.front()->accessibleName(), QStringLiteral("A missing zero_grad"));
    live.press(Qt::Key_Return);
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().name == "missing-zero-grad"; }, kPatienceMs));
    EXPECT_TRUE(live.closes());
}

TEST(Gallery, EnterOpensTheExperimentOfThatTitleThoughOthersContainTheWords) {
    GalleryWindow live;
    ASSERT_TRUE(live.opens());
    QTest::keyClicks(live.field(), QStringLiteral("scale c"));
    ASSERT_GT(live.page->shownCards().size(), 1);
    ASSERT_NE(live.page->shownCards().front()->accessibleName(), QStringLiteral("Scale collapse"));
    EXPECT_EQ(live.page->match()->accessibleName(), QStringLiteral("Scale collapse"));
    const QRect seen(live.page->match()->mapTo(live.page, QPoint(0, 0)), live.page->match()->size());
    EXPECT_TRUE(live.page->rect().contains(seen.topLeft())) << "it is scrolled to";
    live.field()->setFocus();
    live.press(Qt::Key_Return);
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().name == "scale-collapse"; }, kPatienceMs));
    EXPECT_TRUE(live.closes());
}

TEST(Gallery, EscapeTakesTheFilterBackAndThenCloses) {
    GalleryWindow live;
    ASSERT_TRUE(live.opens());
    const qsizetype all = live.page->shownCards().size();
    QTest::keyClicks(live.field(), QStringLiteral("there is nothing like this"));
    EXPECT_TRUE(live.page->shownCards().isEmpty());
    live.field()->setFocus();
    live.press(Qt::Key_Return);
    EXPECT_TRUE(live.page->isVisible());
    live.press(Qt::Key_Escape);
    EXPECT_EQ(live.page->shownCards().size(), all);
    EXPECT_TRUE(live.page->isVisible());
    live.press(Qt::Key_Escape);
    EXPECT_TRUE(live.closes());
    EXPECT_EQ(live.session.experiment().name, "four-formats") << "nothing was opened";
}

TEST(Gallery, ALinkLeadsToEachGroup) {
    GalleryWindow live;
    ASSERT_TRUE(live.opens({}, {1280, 720}));
    int links = 0;
    for (QPushButton* button : live.page->findChildren<QPushButton*>()) {
        if (!button->accessibleName().startsWith(QStringLiteral("Show group"))) continue;
        ++links;
        button->click();
        ASSERT_NE(live.focused(), nullptr);
        QWidget* group = live.focused()->parentWidget();
        EXPECT_TRUE(button->accessibleName().endsWith(group->findChild<QLabel*>(QString(), Qt::FindDirectChildrenOnly)->text()));
    }
    EXPECT_EQ(links, static_cast<int>(experimentGroups().size()));
}

TEST(Gallery, TheFirstCardIsOfTheExperimentThatIsOpenAtFirst) {
    GalleryWindow live;
    ASSERT_TRUE(live.opens({}, {1280, 720}));
    EXPECT_TRUE(live.page->shownCards().front()->accessibleName().startsWith(QStringLiteral("Four formats"))) << "as the first start does";
}

TEST(Gallery, RecordingsHaveTheirFormatsLossesAndCurvesAndOpen) {
    const QTemporaryDir folder;
    GalleryWindow live;
    live.make(kDefaultExperiment, folder.path());
    live.window->resize(1600, 960);
    live.window->show();
    live.window->activateWindow();
    live.window->begin();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
    live.engine.send(Train{40});
    ASSERT_TRUE(live.reaches(40));
    const std::string path = live.session.recording().path;
    live.engine.load(QStringLiteral("too-hot"));
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return live.session.experiment().name == "too-hot" && live.session.state().state == LabState::Paused; }, kPatienceMs));
    QSignalSpy listed(&live.session, &SessionModel::recordingsListed);
    ASSERT_TRUE(live.showsGallery());
    ASSERT_TRUE(QTest::qWaitFor([&] { return listed.count() > 0; }, kPatienceMs));
    GalleryCard* card = live.page->shownCards().back();
    EXPECT_EQ(card->accessibleName(), QStringLiteral("Four formats, one task"));
    const QString words = card->accessibleDescription();
    EXPECT_TRUE(words.contains(QStringLiteral("40 steps"))) << words.toStdString();
    for (const char* format : {"FP32", "TF32", "FP16", "BF16"}) EXPECT_TRUE(words.contains(QLatin1String(format))) << words.toStdString();
    card->click();
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.opened() && live.session.opened()->path == path; }, kPatienceMs));
    EXPECT_EQ(live.session.stepCount(), 40);
}

TEST(RecordingWords, SayWhatTellsTwoOfOneTitleApart) {
    ListedRecording recording{"/a/b.mantissa", "", "2026-11-21T22:05:33Z", 757, 1000, {}};
    EXPECT_EQ(titleText(recording), QStringLiteral("b"));
    EXPECT_EQ(lossesText(recording), QString());
    recording.runs = {{"fp16", 757, {0, 756}, {2.3, std::nan("")}}, {"fp32", 700, {0, 699}, {2.3, 0.0625}}, {"fp16", 3, {}, {}}};
    EXPECT_EQ(formatsText(recording), QStringLiteral("FP16, FP32"));
    EXPECT_EQ(lossesText(recording), QStringLiteral("Final loss: FP16 NaN, FP32 0.0625"));
    EXPECT_EQ(leastFinalLoss(recording), 0.0625);
}

struct StripWindow : LiveWindow {
    ~StripWindow() { window.reset(); }
    LookForStrip* strip() const { return window->findChild<LookForStrip*>(); }
    bool shows(bool isShown) {
        return QTest::qWaitFor([&] { return strip()->isVisible() == isShown; }, kPatienceMs);
    }
    QString words() const { return strip()->findChild<QLabel*>()->text(); }
    bool loads(const QString& name) {
        engine.load(name);
        return QTest::qWaitFor([&] { return session.experiment().name == name.toStdString() && session.state().state == LabState::Paused; },
                               kPatienceMs);
    }
};

TEST(LookForStrip, SaysBothSentencesUntilItIsClosedForThisExperiment) {
    StripWindow live;
    ASSERT_TRUE(live.beginsWith(QStringLiteral("too-hot"), "Too hot"));
    const BundledExperiment* hot = nullptr;
    for (const BundledExperiment& each : bundledExperiments())
        if (each.name == "too-hot") hot = &each;
    ASSERT_TRUE(live.shows(true));
    const QString words = live.words();
    EXPECT_TRUE(words.contains(shownWords(*hot).description)) << words.toStdString();
    EXPECT_TRUE(words.contains(shownWords(*hot).lookFor)) << words.toStdString();
    EXPECT_TRUE(words.contains(QStringLiteral("2¹⁶"))) << "powers are raised";
    const int height = live.strip()->height();
    ASSERT_TRUE(live.loads(QStringLiteral("a-small-gpt")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.words().contains(QStringLiteral("Opticks")); }, kPatienceMs));
    EXPECT_EQ(live.strip()->height(), height) << "a shorter text moves no plot";

    auto* close = live.strip()->findChild<QToolButton*>();
    close->click();
    EXPECT_TRUE(live.shows(false));
    ASSERT_TRUE(live.loads(QStringLiteral("a-small-gpt")));
    QTest::qWait(50);
    EXPECT_FALSE(live.strip()->isVisible()) << "the same again";
    ASSERT_TRUE(live.loads(QStringLiteral("too-hot")));
    EXPECT_TRUE(live.shows(true)) << "another one";
    live.engine.load(QStringLiteral("mine"), QStringLiteral(R"({"runs":[{"name":"a"}]})"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().name == "mine"; }, kPatienceMs));
    EXPECT_TRUE(live.shows(false)) << "nothing is said of it";
}

TEST(LookForStrip, AfterTheLastStepItSaysWhatCameOut) {
    StripWindow live;
    ASSERT_TRUE(live.beginsWith(QStringLiteral("too-hot"), "Too hot"));
    live.engine.load(
        QStringLiteral("short"),
        QStringLiteral(R"({"title": "Short", "description": "Both.", "look_for": "See.", "model": {"hidden": [8]}, "steps": 30, "runs": [
            {"name": "plain"}, {"name": "high", "precision": "fp16", "scaler": {"preset": "pytorch", "init_scale": 1048576}},
            {"name": "hidden"}]})"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().title == "Short" && live.shows(true); }, kPatienceMs));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.words().endsWith(QStringLiteral("<b> See.</b>")); }, kPatienceMs))
        << live.words().toStdString();
    const int height = live.strip()->height();
    live.session.setHidden(live.session.runs().at(2)->id, true);
    live.engine.send(Train{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Finished; }, kPatienceMs));
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return live.words().contains(QStringLiteral("Mean loss of the last 20 steps: plain ")); }, kPatienceMs))
        << live.words().toStdString();
    const RunState& plain = *live.session.runs().at(0);
    double sum = 0;
    for (std::int64_t step = 10; step < 30; ++step) sum += plain.loss.value(step);
    EXPECT_TRUE(live.words().contains(QStringLiteral("plain %1; high ").arg(numberText(sum / 20, 3)))) << live.words().toStdString();
    const auto skipped = live.session.runs().at(1)->skipCount();
    EXPECT_GT(skipped, 0);
    EXPECT_TRUE(live.words().contains(QStringLiteral("%1 skipped)").arg(skipped))) << live.words().toStdString();
    EXPECT_FALSE(live.words().contains(QStringLiteral("hidden"))) << live.words().toStdString();
    const auto* label = live.strip()->findChild<QLabel*>();
    EXPECT_TRUE(label->toolTip().endsWith(QStringLiteral("Both. See."))) << label->toolTip().toStdString();
    EXPECT_EQ(live.strip()->height(), height) << "what came out moves no plot";
    const int width = label->width();
    live.window->resize(live.window->minimumSize());
    ASSERT_TRUE(QTest::qWaitFor([&] { return label->width() < width; }, kPatienceMs));
    EXPECT_EQ(live.strip()->height(), height);
    EXPECT_TRUE(label->toolTip().startsWith(QStringLiteral("Mean loss of the last 20 steps: plain ")));
    live.session.setQuestionOpen(true);
    EXPECT_TRUE(live.shows(false)) << "a question is not answered here";
}

TEST(LookForStrip, IsKeptAwayFromOneStartToTheNext) {
    const QTemporaryDir folder;
    for (const bool isRequested : {true, false, true}) {
        StripWindow live;
        live.make(QStringLiteral("too-hot"), folder.path());
        live.window->show();
        live.window->begin();
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
        EXPECT_TRUE(live.shows(isRequested));
        EXPECT_EQ(live.window->actionList().lookFor->isChecked(), isRequested);
        live.window->actionList().lookFor->trigger();
        EXPECT_TRUE(live.shows(!isRequested));
        live.window->close();
    }
}

TEST(LookForStrip, IsAwayBesideALessonAndWhileAQuestionIsOpen) {
    StripWindow live;
    ASSERT_TRUE(live.beginsWith(QStringLiteral("too-hot"), "Too hot"));
    live.session.setQuestionOpen(true);
    EXPECT_TRUE(live.shows(false));
    live.session.setQuestionOpen(false);
    EXPECT_TRUE(live.shows(true));
    live.window->openLesson(QStringLiteral("too-hot"));
    EXPECT_TRUE(live.shows(false));
    live.window->actionList().lessonLeave->setEnabled(true);
    live.window->actionList().lessonLeave->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_TRUE(live.shows(true)) << "it speaks of what is there again";
    for (QComboBox* box : live.window->findChildren<QComboBox*>())
        EXPECT_FALSE(box->toolTip().contains(QStringLiteral("2²⁰"))) << "no other place says it: " << box->toolTip().toStdString();
}

}  // namespace
}  // namespace mantissa::gui
