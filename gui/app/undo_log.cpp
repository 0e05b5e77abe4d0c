// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/undo_log.h"

#include <algorithm>
#include <utility>

#include "gui/controls/number_text.h"
#include "gui/link/run_order.h"

namespace mantissa::gui {
namespace {

constexpr int kMostEntries = 100;

/// An entry of the stack. `back` and `again` return whether there was anything to do; an entry whose object is gone is removed.
class UserAction : public QUndoCommand {
public:
    UserAction(const QString& text, std::function<bool()> back, std::function<bool()> again)
        : QUndoCommand(text), m_back(std::move(back)), m_again(std::move(again)) {}
    void undo() override { setObsolete(!m_back()); }
    void redo() override {
        // The action is already done when the entry is pushed.
        if (std::exchange(m_isNew, false)) return;
        setObsolete(!m_again());
    }

private:
    std::function<bool()> m_back, m_again;
    bool m_isNew = true;
};

bool isInjected(const std::string& pointer) {
    return pointer == kInjectInputPointer || pointer == kInjectLabelPointer || pointer == kInjectTensorPointer ||
           pointer == kResetStatisticsPointer || pointer == kResetScalerPointer;
}

/// Settings that restore `pointer` as it is in `run` now. Parts of a precision or of a scaler are set as a whole, since one part
/// may change others.
std::vector<SettingChange> valuesOf(const RunState& run, const std::string& pointer) {
    const Json settings = runToJson(run.info.settings);
    const auto valueOf = [&](const std::string& place) {
        const Json::json_pointer at(place);
        return settings.contains(at) ? settings[at] : Json();
    };
    const PendingChange* pending = run.requestFor(QString::fromStdString(pointer));
    if (pending) return {{pointer, pending->value}};
    std::vector<SettingChange> values;
    const bool isPrecision = pointer.starts_with("/precision"), isScaler = pointer.starts_with("/scaler");
    const bool isScaled = run.info.settings.training.scaler.preset != "none";
    if (pointer != kScalePointer) {
        if (isPrecision) values.push_back({"/precision", valueOf("/precision")});
        if ((isPrecision && settings.contains("scaler")) || isScaler) {
            if (settings.contains("scaler"))
                values.push_back({"/scaler", settings["scaler"]});
            else
                values.push_back({"/scaler/preset", run.info.settings.training.scaler.preset});
        }
        if (!isPrecision && !isScaler) values.push_back({pointer, valueOf(pointer)});
    }
    if ((isPrecision || isScaler) && isScaled) values.push_back({kScalePointer, run.nextScale});
    return values;
}

QString shownValue(const SettingChange& change) {
    if (change.pointer == kScalePointer) return scaleText(change.value.get<double>());
    if (change.value.is_string()) return QString::fromStdString(change.value.get<std::string>());
    return change.value.is_object() ? QString::fromStdString(change.value.value("preset", ""))
                                    : QString::fromStdString(change.value.dump());
}

QString shownSetting(const RunState& run, const std::string& pointer) {
    if (const PendingChange* pending = run.requestFor(QString::fromStdString(pointer))) return pending->requested;
    if (pointer == kScalePointer) return scaleText(run.nextScale);
    return shownText(QString::fromStdString(settingText(run.info.settings, pointer)));
}

}  // namespace

UndoLog::UndoLog(SessionModel* session, EngineClient* engine, QUndoStack* stack)
    : QObject(stack), m_session(session), m_engine(engine), m_stack(stack) {
    m_stack->setUndoLimit(kMostEntries);
    connect(m_engine, &EngineClient::sent, this, &UndoLog::follow);
    connect(m_engine, &EngineClient::answered, this, &UndoLog::finish);
    connect(m_session, &SessionModel::refused, this, [this](int, const QString&, const QString&, quint64 id) {
        m_waiting.erase(id);
        const auto otherwise = m_otherwise.extract(id);
        if (!otherwise.empty()) otherwise.mapped()();
    });
    connect(m_session, &SessionModel::experimentLoaded, this, [this] {
        m_stack->clear();
        m_waiting.clear();
        m_otherwise.clear();
        m_heirs.clear();
        m_awaited.reset();
        m_knownRuns = runIds();
        setRemains(std::nullopt);
    });
    connect(m_session, &SessionModel::runsChanged, this, [this] {
        if (!m_awaited) return;
        for (const RunId run : runIds())
            if (m_awaited && !m_knownRuns.contains(run)) m_heirs[*std::exchange(m_awaited, std::nullopt)] = run;
    });
    connect(m_session, &SessionModel::seriesReset, this, [this] { setRemains(std::nullopt); });
    connect(m_session, &SessionModel::runHidden, this, [this](int run, bool isHidden) {
        if (m_isOwn) return;
        const RunState* state = m_session->run(run);
        const auto set = [this, run](bool hidden) {
            if (!runNow(run)) return false;
            m_isOwn = true;
            m_session->setHidden(now(run), hidden);
            m_isOwn = false;
            return true;
        };
        push(
            isHidden ? tr("hiding of %1").arg(state->name()) : tr("showing of %1").arg(state->name()),
            [set, isHidden] { return set(!isHidden); }, [set, isHidden] { return set(isHidden); });
    });
}

std::set<RunId> UndoLog::runIds() const {
    std::set<RunId> ids;
    for (const auto& run : m_session->runs()) ids.insert(run->id);
    return ids;
}

RunId UndoLog::now(RunId run) const {
    for (auto heir = m_heirs.find(run); heir != m_heirs.end(); heir = m_heirs.find(run)) run = heir->second;
    return run;
}

void UndoLog::push(const QString& text, std::function<bool()> back, std::function<bool()> again) {
    m_stack->push(new UserAction(text, std::move(back), std::move(again)));
}

void UndoLog::pushAtOnce(std::uint64_t id, const QString& text, std::function<bool()> back, std::function<bool()> again) {
    const auto isRefused = std::make_shared<bool>(false);
    push(
        text, [isRefused, back = std::move(back)] { return !*isRefused && back(); }, std::move(again));
    const QUndoCommand* entry = m_stack->command(m_stack->count() - 1);
    m_otherwise[id] = [this, isRefused, entry] {
        *isRefused = true;
        // With other entries above it, it is removed after them.
        if (m_stack->count() > 0 && m_stack->index() == m_stack->count() && m_stack->command(m_stack->count() - 1) == entry)
            m_stack->undo();
    };
}

std::uint64_t UndoLog::send(CommandBody body) {
    m_isOwn = true;
    const std::uint64_t id = m_engine->send(std::move(body));
    m_isOwn = false;
    return id;
}

void UndoLog::sendAside(CommandBody body) {
    if (const auto* rename = std::get_if<RenameRun>(&body)) m_nextNames[rename->run] = rename->name;
    send(std::move(body));
}

void UndoLog::setRemains(std::optional<Remains> remains) {
    m_remains = remains;
    emit remainsChanged();
}

void UndoLog::follow(quint64 id, const CommandBody& body) {
    if (m_isOwn) return;
    if (const auto* change = std::get_if<ChangeSetting>(&body)) return followChange(id, *change);
    if (std::holds_alternative<DuplicateRun>(body) || std::holds_alternative<AddRun>(body)) return followNewRun(id);
    if (const auto* fork = std::get_if<ForkRun>(&body); fork && fork->whatIfSteps == 0) return followNewRun(id);
    if (const auto* write = std::get_if<WriteNote>(&body)) return followNote(id, write->note);
    if (const auto* arrange = std::get_if<ArrangeRuns>(&body)) return followArrangement(id, arrange->styles);
    if (const auto* remove = std::get_if<RemoveRun>(&body)) {
        if (const RunState* run = m_session->run(remove->run)) followRemoval(id, *run);
    } else if (const auto* rename = std::get_if<RenameRun>(&body)) {
        const RunState* run = m_session->run(rename->run);
        if (!run) return;
        const auto set = [this, which = rename->run](const std::string& name) {
            return runNow(which) && send(RenameRun{now(which), name}) != 0;
        };
        const std::string before = run->info.settings.name, after = rename->name;
        pushAtOnce(
            id, tr("renaming of %1 to %2").arg(QString::fromStdString(before), QString::fromStdString(after)),
            [set, before] { return set(before); }, [set, after] { return set(after); });
    } else if (const auto* gone = std::get_if<RemoveNote>(&body)) {
        const auto note = m_session->notes().find(gone->note);
        if (note == m_session->notes().end()) return;
        m_waiting[id] = [this, before = note->second] {
            push(
                tr("removal of a note"), [this, before] { return send(WriteNote{before}) != 0; },
                [this, before] { return m_session->notes().contains(before.id) && send(RemoveNote{before.id}) != 0; });
        };
    }
}

void UndoLog::finish(quint64 id) {
    const auto done = m_waiting.extract(id);
    m_otherwise.erase(id);
    if (!done.empty()) done.mapped()();
    m_knownRuns = runIds();
}

// ---- Settings ----

void UndoLog::followChange(quint64 id, const ChangeSetting& command) {
    const RunState* run = m_session->run(command.run);
    if (!run || isInjected(command.pointer)) return;  // a fault applies to one step and is not a setting
    auto change = std::make_shared<Change>();
    change->run = run->id;
    change->name = run->name();
    change->label = QString::fromStdString(settingLabel(command.pointer));
    change->before = valuesOf(*run, command.pointer);
    change->after = {{command.pointer, command.value}};
    change->shownBefore = shownSetting(*run, command.pointer);
    pushAtOnce(
        id, tr("change of %1 of %2").arg(change->label, change->name), [this, change] { return takeBack(*change); },
        [this, change] { return makeAgain(change); });
    awaitEffect(id, change);
}

/// Takes the new value as the engine reports it, and the step from which it applies.
void UndoLog::awaitEffect(std::uint64_t id, const std::shared_ptr<Change>& change) {
    change->step = -1;
    m_waiting[id] = [this, change] {
        const QString pointer = QString::fromStdString(change->after.front().pointer);
        const auto& markers = m_session->markers();
        const auto marker = std::find_if(markers.rbegin(), markers.rend(),
                                         [&](const Marker& each) { return each.run == now(change->run) && each.pointer == pointer; });
        if (marker == markers.rend()) return;
        change->step = marker->step;
        change->shownAfter = shownText(marker->to);
    };
}

std::uint64_t UndoLog::apply(RunId run, const std::vector<SettingChange>& changes, const QString& shown) {
    std::uint64_t first = 0;
    m_isOwn = true;
    for (const SettingChange& change : changes) {
        const bool isFirst = &change == &changes.front();
        const std::uint64_t id =
            m_engine->change(run, QString::fromStdString(change.pointer), change.value, isFirst ? shown : shownValue(change));
        if (isFirst) first = id;
    }
    m_isOwn = false;
    return first;
}

bool UndoLog::makeAgain(const std::shared_ptr<Change>& change) {
    const RunState* run = runNow(change->run);
    if (!run || !m_engine->isRunning()) return false;
    setRemains(std::nullopt);
    awaitEffect(apply(run->id, change->after, change->shownAfter), change);
    return true;
}

bool UndoLog::takeBack(const Change& change) {
    const RunState* run = runNow(change.run);
    if (!run || change.before.empty() || !m_engine->isRunning()) return false;
    const std::string& pointer = change.before.front().pointer;
    if (change.step >= 0 && pointer != kScalePointer && valuesOf(*run, pointer).front().value == change.before.front().value) {
        emit said(tr("%1 of %2 is %3 already.").arg(change.label, run->name(), change.shownBefore));  // for example after a rewind
        return false;
    }
    const auto& markers = m_session->markers();
    const bool isMarked =
        std::ranges::any_of(markers, [&](const Marker& marker) { return marker.run == run->id && marker.step == change.step; });
    // A reset repeated all steps with the change.
    const std::int64_t from = change.step < 0 ? run->stepCount() : isMarked ? change.step : run->info.firstStep;
    m_nextNames.erase(run->id);
    const std::uint64_t id = apply(run->id, change.before, change.shownBefore);
    const bool hasRemains = from < run->stepCount();
    setRemains(hasRemains ? std::optional(Remains{run->id, from}) : std::nullopt);
    // After the answer: a run that is named after its format has another name then.
    m_waiting[id] = [this, which = run->id, label = change.label, shown = change.shownBefore, hasRemains, from,
                     last = run->stepCount() - 1] {
        const RunState* state = m_session->run(which);
        if (!state) return;
        const auto next = m_nextNames.find(which);
        const QString name = next == m_nextNames.end() ? state->name() : QString::fromStdString(next->second);
        const QString head = tr("%1 of %2 is %3 again from its next step on.").arg(label, name, shown);
        emit said(hasRemains ? tr("%1 Steps %2 to %3 stay as they were trained: Edit > Fork goes on without them.")
                                   .arg(head, groupedText(from), groupedText(last))
                             : tr("%1 No step was trained with the other value.").arg(head));
    };
    return true;
}

// ---- Runs ----

/// Restores a run while the engine still has it; otherwise adds one with its settings, which trains from step 0.
bool UndoLog::bringBack(RunId run, const Json& settings, const QString& name) {
    const std::uint64_t id = m_engine->isRunning() ? m_engine->ask(RestoreRun{now(run)}) : 0;
    if (id == 0) return false;
    m_waiting[id] = [this, name] { emit said(tr("%1 is back with all of its steps.").arg(name)); };
    m_otherwise[id] = [this, run, settings, name] {
        if (settings.is_null()) return emit said(tr("%1 is gone for good.").arg(name));
        const std::uint64_t again = send(AddRun{settings});
        if (again == 0) return;
        m_awaited = now(run);
        m_waiting[again] = [this, name] {
            emit said(tr("%1 is back with its settings. Its steps are gone: it trains them again from step 0.").arg(name));
        };
    };
    return true;
}

void UndoLog::followRemoval(quint64 id, const RunState& run) {
    // Only a live run can be created again from its settings; other runs are restored completely, or not at all.
    m_waiting[id] = [this, which = run.id, name = run.name(), settings = run.isLive() ? runToJson(run.info.settings) : Json()] {
        push(
            tr("removal of %1").arg(name), [this, which, name, settings] { return bringBack(which, settings, name); },
            [this, which] { return runNow(which) && send(RemoveRun{now(which)}) != 0; });
    };
}

void UndoLog::followNewRun(quint64 id) {
    m_waiting[id] = [this] {
        const auto& runs = m_session->runs();
        const auto added = std::ranges::find_if(runs, [this](const auto& run) { return !m_knownRuns.contains(run->id); });
        if (added == runs.end()) return;
        const RunState& run = **added;
        push(
            tr("adding of %1").arg(run.name()), [this, which = run.id] { return runNow(which) && send(RemoveRun{now(which)}) != 0; },
            [this, which = run.id, name = run.name(), settings = runToJson(run.info.settings)] {
                return bringBack(which, settings, name);
            });
    };
}

void UndoLog::followArrangement(quint64 id, const std::vector<RunStyle>& styles) {
    const std::vector<RunStyle> before = stylesOf(*m_session);
    const auto isOrder = [](const RunStyle& a, const RunStyle& b) { return a.run == b.run; };
    const bool isMove = !std::equal(before.begin(), before.end(), styles.begin(), styles.end(), isOrder);
    const auto arrange = [this](std::vector<RunStyle> requested) {
        for (RunStyle& style : requested) style.run = now(style.run);
        return send(ArrangeRuns{stylesWithOtherRuns(*m_session, std::move(requested))}) != 0;
    };
    m_waiting[id] = [this, arrange, before, styles, isMove] {
        push(
            isMove ? tr("new order of runs") : tr("new colours of runs"), [arrange, before] { return arrange(before); },
            [arrange, styles] { return arrange(styles); });
    };
}

// ---- Notes ----

void UndoLog::followNote(quint64 id, const Note& note) {
    const auto known = m_session->notes().find(note.id);
    if (known != m_session->notes().end()) {
        m_waiting[id] = [this, before = known->second, after = note] {
            push(
                tr("change of a note"), [this, before] { return send(WriteNote{before}) != 0; },
                [this, after] { return send(WriteNote{after}) != 0; });
        };
        return;
    }
    m_waiting[id] = [this] {
        if (m_session->notes().empty()) return;
        const Note written = m_session->notes().rbegin()->second;  // ids ascend
        push(
            tr("note at step %1").arg(groupedText(written.step)),
            [this, written] { return m_session->notes().contains(written.id) && send(RemoveNote{written.id}) != 0; },
            [this, written] { return send(WriteNote{written}) != 0; });
    };
}

}  // namespace mantissa::gui
