// SPDX-License-Identifier: GPL-3.0-or-later
// What a window notes for the next one: whether it ended as it should, what it was recording into, whether it records at all. One window
// at a time keeps notes; a second one beside it has none. GUI thread only.
#pragma once

#include <QLockFile>
#include <QSettings>
#include <QString>
#include <memory>

namespace mantissa::gui {

class SessionMemory {
public:
    /// In `folder`, which is made; empty: nothing is noted anywhere.
    explicit SessionMemory(const QString& folder);

    /// Where recordings are kept; empty: nowhere.
    QString recordingsFolder() const;
    bool wantsRecording() const;
    void setWantsRecording(bool wants);
    /// Whether logs that are imported are followed while they grow.
    bool followsLogs() const;
    void setFollowsLogs(bool follows);
    /// The file of all notes, which a second window reads too; empty: there is none.
    QString notesFile() const;
    /// Where a window's other memories go (LayoutMemory); null: nowhere.
    QSettings* notes() const { return m_notes.get(); }

    /// The bundled lessons that were played to their end.
    QStringList finishedLessons() const;
    void noteFinishedLesson(const QString& name);

    /// Whether nobody has ever opened a window with these notes; from then on somebody has.
    bool takeFirstStart();

    /// What the window before this one was recording into when it ended without a word; empty: it ended as it should.
    const QString& unfinished() const { return m_unfinished; }
    void noteRecording(const QString& path);
    void noteEnd();

private:
    QString m_folder, m_unfinished;
    std::unique_ptr<QLockFile> m_lock;
    std::unique_ptr<QSettings> m_notes;  // null: another window keeps them
};

}  // namespace mantissa::gui
