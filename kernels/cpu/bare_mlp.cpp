// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/bare_mlp.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <unordered_map>

#include "kernels/cpu/library_call.h"
#include "kernels/cpu/vector_loop.h"

namespace mantissa {
namespace {

MANTISSA_LOOP void relu(const float* x, float* y, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}

MANTISSA_LOOP void reluGrad(const float* gradOutput, const float* x, float* gradInput, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) gradInput[i] = x[i] > 0 ? gradOutput[i] : 0;
}

MANTISSA_LOOP void columnSums(const float* src, float* sums, std::int64_t rows, std::int64_t cols) {
    std::fill(sums, sums + cols, 0.0f);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) sums[c] += src[r * cols + c];
    }
}

MANTISSA_LOOP void adamw(float* w, const float* g, float* m, float* v, std::int64_t count, float stepSize, float rootCorrection) {
    for (std::int64_t i = 0; i < count; ++i) {
        w[i] *= 1.0f - 1e-3f * 0.01f;
        m[i] += (g[i] - m[i]) * 0.1f;
        v[i] = v[i] * 0.999f + g[i] * g[i] * 0.001f;
        w[i] -= stepSize * m[i] / (std::sqrt(v[i]) * rootCorrection + 1e-8f);
    }
}

float crossEntropy(const float* logits, const std::int32_t* labels, float* gradLogits, std::int64_t rows, std::int64_t classes) {
    float loss = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* x = logits + r * classes;
        float* g = gradLogits + r * classes;
        const float largest = *std::max_element(x, x + classes);
        float sum = 0;
        for (std::int64_t c = 0; c < classes; ++c) sum += g[c] = std::exp(x[c] - largest);
        for (std::int64_t c = 0; c < classes; ++c) g[c] = (g[c] / sum - (c == labels[r] ? 1.0f : 0.0f)) / static_cast<float>(rows);
        loss += std::log(sum) + largest - x[labels[r]];
    }
    return loss / static_cast<float>(rows);
}

}  // namespace

struct BareMlp::Impl {
    using Arguments = std::unordered_map<int, dnnl::memory>;
    struct Product {
        dnnl::matmul primitive;
        Arguments arguments;
    };
    struct Layer {
        std::int64_t in = 0, out = 0;
        std::vector<float> weight, bias, gradWeight, gradBias, mWeight, vWeight, mBias, vBias, y, activated, gradY, gradX;
        Product forward, gradWeightProduct, gradInputProduct;
    };

    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::vector<Layer> layers;
    std::vector<float> input;
    std::int64_t batch = 0, steps = 0;

    dnnl::memory::desc matrix(std::int64_t rows, std::int64_t cols, bool transposed = false) const {
        using Tag = dnnl::memory::format_tag;
        return {{rows, cols}, dnnl::memory::data_type::f32, transposed ? Tag::ba : Tag::ab};
    }
    Product product(const dnnl::memory::desc& a, float* aData, const dnnl::memory::desc& b, float* bData, const dnnl::memory::desc& c,
                    float* cData, float* bias = nullptr, std::int64_t biasCount = 0) {
        Arguments arguments{{DNNL_ARG_SRC, {a, engine, aData}}, {DNNL_ARG_WEIGHTS, {b, engine, bData}}, {DNNL_ARG_DST, {c, engine, cData}}};
        if (bias == nullptr) return {dnnl::matmul(cpu::describe<dnnl::matmul>(engine, {}, a, b, c)), std::move(arguments)};
        const dnnl::memory::desc d = matrix(1, biasCount);
        arguments.emplace(DNNL_ARG_BIAS, dnnl::memory(d, engine, bias));
        return {dnnl::matmul(cpu::describe<dnnl::matmul>(engine, {}, a, b, d, c)), std::move(arguments)};
    }
};

