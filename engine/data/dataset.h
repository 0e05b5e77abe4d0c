// SPDX-License-Identifier: Apache-2.0
// Data sets in memory: images and vectors with classes, streams of tokens, regression. Which samples make a batch: batch_order.h.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/data/one_line.h"
#include "engine/data/tokens.h"

namespace mantissa {

/// The `data` key of an experiment. Members that a data set does not use keep their defaults.
struct DataSettings {
    std::string name = "digits";
    std::int64_t batchSize = 64;
    std::string order = "shuffled";     // shuffled sequential
    std::uint64_t seed = 1;             // of the order, and of synthetic data
    std::string path;                   // a folder (mnist cifar10 npy) or a file (text)
    std::int64_t context = 64;          // tokens per sample
    std::string tokens = "characters";  // characters bytes
    // synthetic data only
    std::int64_t samples = 2000;  // training samples; validation has a fifth as many
    std::int64_t classes = 10, height = 16, width = 16, channels = 1;
    std::int64_t features = 16;
    std::int64_t vocabulary = 32, length = 100'000;  // symbols, and tokens of the whole stream
    double noise = 1;                                // times the standard normal, or Student's t
    std::int64_t degreesOfFreedom = 2;               // of Student's t: fewer give heavier tails
    bool operator==(const DataSettings&) const = default;
};

enum class DataKind : std::uint8_t { Classification, Tokens, Regression };

/// The shape of an image sample. Pixels are stored row by row, a pixel's channels together: a sample's features are [height, width,
/// channels].
struct ImageShape {
    std::int64_t height = 0, width = 0, channels = 0;  // all 0: the features are no image
    bool isImage() const { return height > 0; }
};

/// A data set in memory. Immutable; shared between runs and threads. `kind` determines which of labels, targets and tokens are filled.
struct Dataset {
    std::string name;
    std::string credit;
    std::string file;          // name of its file or folder, without the path; empty if not read from disk
    std::string sum;           // CRC-32 of all file contents read, in hexadecimal; empty without files
    bool isSynthetic = false;  // computed by a formula from `seed`; shown as synthetic
    std::uint64_t seed = 0;
    DataKind kind = DataKind::Classification;
    std::int64_t features = 0, classes = 0, targets = 0;
    ImageShape image;
    std::vector<float> trainInputs;         // [train, features]
    std::vector<std::int32_t> trainLabels;  // classification: [train]
    std::vector<float> trainTargets;        // regression: [train, targets]
    std::vector<float> validationInputs;    // [validation, features]
    std::vector<std::int32_t> validationLabels;
    std::vector<float> validationTargets;
    TokenData tokens;

    /// Number of samples; for tokens, adjacent windows.
    std::int64_t trainCount() const;
    std::int64_t validationCount() const;
    /// Distance of two samples in the batch order's indices: for tokens, whose indices are positions in the stream, the window's length.
    std::int64_t sampleStride() const { return kind == DataKind::Tokens ? tokens.context : 1; }
};

/// Data cannot be loaded. what() is one line with the file and the error; `key` is the responsible key of `data`.
class DataError : public std::invalid_argument {
public:
    DataError(std::string key, const std::string& sentence) : std::invalid_argument(oneLine(sentence)), m_key(std::move(key)) {}
    const std::string& key() const { return m_key; }

private:
    std::string m_key;
};

/// The valid values of `DataSettings::name`.
const std::vector<std::string>& datasetNames();

/// Loads a data set; `settings.path` is relative to the process. Returns the existing one while it is in use and its files are unchanged;
/// concurrent calls for one data set share one read and block no other call. Any thread. Throws DataError.
std::shared_ptr<const Dataset> loadDataset(const DataSettings& settings);

/// A data set in one line: "digits: 1437 training and 360 validation images of 8x8, 10 classes"; for synthetic data with the seed.
std::string dataText(const Dataset& data);

}  // namespace mantissa
