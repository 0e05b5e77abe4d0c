// SPDX-License-Identifier: Apache-2.0
// The page with a real engine behind it: what is picked is planned, what is wrong stands where it is, and what is loaded stays.
#include "gui/picker/picker_page.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "gui/controls/parts.h"
#include "gui/picker/draft_form.h"
#include "gui/picker/ledger_model.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

struct LivePicker : LiveSession {
    QPointer<PickerPage> page;

    bool open() {
        if (!begin()) return false;
        page = new PickerPage(&session, &engine, nullptr);
        QObject::connect(page, &PickerPage::created, &engine, &EngineClient::load);
        QObject::connect(&session, &SessionModel::refused, page, [this](int, const QString& pointer, const QString& sentence) {
            if (page->isWaiting()) page->takeRefusal(pointer, sentence);
        });
        page->show();
        return isPlanned();
    }
    ~LivePicker() { delete page; }

    DraftForm* form() { return page->findChild<DraftForm*>(); }
    DraftCell* cell(const char* pointer) { return form()->cell(pointer); }
    QLineEdit* edit(const char* pointer) { return qobject_cast<QLineEdit*>(cell(pointer)->control()); }
    template <class T>
    T* child(const char* name) {
        for (T* widget : page->findChildren<T*>())
            if (widget->accessibleName() == QLatin1String(name)) return widget;
        return nullptr;
    }
    QPushButton* create() { return child<QPushButton>("Create the experiment"); }
    /// As a user does, who opens the list and clicks.
    void choose(const char* pointer, const char* choice) {
        auto* box = qobject_cast<QComboBox*>(cell(pointer)->control());
        const int index = box->findText(QLatin1String(choice));
        ASSERT_GE(index, 0) << choice;
        box->setCurrentIndex(index);
        emit box->activated(index);
    }
    void type(const char* pointer, const char* text) {
        edit(pointer)->setFocus();
        edit(pointer)->selectAll();
        if (*text == '\0') QTest::keyClick(edit(pointer), Qt::Key_Delete);
        QTest::keyClicks(edit(pointer), QLatin1String(text));
    }
    QString shown(int row, int column) { return page->ledger().index(row, column).data().toString(); }
    /// The engine has answered with ledgers and batches.
    bool isPlanned() {
        return QTest::qWaitFor(
            [this] {
                return create()->isEnabled() && !page->ledger().isStale() && page->ledger().columnCount() > 1 &&
                       shown(LedgerModel::BatchRow, 1) != QStringLiteral("\u2026");
            },
            kPatienceMs);
    }
    /// Something is wrong with that field; returns the sentence.
    QString refusalAt(const char* pointer) {
        const bool isThere = QTest::qWaitFor(
            [&] { return cell(pointer) && cell(pointer)->control()->property("state") == QStringLiteral("refused"); }, kPatienceMs);
        return isThere ? cell(pointer)->control()->accessibleDescription() : QString();
    }
    /// That field has to be filled in; returns the sentence.
    QString hintAt(const char* pointer) {
        const bool isThere =
            QTest::qWaitFor([&] { return cell(pointer) && !cell(pointer)->control()->accessibleDescription().isEmpty(); }, kPatienceMs);
        return isThere && cell(pointer)->control()->property("state").toString().isEmpty()
                   ? cell(pointer)->control()->accessibleDescription()
                   : QString();
    }
};

TEST(PickerPage, BeginsWithWhatIsLoaded) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    EXPECT_EQ(live.edit("/data/batch_size")->text(), QStringLiteral("16"));
    EXPECT_EQ(live.edit("/model/hidden")->text(), QStringLiteral("8"));
    EXPECT_EQ(live.edit("/steps")->text(), QStringLiteral("400"));
    EXPECT_EQ(live.page->draft().policies(), (std::vector<std::string>{"fp32", "fp16"}));
    ASSERT_EQ(live.page->ledger().columnCount(), 3);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(live.page->ledger().ledger(i + 1), live.session.runs()[static_cast<std::size_t>(i)]->info.memory) << "planned as loaded";
}

