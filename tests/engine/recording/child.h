// SPDX-License-Identifier: Apache-2.0
// A process that records until it is killed.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "recording_child.h"

namespace mantissa::test {

/// A child that records, and what it has said.
class Child {
public:
    Child(const std::string& path, int stepsASecond) : m_path(path) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        const std::string rate = std::to_string(stepsASecond);
        const char* arguments[] = {MANTISSA_RECORDING_CHILD, m_path.c_str(), rate.c_str(), nullptr};
        posix_spawn(&m_process, MANTISSA_RECORDING_CHILD, &actions, nullptr, const_cast<char**>(arguments), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        m_stamps = ends[0];
    }
    ~Child() {
        if (m_process > 0) kill();
        close(m_stamps);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool isStarted() const { return m_process > 0; }
    const std::string& path() const { return m_path; }
    void kill() {
        m_killedNs = monotonicNs();
        ::kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
        m_process = -1;
    }
    std::int64_t killedNs() const { return m_killedNs; }
    /// The next stamp; waits for it while the child lives.
    bool read(Stamp& stamp) { return ::read(m_stamps, &stamp, sizeof stamp) == sizeof stamp; }

private:
    std::string m_path;
    pid_t m_process = -1;
    int m_stamps = -1;
    std::int64_t m_killedNs = 0;
};

}  // namespace mantissa::test
