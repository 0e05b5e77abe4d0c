// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the session model: their order and styles, which are selected, hidden or removed, and the settings, markers and notes at
// their steps. Only the engine's events change it. GUI thread only.
#pragma once

#include <QObject>
#include <deque>
#include <map>
#include <memory>

#include "engine/experiment/messages.h"
#include "gui/link/run_state.h"

namespace mantissa::gui {

/// A setting that took effect, for the flags and the event list.
struct Marker {
    RunId run = 0;
    std::int64_t step = 0;
    QString pointer, label, from, to;
    std::shared_ptr<const RunSettings> before;  // the run's settings before
};

class RunsModel : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Returns the runs in display order, the same in every view: a fork is below its parent (run_order.h).
    const std::vector<std::unique_ptr<RunState>>& runs() const { return m_runs; }
    RunState* run(RunId id);
    const RunState* run(RunId id) const;
    /// Returns whether the engine trains any of the runs, or can.
    bool hasOwnRuns() const;
    /// Returns the run that a run was forked from; null: none, or it was removed.
    const RunState* parentOf(const RunState& run) const { return run.info.parent < 0 ? nullptr : this->run(run.info.parent); }
    /// Returns the number of forks between a run of the experiment and this one.
    int depthOf(const RunState& run) const;
    /// Returns the settings before `step`, without changes that take effect at it or later.
    const RunSettings& settingsBefore(const RunState& run, std::int64_t step) const;
    const std::vector<Marker>& markers() const { return m_markers; }
    /// Returns the user's notes by number, without those of removed runs.
    const std::map<std::int32_t, Note>& notes() const { return m_notes; }
    /// Returns the largest number of steps of a live run; without live runs, as plottedSteps.
    std::int64_t stepCount() const;
    /// Returns the largest number of steps of all runs.
    std::int64_t plottedSteps() const;

    RunId selected() const { return m_selected; }
    void select(RunId id);
    /// Hides or shows a run. `isUserAction`: it is an action of the user, who may undo it.
    void setHidden(RunId id, bool hidden, bool isUserAction = true);
    /// Hides a run and all information about it until a lesson's answer is shown.
    void setWithheld(RunId id, bool withheld);
    /// Shows all withheld runs again, including removed ones that may be restored.
    void endWithholding();
    /// Stores a request until the engine answers.
    void notePending(RunId run, const PendingChange& change);
    /// Stores a request to arrange all runs until the engine answers.
    void noteArranging(std::uint64_t commandId, std::vector<RunStyle> styles);
    /// Returns the latest pending arrangement; empty: none.
    const std::vector<RunStyle>& requestedStyles() const { return m_requestedStyles; }
    /// Returns whether the engine has confirmed an arrangement of the runs since the experiment was loaded.
    bool isArranged() const { return m_isArranged; }
    /// Makes the next experiment use its own run styles instead of those of earlier runs with the same names.
    void forgetStyles() { m_keepsStyles = false; }

signals:
    void experimentLoaded();   // all runs are new
    void runsChanged();        // added, removed, renamed, hidden, in another order
    void runChanged(int run);  // settings, plan, pending, name, text, stopped
    /// Emitted when a changed setting takes effect, with the texts of its marker.
    void settingApplied(int run, const QString& pointer, const QString& from, const QString& to);
    void markersChanged();  // also checkpoints
    void notesChanged();
    void stylesRequested();                  // another order or style, not yet answered by the engine
    void runHidden(int run, bool isHidden);  // by the user, before runsChanged
    void runRevealed(int run);               // no longer withheld, before runsChanged
    void selectionChanged();
    void seriesReset();                     // all series are cleared
    void runRewound(int run, qint64 step);  // its series now end before `step`

protected:
    /// Replaces all runs. Those of an experiment that is loaded again, `isSame`, keep their styles.
    void load(const ExperimentLoaded& event, bool isSame);
    void dropPending(std::uint64_t commandId);
    /// Drops all pending requests.
    void dropAllPending();

    void take(const RunChanged& event);
    void take(const RunAdded& event);
    void take(const RunRemoved& event);
    void take(const RunRestored& event);
    void take(const RunsArranged& event);
    void take(const NoteWritten& event);
    void take(const NoteRemoved& event);
    void take(RunState& run, const SettingApplied& event);
    void take(RunState& run, const RunRewound& event);
    void take(const ExperimentReset& event);

private:
    std::vector<std::unique_ptr<RunState>> m_runs;
    std::vector<Marker> m_markers;
    std::map<std::int32_t, Note> m_notes;
    /// A removed run that can be restored: the engine sends its steps only once.
    struct Removed {
        std::unique_ptr<RunState> run;
        std::vector<Marker> markers;
        std::vector<RunId> below;  // the runs below it, from top to bottom
    };
    std::deque<Removed> m_removed;  // the latest last
    RunId m_selected = -1;
    std::vector<RunStyle> m_requestedStyles;
    std::uint64_t m_arranging = 0;  // the pending command
    bool m_isArranged = false;
    bool m_keepsStyles = true;  // styles, in the next experiment, by the runs' names

    /// Returns the lowest identity used by the fewest runs: 0..5 for up to six runs.
    int freeIdentity() const;
    /// Returns the identity for a new run of this kind.
    int identityFor(const RunInfo& info) const;
    RunState& addRun(const RunInfo& info, int identity);
    /// Inserts a run below its parent and the parent's other forks, or at the end without a parent, but above the first run of `below` that
    /// is there.
    RunState& insertRun(std::unique_ptr<RunState> state, const std::vector<RunId>& below = {});
    void endArranging() { m_requestedStyles.clear(), m_arranging = 0; }
};

}  // namespace mantissa::gui