TEST(PickerPage, DataOfAnotherKindBringAModelThatTakesThem) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.choose("/data/name", "opticks");
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.cell("/model/n_layer") != nullptr; }, kPatienceMs));
    ASSERT_TRUE(live.isPlanned());
    EXPECT_EQ(live.page->draft().settings().training.model.kind, "gpt");
    EXPECT_EQ(live.cell("/model/hidden"), nullptr);
    EXPECT_NE(live.cell("/data/context"), nullptr);
    auto* models = qobject_cast<QComboBox*>(live.cell("/model/kind")->control());
    EXPECT_FALSE(models->model()->flags(models->model()->index(models->findText(QStringLiteral("mlp")), 0)) & Qt::ItemIsEnabled);
    EXPECT_TRUE(models->model()->flags(models->model()->index(models->findText(QStringLiteral("llama")), 0)) & Qt::ItemIsEnabled);
}

TEST(PickerPage, ChoicesAreShownInWordsAndSetTheFilesValues) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.choose("/unscale", "after clipping");
    EXPECT_EQ(live.page->draft().settings().training.unscale, "after_clip");
    live.choose("/optimizer/decay", "matrices only");
    EXPECT_EQ(live.page->draft().settings().training.optimizer.decay, "matrices");
    EXPECT_EQ(qobject_cast<QComboBox*>(live.cell("/optimizer/decay")->control())->currentText(), QStringLiteral("matrices only"));
}

TEST(PickerPage, SaysWhatIsWrongAtTheFieldAndTakesItBack) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.type("/data/batch_size", "many");
    EXPECT_EQ(live.refusalAt("/data/batch_size"), QStringLiteral("must be a whole number, not text"));
    EXPECT_FALSE(live.create()->isEnabled());
    EXPECT_TRUE(live.page->ledger().isStale());
    live.type("/data/batch_size", "32");
    ASSERT_TRUE(live.isPlanned());
    EXPECT_EQ(live.cell("/data/batch_size")->control()->property("state").toString(), QString());
    live.type("/model/hidden", "16, 0");
    EXPECT_FALSE(live.refusalAt("/model/hidden").isEmpty()) << "a list's element stands at the list";
    live.type("/model/hidden", "");
    ASSERT_TRUE(live.isPlanned()) << "no hidden layer";
    live.choose("/data/name", "mnist");
    EXPECT_TRUE(live.hintAt("/data/path").contains(QStringLiteral("choose the folder with MNIST's IDX files")));
    EXPECT_EQ(live.session.runs().size(), 2u);
}

TEST(PickerPage, APathIsAskedForBeforeItIsWrong) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.choose("/data/name", "text");
    const QString hint = live.hintAt("/data/path");
    ASSERT_TRUE(hint.contains(QStringLiteral("choose a text file"))) << hint.toStdString();
    const auto kindOf = [&](const QString& sentence) {
        for (const QLabel* label : live.page->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(sentence)) return label->property("kind").toString();
        return QString();
    };
    EXPECT_EQ(kindOf(hint), QStringLiteral("secondary"));
    EXPECT_FALSE(live.create()->isEnabled());
    live.type("/data/path", "/no/such/file.txt");
    const QString refusal = live.refusalAt("/data/path");
    ASSERT_FALSE(refusal.isEmpty());
    EXPECT_EQ(kindOf(refusal), QStringLiteral("danger"));
    live.type("/data/path", "");
    EXPECT_TRUE(QTest::qWaitFor([&] { return kindOf(hint) == QStringLiteral("secondary"); }, kPatienceMs));
    EXPECT_FALSE(live.create()->isEnabled());
}

