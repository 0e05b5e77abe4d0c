// SPDX-License-Identifier: Apache-2.0
// A pool of threads for one list of independent tasks at a time. The caller works too and takes all tasks that no helper has begun, so a
// helper that is not scheduled (other programs use the cores) costs nothing; a barrier of all threads would wait for it. Tasks must not
// depend on which or how many threads run them. Any thread may call; a second concurrent caller works alone.
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
    /// threads: includes the caller, so 1 means no helpers.
    explicit WorkPool(int threads);
    ~WorkPool();
    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    /// Calls task(0) to task(count - 1), each once, and returns when all are done. Then rethrows an exception of a task, of the caller's or
    /// a helper's thread.
    void run(int count, const std::function<void(int)>& task);

    /// Calls work(first, n) for pieces of [0, count) that depend only on `count`. A single piece runs on the caller's thread.
    template <typename Work>
    void runPieces(std::int64_t count, Work&& work) {
        const auto pieces = static_cast<int>((count + kPiece - 1) / kPiece);
        if (pieces < 2) return work(std::int64_t{0}, count);
        run(pieces, [&](int i) { work(i * kPiece, std::min(kPiece, count - i * kPiece)); });
    }
    /// In elements; well above the cost of waking a helper, and whole blocks of operations.h.
    static constexpr std::int64_t kPiece = 1 << 15;

private:
    void help();
    bool takeNext(std::unique_lock<std::mutex>& lock);

    std::mutex m_mutex;
    std::condition_variable m_wake, m_done;
    const std::function<void(int)>* m_task = nullptr;  // the current list, or null
    int m_next = 0, m_count = 0, m_running = 0;
    std::exception_ptr m_error;
    bool m_isBusy = false, m_isEnding = false;
    std::vector<std::thread> m_helpers;
};

}  // namespace mantissa::cpu
