// SPDX-License-Identifier: Apache-2.0
// A running `mantissa serve`, at whose ends of the pipes the test stands. One thread.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "engine/wire/wire.h"

namespace mantissa {

class Served {
public:
    /// Its standard error goes into the file `errors`.
    Served(const std::string& program, const std::string& recordings, const std::string& errors) {
        std::array<int, 2> input{}, output{};
        if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0) return;
        const std::array<const char*, 5> arguments{program.c_str(), "serve", "--recordings", recordings.c_str(), nullptr};
        const int log = open(errors.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        m_child = fork();
        if (m_child == 0) {
            dup2(input[0], STDIN_FILENO);
            dup2(output[1], STDOUT_FILENO);
            dup2(log, STDERR_FILENO);
            execv(program.c_str(), const_cast<char* const*>(arguments.data()));
            _exit(127);
        }
        for (const int descriptor : {input[0], output[1], log}) close(descriptor);
        m_in = input[1];
        m_out = output[0];
    }
    ~Served() {
        close(m_in);
        close(m_out);
        if (m_child > 0) {
            ::kill(m_child, SIGKILL);
            waitpid(m_child, nullptr, 0);
        }
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    std::uint64_t send(CommandBody body) {
        const std::vector<std::uint8_t> frame = encode(Command{++m_lastId, std::move(body)});
        for (std::size_t sent = 0; sent < frame.size();) {
            const ssize_t count = write(m_in, frame.data() + sent, frame.size() - sent);
            if (count <= 0) break;
            sent += static_cast<std::size_t>(count);
        }
        return m_lastId;
    }
    /// Takes events until one is as wanted; false: none came within `patience`, or the program has ended.
    bool waitFor(const std::function<bool(const Event&)>& isWanted, std::chrono::milliseconds patience = std::chrono::minutes(2)) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < end) {
            while (const auto payload = m_frames.next())
                if (isWanted(decodeEvent(*payload))) return true;
            pollfd output{m_out, POLLIN, 0};
            if (poll(&output, 1, 20) <= 0) continue;
            std::array<std::uint8_t, 1 << 16> block{};
            const ssize_t count = read(m_out, block.data(), block.size());
            if (count <= 0) return false;
            m_frames.append({block.data(), static_cast<std::size_t>(count)});
        }
        return false;
    }
    /// Until the command is answered; the sentence of a refusal, empty where it was done.
    std::string answerTo(std::uint64_t id) {
        std::string sentence = "no answer";
        waitFor([&](const Event& event) {
            const auto* done = std::get_if<CommandDone>(&event);
            const auto* refused = std::get_if<CommandRefused>(&event);
            if (done != nullptr && done->commandId == id) return sentence.clear(), true;
            if (refused != nullptr && refused->commandId == id) return sentence = refused->sentence, true;
            return false;
        });
        return sentence;
    }
    std::string done(CommandBody body) { return answerTo(send(std::move(body))); }
    /// Until the run has come so far.
    bool trainsTo(RunId run, std::int64_t step) {
        return waitFor([&](const Event& event) {
            const auto* steps = std::get_if<StepsRecorded>(&event);
            return steps != nullptr && steps->run == run && !steps->records.empty() && steps->records.back().step >= step;
        });
    }
    /// Kills it, which it cannot answer; the moment, as CLOCK_MONOTONIC has it. What it had said before can still be read.
    std::int64_t kill() {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        ::kill(m_child, SIGKILL);
        waitpid(std::exchange(m_child, -1), nullptr, 0);
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
    /// Sends it a signal that it can answer.
    void signal(int number) const {
        if (m_child > 0) ::kill(m_child, number);
    }
    /// Reads what is left to read, and waits for its end; its exit code, -1 where a signal ended it.
    int end() {
        waitFor([](const Event&) { return false; });
        int status = 0;
        waitpid(std::exchange(m_child, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t m_child = -1;
    int m_in = -1, m_out = -1;
    std::uint64_t m_lastId = 0;
    FrameReader m_frames;
};

}  // namespace mantissa
