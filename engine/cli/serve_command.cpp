// SPDX-License-Identifier: Apache-2.0
// serve: the engine behind the window. A reader thread takes frames from standard input, the main thread trains, a writer thread sends
// events: no step waits for whoever reads them.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/session/session.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

/// Events on their way out. `push` never blocks.
class Outbox {
public:
    void push(std::vector<std::uint8_t> frame) {
        {
            const std::lock_guard lock(m_mutex);
            m_frames.push_back(std::move(frame));
        }
        m_wake.notify_one();
    }
    void close() {
        {
            const std::lock_guard lock(m_mutex);
            m_isClosed = true;
        }
        m_wake.notify_one();
    }
    /// Writes until closed and empty, or until the reader is gone.
    void writeAll(int descriptor) {
        std::unique_lock lock(m_mutex);
        while (true) {
            m_wake.wait(lock, [&] { return m_isClosed || !m_frames.empty(); });
            if (m_frames.empty()) return;
            const std::vector<std::uint8_t> frame = std::move(m_frames.front());
            m_frames.pop_front();
            lock.unlock();
            for (std::size_t done = 0; done < frame.size();) {
                const ssize_t written = write(descriptor, frame.data() + done, frame.size() - done);
                if (written < 0 && errno != EINTR) return;
                if (written > 0) done += static_cast<std::size_t>(written);
            }
            lock.lock();
        }
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::vector<std::uint8_t>> m_frames;
    bool m_isClosed = false;
};

/// Reads commands until the input ends or `stop` becomes readable; then, or on a broken stream, asks the session to quit.
void readCommands(Session& session, int stop, std::string& problem) {
    FrameReader reader;
    std::vector<std::uint8_t> block(1 << 16);
    try {
        while (true) {
            pollfd waited[]{{STDIN_FILENO, POLLIN, 0}, {stop, POLLIN, 0}};
            if (poll(waited, 2, -1) < 0 && errno == EINTR) continue;
            if (waited[1].revents != 0) return;
            const ssize_t count = read(STDIN_FILENO, block.data(), block.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            reader.append({block.data(), static_cast<std::size_t>(count)});
            while (auto payload = reader.next()) session.post(decodeCommand(*payload));
        }
        if (reader.hasPartial()) problem = "the input ended in the middle of a frame";
    } catch (const WireError& error) {
        problem = error.what();
    }
    session.post({0, Quit{}});
}

int serve() {
    std::signal(SIGPIPE, SIG_IGN);  // the window may go first; the write then fails
    std::signal(SIGINT, SIG_IGN);   // Ctrl-C in the window's terminal is the window's to answer
    Outbox outbox;
    std::thread writer([&] { outbox.writeAll(STDOUT_FILENO); });
    const auto send = [&](Event&& event) { outbox.push(encode(event)); };
    send(Hello{.protocol = kProtocolVersion, .version = MANTISSA_VERSION, .devices = allDevices(), .experiments = bundledExperiments()});
    int stop[2];
    if (pipe(stop) != 0) throw RunError("serve: no pipe could be made");
    std::string problem;
    Session session(createCpuBackend(), send);
    std::thread reader([&] { readCommands(session, stop[0], problem); });
    while (session.advance()) {
    }
    close(stop[1]);
    reader.join();
    outbox.close();
    writer.join();
    if (!problem.empty()) throw RunError("serve: " + problem);
    return kExitDone;
}

}  // namespace

void addServe(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("serve", "The engine behind the window: commands on standard input, events on standard output");
    command->callback([&work] { work = [] { return serve(); }; });
}

}  // namespace mantissa
