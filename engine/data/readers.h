// SPDX-License-Identifier: Apache-2.0
// Readers, one function for each data set; loadDataset selects one. All throw DataError.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/data/dataset.h"

namespace mantissa {

/// A data set and its source files.
struct ReadData {
    Dataset data;
    std::vector<std::filesystem::path> files;
};

ReadData readDigits(const DataSettings& settings);               // digits.cpp
ReadData readMnist(const DataSettings& settings);                // idx.cpp
ReadData readCifar10(const DataSettings& settings);              // cifar.cpp
ReadData readNpyPairs(const DataSettings& settings);             // npy_pairs.cpp
ReadData readOpticks(const DataSettings& settings);              // text.cpp
ReadData readText(const DataSettings& settings);                 // text.cpp
ReadData makeSyntheticImages(const DataSettings& settings);      // synthetic.cpp
ReadData makeSyntheticTokens(const DataSettings& settings);      // synthetic.cpp
ReadData makeSyntheticRegression(const DataSettings& settings);  // synthetic.cpp

}  // namespace mantissa