BareMlp::BareMlp(const std::vector<std::int64_t>& widths, std::int64_t batch) : m_impl(std::make_unique<Impl>()) {
    Impl& t = *m_impl;
    t.batch = batch;
    t.input.resize(static_cast<std::size_t>(batch * widths.front()));
    t.layers.resize(widths.size() - 1);
    std::mt19937 random(1);
    float* x = t.input.data();
    for (std::size_t i = 0; i < t.layers.size(); ++i) {
        Impl::Layer& l = t.layers[i];
        l.in = widths[i];
        l.out = widths[i + 1];
        const auto size = [](std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); };
        std::uniform_real_distribution<float> uniform(-1 / std::sqrt(static_cast<float>(l.in)), 1 / std::sqrt(static_cast<float>(l.in)));
        for (auto* weights : {&l.weight, &l.gradWeight, &l.mWeight, &l.vWeight}) weights->resize(size(l.in, l.out));
        for (auto* biases : {&l.bias, &l.gradBias, &l.mBias, &l.vBias}) biases->resize(size(1, l.out));
        for (auto* outputs : {&l.y, &l.activated, &l.gradY}) outputs->resize(size(batch, l.out));
        l.gradX.resize(size(batch, l.in));
        for (float& w : l.weight) w = uniform(random);
        l.forward = t.product(t.matrix(batch, l.in), x, t.matrix(l.in, l.out, true), l.weight.data(), t.matrix(batch, l.out), l.y.data(),
                              l.bias.data(), l.out);
        l.gradWeightProduct =
            t.product(t.matrix(l.out, batch, true), l.gradY.data(), t.matrix(batch, l.in), x, t.matrix(l.out, l.in), l.gradWeight.data());
        l.gradInputProduct = t.product(t.matrix(batch, l.out), l.gradY.data(), t.matrix(l.out, l.in), l.weight.data(),
                                       t.matrix(batch, l.in), l.gradX.data());
        x = i + 1 < t.layers.size() ? l.activated.data() : l.y.data();
    }
}

BareMlp::~BareMlp() = default;

float BareMlp::step(const float* inputs, const std::int32_t* labels) {
    Impl& t = *m_impl;
    const int threadsBefore = omp_get_max_threads();
    omp_set_num_threads(1);
    std::copy(inputs, inputs + t.input.size(), t.input.begin());
    for (std::size_t i = 0; i < t.layers.size(); ++i) {
        Impl::Layer& l = t.layers[i];
        l.forward.primitive.execute(t.stream, l.forward.arguments);
        if (i + 1 < t.layers.size()) relu(l.y.data(), l.activated.data(), t.batch * l.out);
    }
    Impl::Layer& last = t.layers.back();
    const float loss = crossEntropy(last.y.data(), labels, last.gradY.data(), t.batch, last.out);
    for (std::size_t i = t.layers.size(); i-- > 0;) {
        Impl::Layer& l = t.layers[i];
        l.gradWeightProduct.primitive.execute(t.stream, l.gradWeightProduct.arguments);
        columnSums(l.gradY.data(), l.gradBias.data(), t.batch, l.out);
        if (i == 0) break;
        l.gradInputProduct.primitive.execute(t.stream, l.gradInputProduct.arguments);
        Impl::Layer& below = t.layers[i - 1];
        reluGrad(l.gradX.data(), below.y.data(), below.gradY.data(), t.batch * below.out);
    }
    t.steps += 1;
    const double correction1 = 1 - std::pow(0.9, static_cast<double>(t.steps)),
                 correction2 = 1 - std::pow(0.999, static_cast<double>(t.steps));
    const auto stepSize = static_cast<float>(1e-3 / correction1), rootCorrection = static_cast<float>(1 / std::sqrt(correction2));
    for (Impl::Layer& l : t.layers) {
        adamw(l.weight.data(), l.gradWeight.data(), l.mWeight.data(), l.vWeight.data(), l.in * l.out, stepSize, rootCorrection);
        adamw(l.bias.data(), l.gradBias.data(), l.mBias.data(), l.vBias.data(), l.out, stepSize, rootCorrection);
    }
    omp_set_num_threads(threadsBefore);
    return loss;
}

}  // namespace mantissa
