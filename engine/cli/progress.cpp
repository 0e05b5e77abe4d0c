// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/train_output.h"

namespace mantissa {
namespace {

constexpr auto kTerminalInterval = std::chrono::milliseconds(50);
constexpr auto kLineInterval = std::chrono::seconds(1);
constexpr int kBarWidth = 24;

}  // namespace

Progress::Progress(bool isSilent) : m_isSilent(isSilent), m_isTerminal(isatty(STDERR_FILENO) != 0) {}

void Progress::begin(const std::vector<RunInfo>& runs) {
    m_totalSteps = 0;
    for (const RunInfo& run : runs) m_totalSteps += run.settings.training.steps;
}

void Progress::show(const RunOutput& run) {
    if (m_isSilent || run.records.empty()) return;
    m_losses[run.info.id] = run.info.settings.name + " " + brief(run.records.back().loss);
    m_done[run.info.id] = run.records.back().step + 1;
    std::int64_t done = 0;
    for (const auto& [id, steps] : m_done) done += steps;
    const auto now = std::chrono::steady_clock::now();
    const bool isLast = done == m_totalSteps;
    if (!isLast && now - m_last < (m_isTerminal ? std::chrono::milliseconds(kTerminalInterval) : std::chrono::milliseconds(kLineInterval)))
        return;
    m_last = now;

    const double share = m_totalSteps > 0 ? static_cast<double>(done) / static_cast<double>(m_totalSteps) : 1;
    const auto filled = static_cast<std::size_t>(share * kBarWidth);
    std::string line = "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
    char percent[32];
    std::snprintf(percent, sizeof percent, "%3.0f%%  loss:", 100 * share);
    line += percent;
    for (const auto& [id, text] : m_losses) line += "  " + text;
    std::cerr << (m_isTerminal ? "\r\033[K" + line : line + '\n') << std::flush;
}

void Progress::say(const std::string& line) {
    if (m_isSilent || line.empty()) return;
    std::cerr << (m_isTerminal ? "\r\033[K" : "") << line << '\n' << std::flush;
}

void Progress::warn(const std::string& problem) {
    if (problem.empty() || problem == m_warned) return;
    m_warned = problem;
    if (m_isTerminal) std::cerr << "\r\033[K";
    complain(problem);
}

void Progress::end() {
    if (!m_isSilent && m_isTerminal) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace mantissa