TEST(PickerPage, EveryKindOfModelIsPlannedAndCanBeCreated) {
    for (const std::string& kind : modelKinds()) {
        const char* const model = kind.c_str();
        const char* const data = takesTokens(kind) ? "synthetic-tokens" : kind == "mlp" ? "synthetic-images" : "digits";
        LivePicker live;
        ASSERT_TRUE(live.open());
        live.choose("/data/name", data);
        ASSERT_TRUE(live.isPlanned()) << data;
        live.choose("/model/kind", model);
        live.type("/data/batch_size", "4");
        ASSERT_TRUE(live.isPlanned()) << model;
        live.child<CheckBox>("BF16")->click();
        live.child<CheckBox>("FP16")->click();
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.page->ledger().columnCount() == 3 && live.isPlanned(); }, kPatienceMs));
        QTest::keyClick(live.edit("/data/batch_size"), Qt::Key_Return);
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.page.isNull(); }, kPatienceMs)) << "Enter creates, and the page closes";
        ASSERT_EQ(live.session.runs().size(), 2u);
        EXPECT_EQ(live.session.runs()[1]->info.policy, "bf16");
        EXPECT_EQ(live.session.runs()[0]->info.settings.training.model.kind, model);
        live.engine.send(SingleStep{});
        EXPECT_TRUE(live.reaches(1)) << model;
    }
}

/// Enter may come before the engine has looked at the last keystroke.
TEST(PickerPage, CreatesOnceItKnowsThatItCan) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.type("/data/batch_size", "0");
    QTest::keyClick(live.edit("/data/batch_size"), Qt::Key_Return);
    EXPECT_FALSE(live.refusalAt("/data/batch_size").isEmpty());
    ASSERT_FALSE(live.page.isNull());
    EXPECT_EQ(live.session.experiment().title, "Two formats") << "nothing was loaded";
    live.type("/data/batch_size", "5");
    QTest::keyClick(live.edit("/data/batch_size"), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.page.isNull(); }, kPatienceMs));
    EXPECT_EQ(live.session.runs()[0]->info.settings.training.data.batchSize, 5);
}

TEST(PickerPage, EscapeLeavesWhatIsLoaded) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    const QString before = live.session.experimentText();
    live.choose("/model/kind", "resnet");
    ASSERT_TRUE(live.isPlanned());
    QTest::keyClick(live.page, Qt::Key_Escape);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.page.isNull(); }, kPatienceMs));
    EXPECT_EQ(loaded.count(), 0);
    EXPECT_EQ(live.session.experimentText(), before);
}

/// What only loading finds out leaves the page as it is.
TEST(PickerPage, ARefusalAfterCreateIsToldAndLosesNothing) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("text.txt")));
    ASSERT_TRUE(file.open(QFile::WriteOnly));
    file.write(QByteArray("what colours are made of, and what light is. ").repeated(200));
    file.close();
    live.choose("/data/name", "text");
    ASSERT_FALSE(live.hintAt("/data/path").isEmpty());
    live.type("/data/path", qPrintable(file.fileName()));
    live.choose("/model/kind", "gpt");
    ASSERT_TRUE(live.isPlanned());
    ASSERT_TRUE(file.remove());
    QTest::mouseClick(live.create(), Qt::LeftButton);
    EXPECT_TRUE(live.refusalAt("/data/path").contains(QStringLiteral("there is no such file")));
    ASSERT_FALSE(live.page.isNull());
    EXPECT_FALSE(live.page->isWaiting());
    EXPECT_EQ(live.session.experiment().title, "Two formats");
    EXPECT_EQ(live.edit("/data/path")->text(), file.fileName());
}

TEST(PickerPage, WeightsThatCannotBeHadAreNamedAtTheirField) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.type("/init/weights", "/no/such.safetensors");
    EXPECT_TRUE(live.refusalAt("/init/weights").contains(QStringLiteral("there is no such file")));
    EXPECT_FALSE(live.create()->isEnabled());
}

/// What is edited after Create is another draft, which nobody has asked to be created.
TEST(PickerPage, AnEditTakesCreateBack) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    const auto engine = static_cast<pid_t>(live.engine.processId());
    ASSERT_EQ(kill(engine, SIGSTOP), 0);
    live.type("/data/batch_size", "5");
    QTest::mouseClick(live.create(), Qt::LeftButton);
    live.type("/data/batch_size", "7");
    ASSERT_EQ(kill(engine, SIGCONT), 0);
    ASSERT_FALSE(QTest::qWaitFor([&] { return live.page.isNull(); }, PickerPage::kAskDelayMs + 500)) << "it was created";
    ASSERT_TRUE(live.isPlanned());
    EXPECT_FALSE(live.page->isWaiting());
    EXPECT_EQ(live.session.experiment().title, "Two formats");
}

