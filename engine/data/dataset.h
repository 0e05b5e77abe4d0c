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

/// The `data` key of an experiment. What a data set has no use for keeps its default.
struct DataSettings {
    std::string name = "digits";
    std::int64_t batchSize = 64;
    std::string order = "shuffled";     // shuffled sequential
    std::uint64_t seed = 1;             // of the order, and of synthetic data
    std::string path;                   // a folder (mnist cifar10 npy) or a file (text)
    std::int64_t context = 64;          // tokens of a sample
    std::string tokens = "characters";  // characters bytes
    // synthetic data alone
    std::int64_t samples = 2000;  // that train; a fifth as many validate
    std::int64_t classes = 10, height = 16, width = 16, channels = 1;
    std::int64_t features = 16;
    std::int64_t vocabulary = 32, length = 100'000;  // symbols, and tokens of the whole stream
    double noise = 1;                                // times the standard normal, or Student's t
    std::int64_t degreesOfFreedom = 2;               // of Student's t: the fewer, the heavier its tails
    bool operator==(const DataSettings&) const = default;
};

enum class DataKind : std::uint8_t { Classification, Tokens, Regression };

/// Pixels lie row by row, the channels of one pixel together: [height, width, channels] of a sample are its features.
struct ImageShape {
    std::int64_t height = 0, width = 0, channels = 0;  // all 0: the features are no image
    bool isImage() const { return height > 0; }
};

/// Immutable once made; shared between runs and threads. Of labels, targets and tokens there is what the kind says, the others are empty.
struct Dataset {
    std::string name;
    std::string credit;
    std::string file;          // the file or folder that it was read from, without its path; empty when it is not from the disk
    std::string sum;           // CRC-32 of all that was read from files, in hexadecimal; empty when nothing was
    bool isSynthetic = false;  // made by a formula from `seed`, and said so wherever it is shown
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

    /// Samples: of tokens, windows that lie side by side.
    std::int64_t trainCount() const;
    std::int64_t validationCount() const;
    /// From a sample to the next one, as batches number them: of tokens an index is a place in the stream, so the length of a window.
    std::int64_t sampleStride() const { return kind == DataKind::Tokens ? tokens.context : 1; }
};

/// Data that cannot be had: what(), one line, names the file and what is wrong with it; `key` is the key of `data` that brought it up.
class DataError : public std::invalid_argument {
public:
    DataError(std::string key, const std::string& sentence) : std::invalid_argument(oneLine(sentence)), m_key(std::move(key)) {}
    const std::string& key() const { return m_key; }

private:
    std::string m_key;
};

/// Names that `DataSettings::name` may take.
const std::vector<std::string>& datasetNames();

/// The data set that `settings` ask for; `path` as the process sees it. While somebody holds it and its files have not changed, the
/// same one is handed out again; who asks for one that is being read waits for it, and nobody else waits. Any thread. Throws DataError.
std::shared_ptr<const Dataset> loadDataset(const DataSettings& settings);

/// One line for people: "digits: 1437 training and 360 validation images of 8x8, 10 classes"; of synthetic data it says so, with the seed.
std::string dataText(const Dataset& data);

}  // namespace mantissa
