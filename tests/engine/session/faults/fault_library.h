// SPDX-License-Identifier: Apache-2.0
// The library of planted faults (library.json) as experiments. MANTISSA_FAULTS: part of the names of those that are tried, "all" for every
// one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "engine/experiment/safetensors.h"
#include "engine/session/live_run.h"
#include "kernels/backend.h"

namespace mantissa {

using Library = nlohmann::ordered_json;

/// Keeps the data and weights that faults need in a folder of its own. One at a time in a process.
class FaultLibrary {
public:
    FaultLibrary() {
        std::ifstream file(MANTISSA_FAULT_LIBRARY);
        m_library = Library::parse(file);
        std::filesystem::create_directories(folder);
        writeBlobs();
    }
    ~FaultLibrary() { std::filesystem::remove_all(folder); }
    FaultLibrary(const FaultLibrary&) = delete;
    FaultLibrary& operator=(const FaultLibrary&) = delete;

    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mantissa_library_" + std::to_string(::getpid()));

    const Library& faults() const { return m_library["faults"]; }
    const Library& healthy() const { return m_library["healthy"]; }

    static std::string wanted() {
        const char* const name = std::getenv("MANTISSA_FAULTS");
        return name == nullptr ? "" : name;
    }
    /// By default one of `every`, so that a change to the verdicts is noticed within seconds.
    static bool isWanted(const std::string& name, std::size_t index, std::size_t every) {
        if (wanted().empty()) return index % every == 0;
        return wanted() == "all" || name.find(wanted()) != std::string::npos;
    }

    Library healthyOf(const Library& fault) const {
        Library experiment = m_library["bases"][fault["base"].get<std::string>()];
        if (fault.contains("with")) set(experiment, fault["with"]);
        return experiment;
    }
    Library faultyOf(const Library& fault) const {
        Library experiment = healthyOf(fault);
        if (fault.contains("weights")) {
            Library plain = experiment;
            plain["precision"] = "fp32";
            plain.erase("scaler");
            plain.erase("eval_precision");
            experiment["init"]["weights"] = weightsFile(plain, fault["weights"]);
        }
        if (fault.contains("fault")) set(experiment, fault["fault"]);
        if (fault.contains("events")) experiment["events"] = fault["events"];
        return experiment;
    }
    /// The experiment's file.
    std::string textOf(const Library& experiment) const {
        std::string text = experiment.dump();
        for (auto at = text.find("\"@/"); at != std::string::npos; at = text.find("\"@/")) text.replace(at + 1, 1, folder.string());
        return text;
    }

private:
    Library m_library;

    template <typename T>
    void writeNpy(const std::string& name, const std::string& type, const std::string& shape, const std::vector<T>& values) const {
        std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
        head += std::string(63 - (head.size() + 10) % 64, ' ') + "\n";
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream file(folder / name, std::ios::binary);
        const auto size = static_cast<std::uint16_t>(head.size());
        file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(size & 0xFF) << static_cast<char>(size >> 8) << head;
        file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    }

    /// Ten clouds of points in 16 dimensions, and the same with a fault in them.
    void writeBlobs() const {
        constexpr std::size_t kRows = 1200, kFeatures = 16, kClasses = 10;
        std::mt19937_64 random(7);
        std::normal_distribution<double> normal;
        std::vector<double> centres(kClasses * kFeatures), x;
        for (double& each : centres) each = normal(random);
        std::vector<std::int64_t> y;
        for (std::size_t row = 0; row < kRows; ++row) {
            y.push_back(static_cast<std::int64_t>(random() % kClasses));
            for (std::size_t i = 0; i < kFeatures; ++i)
                x.push_back(centres[static_cast<std::size_t>(y.back()) * kFeatures + i] + 0.7 * normal(random));
        }
        const auto write = [&](const std::string& name, double factor, std::optional<std::size_t> nanAt = {}) {
            std::vector<float> values;
            for (const double each : x) values.push_back(static_cast<float>(each * factor));
            if (nanAt) values[*nanAt] = NAN;
            writeNpy(name + "/x.npy", "<f4", "1200, 16", values);
            writeNpy(name + "/y.npy", "<i8", "1200,", y);
        };
        write("blobs", 1);
        write("blobs-times-1e6", 1e6);
        write("blobs-times-1e-9", 1e-9);
        write("blobs-one-nan", 1, 700 * kFeatures + 3);
        x[450 * kFeatures + 11] = 1e300;
        writeNpy("blobs-beyond-fp32/x.npy", "<f8", "1200, 16", x);
        writeNpy("blobs-beyond-fp32/y.npy", "<i8", "1200,", y);
    }

    static void set(Library& experiment, const Library& changes) {
        for (const auto& [pointer, value] : changes.items()) experiment[nlohmann::ordered_json::json_pointer(pointer)] = value;
    }

    static float numberOf(const Library& value) {
        if (value.is_number()) return value.get<float>();
        return value == "nan" ? NAN : value == "inf" ? INFINITY : -INFINITY;
    }

    std::string weightsFile(const Library& without, const Library& changes) const {
        LiveRun run(0, parseExperiment(textOf(without), "fault.json").runs.front(), createCpuBackend(), [](Event&&) {});
        std::vector<NamedTensor> weights = run.trainer().weights();
        for (const Library& change : changes) {
            const auto tensor = std::find_if(weights.begin(), weights.end(),
                                             [&](const auto& each) { return each.name == change["tensor"].get<std::string>(); });
            if (tensor == weights.end()) throw std::invalid_argument("no tensor " + change["tensor"].get<std::string>());
            if (change.contains("element")) tensor->values.at(change["element"].get<std::size_t>()) = numberOf(change["value"]);
            for (float& w : tensor->values) {
                if (change.contains("times")) w *= numberOf(change["times"]);
                if (change.contains("fill")) w = numberOf(change["fill"]);
            }
        }
        const std::string file = (folder / "weights.safetensors").string();
        writeSafetensors(file, weights);
        return file;
    }
};

}  // namespace mantissa
