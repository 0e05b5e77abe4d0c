// SPDX-License-Identifier: Apache-2.0
// Notes, and removed runs that come back: as they were told, and as a recording has them.
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "engine/session/recording_export.h"
#include "engine/session/replay.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::expectSameBits;
using test::SessionFixture;

class Notes : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("notes_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();
    Notes() { fs::create_directories(folder); }
    ~Notes() override { fs::remove_all(folder); }
};

/// The notes as the window would know them.
std::map<std::int32_t, Note> notesOf(const SessionFixture& lab) {
    std::map<std::int32_t, Note> notes;
    for (const Event& event : lab.events) {
        if (const auto* written = std::get_if<NoteWritten>(&event)) notes[written->note.id] = written->note;
        if (const auto* gone = std::get_if<NoteRemoved>(&event)) notes.erase(gone->note);
        if (const auto* removed = std::get_if<RunRemoved>(&event))
            std::erase_if(notes, [&](const auto& entry) { return entry.second.run == removed->run; });
    }
    return notes;
}

TEST_F(Notes, AreWrittenEditedRemovedAndComeBackUnderTheirNumber) {
    SessionFixture lab;
    EXPECT_NE(lab.command(WriteNote{{-1, -1, 3, "too early"}}), "") << "there is no experiment yet";
    lab.load(test::task(test::kTwoRuns));
    const RunId a = lab.run("a").id;
    ASSERT_EQ(lab.command(WriteNote{{-1, -1, 5, "look here"}}), "");
    ASSERT_EQ(lab.command(WriteNote{{-1, a, 7, "a only"}}), "");
    ASSERT_EQ(lab.command(WriteNote{{0, -1, 5, "look again"}}), "");
    auto notes = notesOf(lab);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(notes[0].text, "look again");
    EXPECT_EQ(notes[1].run, a);
    ASSERT_EQ(lab.command(RemoveNote{0}), "");
    EXPECT_EQ(notesOf(lab).size(), 1u);
    EXPECT_NE(lab.command(RemoveNote{0}), "") << "it is gone";
    ASSERT_EQ(lab.command(WriteNote{{0, -1, 5, "back"}}), "");
    EXPECT_EQ(notesOf(lab).at(0).text, "back");

    for (const Note& bad : {Note{-1, -1, 5, ""}, Note{-1, -1, 5, "two\nlines"}, Note{-1, -1, -1, "x"}, Note{9, -1, 5, "x"},
                            Note{-1, 77, 5, "x"}, Note{-1, -1, 5, std::string(1001, 'x')}})
        EXPECT_NE(lab.command(WriteNote{bad}), "") << bad.text;
    EXPECT_EQ(notesOf(lab).size(), 2u);
    lab.load(test::task(test::kTwoRuns));
    EXPECT_NE(lab.command(RemoveNote{0}), "") << "another experiment has none";
}

