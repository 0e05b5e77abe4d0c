// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/checkpoint.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/experiment/experiment.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/safetensors.h"
#include "resources/embedded.h"

namespace mantissa {
namespace {

constexpr std::string_view kBundled = "bundled:", kFolder = "weights/", kEnding = ".safetensors";

void takeOffPrefixes(std::vector<NamedTensor>& tensors) {
    if (tensors.empty()) return;
    for (const std::string_view prefix : {"module.", "_orig_mod.", "module."}) {  // either wrapper may be the outer one
        const bool isShared = std::all_of(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name.starts_with(prefix); });
        if (!isShared) continue;
        for (NamedTensor& tensor : tensors) tensor.name.erase(0, prefix.size());
    }
}

/// Compares bits, so that NaN equals itself.
bool isSame(const NamedTensor& a, const NamedTensor& b) {
    const auto bits = [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); };
    return a.shape == b.shape && std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), bits);
}

class Matching {
public:
    explicit Matching(std::vector<NamedTensor> tensors) : m_tensors(std::move(tensors)) {}

    void take(const ParameterShape& wanted) {
        auto found = find(wanted.name);
        const auto alias = wanted.alias.empty() ? m_tensors.end() : find(wanted.alias);
        if (found != m_tensors.end() && alias != m_tensors.end() && !isSame(*found, *alias))
            note(m_problems, wanted.alias + " differs from " + wanted.name + ", and this model ties them");
        if (found == m_tensors.end()) found = alias;
        if (found == m_tensors.end()) return note(m_missing, wanted.name);
        if (found->shape != wanted.shape)
            note(m_misshapen, found->name + " (" + shapeText(found->shape) + " instead of " + shapeText(wanted.shape) + ")");
        m_matched.push_back(std::move(*found));
        m_matched.back().name = wanted.name;
        m_tensors.erase(found);
        std::erase_if(m_tensors, [&](const NamedTensor& t) { return !wanted.alias.empty() && t.name == wanted.alias; });
    }

    std::vector<NamedTensor> finish(const std::string& source) {
        std::string extra;
        for (const NamedTensor& left : m_tensors) {
            if (!isBookkeeping(left.name)) note(extra, left.name);
        }
        std::string report = m_problems;
        for (const auto& [what, list] :
             {std::pair("lacks ", m_missing), {"has another shape for ", m_misshapen}, {"has what the model does not: ", extra}}) {
            if (!list.empty()) report += (report.empty() ? "" : "; ") + std::string(what) + list;
        }
        if (!report.empty()) throw InputError(source, "", report);
        return std::move(m_matched);
    }

private:
    std::vector<NamedTensor> m_tensors, m_matched;
    std::string m_missing, m_misshapen, m_problems;

    std::vector<NamedTensor>::iterator find(const std::string& name) {
        return std::find_if(m_tensors.begin(), m_tensors.end(), [&](const NamedTensor& t) { return t.name == name; });
    }
    static void note(std::string& list, const std::string& word) { list += (list.empty() ? "" : ", ") + word; }
};

std::vector<NamedTensor> readBundled(const std::string& weights) {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (!file.path.starts_with(kFolder) || !file.path.ends_with(kEnding)) continue;
        names.emplace_back(file.path.substr(kFolder.size(), file.path.size() - kFolder.size() - kEnding.size()));
        if (kBundled.size() + names.back().size() == weights.size() && weights.ends_with(names.back()))
            return parseSafetensors(file.text(), weights);
    }
    throw InputError(weights, "", "there are no bundled weights of this name" + didYouMean(weights.substr(kBundled.size()), names));
}

}  // namespace

std::vector<NamedTensor> matchWeights(std::vector<NamedTensor> tensors, const std::vector<ParameterShape>& shapes,
                                      const std::string& source) {
    takeOffPrefixes(tensors);
    Matching matching(std::move(tensors));
    for (const ParameterShape& wanted : shapes) matching.take(wanted);
    return matching.finish(source);
}

bool isBundledWeights(std::string_view weights) {
    return weights.starts_with(kBundled);
}

std::vector<NamedTensor> loadWeights(const std::string& weights, const std::vector<ParameterShape>& shapes) {
    return matchWeights(isBundledWeights(weights) ? readBundled(weights) : readSafetensors(weights), shapes, weights);
}

}  // namespace mantissa
