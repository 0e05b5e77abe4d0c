// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recordings/session_memory.h"

#include <QDir>
#include <QFileInfo>

namespace mantissa::gui {
namespace {

const QString kRecording = QStringLiteral("session/recording"), kWantsRecording = QStringLiteral("recording/wanted"),
              kFollowsLogs = QStringLiteral("import/follow"), kFinished = QStringLiteral("lessons/finished"),
              kGreeted = QStringLiteral("window/greeted");

}  // namespace

SessionMemory::SessionMemory(const QString& folder) : m_folder(folder) {
    if (folder.isEmpty() || !QDir().mkpath(folder)) return;
    m_lock = std::make_unique<QLockFile>(QDir(folder).filePath(QStringLiteral("window.lock")));
    m_lock->setStaleLockTime(0);  // a window may be open for days; QLockFile detects a lock of a dead process
    if (!m_lock->tryLock()) return;
    m_notes = std::make_unique<QSettings>(notesFile(), QSettings::IniFormat);
    const QString path = m_notes->value(kRecording).toString();
    if (QFileInfo(path).isFile()) m_unfinished = path;
}

QString SessionMemory::recordingsFolder() const {
    return m_folder.isEmpty() ? QString() : QDir(m_folder).filePath(QStringLiteral("recordings"));
}

QString SessionMemory::notesFile() const {
    return m_folder.isEmpty() ? QString() : QDir(m_folder).filePath(QStringLiteral("window.ini"));
}

bool SessionMemory::wantsRecording() const {
    return !m_notes || m_notes->value(kWantsRecording, true).toBool();
}

void SessionMemory::setWantsRecording(bool wants) {
    if (m_notes) m_notes->setValue(kWantsRecording, wants);
}

bool SessionMemory::followsLogs() const {
    return m_notes && m_notes->value(kFollowsLogs, false).toBool();
}

void SessionMemory::setFollowsLogs(bool follows) {
    if (m_notes) m_notes->setValue(kFollowsLogs, follows);
}

QStringList SessionMemory::finishedLessons() const {
    return m_notes ? m_notes->value(kFinished).toStringList() : QStringList();
}

void SessionMemory::noteFinishedLesson(const QString& name) {
    QStringList finished = finishedLessons();
    if (!m_notes || finished.contains(name)) return;
    m_notes->setValue(kFinished, finished << name);
}

bool SessionMemory::takeFirstStart() {
    if (!m_notes || m_notes->value(kGreeted).toBool()) return false;
    m_notes->setValue(kGreeted, true);
    m_notes->sync();  // must survive a crash, so that the greeting is shown once
    return true;
}

void SessionMemory::noteRecording(const QString& path) {
    if (!m_notes || m_notes->value(kRecording).toString() == path) return;
    m_notes->setValue(kRecording, path);
    m_notes->sync();  // must survive a crash
}

void SessionMemory::noteEnd() {
    if (m_notes) m_notes->remove(kRecording);
}

}  // namespace mantissa::gui