TEST(PickerPage, WithoutACardThereIsNoBatch) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    auto* card = live.child<QLineEdit>("GPU memory in GiB");
    card->setFocus();
    card->selectAll();
    QTest::keyClicks(card, QStringLiteral("x"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.shown(LedgerModel::BatchRow, 1) == QStringLiteral("\u2013"); }, kPatienceMs));
}

TEST(PickerPage, ALargerCardTakesALargerBatch) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    const auto batch = [&] {
        return static_cast<std::int64_t>(
            parseNumber(live.page->ledger().index(LedgerModel::BatchRow, 1).data(Qt::ToolTipRole).toString()).value_or(0));
    };
    const std::int64_t at8 = batch();
    auto* card = live.child<QLineEdit>("GPU memory in GiB");
    card->setFocus();
    card->selectAll();
    QTest::keyClicks(card, QStringLiteral("16"));
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return live.shown(LedgerModel::BatchRow, 0) == QStringLiteral("batch for 16 GiB") && live.isPlanned(); }, kPatienceMs));
    EXPECT_GT(batch(), 19 * at8 / 10);
}

/// From field to field as they stand, past the last one to the formats, and to Create.
TEST(PickerPage, TabGoesThroughItInOrder) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    live.choose("/data/name", "text");  // its rows are made anew in the middle
    ASSERT_FALSE(live.hintAt("/data/path").isEmpty());
    live.page->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(live.page, kPatienceMs));
    live.cell("/data/name")->control()->setFocus();
    QStringList reached;
    do {
        QTest::keyClick(live.page->focusWidget(), Qt::Key_Tab);
        reached << live.page->focusWidget()->accessibleName();
    } while (live.page->focusWidget() != live.cell("/data/name")->control() && reached.size() < 200);
    EXPECT_EQ(reached.value(reached.size() - 2), QStringLiteral("Title of the experiment")) << "above the first field";
    const QStringList expected{"data path", "Browse for data path", "model", "Browse for initial weights", "optimizer", "steps",
                               "FP32",      "GPU memory in GiB",    "Cancel"};
    int before = -1;
    for (const QString& name : expected) {
        const int at = static_cast<int>(reached.indexOf(name));
        EXPECT_GT(at, before) << name.toStdString() << " in " << reached.join(", ").toStdString();
        before = at;
    }
}

TEST(PickerPage, AnswersToEarlierQuestionsAreNotShown) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    const int columns = live.page->ledger().columnCount();
    ExperimentPreviewed late;
    late.commandId = 1;  // the experiment's own loading
    late.runs = {{"x", "fp32", "", {}, 1}};
    live.session.handle(late);
    EXPECT_EQ(live.page->ledger().columnCount(), columns);
}

TEST(PickerPage, SaysWhatAnAnswerIsWaitingFor) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    auto* foot = live.page->findChild<QLabel*>(QStringLiteral("foot"));
    const auto engine = static_cast<pid_t>(live.engine.processId());
    ASSERT_EQ(kill(engine, SIGSTOP), 0);  // as slow as can be
    live.type("/data/batch_size", "32");
    EXPECT_TRUE(QTest::qWaitFor([&] { return foot->text().contains(QStringLiteral("reads the data")); }, kPatienceMs));
    ASSERT_EQ(kill(engine, SIGCONT), 0);
    ASSERT_TRUE(live.isPlanned());
    EXPECT_EQ(foot->text(), QString());
}

TEST(PickerPage, EveryFocusablePartHasAName) {
    LivePicker live;
    ASSERT_TRUE(live.open());
    int checked = 0;
    for (const QWidget* widget : live.page->findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
        ++checked;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
    EXPECT_GT(checked, 30);
}

}  // namespace
}  // namespace mantissa::gui