TEST_F(Notes, AreInTheRecordingAndInExportsAndTrainNothing) {
    std::vector<StepRecord> told;
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(test::task(test::kTwoRuns));
        lab.trainTo(10);
        ASSERT_EQ(lab.command(WriteNote{{-1, -1, 4, "for \"all\""}}), "");
        ASSERT_EQ(lab.command(WriteNote{{-1, lab.run("b").id, 8, "for b"}}), "");
        ASSERT_EQ(lab.command(WriteNote{{-1, -1, 9, "gone"}}), "");
        ASSERT_EQ(lab.command(RemoveNote{2}), "");
        lab.trainTo(20);
        told = lab.recordsOf("b");
        ASSERT_EQ(lab.command(ExportRuns{"jsonl", (folder / "out").string()}), "");
        ASSERT_EQ(lab.command(ExportRuns{"csv", (folder / "out").string()}), "");
    }
    const Recording recording(file);
    EXPECT_FALSE(replay(recording, createCpuBackend(), [](std::int64_t) { return true; }).first.has_value());
    const std::vector<ExportedRun> runs = recordedRuns(recording);
    ASSERT_EQ(runs.size(), 2u);
    ASSERT_EQ(runs[0].notes.size(), 1u);
    EXPECT_EQ(runs[0].notes[0].text, "for \"all\"");
    ASSERT_EQ(runs[1].notes.size(), 2u);
    EXPECT_EQ(runs[1].notes[1].step, 8);

    const auto textOf = [&](const char* name) {
        std::stringstream text;
        text << std::ifstream(folder / "out" / name).rdbuf();
        return text.str();
    };
    EXPECT_NE(textOf("a.jsonl").find(R"({"event":"note","step":4,"text":"for \"all\""})"), std::string::npos);
    EXPECT_EQ(textOf("a.jsonl").find("for b"), std::string::npos);
    EXPECT_EQ(textOf("b.csv").find("for b"), std::string::npos) << "the CSV has columns, and no more";

    SessionFixture again;
    ASSERT_EQ(again.command(OpenRecording{file}), "");
    EXPECT_EQ(notesOf(again).size(), 2u);
    expectSameBits(again.recordsOf("b"), told);
    ASSERT_EQ(again.command(RemoveNote{1}), "") << "the session knows them too";
    ASSERT_EQ(again.command(WriteNote{{-1, -1, 3, "next"}}), "");
    EXPECT_EQ(again.all<NoteWritten>().back().note.id, 3) << "no number is given twice";
}

TEST_F(Notes, ARemovedRunComesBackAsItWas) {
    std::vector<StepRecord> a, b;
    {
        SessionFixture plain;
        plain.load(test::task(test::kTwoRuns));
        plain.trainTo(40);
        b = plain.recordsOf("b");
    }
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(test::task(test::kTwoRuns));
        lab.trainTo(20);
        const RunId id = lab.run("b").id;
        ASSERT_EQ(lab.command(WriteNote{{-1, id, 8, "for b"}}), "");
        ASSERT_EQ(lab.command(RemoveRun{id}), "");
        EXPECT_TRUE(lab.all<RunRemoved>().back().canBeRestored);
        EXPECT_TRUE(notesOf(lab).empty());
        lab.trainTo(30);
        ASSERT_EQ(lab.command(RenameRun{lab.run("a").id, "b"}), "");
        ASSERT_EQ(lab.command(RestoreRun{id}), "");
        EXPECT_EQ(lab.run("b 2").id, id) << "its name was taken meanwhile";
        EXPECT_EQ(notesOf(lab).size(), 1u);
        lab.trainTo(40);
        expectSameBits(lab.records[id], b);
        EXPECT_NE(lab.command(RestoreRun{id}), "") << "it is there";
        a = lab.recordsOf("b");
    }
    EXPECT_FALSE(replay(Recording(file), createCpuBackend(), [](std::int64_t) { return true; }).first.has_value());
    ASSERT_EQ(recordedRuns(Recording(file)).size(), 2u);
    SessionFixture again;
    ASSERT_EQ(again.command(OpenRecording{file}), "");
    EXPECT_EQ(again.runs().size(), 2u);
    expectSameBits(again.recordsOf("b 2"), b);
    expectSameBits(again.recordsOf("b"), a);
    EXPECT_NE(again.session.trainer(again.run("b 2").id), nullptr) << "it can go on";
}

TEST_F(Notes, OnlyTheLatestRemovedRunsAreKept) {
    SessionFixture lab;
    lab.load(test::task(test::kTwoRuns));
    std::vector<RunId> ids;
    for (std::size_t i = 0; i <= kMostRestorable; ++i) {
        ASSERT_EQ(lab.command(DuplicateRun{lab.run("a").id}), "");
        ids.push_back(lab.all<RunAdded>().back().info.id);
    }
    for (const RunId id : ids) ASSERT_EQ(lab.command(RemoveRun{id}), "");
    EXPECT_NE(lab.command(RestoreRun{ids.front()}).find("gone for good"), std::string::npos);
    EXPECT_EQ(lab.command(RestoreRun{ids.back()}), "");
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    EXPECT_NE(lab.command(RestoreRun{ids[1]}), "") << "what begins anew has no runs of before";
}

}  // namespace
}  // namespace mantissa
