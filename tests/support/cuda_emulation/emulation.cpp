// SPDX-License-Identifier: Apache-2.0
// Blocks of fibers. A fiber takes the next thread of its block that has not begun; only where a thread waits is another fiber needed, so
// kernels without barriers run on one, without a switch.
#include "tests/support/cuda_emulation/emulation.h"

#include <setjmp.h>
#include <ucontext.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace mantissa::emulation {
namespace {

constexpr std::size_t kStackBytes = 128 << 10, kMostShared = 227 << 10;
constexpr unsigned kMostThreads = 1024, kWarp = 32;

/// Threads that wait for each other.
struct Barrier {
    unsigned live = 0, arrived = 0;
    std::uint64_t generation = 0;

    /// Whether it released threads.
    bool releaseWhenFull() {
        if (arrived < live || arrived == 0) return false;
        arrived = 0;
        ++generation;
        return true;
    }
};

/// Where a fiber or the scheduler left off. Jumps, as switches of ucontext ask the system for signal masks each time.
using Place = jmp_buf;

struct Fiber {
    ucontext_t context{};  // of its beginning
    Place place{};
    std::unique_ptr<char[]> stack{new char[kStackBytes]};
    uint3 thread{};
    const Barrier* waitsFor = nullptr;  // until its generation is past `generation`
    std::uint64_t generation = 0;
    bool isIdle = true;
};

class BlockRun {
public:
    void run(dim3 block, const std::function<void()>& thread) {
        m_thread = &thread;
        m_block = block;
        m_count = block.x * block.y * block.z;
        m_next = 0;
        m_begun = 0;
        m_mayContinue = false;
        m_whole = {.live = m_count};
        for (unsigned warp = 0; warp * kWarp < m_count; ++warp) m_warps[warp] = {.live = std::min(kWarp, m_count - warp * kWarp)};
        while (m_next < m_count || m_whole.live > 0) resume(nextFiber());
    }

    void wait(Barrier& barrier) {
        ++barrier.arrived;
        const std::uint64_t generation = barrier.generation;
        m_mayContinue |= barrier.releaseWhenFull();
        if (barrier.generation != generation) return;
        Fiber& self = *m_current;
        self.waitsFor = &barrier;
        self.generation = generation;
        self.thread = threadIdx;
        leave(self.place, m_scheduler);
        threadIdx = m_current->thread;
    }

    Barrier& whole() { return m_whole; }
    Barrier& warp() { return m_warps[linear() / kWarp]; }

private:
    Place m_scheduler{};
    std::vector<std::unique_ptr<Fiber>> m_fibers;
    Fiber* m_current = nullptr;
    const std::function<void()>* m_thread = nullptr;
    dim3 m_block;
    unsigned m_count = 0, m_next = 0;
    std::size_t m_lastResumed = 0, m_begun = 0;  // fibers of this block
    bool m_mayContinue = false;                  // whether a barrier released threads since no fiber could go on
    Barrier m_whole, m_warps[kMostThreads / kWarp];

    unsigned linear() const { return (threadIdx.z * m_block.y + threadIdx.y) * m_block.x + threadIdx.x; }

    /// One that can go on, the one after the last in turn; else an idle one for a thread that has not begun.
    Fiber& nextFiber() {
        for (std::size_t i = 1; m_mayContinue && i <= m_begun; ++i) {
            const std::size_t at = (m_lastResumed + i) % m_begun;
            Fiber& fiber = *m_fibers[at];
            if (fiber.isIdle || fiber.waitsFor->generation == fiber.generation) continue;
            m_lastResumed = at;
            return fiber;
        }
        m_mayContinue = false;
        if (m_next == m_count) throw std::logic_error("threads wait at a barrier that others do not reach");
        if (m_begun == m_fibers.size()) m_fibers.push_back(std::make_unique<Fiber>());
        return *m_fibers[m_begun++];
    }

    void resume(Fiber& fiber) {
        m_current = &fiber;
        if (!fiber.isIdle) return leave(m_scheduler, fiber.place);
        fiber.isIdle = false;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStackBytes;
        makecontext(&fiber.context, reinterpret_cast<void (*)()>(&BlockRun::enter), 0);
        if (_setjmp(m_scheduler) == 0) setcontext(&fiber.context);
    }

    [[gnu::noinline]] static void leave(Place& from, Place& to) {
        if (_setjmp(from) == 0) jump(to);
    }
    [[gnu::noinline, noreturn]] static void jump(Place& to) { _longjmp(to, 1); }

    static void enter();

    void runThreads() {
        Fiber& self = *m_current;
        while (m_next < m_count) {
            const unsigned index = m_next++;
            threadIdx = {index % m_block.x, index / m_block.x % m_block.y, index / (m_block.x * m_block.y)};
            (*m_thread)();
            for (Barrier* barrier : {&m_warps[index / kWarp], &m_whole}) {
                --barrier->live;
                m_mayContinue |= barrier->releaseWhenFull();
            }
        }
        self.isIdle = true;
        jump(m_scheduler);
    }
};

BlockRun& blockRun() {
    static BlockRun run;
    return run;
}

void BlockRun::enter() {
    blockRun().runThreads();
}

alignas(16) unsigned char sharedBytes[kMostShared];

}  // namespace

void runGrid(dim3 grid, dim3 block, std::size_t bytes, const std::function<void()>& thread) {
    const unsigned threads = block.x * block.y * block.z;
    if (threads == 0 || threads > kMostThreads || bytes > kMostShared || grid.x == 0 || grid.y == 0 || grid.y > 65535)
        throw std::logic_error("a launch that no card takes");
    gridDim = grid;
    blockDim = block;
    for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
            blockIdx = {x, y, 0};
            std::memset(sharedBytes, 0xFF, bytes);  // NaN: what a kernel does not write is nothing to rely on
            blockRun().run(block, thread);
        }
    }
}

void* dynamicShared() {
    return sharedBytes;
}
void blockBarrier() {
    blockRun().wait(blockRun().whole());
}
void warpBarrier() {
    blockRun().wait(blockRun().warp());
}

}  // namespace mantissa::emulation

unsigned __ballot_sync(unsigned, int predicate) {
    unsigned all = 0;
    const unsigned mine = predicate != 0 ? 1u : 0u;
    for (unsigned lane = 0; lane < 32; ++lane) all |= mantissa::emulation::fromLane(mine, lane) << lane;
    return all;
}
