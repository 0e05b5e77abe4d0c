// SPDX-License-Identifier: GPL-3.0-or-later
// Records changes of runs, settings and notes for undo. It observes commands sent to the engine and the window's changes, and puts one
// entry for each on the stack; an entry sends commands in turn. Training steps are never undone: those trained with an undone setting stay,
// and a fork from before them is offered. GUI thread only.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "gui/link/engine_client.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class UndoLog : public QObject {
    Q_OBJECT
public:
    UndoLog(SessionModel* session, EngineClient* engine, QUndoStack* stack);

    /// The remains of an undone change: `run` was trained with it from `step` on.
    struct Remains {
        RunId run = -1;
        std::int64_t step = 0;
    };
    /// Returns the remains of the latest change that was undone; nothing: no step was trained with it.
    const std::optional<Remains>& remains() const { return m_remains; }

    /// Sends a command that accompanies another change, without an entry for undo.
    void sendAside(CommandBody body);

signals:
    void said(const QString& sentence);
    void remainsChanged();

private:
    struct Change {
        RunId run;
        QString name, label;  // of the run and of the setting, for display
        std::vector<SettingChange> before, after;
        QString shownBefore, shownAfter;
        std::int64_t step = -1;  // at which it takes effect; -1: not known yet
    };

    void follow(quint64 id, const CommandBody& body);
    void finish(quint64 id);
    /// Pushes an entry before the engine has answered, so that entries are in the order of the user's actions. It is removed if the engine
    /// refuses.
    void pushAtOnce(std::uint64_t id, const QString& text, std::function<bool()> back, std::function<bool()> again);
    void push(const QString& text, std::function<bool()> back, std::function<bool()> again);
    void followChange(quint64 id, const ChangeSetting& change);
    void followRemoval(quint64 id, const RunState& run);
    void followNewRun(quint64 id);
    void followNote(quint64 id, const Note& note);
    void followArrangement(quint64 id, const std::vector<RunStyle>& styles);

    /// Sends a command without recording it.
    std::uint64_t send(CommandBody body);
    /// Returns the id of the first command; 0: no engine runs.
    std::uint64_t apply(RunId run, const std::vector<SettingChange>& changes, const QString& shown);
    bool takeBack(const Change& change);
    bool makeAgain(const std::shared_ptr<Change>& change);
    void awaitEffect(std::uint64_t id, const std::shared_ptr<Change>& change);
    bool bringBack(RunId run, const Json& settings, const QString& name);
    void setRemains(std::optional<Remains> remains);
    RunId now(RunId run) const;  // the current id of a run that was recreated
    const RunState* runNow(RunId run) const { return m_session->run(now(run)); }
    std::set<RunId> runIds() const;

    SessionModel* m_session;
    EngineClient* m_engine;
    QUndoStack* m_stack;
    std::map<quint64, std::function<void()>> m_waiting;    // called when the engine has executed a command
    std::map<quint64, std::function<void()>> m_otherwise;  // called when the engine refuses it
    std::map<RunId, RunId> m_heirs;
    std::optional<RunId> m_awaited;  // the run whose replacement is pending
    std::set<RunId> m_knownRuns;
    std::optional<Remains> m_remains;
    std::map<RunId, std::string> m_nextNames;  // requested since a change of the run was undone
    bool m_isOwn = false;
};

}  // namespace mantissa::gui
