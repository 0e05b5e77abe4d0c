// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/parallel.h"

#include <QThreadPool>
#include <algorithm>
#include <atomic>
#include <memory>

namespace mantissa::gui {
namespace {

/// Shared, because a helper that starts late still reads it after the call.
struct TaskList {
    const std::function<void(int)>* task;
    int count;
    std::atomic<int> next = 0, done = 0;

    void work() noexcept {  // noexcept: an exception would destroy the task while other threads use it
        for (int i = next++; i < count; i = next++) {
            (*task)(i);
            if (++done == count) done.notify_one();
        }
    }
};

}  // namespace

void inParallel(int count, const std::function<void(int)>& task) {
    const auto list = std::make_shared<TaskList>();
    list->task = &task;
    list->count = count;
    QThreadPool* const pool = QThreadPool::globalInstance();
    for (int helpers = std::min(count, pool->maxThreadCount()) - 1; helpers > 0; --helpers)
        if (!pool->tryStart([list] { list->work(); })) break;
    list->work();
    for (int done = list->done; done < count; done = list->done) list->done.wait(done);
}

}  // namespace mantissa::gui
