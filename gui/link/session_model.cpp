// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/session_model.h"

#include <algorithm>
#include <utility>

namespace mantissa::gui {

void SessionModel::handle(const Event& event) {
    const auto takeOne = [this](const auto& body) {
        if constexpr (requires(RunState & state) { take(state, body); }) {
            if (RunState* state = run(body.run)) take(*state, body);  // else the run was removed
        } else {
            take(body);
        }
    };
    std::visit(takeOne, event);
}

void SessionModel::engineLost() {
    endRewinding();
    dropAllPending();
}

void SessionModel::take(const Hello& event) {
    m_hello = event;
    m_recording = {};  // it belonged to the previous engine
    m_listensAt.clear();
    emit greeted();
    emit recordingChanged();
    emit watchingChanged();
}

const DeviceInfo* SessionModel::device() const {
    const auto found = std::ranges::find(m_hello.devices, m_hello.device, &DeviceInfo::name);
    return found == m_hello.devices.end() ? nullptr : &*found;
}

void SessionModel::take(const ExperimentLoaded& event) {
    const bool isSame = event.name == m_experiment.name;  // after an engine was lost
    m_experiment = event;
    m_originalText.clear();
    m_opened.reset();
    endRewinding();
    load(event, isSame);
    emit experimentLoaded();
    emit selectionChanged();
}

void SessionModel::take(const RunChanged& event) {
    const bool isOwn = event.info.kind == RunKind::Live || event.info.kind == RunKind::WhatIf;
    if (m_experiment.steps > 0 && isOwn && run(event.info.id))
        m_experiment.steps = std::max(m_experiment.steps, event.info.settings.training.steps);
    RunDataModel::take(event);
}

void SessionModel::take(const StateChanged& event) {
    m_state = event;
    emit stateChanged();
}

void SessionModel::take(const ExperimentText& event) {
    m_experimentText = QString::fromStdString(event.json);
    if (m_originalText.isEmpty()) m_originalText = m_experimentText;
}

void SessionModel::take(const CommandDone& event) {
    dropPending(event.commandId);
    endRewinding();
}

void SessionModel::take(const CommandRefused& event) {
    // A refused load has no run; a refused setting has one.
    dropPending(event.commandId);
    endRewinding();
    emit refused(event.run, QString::fromStdString(event.pointer), QString::fromStdString(event.sentence), event.commandId);
}

void SessionModel::take(const RecordingChanged& event) {
    m_recording = event;
    emit recordingChanged();
}

void SessionModel::take(const RecordingOpened& event) {
    m_opened = event;
    for (const auto& state : runs()) {
        recountCleanSteps(*state);
        emit runChanged(state->id);
    }
    emit recordingOpened();
}

void SessionModel::take(const RunRewinding& event) {
    m_rewinding = event;
    emit rewindingChanged();
}

void SessionModel::take(RunState& run, const RunCaughtUp& event) {
    endRewinding();
    run.nextScale = event.nextScale;
    run.cleanSteps = event.cleanSteps;
    emit runChanged(event.run);
    emit runCaughtUp(event.run, event.step, event.differsAt);
}

void SessionModel::take(const WatchingChanged& event) {
    m_listensAt = QString::fromStdString(event.place);
    emit watchingChanged();
}

void SessionModel::take(const RunsCompared& event) {
    if (run(event.run) && run(event.other)) emit runsCompared(event);
}

}  // namespace mantissa::gui
