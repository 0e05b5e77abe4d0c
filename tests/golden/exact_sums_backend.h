// SPDX-License-Identifier: Apache-2.0
// The CPU backend with the sums of products, convolutions and batch norms in double, by the conformance suite's reference: results that do
// not depend on the order of a sum. make_first_gradients.py does the same to PyTorch.
#pragma once

#include <cstring>
#include <functional>
#include <numeric>

#include "kernels/conformance/convolution_reference.h"
#include "kernels/conformance/guarded_buffer.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/dtype/rounding.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa::test {

class ExactSumsBackend final : public ForwardingBackend {
public:
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        return std::visit([&](const auto& d) { return prepareExact(d, desc); }, desc);
    }

private:
    using Operands = std::span<void* const>;
    using Values = conformance::reference::Values;

    class Exact final : public Operation {
    public:
        explicit Exact(std::function<void(Operands)> work) : m_work(std::move(work)) {}
        void enqueue(Queue&, Operands operands) override { m_work(operands); }

    private:
        std::function<void(Operands)> m_work;
    };

    static Values read(const void* from, Dtype dtype, std::int64_t count) {
        const std::size_t bytes = static_cast<std::size_t>(count) * facts(dtype).storageBytes();
        return conformance::valuesOf(dtype, {static_cast<const std::byte*>(from), bytes});
    }
    /// By way of fp32, as PyTorch's `.float()` of a double; `result` where it is narrower than what it is stored in.
    static void write(void* to, Dtype dtype, const Values& values, Dtype result = Dtype::F32) {
        std::vector<float> rounded;
        for (const double value : values) rounded.push_back(roundTo(result, static_cast<float>(value)));
        const auto bytes = conformance::stored(dtype, rounded);
        std::memcpy(to, bytes.data(), bytes.size());
    }
    /// A product's operand in its compute format.
    static Values operand(const void* from, Dtype dtype, std::int64_t count, Dtype compute) {
        Values values = read(from, dtype, count);
        for (double& value : values) value = static_cast<double>(roundTo(compute, static_cast<float>(value)));
        return values;
    }

    template <typename Desc>
    std::unique_ptr<Operation> prepareExact(const Desc&, const OperationDesc& desc) {
        return inner->prepare(desc);
    }

    std::unique_ptr<Operation> prepareExact(const MatmulDesc& d, const OperationDesc&) {
        return std::make_unique<Exact>([d](Operands o) {
            const Values a = operand(o[0], d.a, d.m * d.k, d.compute), b = operand(o[1], d.b, d.k * d.n, d.compute),
                         bias = d.hasBias ? read(o[2], d.out, d.n) : Values{};
            write(o[d.hasBias ? 3 : 2], d.out,
                  conformance::reference::product({d.m, d.n, d.k, d.transposeA, d.transposeB}, a, b, bias).values, d.result);
        });
    }
    std::unique_ptr<Operation> prepareExact(const BiasGradDesc& d, const OperationDesc&) {
        return std::make_unique<Exact>([d](Operands o) {
            write(o[1], d.out, conformance::reference::columnSums(d.rows, d.cols, read(o[0], d.dtype, d.rows * d.cols)).values);
        });
    }

    static std::int64_t sizeOfX(const Convolution2dDesc& d) { return d.samples * d.height * d.width * d.inChannels; }
    static std::int64_t sizeOfY(const Convolution2dDesc& d) {
        return d.samples * d.window.outHeight(d.height) * d.window.outWidth(d.width) * d.outChannels;
    }
    static std::int64_t sizeOfWeight(const Convolution2dDesc& d) {
        return d.outChannels * d.inChannels / d.groups * d.window.height * d.window.width;
    }
    std::unique_ptr<Operation> prepareExact(const Convolution2dDesc& d, const OperationDesc&) {
        return std::make_unique<Exact>([d](Operands o) {
            const Values x = operand(o[0], d.x, sizeOfX(d), d.compute), weight = operand(o[1], d.weight, sizeOfWeight(d), d.compute);
            write(o[3], d.out, conformance::reference::convolution(d, x, weight).values);
        });
    }
    std::unique_ptr<Operation> prepareExact(const Convolution2dInputGradDesc& d, const OperationDesc&) {
        return std::make_unique<Exact>([d](Operands o) {
            const Values g = operand(o[0], d.gradOutput, sizeOfY(d.forward), d.forward.compute),
                         weight = operand(o[1], d.forward.weight, sizeOfWeight(d.forward), d.forward.compute);
            write(o[2], d.gradInput, conformance::reference::convolutionInputGrad(d.forward, g, weight).values);
        });
    }
    std::unique_ptr<Operation> prepareExact(const Convolution2dWeightGradDesc& d, const OperationDesc&) {
        return std::make_unique<Exact>([d](Operands o) {
            const Values g = operand(o[0], d.gradOutput, sizeOfY(d.forward), d.forward.compute),
                         x = operand(o[1], d.forward.x, sizeOfX(d.forward), d.forward.compute);
            write(o[2], d.gradWeight, conformance::reference::convolutionWeightGrad(d.forward, g, x).values, d.result);
        });
    }

    static Values column(const Values& values, std::int64_t channels, std::int64_t channel) {
        Values own;
        for (auto i = static_cast<std::size_t>(channel); i < values.size(); i += static_cast<std::size_t>(channels))
            own.push_back(values[i]);
        return own;
    }
    static void setColumn(Values& values, std::int64_t channels, std::int64_t channel, const Values& own) {
        for (std::size_t row = 0; row < own.size(); ++row)
            values[row * static_cast<std::size_t>(channels) + static_cast<std::size_t>(channel)] = own[row];
    }
    /// Training's; running statistics are left as they are, since no step reads them.
    std::unique_ptr<Operation> prepareExact(const BatchNormDesc& d, const OperationDesc& desc) {
        if (!d.training) return inner->prepare(desc);
        return std::make_unique<Exact>([d](Operands o) {
            const Values x = read(o[0], d.from, d.rows * d.channels), weight = read(o[1], d.parameters, d.channels),
                         bias = read(o[2], d.parameters, d.channels);
            Values y(x.size());
            for (std::int64_t c = 0; c < d.channels; ++c) {
                const Values own = column(x, d.channels, c), weights(own.size(), weight[static_cast<std::size_t>(c)]),
                             biases(own.size(), bias[static_cast<std::size_t>(c)]);
                setColumn(y, d.channels, c, conformance::reference::layerNorm({d.epsilon, true}, own, weights, biases).y);
            }
            write(o[5], d.to, y);
        });
    }
    /// Mean and deviation anew, in double, as PyTorch's gradient of a batch norm in double has them.
    std::unique_ptr<Operation> prepareExact(const BatchNormGradDesc& d, const OperationDesc&) {
        return std::make_unique<Exact>([d](Operands o) {
            const Values g = read(o[0], d.gradOutput, d.rows * d.channels), x = read(o[1], d.x, d.rows * d.channels),
                         weight = read(o[2], d.parameters, d.channels);
            Values gradInput(x.size()), gradWeight, gradBias;
            for (std::int64_t c = 0; c < d.channels; ++c) {
                const Values ownG = column(g, d.channels, c), ownX = column(x, d.channels, c),
                             weights(ownG.size(), weight[static_cast<std::size_t>(c)]);
                const auto forward = conformance::reference::layerNorm({}, ownX, weights, {});
                const auto own = conformance::reference::layerNormGrad({}, ownG, ownX, weights, forward.mean, forward.inverseDeviation);
                setColumn(gradInput, d.channels, c, own.input);
                gradWeight.push_back(std::accumulate(own.weight.begin(), own.weight.end(), 0.0));
                gradBias.push_back(std::accumulate(ownG.begin(), ownG.end(), 0.0));
            }
            write(o[5], d.gradInput, gradInput);
            write(o[6], d.gradParameters, gradWeight);
            write(o[7], d.gradParameters, gradBias);
        });
    }
};

}  // namespace mantissa::test
