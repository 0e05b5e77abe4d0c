// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/available_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace mantissa::cpu {
namespace {

/// A file system of a machine that is not there.
class AvailableMemory : public testing::Test {
protected:
    std::filesystem::path root;
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_memory_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(root); }
    void write(const std::string& file, const std::string& content) const {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << content;
    }
    /// What the machine and its groups leave, before a sixteenth of it is kept back.
    void expect(std::int64_t bytes) const { EXPECT_EQ(availableMemory(root), bytes - bytes / 16); }
};

const std::string kMeminfo = "MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  800 kB\nHugePages_Total:  0\n";

TEST_F(AvailableMemory, WithoutAWordItIsUnlimited) {
    EXPECT_EQ(availableMemory(root), std::numeric_limits<std::int64_t>::max());
}

TEST_F(AvailableMemory, IsWhatLinuxSays) {
    write("proc/meminfo", kMeminfo);
    expect(800 * 1024);
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/memory.current", "5\n");
    expect(800 * 1024);
}

TEST_F(AvailableMemory, AGroupOrOneAboveItMayAllowLess) {
    write("proc/meminfo", kMeminfo);
    write("proc/self/cgroup", "0::/user.slice/app\n");
    write("sys/fs/cgroup/user.slice/app/memory.max", "500000\n");
    write("sys/fs/cgroup/user.slice/app/memory.current", "100000\n");
    write("sys/fs/cgroup/user.slice/app/memory.stat", "anon 70000\ninactive_file 20000\n");
    expect(420000);
    write("sys/fs/cgroup/user.slice/memory.max", "300000\n");
    write("sys/fs/cgroup/user.slice/memory.current", "120000\n");
    expect(180000);
    write("sys/fs/cgroup/user.slice/memory.max", "100000\n");  // lowered since
    expect(0);
}

TEST_F(AvailableMemory, Version1AndAContainerThatSeesOnlyItself) {
    write("proc/meminfo", kMeminfo);
    write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/machine/of/another/name\n0::/\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "600000\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "200000\n");
    write("sys/fs/cgroup/memory/memory.stat", "cache 5\ntotal_inactive_file 50000\n");
    expect(450000);
}

TEST(AvailableMemoryHere, IsPlausible) {
    EXPECT_GT(availableMemory(), 1 << 20);
}

}  // namespace
}  // namespace mantissa::cpu
