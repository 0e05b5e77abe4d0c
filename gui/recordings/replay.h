// SPDX-License-Identifier: GPL-3.0-or-later
// A recording trained once more by an engine of its own ("mantissa replay"), so that the one of the window goes on undisturbed. GUI thread
// only.
#pragma once

#include <QObject>
#include <QProcess>

namespace mantissa::gui {

class Replay : public QObject {
    Q_OBJECT
public:
    /// `engine`: program and arguments that serve a window.
    explicit Replay(const QStringList& engine, QObject* parent = nullptr);
    ~Replay() override;

    /// Whether that engine is one that can be asked for it.
    bool isPossible() const { return !m_commandLine.isEmpty(); }
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    void start(const QString& recording);
    /// Ends it without a result.
    void stop();

signals:
    void progressed(qint64 steps, qint64 all);
    /// A sentence; `isIdentical` is false for a difference and for what could not be replayed.
    void ended(const QString& sentence, bool isIdentical);
    void stopped();

private:
    QProcess m_process;
    QStringList m_commandLine;  // up to the file
    QString m_lastWords;
    bool m_isStopped = false;

    void readProgress();
    void tellResult();
};

}  // namespace mantissa::gui
