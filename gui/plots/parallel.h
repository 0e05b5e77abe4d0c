// SPDX-License-Identifier: GPL-3.0-or-later
// Runs independent tasks on all cores. The caller works too and takes all tasks that no other thread has started, so it never waits for a
// thread that the system does not wake because training uses the cores. Qt's blocking map lets its caller wait idle. Any thread.
#pragma once

#include <functional>
#include <vector>

namespace mantissa::gui {

/// Calls task(0) to task(count - 1), each once, and returns when all are done. A task that throws ends the program.
void inParallel(int count, const std::function<void(int)>& task);

template <typename Item, typename Work>
void inParallel(std::vector<Item>& items, Work&& work) {
    inParallel(static_cast<int>(items.size()), [&](int i) { work(items[static_cast<std::size_t>(i)]); });
}

}  // namespace mantissa::gui
