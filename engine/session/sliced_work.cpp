// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sliced_work.h"

#include <utility>

namespace mantissa {

SlicedWork::SlicedWork(std::function<void(const GoesOn&)> work)
    : m_thread([this, work = std::move(work)] {
          {
              std::unique_lock lock(m_mutex);
              m_turned.wait(lock, [this] { return m_isWorksTurn; });
          }
          try {
              work([this] { return asks(); });
          } catch (...) {
              m_error = std::current_exception();
          }
          m_hasEnded = true;
          const std::lock_guard lock(m_mutex);
          m_isWorksTurn = false;
          m_turned.notify_one();
      }) {}

SlicedWork::~SlicedWork() {
    stop();
    if (!m_hasEnded) handOver(true);
    m_thread.join();
}

/// Gives the turn to the other thread and returns when it comes back.
void SlicedWork::handOver(bool toWork) {
    std::unique_lock lock(m_mutex);
    m_isWorksTurn = toWork;
    m_turned.notify_one();
    m_turned.wait(lock, [&] { return m_isWorksTurn != toWork; });
}

bool SlicedWork::goOn(Clock::time_point until) {
    if (!m_hasEnded) {
        m_until = until;
        handOver(true);
    }
    if (m_error) std::rethrow_exception(std::exchange(m_error, nullptr));
    return m_hasEnded;
}

bool SlicedWork::asks() {
    if (!m_isStopped && Clock::now() >= m_until) handOver(false);
    return !m_isStopped;
}

}  // namespace mantissa
