// SPDX-License-Identifier: Apache-2.0
// serve: the engine behind the window. A reader thread takes frames from standard input, the main thread trains, a writer thread sends
// events, another thread computes previews of experiments. Steps wait for the reader of the events only if it is seconds behind, and never
// for a preview; the end of the process waits for neither.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cli/end_signals.h"
#include "engine/session/preview.h"
#include "engine/session/session.h"
#include "engine/wire/outbox.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

/// Four fast runs of a small model produce about 2 MB of records a second: enough for minutes in which the window does not read.
constexpr std::size_t kMostWaiting = 256u << 20;
/// The events of a training turn (milliseconds) are far below this. Opening or importing a file sends more, and then waits for the reader.
constexpr std::size_t kMostOfATurn = 1u << 20;
/// With more queued bytes, the window is seconds behind: training waits until the queue is short, commands do not.
constexpr std::size_t kMostBehind = 4u << 20;
constexpr std::chrono::milliseconds kCheckInterval(10);  // interval of checks for a command or signal

/// Reads commands until Quit, the end of the input, or a stop. Posts Quit to the session if the window did not send it.
void readCommands(std::stop_token stop, Session& session, Previewer& previewer, std::string& problem) {
    constexpr int kTurnMs = 100;  // maximum delay of a stop
    FrameReader reader;
    std::vector<std::uint8_t> block(1 << 16);
    try {
        while (!stop.stop_requested()) {
            pollfd input{STDIN_FILENO, POLLIN, 0};
            if (poll(&input, 1, kTurnMs) <= 0) continue;
            const ssize_t count = read(STDIN_FILENO, block.data(), block.size());
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (count < 0) throw WireError(std::string("standard input: ") + std::strerror(errno));
            if (count == 0) break;
            reader.append({block.data(), static_cast<std::size_t>(count)});
            while (auto payload = reader.next()) {
                Command command = decodeCommand(*payload);
                const bool isLast = std::holds_alternative<Quit>(command.body);
                if (auto* question = std::get_if<PreviewExperiment>(&command.body)) {
                    previewer.ask(command.id, std::move(*question));
                } else {
                    session.post(std::move(command));
                }
                if (isLast) return;
            }
        }
        if (reader.hasPartial()) problem = "the input ended in the middle of a frame";
    } catch (const std::exception& error) {  // WireError, or no memory for an announced frame
        problem = error.what();
    }
    session.post({0, Quit{}});
}

int serve(const std::string& recordings, bool isRecording) {
    std::signal(SIGPIPE, SIG_IGN);    // the window may exit first; the write then fails
    const EndSignals signals(false);  // the window handles Ctrl-C in its terminal
    Outbox outbox(kMostWaiting);
    const auto send = [&](Event&& event) -> std::size_t {
        std::vector<std::uint8_t> frame;
        try {
            frame = encode(event);
        } catch (const WireError& error) {  // larger than a frame
            frame = encode(Event(CommandRefused{0, -1, "", error.what()}));
        }
        const std::size_t bytes = frame.size();
        outbox.push(std::move(frame));
        return bytes;
    };
    std::vector<DeviceInfo> devices = allDevices();
    const std::shared_ptr<Backend> backend = openDevice("auto", &devices);
    send(Hello{.protocol = kProtocolVersion,
               .version = MANTISSA_VERSION,
               .devices = std::move(devices),
               .device = backend->device().name,
               .experiments = bundledExperiments()});
    std::size_t sentThisTurn = 0;
    Session session(backend, [&](Event&& event) {
        while (sentThisTurn > kMostOfATurn && !outbox.waitForRoom(kMostWaiting / 4, kCheckInterval)) {
        }
        sentThisTurn += send(std::move(event));
    });
    session.recordInto(recordings, isRecording);
    session.measureTensors(Instrumentation::Sampled);
    session.examineNonFiniteSteps(Examining::AlongTheWay);
    Previewer previewer(openDevice("auto"), send);  // a separate device: libraries' handles belong to one thread
    std::string problem;
    {  // any exit from this block stops and joins both threads
        const std::jthread writer([&](std::stop_token stop) {
            outbox.writeAll(STDOUT_FILENO, std::move(stop));
            session.post({0, Quit{}});  // the window no longer reads, or the session has ended
        });
        const std::jthread reader([&](std::stop_token stop) { readCommands(std::move(stop), session, previewer, problem); });
        while (advance(session)) {
            sentThisTurn = 0;
            session.measurePeak();
            while (!outbox.waitForRoom(kMostBehind, kCheckInterval) && !session.hasCommands() && EndSignals::received() == 0) {
            }
            if (EndSignals::received() != 0) session.post({0, Quit{}});
        }
        session.endRecording();
    }
    if (problem.empty()) problem = outbox.problem();
    if (!problem.empty()) throw RunError("serve: " + problem);
    // All events have been written. An answer that is no longer needed may take seconds, so its thread is not joined: the process exits
    // without destroying what the thread uses.
    const int code = EndSignals::reportAndGetExitCode();
    if (previewer.isAnswering()) std::_Exit(code);
    return code;
}

}  // namespace

void addServe(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("serve", "The engine behind the window: commands on standard input, events on standard output");
    auto recordings = std::make_shared<std::string>();
    command->add_option("--recordings", *recordings, "record each experiment into a file of its own in this folder");
    auto isOff = std::make_shared<bool>(false);
    command->add_flag("--no-recording", *isOff, "record nothing; what is in the folder can be opened all the same");
    command->callback([&work, recordings, isOff] { work = [recordings, isOff] { return serve(*recordings, !*isOff); }; });
}

}  // namespace mantissa
