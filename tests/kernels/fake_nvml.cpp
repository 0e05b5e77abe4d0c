// SPDX-License-Identifier: Apache-2.0
// A management library as NVIDIA's is called: one card, at 00000000:C1:00.0, of which 3 GiB are in use. MANTISSA_FAKE_NVML_STATUS is what
// its beginning answers; nothing has been begun when it is not 0.
#include <cstring>

namespace {

int card = 0;
int begun = 0;
constexpr int kNotBegun = 1, kNotFound = 6;

}  // namespace

extern "C" {

int nvmlInit_v2() {
    if (MANTISSA_FAKE_NVML_STATUS == 0) ++begun;
    return MANTISSA_FAKE_NVML_STATUS;
}
int nvmlShutdown() {
    return --begun < 0 ? kNotBegun : 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* busId, void** device) {
    if (begun < 1) return kNotBegun;
    *device = &card;
    return std::strcmp(busId, "00000000:C1:00.0") == 0 ? 0 : kNotFound;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
    if (begun < 1 || device != &card) return kNotBegun;
    memory[0] = 8ull << 30;
    memory[1] = 5ull << 30;
    memory[2] = 3ull << 30;
    return 0;
}

}  // extern "C"
