// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engine/cli/commands.h"
#include "engine/session/session.h"
#include "engine/wire/wire.h"
#include "kernels/cuda_module.h"

namespace mantissa {
namespace {

/// Terminal columns of a text: UTF-8 continuation bytes take none.
std::size_t columnsOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Null if an existing GPU cannot be used, for example because its memory is full. Reports the reason on standard error and in `known`.
std::shared_ptr<Backend> tryGpu(const std::string& name, std::vector<DeviceInfo>* known) {
    std::string reason;
    try {
        return createCudaBackend(name);
    } catch (const DeviceError& error) {
        reason = error.reason;
    } catch (const std::bad_alloc&) {
        reason = "its memory is full";
    }
    std::fprintf(stderr, "mantissa: %s is not used: %s\n", name.c_str(), reason.c_str());
    if (known != nullptr) {
        for (DeviceInfo& device : *known) {
            if (device.name == name) device.available = false, device.reason = reason;
        }
    }
    return nullptr;
}

}  // namespace

bool advance(Session& session) {
    try {
        return session.advance();
    } catch (const SilentDevice& error) {
        std::fprintf(stderr, "mantissa: %s%s\n", kDeviceFailure, error.reason.c_str());
        std::_Exit(kExitCouldNotGoOn);
    }
}

nlohmann::ordered_json jsonNumber(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

std::vector<DeviceInfo> allDevices() {
    std::vector<DeviceInfo> devices{createCpuBackend()->device()};
    devices.insert(devices.end(), cudaDevices().begin(), cudaDevices().end());
    return devices;
}

std::shared_ptr<Backend> openDevice(const std::string& name, std::vector<DeviceInfo>* known) {
    if (name == "cpu") return createCpuBackend();
    const bool isAnyGpu = name == "cuda";
    for (const DeviceInfo& device : cudaDevices()) {
        if (name == "auto" && device.available) {
            if (auto backend = tryGpu(device.name, known)) return backend;
        } else if (device.available && (isAnyGpu || name == device.name)) {
            return createCudaBackend(device.name);
        }
        if (name == device.name || name.starts_with(device.name + ":")) throw UsageError("--device " + name + ": " + device.reason);
    }
    if (name == "auto") return createCpuBackend();
    if (isAnyGpu) throw UsageError("--device cuda: " + cudaDevices().front().reason);
    if (name.starts_with("cuda:")) throw UsageError("--device " + name + ": there is no such GPU");
    throw UsageError("--device: '" + name + "' is not a device (auto, cpu, cuda:0)");
}

std::pair<std::string, std::string> splitAssignment(const std::string& text, const std::string& option) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError(option + ": '" + text + "' is not of the form key=value");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string alignedTable(const std::vector<std::vector<std::string>>& rows, const std::set<std::size_t>& leftColumns) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columnsOf(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - columnsOf(row[i]), ' ');
            if (i > 0) line += "  ";
            line += leftColumns.contains(i) ? row[i] + padding : padding + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string brief(double value, const char* format) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

CLI::Validator wholeNumberFrom(std::int64_t least) {
    const auto check = [least](std::string& text) -> std::string {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && rest == end && number >= least) return {};
        return "must be a whole number, " + std::to_string(least) + " or more, not '" + text + "'";
    };
    return {check, least > 0 ? "POSITIVE" : "NONNEGATIVE"};
}

CLI::Validator numberFromZero() {
    const auto check = [](std::string& text) -> std::string {
        double number = -1;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && rest == end && std::isfinite(number) && number >= 0) return {};
        return "must be a number, 0 or more, not '" + text + "'";
    };
    return {check, "NONNEGATIVE"};
}

}  // namespace mantissa
