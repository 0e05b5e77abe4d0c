// SPDX-License-Identifier: GPL-3.0-or-later
// Replays a recording with a separate engine process ("mantissa replay"), so that the window's engine is not disturbed. GUI thread only.
#pragma once

#include <QObject>
#include <QProcess>

namespace mantissa::gui {

class Replay : public QObject {
    Q_OBJECT
public:
    /// `engine`: program and arguments of the window's engine.
    explicit Replay(const QStringList& engine, QObject* parent = nullptr);
    ~Replay() override;

    /// Returns whether that engine can replay.
    bool isPossible() const { return !m_commandLine.isEmpty(); }
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    void start(const QString& recording);
    /// Stops the replay without a result.
    void stop();

signals:
    void progressed(qint64 steps, qint64 all);
    /// Emitted with the result as a sentence; `isIdentical` is false for a difference and for a recording that cannot be replayed.
    void ended(const QString& sentence, bool isIdentical);
    void stopped();

private:
    QProcess m_process;
    QStringList m_commandLine;  // without the file
    QString m_lastWords;
    bool m_isStopped = false;

    void readProgress();
    void showResult();
};

}  // namespace mantissa::gui
