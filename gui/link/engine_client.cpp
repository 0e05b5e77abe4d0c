// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/engine_client.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcessEnvironment>
#include <algorithm>

#include "gui/link/run_order.h"

namespace mantissa::gui {
namespace {

constexpr int kTellingSliceMs = 60;  // while a recording is read: half-read states are not worth drawing
constexpr int kSliceMs = 4;          // decoding between two paints: a quarter of a 60 Hz frame
constexpr qsizetype kErrorTailBytes = 8192;
constexpr int kQuitWaitMs = 1500;  // a step of a large model may have to end first
constexpr int kTerminateWaitMs = 500;

std::span<const std::uint8_t> bytesOf(const QByteArray& data) {
    return {reinterpret_cast<const std::uint8_t*>(data.constData()), static_cast<std::size_t>(data.size())};
}

}  // namespace

EngineClient::EngineClient(SessionModel* session, QStringList commandLine, QObject* parent)
    : QObject(parent), m_session(session), m_commandLine(std::move(commandLine)) {
    m_drainTimer.setSingleShot(true);
    m_drainTimer.setInterval(0);
    connect(&m_drainTimer, &QTimer::timeout, this, &EngineClient::drain);
}

QStringList EngineClient::bundledEngine() {
    return {QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("mantissa")), QStringLiteral("serve")};
}

void EngineClient::start(const QString& nameOrPath, const QString& text) {
    m_experimentName = nameOrPath;
    m_experimentText = text;
    m_recording.clear();
    beginProcess();
}

QString EngineClient::resumable() const {
    const RecordingChanged& recording = m_session->recording();
    return recording.isRecording && recording.steps > 0 ? QString::fromStdString(recording.path) : QString();
}

void EngineClient::open(const QString& recording) {
    if (m_isRunning) {
        m_telling = send(OpenRecording{recording.toStdString()});
        return;
    }
    m_experimentName.clear();
    m_recording = recording;
    beginProcess();
}

void EngineClient::watch(const QString& place) {
    if (m_isRunning) {
        send(WatchTraining{.place = place.toStdString(), .isAlone = true});
        return;
    }
    m_experimentName.clear();
    m_recording.clear();
    m_watched = place;
    beginProcess();
}

void EngineClient::restart() {
    const bool isBare = m_session->experimentText().isEmpty() && !m_session->listensAt().isEmpty();
    if (!m_session->listensAt().isEmpty()) m_watched = m_session->listensAt();
    if (isBare) {
        m_experimentName.clear();
    } else if (!m_session->runs().empty()) {
        m_experimentName = QString::fromStdString(m_session->experiment().name);
        m_experimentText = m_session->experimentText();
    }
    m_recording = resumable();
    beginProcess();
}

void EngineClient::beginProcess() {
    quit();
    m_isQuitting = false;
    m_hasGreeted = m_hasLostDevice = false;
    m_reader = FrameReader();
    m_errorTail.clear();
    m_process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // Spinning worker threads would starve the window's thread.
    environment.insert(QStringLiteral("OMP_WAIT_POLICY"), QStringLiteral("PASSIVE"));
    m_process->setProcessEnvironment(environment);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, &m_drainTimer, qOverload<>(&QTimer::start));
    connect(m_process.get(), &QProcess::readyReadStandardError, this, &EngineClient::readErrorOutput);
    connect(m_process.get(), &QProcess::finished, this, &EngineClient::processFinished);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            lose(tr("%1 could not be started (%2)").arg(m_commandLine.value(0), m_process->errorString()));
    });
    m_isRunning = true;
    QStringList arguments = m_commandLine.mid(1);
    if (!m_recordingsFolder.isEmpty()) arguments << QStringLiteral("--recordings") << m_recordingsFolder;
    if (!m_isRecording) arguments << QStringLiteral("--no-recording");
    m_process->start(m_commandLine.value(0), arguments);
    if (!m_isRunning) return;
    emit started();
    m_opening = m_telling = 0;
    if (!m_recording.isEmpty())
        m_telling = m_opening = send(OpenRecording{m_recording.toStdString()});
    else if (!m_experimentName.isEmpty() || !m_watched)
        load(m_experimentName, m_experimentText);
    // A probe reconnects each second, and its run continues.
    if (const auto place = std::exchange(m_watched, std::nullopt)) send(WatchTraining{.place = place->toStdString()});
}

void EngineClient::quit() {
    if (!m_process) return;
    m_isQuitting = true;
    m_drainTimer.stop();
    if (m_process->state() != QProcess::NotRunning) {
        if (m_isRunning) send(Quit{});
        m_process->closeWriteChannel();
        if (!m_process->waitForFinished(kQuitWaitMs)) {
            m_process->terminate();
            if (!m_process->waitForFinished(kTerminateWaitMs)) {
                m_process->kill();
                m_process->waitForFinished(kTerminateWaitMs);
            }
        }
    }
    m_isRunning = false;
    m_process->disconnect(this);
    m_process->disconnect(&m_drainTimer);
    // A signal of the process may be on the stack: it is deleted after that has returned.
    m_process.release()->deleteLater();
}

std::uint64_t EngineClient::send(CommandBody body) {
    const std::uint64_t id = write(body);
    if (id == 0) return 0;
    emit sent(id, body);
    if (const auto* arrange = std::get_if<ArrangeRuns>(&body)) m_session->noteArranging(id, arrange->styles);
    return id;
}

std::uint64_t EngineClient::write(const CommandBody& body) {
    if (!m_isRunning) return 0;
    sendStyles();
    const Command command{m_nextId++, body};
    const std::vector<std::uint8_t> frame = encode(command);
    m_process->write(reinterpret_cast<const char*>(frame.data()), static_cast<qint64>(frame.size()));
    return command.id;
}

