// SPDX-License-Identifier: Apache-2.0
// The module as programs load it, and what the driver's answers become in words. No card is needed, and none is asked.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernels/cuda/probe.h"
#include "kernels/cuda_module.h"
#include "tests/support/cuda_emulation/runtime.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

/// The emulated card, as it was when the test ends.
class CudaProbe : public testing::Test {
protected:
    const emulation::Card before = emulation::card();
    ~CudaProbe() override { emulation::card() = before; }
    static DeviceInfo onlyDevice() {
        const std::vector<DeviceInfo> devices = cuda::devices();
        EXPECT_EQ(devices.size(), 1u);
        return devices.front();
    }
};

TEST_F(CudaProbe, NamesEachCardWithWhatItCanDo) {
    emulation::card().count = 2;
    const std::vector<DeviceInfo> devices = cuda::devices();
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[1].name, "cuda:1");
    EXPECT_TRUE(devices[1].available);
    EXPECT_EQ(devices[0].description, "emulated card, capability 9.0, 4 GiB");
}

TEST_F(CudaProbe, SaysThatThereIsNoCard) {
    emulation::card().probe = cudaErrorNoDevice;
    EXPECT_EQ(onlyDevice().reason, "the NVIDIA driver finds no GPU");
    EXPECT_EQ(onlyDevice().name, "cuda");
    EXPECT_FALSE(onlyDevice().available);
}

TEST_F(CudaProbe, SaysThatADriverIsMissingOrTooOld) {
    emulation::card().probe = cudaErrorInsufficientDriver;
    emulation::card().driver = 0;
    EXPECT_EQ(onlyDevice().reason, "no NVIDIA driver");
    emulation::card().driver = 11080;
    EXPECT_EQ(onlyDevice().reason.find("the NVIDIA driver is too old: it knows CUDA 11.8, and this build needs "), 0u);
}

TEST_F(CudaProbe, SaysThatACardIsTooOldAndWhatANewerOneLacks) {
    emulation::card().capability = 75;
    EXPECT_FALSE(onlyDevice().available);
    EXPECT_EQ(onlyDevice().reason, "the GPU is of capability 7.5, too old for bf16 and tf32: 8.0 is needed");
    emulation::card().capability = 80;
    EXPECT_TRUE(onlyDevice().available);
    EXPECT_EQ(onlyDevice().description, "emulated card, capability 8.0, 4 GiB, fp8 products emulated");
}

TEST(CudaModule, LoadsWithoutADriverAndSaysSo) {
    const LoadedCudaModule loaded = loadCudaModule(MANTISSA_CUDA_MODULE);
    ASSERT_NE(loaded.module, nullptr) << loaded.reason;
    const std::vector<DeviceInfo> devices = loaded.module->devices();
    ASSERT_FALSE(devices.empty());
    if (devices.front().available) GTEST_SKIP() << "this machine has a card: " << devices.front().description;
    EXPECT_FALSE(devices.front().reason.empty());
    EXPECT_NE(devices.front().reason.find("driver"), std::string::npos) << devices.front().reason;
}

TEST(CudaModule, IsMissedInWords) {
    EXPECT_EQ(loadCudaModule("/nowhere/mantissa_cuda.so").reason, "this program has no CUDA module beside it");
    const fs::path text = fs::path(testing::TempDir()) / "mantissa_cuda.so";
    std::ofstream(text) << "no library";
    EXPECT_EQ(loadCudaModule(text).reason.find("the CUDA module does not load: "), 0u);
    fs::remove(text);
    Dl_info other{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&std::free), &other), 0);
    EXPECT_EQ(loadCudaModule(other.dli_fname).reason, "the file of the CUDA module is something else");
}

}  // namespace
}  // namespace mantissa
