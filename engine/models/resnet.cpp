// SPDX-License-Identifier: Apache-2.0
// Residual networks (He et al. 2015, arXiv 1512.03385): CIFAR's of 6 n + 2 layers with projections where the shape changes, and
// torchvision's ResNet-18 and ResNet-50 (stride in the 3x3 convolution). Parameter names and initialisation are torchvision's.
#include <cmath>
#include <stdexcept>

#include "engine/models/builder.h"

namespace mantissa {
namespace {

class Resnet {
public:
    Resnet(ModelBuilder& model, const ModelSettings& settings)
        : m_model(model),
          m_hasBottlenecks(settings.kind == "resnet50"),
          m_isCheckpointed(settings.gradientCheckpointing),
          m_epsilon(settings.normEpsilon()) {}

    /// A convolution without bias, with Kaiming initialisation from the fan-out.
    int conv(int x, const std::string& layer, std::int64_t out, std::int64_t size, std::int64_t stride) {
        const std::int64_t in = m_model.shapeOf(x).back();
        const double deviation = std::sqrt(2 / static_cast<double>(out * size * size));
        const int weight = m_model.parameter(layer + ".weight", {out, in, size, size}, {ParameterInit::Kind::Normal, deviation});
        return m_model.conv2d(x, layer, weight, {.size = size, .stride = stride, .padding = size / 2});
    }

    /// convI, bnI and, unless it is the last of a block, reluI
    int convNorm(int x, const std::string& block, int number, std::int64_t out, std::int64_t size, std::int64_t stride) {
        const std::string i = std::to_string(number);
        return m_model.batchNorm(conv(x, block + "conv" + i, out, size, stride), block + "bn" + i, m_epsilon);
    }
    int relu(int x, const std::string& layer) { return m_model.activation(x, layer, Activation::Relu); }

    int block(int x, const std::string& name, std::int64_t width, std::int64_t stride) {
        const std::int64_t in = m_model.shapeOf(x).back(), out = m_hasBottlenecks ? 4 * width : width;
        int y = x;
        if (m_hasBottlenecks) {
            y = relu(convNorm(y, name, 1, width, 1, 1), name + "relu1");
            y = relu(convNorm(y, name, 2, width, 3, stride), name + "relu2");
            y = convNorm(y, name, 3, out, 1, 1);
        } else {
            y = relu(convNorm(y, name, 1, width, 3, stride), name + "relu1");
            y = convNorm(y, name, 2, out, 3, 1);
        }
        if (stride != 1 || in != out)
            x = m_model.batchNorm(conv(x, name + "downsample.0", out, 1, stride), name + "downsample.1", m_epsilon);
        return relu(m_model.add(y, x, name + "residual"), name + "relu");
    }

    int stages(int x, const std::vector<std::int64_t>& blocks, std::int64_t width) {
        for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
            for (std::int64_t i = 0; i < blocks[stage]; ++i) {
                const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i) + ".";
                const std::size_t begin = m_model.graph.nodes.size();
                x = block(x, name, width << stage, stage > 0 && i == 0 ? 2 : 1);
                if (m_isCheckpointed) m_model.checkpoint(begin);
            }
        }
        return x;
    }

private:
    ModelBuilder& m_model;
    bool m_hasBottlenecks, m_isCheckpointed;
    double m_epsilon;
};

}  // namespace

ModelBuilder buildResnet(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    if (data.height == 0) throw std::invalid_argument("a " + settings.kind + " takes images");
    ModelBuilder model;
    Resnet net(model, settings);
    int x = model.graph.input = model.graph.addValue("input", {batch, data.height, data.width, data.channels}, ValueRole::Input);
    if (settings.kind == "resnet") {
        const std::int64_t blocks = (settings.depth - 2) / 6;
        x = net.relu(net.convNorm(x, "", 1, 16, 3, 1), "relu");
        x = net.stages(x, {blocks, blocks, blocks}, 16);
    } else {
        x = net.relu(net.convNorm(x, "", 1, 64, 7, 2), "relu");
        x = model.maxPool(x, "maxpool", {.size = 3, .stride = 2, .padding = 1});
        x = net.stages(x, settings.kind == "resnet18" ? std::vector<std::int64_t>{2, 2, 2, 2} : std::vector<std::int64_t>{3, 4, 6, 3}, 64);
    }
    x = model.globalAveragePool(x, "avgpool");
    model.crossEntropy(torchLinear(model, x, "fc", data.classes), settings.labelSmoothing);
    return model;
}

}  // namespace mantissa
