// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/work_pool.h"

#include <omp.h>

#include <exception>
#include <utility>

#include "kernels/cpu/signal_stack.h"

namespace mantissa::cpu {

WorkPool::WorkPool(int threads) {
    for (int i = 1; i < threads; ++i) m_helpers.emplace_back([this] { help(); });
}

WorkPool::~WorkPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
    }
    m_wake.notify_all();
    for (std::thread& helper : m_helpers) helper.join();
}

void WorkPool::run(int count, const std::function<void(int)>& task) {
    std::unique_lock lock(m_mutex);
    if (m_helpers.empty() || m_isBusy || count < 2) {
        lock.unlock();
        for (int i = 0; i < count; ++i) task(i);
        return;
    }
    m_isBusy = true;
    m_task = &task;
    m_next = 0;
    m_count = count;
    m_wake.notify_all();
    while (takeNext(lock)) {
    }
    m_done.wait(lock, [this] { return m_running == 0; });
    m_task = nullptr;
    m_isBusy = false;
    if (const auto error = std::exchange(m_error, nullptr)) std::rethrow_exception(error);
}

/// Runs the next task that has not begun, without the lock; false if there is none.
bool WorkPool::takeNext(std::unique_lock<std::mutex>& lock) {
    if (m_task == nullptr || m_next == m_count) return false;
    const int index = m_next++;
    const auto& task = *m_task;
    ++m_running;
    lock.unlock();
    std::exception_ptr error;
    try {
        task(index);
    } catch (...) {
        error = std::current_exception();
    }
    lock.lock();
    if (error) m_error = error;
    if (--m_running == 0) m_done.notify_one();
    return true;
}

void WorkPool::help() {
    ensureSignalStack();
    omp_set_num_threads(1);  // for this thread: a library's own parallel regions would split the tasks again
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [this] { return m_isEnding || (m_task != nullptr && m_next < m_count); });
        if (m_isEnding) return;
        takeNext(lock);
    }
}

}  // namespace mantissa::cpu
