// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda_module.h"

#include <dlfcn.h>

#include <charconv>

#include "kernels/program_file.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

std::vector<DeviceInfo> noGpu(std::string reason) {
    return {{.name = "cuda", .description = "", .available = false, .reason = std::move(reason), .threads = 0}};
}

bool hasDriver() {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver != nullptr) dlclose(driver);
    return driver != nullptr;
}

const LoadedCudaModule& theModule() {
    static const LoadedCudaModule loaded = [] {
        const fs::path program = programFile();
        if (program.empty()) return LoadedCudaModule{nullptr, "this program does not know where it lies, nor its CUDA module"};
        return loadCudaModule(program.parent_path().parent_path() / "lib" / "mantissa" / "mantissa_cuda.so");
    }();
    return loaded;
}

}  // namespace

LoadedCudaModule loadCudaModule(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return {nullptr, "this program has no CUDA module beside it"};
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = dlerror();
        return {nullptr, "the CUDA module does not load: " + std::string(why != nullptr ? why : "no reason given")};
    }
    using Entry = const CudaModule* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(library, kCudaModuleSymbol));
    if (entry == nullptr) return {nullptr, "the file of the CUDA module is something else"};
    const CudaModule* const module = entry();
    if (module->interface != kCudaInterface || std::string(module->version) != MANTISSA_VERSION)
        return {nullptr, "the CUDA module is of another build than this program"};
    return {module, ""};
}

const std::vector<DeviceInfo>& cudaDevices() {
    static const std::vector<DeviceInfo> devices = [] {
        if (!hasDriver()) return noGpu("no NVIDIA driver: libcuda.so.1 was not found");
        const LoadedCudaModule& loaded = theModule();
        return loaded.module != nullptr ? loaded.module->devices() : noGpu(loaded.reason);
    }();
    return devices;
}

std::shared_ptr<Backend> createCudaBackend(const std::string& name) {
    const CudaModule* const module = theModule().module;
    if (module == nullptr) throw DeviceError{theModule().reason};
    int device = 0;
    const std::string number = name.substr(name.find(':') + 1);
    std::from_chars(number.data(), number.data() + number.size(), device);
    return module->create(device);
}

}  // namespace mantissa
