// SPDX-License-Identifier: Apache-2.0
// Synthetic data from formulas. Counter-based: a sample depends only on (seed, its index), not on the number of samples.
#include <cmath>
#include <numbers>

#include "engine/data/files.h"
#include "engine/data/readers.h"
#include "kernels/random/philox.h"

namespace mantissa {
namespace {

constexpr char32_t kFirstSymbol = 0x100;  // first letter; all take one character of UTF-8

/// Uses of random numbers, each with its own stream.
enum class Stream : std::uint32_t { Prototypes, Labels, Noise, Successors, Walk, Weights, Inputs, Chi };

class Draw {
public:
    Draw(std::uint64_t seed, Stream stream) : m_seed(seed), m_stream(static_cast<std::uint32_t>(stream)) {}
    /// Uniform in (0, 1).
    double uniform(std::int64_t i) const {
        return unit(randomBits(m_seed, RandomUse::SyntheticData, m_stream, static_cast<std::uint64_t>(i)));
    }
    /// An integer in [0, count).
    std::int32_t below(std::int64_t i, std::int64_t count) const {
        return static_cast<std::int32_t>(uniform(i) * static_cast<double>(count));
    }
    /// Standard normal, by Box and Muller.
    double normal(std::int64_t i) const {
        const PhiloxCounter block = randomBlock(m_seed, RandomUse::SyntheticData, m_stream, static_cast<std::uint64_t>(i));
        return std::sqrt(-2 * std::log(unit(block.word[0]))) * std::cos(2 * std::numbers::pi * unit(block.word[1]));
    }

private:
    std::uint64_t m_seed;
    std::uint32_t m_stream;
    static double unit(std::uint32_t bits) { return (bits + 0.5) * 0x1p-32; }
};

Dataset syntheticData(const DataSettings& settings, DataKind kind) {
    Dataset data;
    data.isSynthetic = true;
    data.seed = settings.seed;
    data.kind = kind;
    data.credit = "synthetic: made from a formula and a seed, measured nowhere";
    return data;
}

std::int64_t allSamples(const DataSettings& settings) {
    return settings.samples + settings.samples / 5;
}

/// Checked before generation. In double, since the product of the user's numbers may exceed 64 bits.
void requireSamplesFit(const DataSettings& settings, double features) {
    requireFits("samples", "they would be", static_cast<double>(allSamples(settings)), features);
}

/// Calls make(sample, trains, inputs) for the training samples, then for a fifth as many validation samples.
template <typename Make>
void makeSamples(const DataSettings& settings, Dataset& data, Make make) {
    const std::int64_t all = allSamples(settings);
    data.trainInputs.resize(static_cast<std::size_t>(settings.samples * data.features));
    data.validationInputs.resize(static_cast<std::size_t>((all - settings.samples) * data.features));
    for (std::int64_t i = 0; i < all; ++i) {
        const bool trains = i < settings.samples;
        float* inputs =
            trains ? data.trainInputs.data() + i * data.features : data.validationInputs.data() + (i - settings.samples) * data.features;
        make(i, trains, inputs);
    }
}

}  // namespace

/// A class is one plane wave per channel with its own direction and phase; an image is its class's wave plus white noise.
ReadData makeSyntheticImages(const DataSettings& settings) {
    ReadData made{syntheticData(settings, DataKind::Classification), {}};
    Dataset& data = made.data;
    data.image = {settings.height, settings.width, settings.channels};
    const double pixels =
        static_cast<double>(settings.height) * static_cast<double>(settings.width) * static_cast<double>(settings.channels);
    requireSamplesFit(settings, pixels);
    requireFits("classes", "the classes' patterns would be", static_cast<double>(settings.classes), pixels);
    data.features = settings.height * settings.width * settings.channels;
    data.classes = settings.classes;

    const Draw drawPrototype(settings.seed, Stream::Prototypes), drawLabel(settings.seed, Stream::Labels),
        drawNoise(settings.seed, Stream::Noise);
    std::vector<std::vector<float>> prototypes(static_cast<std::size_t>(data.classes));  // of the classes that occur
    const auto makePrototype = [&](std::int64_t k, std::vector<float>& prototype) {
        const std::int64_t own = k * (2 + data.image.channels);
        const double acrossWaves = drawPrototype.below(own, 4) + 1, downWaves = drawPrototype.below(own + 1, 7) - 3;
        for (std::int64_t y = 0; y < data.image.height; ++y) {
            for (std::int64_t x = 0; x < data.image.width; ++x) {
                const double turn = acrossWaves * static_cast<double>(x) / static_cast<double>(data.image.width) +
                                    downWaves * static_cast<double>(y) / static_cast<double>(data.image.height);
                for (std::int64_t c = 0; c < data.image.channels; ++c) {
                    const double phase = drawPrototype.uniform(own + 2 + c);
                    prototype.push_back(static_cast<float>(std::cos(2 * std::numbers::pi * (turn + phase))));
                }
            }
        }
    };
    makeSamples(settings, data, [&](std::int64_t i, bool trains, float* inputs) {
        const std::int32_t label = drawLabel.below(i, data.classes);
        (trains ? data.trainLabels : data.validationLabels).push_back(label);
        std::vector<float>& prototype = prototypes[static_cast<std::size_t>(label)];
        if (prototype.empty()) makePrototype(label, prototype);
        for (std::int64_t p = 0; p < data.features; ++p)
            inputs[p] =
                prototype[static_cast<std::size_t>(p)] + static_cast<float>(settings.noise * drawNoise.normal(i * data.features + p));
    });
    return made;
}

/// A Markov chain: four symbols may follow each symbol, with probabilities 1/2, 1/4, 1/8, 1/8. Its entropy, 1.75 bits or 1.213 nats a
/// token, is the lower bound of the loss.
ReadData makeSyntheticTokens(const DataSettings& settings) {
    ReadData made{syntheticData(settings, DataKind::Tokens), {}};
    Dataset& data = made.data;
    requireFits("length", "the stream would be", static_cast<double>(settings.length), 1);
    const std::int64_t fewest = fewestTokens(settings.context);
    if (settings.length < fewest)
        throw DataError("length", "windows of " + std::to_string(settings.context) + " need " + std::to_string(fewest) + " tokens");
    data.tokens.context = settings.context;
    for (std::int64_t s = 0; s < settings.vocabulary; ++s)
        data.tokens.vocabulary.characters.push_back(kFirstSymbol + static_cast<char32_t>(s));
    const Draw drawSuccessor(settings.seed, Stream::Successors), drawStep(settings.seed, Stream::Walk);
    std::vector<std::int32_t> stream(static_cast<std::size_t>(settings.length));
    std::int32_t symbol = 0;
    for (std::int64_t i = 0; i < settings.length; ++i) {
        const double u = drawStep.uniform(i);
        const std::int64_t which = u < 0.5 ? 0 : u < 0.75 ? 1 : u < 0.875 ? 2 : 3;
        symbol = static_cast<std::int32_t>((drawSuccessor.below(symbol, settings.vocabulary) + which) % settings.vocabulary);
        stream[static_cast<std::size_t>(i)] = symbol;
    }
    splitTokens(data.tokens, std::move(stream));
    return made;
}

/// y = w . x / sqrt(features) + noise * t, with normal w and x, and Student's t: a normal over the root of a mean of squared normals.
ReadData makeSyntheticRegression(const DataSettings& settings) {
    ReadData made{syntheticData(settings, DataKind::Regression), {}};
    Dataset& data = made.data;
    data.features = settings.features;
    data.targets = 1;
    requireSamplesFit(settings, static_cast<double>(data.features));
    const Draw drawWeight(settings.seed, Stream::Weights), drawInput(settings.seed, Stream::Inputs),
        drawNoise(settings.seed, Stream::Noise), drawChi(settings.seed, Stream::Chi);
    std::vector<double> weights;
    for (std::int64_t f = 0; f < data.features; ++f)
        weights.push_back(drawWeight.normal(f) / std::sqrt(static_cast<double>(data.features)));
    makeSamples(settings, data, [&](std::int64_t i, bool trains, float* inputs) {
        double y = 0, squares = 0;
        for (std::int64_t f = 0; f < data.features; ++f) {
            inputs[f] = static_cast<float>(drawInput.normal(i * data.features + f));
            y += weights[static_cast<std::size_t>(f)] * static_cast<double>(inputs[f]);
        }
        for (std::int64_t k = 0; k < settings.degreesOfFreedom; ++k) {
            const double normal = drawChi.normal(i * settings.degreesOfFreedom + k);
            squares += normal * normal;
        }
        const double t = drawNoise.normal(i) / std::sqrt(squares / static_cast<double>(settings.degreesOfFreedom));
        (trains ? data.trainTargets : data.validationTargets).push_back(static_cast<float>(y + settings.noise * t));
    });
    return made;
}

}  // namespace mantissa
