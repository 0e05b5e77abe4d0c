// SPDX-License-Identifier: Apache-2.0
// Threads that help with one list of independent tasks at a time. The caller works too and takes whatever no helper has begun, so a
// helper that the system does not schedule (other programs hold the cores) costs nothing; a barrier of all threads would wait for it.
// Tasks must not depend on who runs them, nor on how many do. Any thread may call; a second caller at the same time works alone.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mantissa::cpu {

class WorkPool {
public:
    /// threads: the caller counts, so 1 means no helpers.
    explicit WorkPool(int threads);
    ~WorkPool();
    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    /// Calls task(0) to task(count - 1), each once, and returns when all are done. An exception in the caller's or a helper's task
    /// is thrown on after that.
    void run(int count, const std::function<void(int)>& task);

    /// Calls work(first, n) for pieces that make up [0, count); they depend on `count` alone. What fits one piece is the caller's.
    template <typename Work>
    void runPieces(std::int64_t count, Work&& work) {
        const auto pieces = static_cast<int>((count + kPiece - 1) / kPiece);
        if (pieces < 2) return work(std::int64_t{0}, count);
        run(pieces, [&](int i) { work(i * kPiece, std::min(kPiece, count - i * kPiece)); });
    }
    /// Elements; well above what waking a helper costs, and whole blocks of operations.h.
    static constexpr std::int64_t kPiece = 1 << 15;

private:
    void help();
    bool takeNext(std::unique_lock<std::mutex>& lock);

    std::mutex m_mutex;
    std::condition_variable m_wake, m_done;
    const std::function<void(int)>* m_task = nullptr;  // the list being worked on, or null
    int m_next = 0, m_count = 0, m_running = 0;
    std::exception_ptr m_error;
    bool m_isBusy = false, m_isEnding = false;
    std::vector<std::thread> m_helpers;
};

}  // namespace mantissa::cpu