std::uint64_t EngineClient::ask(CommandBody body) {
    const std::uint64_t id = write(body);
    if (id != 0) m_asked.insert(id);
    return id;
}

void EngineClient::load(const QString& nameOrPath, const QString& text) {
    if (m_isRunning)
        send(LoadExperiment{nameOrPath.toStdString(), text.toStdString()});
    else
        start(nameOrPath, text);
}

std::uint64_t EngineClient::change(RunId run, const QString& pointer, const Json& value, const QString& shown) {
    // The answer is decoded by the event loop, so it cannot come before the note.
    const std::uint64_t id = send(ChangeSetting{run, pointer.toStdString(), value});
    if (id != 0) m_session->notePending(run, {id, pointer, value, shown});
    return id;
}

void EngineClient::drain() {
    if (!m_process || !m_isRunning) return;
    QElapsedTimer clock;
    clock.start();
    try {
        do {
            m_reader.append(bytesOf(m_process->readAllStandardOutput()));
            while (const auto payload = m_reader.next()) {
                receive(decodeEvent(*payload));
                if (!m_isRunning) return;
                if (clock.hasExpired(isOpening() ? kTellingSliceMs : kSliceMs)) {
                    m_drainTimer.start();
                    return;
                }
            }
        } while (isOpening() && !clock.hasExpired(kTellingSliceMs) && m_process->waitForReadyRead(1));
    } catch (const WireError& error) {
        lose(tr("it sent what this window cannot read (%1)").arg(QString::fromUtf8(error.what())));
    }
}

void EngineClient::receive(const Event& event) {
    if (const auto* hello = std::get_if<Hello>(&event)) {
        if (hello->protocol != kProtocolVersion) {
            lose(tr("it speaks protocol %1, and this window speaks %2").arg(hello->protocol).arg(kProtocolVersion));
            return;
        }
        m_hasGreeted = true;
    } else if (!m_hasGreeted) {
        lose(tr("its first message was not a hello"));
        return;
    }
    if (isOpening() && std::holds_alternative<ExperimentLoaded>(event)) m_session->forgetStyles();
    m_session->handle(event);
    noteArrangement(event);
    const auto* done = std::get_if<CommandDone>(&event);
    const auto* refused = std::get_if<CommandRefused>(&event);
    if (!done && !refused) return;
    if (refused && m_opening != 0 && refused->commandId == m_opening) {
        // If the recording cannot be opened, its experiment is loaded from the beginning.
        m_opening = 0;
        if (!m_experimentName.isEmpty()) load(m_experimentName, m_experimentText);
    }
    const std::uint64_t answeredId = done ? done->commandId : refused->commandId;
    m_asked.erase(answeredId);
    if (answeredId == m_telling) m_telling = 0;
    emit answered(answeredId);
}

void EngineClient::noteArrangement(const Event& event) {
    const bool mustSend = std::holds_alternative<ExperimentLoaded>(event) || std::holds_alternative<RunAdded>(event) ||
                          std::holds_alternative<RunRemoved>(event) || std::holds_alternative<RunRestored>(event);
    if (!mustSend || isOpening() || std::exchange(m_mustSendStyles, true)) return;
    // Once for all runs added together, and before any other command.
    QTimer::singleShot(0, this, &EngineClient::sendStyles);
}

void EngineClient::sendStyles() {
    if (!std::exchange(m_mustSendStyles, false) || isOpening()) return;
    std::vector<RunStyle> styles = stylesOf(*m_session);
    if (m_session->isArranged() || !areDefaults(styles)) ask(ArrangeRuns{std::move(styles)});
}

void EngineClient::readErrorOutput() {
    m_errorTail += m_process->readAllStandardError();
    if (m_errorTail.size() > kErrorTailBytes) m_errorTail = m_errorTail.right(kErrorTailBytes);
}

void EngineClient::processFinished(int exitCode, QProcess::ExitStatus status) {
    if (m_isQuitting || !m_isRunning) return;
    // The output written before the exit is still shown.
    m_reader.append(bytesOf(m_process->readAllStandardOutput()));
    try {
        while (const auto payload = m_reader.next()) {
            receive(decodeEvent(*payload));
            if (!m_isRunning) return;
        }
    } catch (const WireError&) {
        // The end of the process cut the frame.
    }
    readErrorOutput();
    const qsizetype failure = m_errorTail.lastIndexOf(kDeviceFailure);
    m_hasLostDevice = failure >= 0;
    if (m_hasLostDevice) {
        const QByteArray said = m_errorTail.mid(failure + static_cast<qsizetype>(qstrlen(kDeviceFailure)));
        lose(tr("its device cannot go on (%1)").arg(QString::fromUtf8(said.split('\n').first())));
        return;
    }
    if (status == QProcess::CrashExit)
        lose(tr("ended by signal %1").arg(exitCode));  // on Unix the exit code of a crash is the signal's number
    else
        lose(exitCode == 0 ? tr("it ended by itself") : tr("it ended with exit code %1").arg(exitCode));
}

void EngineClient::lose(const QString& reason) {
    if (!m_isRunning) return;
    m_isRunning = false;
    m_asked.clear();
    m_telling = 0;
    m_drainTimer.stop();
    if (m_process->state() != QProcess::NotRunning) m_process->kill();
    m_session->engineLost();
    emit lost(reason, QString::fromUtf8(m_errorTail).trimmed());
}

}  // namespace mantissa::gui
