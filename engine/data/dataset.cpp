// SPDX-License-Identifier: Apache-2.0
// Data sets by name, and the cache of loaded ones.
#include "engine/data/dataset.h"

#include <zlib.h>

#include <algorithm>
#include <condition_variable>
#include <iomanip>
#include <mutex>
#include <sstream>

#include "engine/data/readers.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

struct Named {
    std::string name;
    ReadData (*read)(const DataSettings&);
};

const std::vector<Named>& named() {
    static const std::vector<Named> kNamed{{"digits", readDigits},
                                           {"opticks", readOpticks},
                                           {"mnist", readMnist},
                                           {"cifar10", readCifar10},
                                           {"text", readText},
                                           {"npy", readNpyPairs},
                                           {"synthetic-images", makeSyntheticImages},
                                           {"synthetic-tokens", makeSyntheticTokens},
                                           {"synthetic-regression", makeSyntheticRegression}};
    return kNamed;
}

/// Identity of a file when it was read.
struct Stamp {
    fs::path file;
    std::uintmax_t size = 0;
    fs::file_time_type time;
    explicit Stamp(const fs::path& path) : file(path) {
        std::error_code error;  // a missing file has a stamp, too, which differs
        size = fs::file_size(file, error);
        time = fs::last_write_time(file, error);
    }
    bool operator==(const Stamp&) const = default;
};

struct Held {
    DataSettings settings;
    bool isBeingRead = true;  // by the thread that added it
    std::vector<Stamp> stamps;
    std::weak_ptr<const Dataset> data;
};

/// The settings that the samples depend on: without batch size and order, and without the seed if no data is generated from it.
DataSettings contentOf(DataSettings settings) {
    settings.batchSize = 0;
    settings.order.clear();
    if (!settings.name.starts_with("synthetic-")) settings.seed = 0;
    return settings;
}

bool isUnchanged(const Held& held) {
    return std::all_of(held.stamps.begin(), held.stamps.end(), [](const Stamp& stamp) { return stamp == Stamp(stamp.file); });
}

template <class T>
uLong addTo(uLong sum, const std::vector<T>& values) {
    if (values.empty()) return sum;  // crc32_z resets the sum for a null pointer
    return crc32_z(sum, reinterpret_cast<const Bytef*>(values.data()), values.size() * sizeof(T));
}

std::string sumOf(const Dataset& data) {
    uLong sum = crc32_z(0, nullptr, 0);
    for (const auto* values : {&data.trainInputs, &data.trainTargets, &data.validationInputs, &data.validationTargets})
        sum = addTo(sum, *values);
    for (const auto* values : {&data.trainLabels, &data.validationLabels, &data.tokens.train, &data.tokens.validation})
        sum = addTo(sum, *values);
    sum = addTo(sum, data.tokens.vocabulary.characters);
    std::ostringstream text;
    text << std::hex << std::setw(8) << std::setfill('0') << sum;
    return text.str();
}

ReadData read(const DataSettings& settings) {
    const auto found = std::find_if(named().begin(), named().end(), [&](const Named& each) { return each.name == settings.name; });
    if (found == named().end()) throw DataError("name", "data set '" + settings.name + "' is not known");
    ReadData read = found->read(settings);
    read.data.name = settings.name;
    if (settings.path.empty()) return read;
    read.data.file = fs::path(settings.path).filename().string();
    read.data.sum = sumOf(read.data);
    return read;
}

/// Loaded data sets and those being read. The lock is held for the list only, so a request never waits for another set's reader.
class Cache {
public:
    std::shared_ptr<const Dataset> load(const DataSettings& settings) {
        const DataSettings content = contentOf(settings);
        if (auto data = findOrReserve(content)) return data;
        try {
            ReadData made = read(settings);
            const std::vector<Stamp> stamps(made.files.begin(), made.files.end());
            auto data = std::make_shared<const Dataset>(std::move(made.data));
            settle(content, stamps, data);
            return data;
        } catch (...) {
            settle(content, {}, nullptr);
            throw;
        }
    }

private:
    std::mutex m_mutex;  // guards `m_held`
    std::condition_variable m_settled;
    std::vector<Held> m_held;

