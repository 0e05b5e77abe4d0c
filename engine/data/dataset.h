// SPDX-License-Identifier: Apache-2.0
// Data sets in memory, and which samples make a batch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mantissa {

/// The `data` key of an experiment.
struct DataSettings {
    std::string name = "digits";
    std::int64_t batchSize = 64;
    std::string order = "shuffled";  // shuffled sequential
    std::uint64_t seed = 1;
    bool operator==(const DataSettings&) const = default;
};

/// Immutable once made; shared between runs and threads.
struct Dataset {
    std::string name;
    std::string credit;
    std::int64_t features = 0, classes = 0;
    std::vector<float> trainInputs;         // [train, features]
    std::vector<std::int32_t> trainLabels;  // [train]
    std::vector<float> validationInputs;    // [validation, features]
    std::vector<std::int32_t> validationLabels;
    std::int64_t trainCount() const { return static_cast<std::int64_t>(trainLabels.size()); }
    std::int64_t validationCount() const { return static_cast<std::int64_t>(validationLabels.size()); }
};

/// Names that `DataSettings::name` may take.
const std::vector<std::string>& datasetNames();

/// digits: 1,437 training and 360 validation samples of 64 pixels / 16. Inflated from the copy inside the program, once.
/// Throws std::invalid_argument for an unknown name.
std::shared_ptr<const Dataset> loadDataset(const std::string& name);

/// Which training samples a step uses: a pure function of (order, seed, step), so that any step can be revisited.
/// sequential: samples [k*B, (k+1)*B) modulo the count. shuffled: the same walk through a fresh permutation per epoch.
class BatchOrder {
public:
    BatchOrder(const DataSettings& settings, std::int64_t trainCount);
    /// Writes batchSize indices for micro-batch number `batch` (counted from 0 over the whole run).
    void indices(std::int64_t batch, std::int32_t* out);

private:
    DataSettings m_settings;
    std::int64_t m_count;
    std::int64_t m_epoch = -1;  // epoch whose permutation is held
    std::vector<std::int32_t> m_permutation;
    const std::vector<std::int32_t>& permutation(std::int64_t epoch);
};

}  // namespace mantissa
