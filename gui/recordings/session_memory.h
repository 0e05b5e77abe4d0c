// SPDX-License-Identifier: GPL-3.0-or-later
// Settings saved for the next session: whether the window closed properly, its current recording, whether it records. Only one window at a
// time saves them; a second one does not. GUI thread only.
#pragma once

#include <QLockFile>
#include <QSettings>
#include <QString>
#include <memory>

namespace mantissa::gui {

class SessionMemory {
public:
    /// Uses `folder`, created if needed; empty: nothing is saved.
    explicit SessionMemory(const QString& folder);

    /// Returns the folder of recordings; empty: none.
    QString recordingsFolder() const;
    bool wantsRecording() const;
    void setWantsRecording(bool wants);
    /// Returns whether imported logs are updated while they grow.
    bool followsLogs() const;
    void setFollowsLogs(bool follows);
    /// Returns the settings file, which a second window also reads; empty: none.
    QString notesFile() const;
    /// Returns the storage for other settings of the window (LayoutMemory); null: none.
    QSettings* notes() const { return m_notes.get(); }

    /// Returns the bundled lessons that were completed.
    QStringList finishedLessons() const;
    void noteFinishedLesson(const QString& name);

    /// Returns true only at the first start with these settings.
    bool takeFirstStart();

    /// Returns the recording of the last session if it did not close properly; empty: it did.
    const QString& unfinished() const { return m_unfinished; }
    void noteRecording(const QString& path);
    void noteEnd();

private:
    QString m_folder, m_unfinished;
    std::unique_ptr<QLockFile> m_lock;
    std::unique_ptr<QSettings> m_notes;  // null: another window has them
};

}  // namespace mantissa::gui