    auto placeOf(const DataSettings& content) {
        return std::find_if(m_held.begin(), m_held.end(), [&](const Held& each) { return each.settings == content; });
    }

    /// Returns null if the caller must read it; others wait. If the reader fails, the next caller tries again.
    std::shared_ptr<const Dataset> findOrReserve(const DataSettings& content) {
        std::unique_lock lock(m_mutex);
        m_settled.wait(lock, [&] {
            const auto place = placeOf(content);
            return place == m_held.end() || !place->isBeingRead;
        });
        std::erase_if(m_held, [](const Held& each) { return !each.isBeingRead && each.data.expired(); });
        if (const auto place = placeOf(content); place != m_held.end()) {
            auto data = place->data.lock();
            if (data && isUnchanged(*place)) return data;
            m_held.erase(place);  // its files have changed
        }
        m_held.push_back({.settings = content, .stamps = {}, .data = {}});
        return nullptr;
    }

    void settle(const DataSettings& content, const std::vector<Stamp>& stamps, const std::shared_ptr<const Dataset>& data) {
        const std::lock_guard lock(m_mutex);
        const auto place = placeOf(content);
        if (data) {
            *place = {content, false, stamps, data};
        } else {
            m_held.erase(place);
        }
        m_settled.notify_all();
    }
};

std::string countText(std::int64_t train, std::int64_t validation, const std::string& what) {
    return std::to_string(train) + " training and " + std::to_string(validation) + " validation " + what;
}

std::int64_t countOf(const Dataset& data, const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& labels,
                     const std::vector<float>& targets) {
    if (data.kind == DataKind::Tokens) return data.tokens.windows(tokens);
    return static_cast<std::int64_t>(data.kind == DataKind::Classification ? labels.size()
                                                                           : targets.size() / static_cast<std::size_t>(data.targets));
}

std::string plural(std::int64_t count, const std::string& one, const std::string& several) {
    return std::to_string(count) + " " + (count == 1 ? one : several);
}

}  // namespace

std::int64_t Dataset::trainCount() const {
    return countOf(*this, tokens.train, trainLabels, trainTargets);
}

std::int64_t Dataset::validationCount() const {
    return countOf(*this, tokens.validation, validationLabels, validationTargets);
}

const std::vector<std::string>& datasetNames() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const Named& each : named()) names.push_back(each.name);
        return names;
    }();
    return kNames;
}

std::shared_ptr<const Dataset> loadDataset(const DataSettings& settings) {
    static Cache cache;
    return cache.load(settings);
}

std::string dataText(const Dataset& data) {
    std::string text = data.name;
    if (!data.file.empty()) text += " '" + data.file + "'";
    if (data.isSynthetic) text += " (synthetic, seed " + std::to_string(data.seed) + ")";
    text += ": ";
    if (data.kind == DataKind::Tokens) {
        const TokenData& tokens = data.tokens;
        text += countText(static_cast<std::int64_t>(tokens.train.size()), static_cast<std::int64_t>(tokens.validation.size()),
                          tokens.vocabulary.isBytes() ? "bytes" : "characters");
        if (!tokens.vocabulary.isBytes()) text += ", " + plural(tokens.vocabulary.size(), "symbol", "symbols");
        return text + ", windows of " + std::to_string(tokens.context);
    }
    std::string samples;
    if (data.image.isImage()) {
        samples = "images of " + std::to_string(data.image.height) + "x" + std::to_string(data.image.width);
        if (data.image.channels > 1) samples += "x" + std::to_string(data.image.channels);
    } else {
        samples = "samples of " + plural(data.features, "feature", "features");
    }
    text += countText(data.trainCount(), data.validationCount(), samples) + ", ";
    return text +
           (data.kind == DataKind::Classification ? plural(data.classes, "class", "classes") : plural(data.targets, "target", "targets"));
}

}  // namespace mantissa
