// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/torch_rival.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

namespace mantissa {
namespace {

// After a model and `compiles`. Reads a count a line, answers with that many step times on one line.
constexpr const char* kLoop = R"(
if compiles:
    loss_of = torch.compile(loss_of)
parameters = list(parameters)
for kind in ("fused", "foreach", None):
    try:
        optimizer = torch.optim.AdamW(parameters, **({kind: True} if kind else {}))
        break
    except (TypeError, RuntimeError):
        pass
batch = 0
print(torch.__version__, flush=True)
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(*batch_of(batch))
        loss.backward()
        optimizer.step()
        loss.item()
        times.append(time.perf_counter() - start)
        batch += 1
    print(*times, flush=True)
)";
constexpr const char* kBegin = R"(
import math, sys, time, torch
from torch import nn
from torch.nn import functional as F
torch.set_num_threads(1)
torch.manual_seed(1)
)";

}  // namespace

TorchRival::TorchRival(const std::string& model, bool isCompiled)
    : m_script(kBegin + model + (isCompiled ? "compiles = True" : "compiles = False") + kLoop) {
    const char* const chosen = std::getenv("MANTISSA_PYTHON");
    for (const char* python : {chosen, "/usr/bin/python3", "python3"}) {
        if (python == nullptr) continue;
        if (start(python)) return;
        stop();
    }
    m_reason = "no python3 with torch is installed (Debian: python3-torch)";
}

TorchRival::~TorchRival() {
    stop();
}

bool TorchRival::start(const std::string& python) {
    int down[2], up[2];
    if (pipe(down) != 0) return false;
    if (pipe(up) != 0) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    m_pid = fork();
    if (m_pid == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        for (const int end : {down[0], down[1], up[0], up[1]}) close(end);
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(127);
        execlp(python.c_str(), python.c_str(), "-c", m_script.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    m_toChild = down[1];
    m_fromChild = up[0];
    if (m_pid < 0) return false;
    m_version = readLine();  // empty if the import failed and the child has ended
    return isReady();
}

void TorchRival::stop() {
    for (int* end : {&m_toChild, &m_fromChild}) {
        if (*end >= 0) close(*end);
        *end = -1;
    }
    if (m_pid > 0) {
        kill(m_pid, SIGTERM);
        waitpid(m_pid, nullptr, 0);
    }
    m_pid = -1;
    m_version.clear();
}

std::string TorchRival::readLine() {
    std::string line;
    char c = 0;
    while (read(m_fromChild, &c, 1) == 1 && c != '\n') line += c;
    return line;
}

std::vector<double> TorchRival::steps(int count) {
    const std::string request = std::to_string(count) + "\n";
    if (write(m_toChild, request.data(), request.size()) != static_cast<ssize_t>(request.size())) return {};
    std::istringstream answer(readLine());
    std::vector<double> seconds;
    for (double s = 0; answer >> s;) seconds.push_back(s);
    return seconds;
}

}  // namespace mantissa
