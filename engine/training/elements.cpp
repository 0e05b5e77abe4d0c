// SPDX-License-Identifier: Apache-2.0
#include "engine/training/elements.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "engine/plan/tensor_statistics.h"
#include "engine/training/provenance.h"
#include "engine/training/then_restore.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

bool isOfTheUpdate(const TensorName& name) {
    return name.role == TensorRole::Weight || name.role == TensorRole::Update;
}

/// "layers.0.output" of the cast "layers.0.output as fp16". Not for fp8, whose values have a scale of their own.
std::string castFrom(const TensorName& name) {
    return name.operation == "cast" ? name.tensor.substr(0, name.tensor.find(" as ")) : name.tensor;
}

/// Sort key: the magnitude, with non-finite values largest.
double orderOf(double value) {
    return std::isfinite(value) ? std::abs(value) : INFINITY;
}

struct Chosen {
    std::int64_t element = 0;
    float value = 0;
    std::uint32_t bits = 0;
    double wide = NAN;
};

/// A requested tensor.
struct Tensor {
    TensorName name;
    bool isThere = false, isExactlyThere = false;  // in fp32: by all of its names, not only the tensor's
    std::vector<std::int64_t> shape;
    Dtype storage = Dtype::F32;
    std::int64_t total = 0;
    std::vector<Chosen> chosen;  // the first ones
    std::vector<float> values;   // for Flushed, until the fp32 values are known

    bool isScaled() const { return isGradient(name.role); }
};

class ElementReader {
public:
    ElementReader(Trainer& trainer, const ElementRequest& request) : m_trainer(trainer), m_request(request), m_before(trainer.stepStart()) {
        for (const TensorName& name : request.tensors) {
            const auto isIt = [&](const Tensor& each) { return each.name == name; };
            if (std::none_of(m_tensors.begin(), m_tensors.end(), isIt)) m_tensors.push_back({.name = name});
        }
    }

    ElementsFound read() {
        m_trainer.keepNonFiniteSteps(false);
        repeat();
        for (const Tensor& tensor : m_tensors) {
            if (!tensor.isThere) throw std::invalid_argument("the step makes no tensor '" + tensor.name.tensor + "' by that operation");
        }
        readWide();
        return found();
    }

private:
    Trainer& m_trainer;
    const ElementRequest& m_request;
    StepStart m_before;
    std::vector<Tensor> m_tensors;
    bool m_isWide = false;  // the repetition in fp32

    bool isFlushedRequest() const { return m_request.kind == ElementKind::Flushed; }

    void repeat() {
        const auto isUpdate = [](const Tensor& tensor) { return isOfTheUpdate(tensor.name); };
        if (!std::all_of(m_tensors.begin(), m_tensors.end(), isUpdate)) readPasses();
        if (std::any_of(m_tensors.begin(), m_tensors.end(), isUpdate)) readUpdate();
    }

    void readPasses() {
        const Plan& plan = m_trainer.plan();
        const Trainer::Observer observer{.at = [&](Executor& executor, Queue& queue, std::int64_t at, int buffer, const ElementClasses&) {
            const Buffer& written = plan.buffers[static_cast<std::size_t>(buffer)];
            if (at < plan.prologueEnd || at >= plan.backwardEnd || buffer == plan.loss || !written.dtype) return;
            const MeasuredTensor seen = writtenBy(plan.instructions[static_cast<std::size_t>(at)], written);
            const TensorName name{seen.tensor, seen.layer, seen.operation, std::string(phaseName(seen.phase)), seen.role};
            for (Tensor& tensor : m_tensors) {
                if (!isWanted(tensor, name)) continue;
                take(tensor, written.shape, seen.storage, executor.values(queue, buffer),
                     [&](std::int64_t element) { return executor.bits(queue, buffer, element); });
            }
        }};
        m_trainer.tryStep(&observer);
    }

    /// In fp32 a tensor may come from one operation fewer and without a cast: then the last value of this name or the cast's input is used.
    bool isWanted(Tensor& tensor, const TensorName& name) const {
        if (tensor.name == name) {
            tensor.isExactlyThere = m_isWide;
            return true;
        }
        return m_isWide && !tensor.isExactlyThere && castFrom(tensor.name) == name.tensor && tensor.name.role == name.role;
    }

    /// Commits the step, since an update is read from the weights.
    void readUpdate() {
        restoreStep(m_trainer, m_before);
        const std::vector<NamedTensor> before = m_trainer.weights();
        m_trainer.step();
        const std::vector<NamedTensor> after = m_trainer.weights();
        for (Tensor& tensor : m_tensors) {
            if (!isOfTheUpdate(tensor.name)) continue;
            const auto at = std::find_if(after.begin(), after.end(), [&](const NamedTensor& w) { return w.name == tensor.name.tensor; });
            if (at == after.end()) continue;
            std::vector<float> values = at->values;
            const bool isUpdate = tensor.name.role == TensorRole::Update;
            if (isUpdate) {
                const std::vector<float>& from = before[static_cast<std::size_t>(at - after.begin())].values;
                std::transform(values.begin(), values.end(), from.begin(), values.begin(),
                               [](float now, float then) { return now - then; });
            }
            const Dtype storage = isUpdate ? Dtype::F32 : at->dtype;
            const std::vector<float> numbers = values;
            take(tensor, at->shape, storage, std::move(values),
                 [&](std::int64_t element) { return encodeBits(storage, numbers[static_cast<std::size_t>(element)]); });
        }
    }

    /// A later micro-batch's values replace those of an earlier one.
    template <typename BitsOf>
    void take(Tensor& tensor, const std::vector<std::int64_t>& shape, Dtype storage, std::vector<float> values, BitsOf bitsOf) {
        if (m_isWide) {
            if (tensor.shape == shape) compare(tensor, values);
            return;
        }
        tensor.isThere = true;
        tensor.shape = shape;
        tensor.storage = storage;
        tensor.chosen.clear();
        if (isFlushedRequest()) {
            tensor.values = std::move(values);
            return;
        }
        choose(
            tensor, values, [&](std::size_t i) { return fits(values[i]); }, values);
        for (Chosen& each : tensor.chosen) each.bits = bitsOf(each.element);
    }

    bool fits(float value) const {
        const double magnitude = std::abs(static_cast<double>(value));
        switch (m_request.kind) {
            case ElementKind::NonFinite:
                return !std::isfinite(value);
            case ElementKind::Magnitude:
                return std::isfinite(value) && value != 0 && magnitude >= m_request.from && magnitude < m_request.below;
            default:
                return value == 0;
        }
    }

    /// Chooses the first of those that fit, ordered by magnitudes of `by`.
    template <typename Fits>
    void choose(Tensor& tensor, const std::vector<float>& values, Fits isChosen, const std::vector<float>& by) const {
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (isChosen(i)) all.push_back(static_cast<std::int64_t>(i));
        }
        tensor.total = static_cast<std::int64_t>(all.size());
        const auto last = all.begin() + std::min(tensor.total, m_request.limit);
        std::partial_sort(all.begin(), last, all.end(), [&](std::int64_t a, std::int64_t b) {
            const double ofA = orderOf(static_cast<double>(by[static_cast<std::size_t>(a)])),
                         ofB = orderOf(static_cast<double>(by[static_cast<std::size_t>(b)]));
            return ofA != ofB ? ofA > ofB : a < b;
        });
        tensor.chosen.clear();
        for (auto at = all.begin(); at != last; ++at)
            tensor.chosen.push_back({.element = *at, .value = values[static_cast<std::size_t>(*at)]});
    }

    // ---- In fp32 ----

    void readWide() {
        try {
            TrainingSettings settings = m_before.state.settings;
            settings.precision.policy = "fp32";
            settings.precision.overrides.clear();
            m_isWide = true;
            m_before = wideStart(settings);
            repeat();
        } catch (const std::bad_alloc&) {
            if (isFlushedRequest()) throw;
        } catch (const std::invalid_argument&) {
            if (isFlushedRequest()) throw;
        }
    }

    /// The step's start under other settings, with the loss scale unchanged.
    StepStart wideStart(const TrainingSettings& settings) {
        const double scale = m_before.state.scaler.scale;
        m_trainer.restore(m_before.state);
        m_trainer.change(settings);
        m_trainer.setLossScale(scale);
        m_trainer.putFaults(m_before.faults);
        return m_trainer.stepStart();
    }

    void compare(Tensor& tensor, const std::vector<float>& wide) const {
        if (isFlushedRequest()) {
            choose(
                tensor, tensor.values, [&](std::size_t i) { return tensor.values[i] == 0 && wide[i] != 0; }, wide);
            for (Chosen& each : tensor.chosen) each.bits = encodeBits(tensor.storage, each.value);
        }
        for (Chosen& each : tensor.chosen) each.wide = static_cast<double>(wide[static_cast<std::size_t>(each.element)]);
    }

    // ---- Result ----

    ElementsFound found() const {
        ElementsFound found{.lossScale = static_cast<double>(m_before.state.scaler.ofLoss()), .total = 0, .elements = {}};
        std::vector<std::pair<const Tensor*, const Chosen*>> all;
        for (const Tensor& tensor : m_tensors) {
            found.total += tensor.total;
            for (const Chosen& each : tensor.chosen) all.emplace_back(&tensor, &each);
        }
        const auto order = [&](const Chosen& each) { return orderOf(isFlushedRequest() ? each.wide : static_cast<double>(each.value)); };
        std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return order(*a.second) > order(*b.second); });
        all.resize(std::min(all.size(), static_cast<std::size_t>(m_request.limit)));
        for (const auto& [tensor, each] : all) {
            found.elements.push_back({.tensor = tensor->name.tensor,
                                      .index = elementIndex(tensor->shape, each->element),
                                      .storage = tensor->storage,
                                      .isScaled = tensor->isScaled(),
                                      .value = static_cast<double>(each->value),
                                      .bits = each->bits,
                                      .wide = each->wide});
        }
        return found;
    }
};

}  // namespace

ElementsFound readElements(Trainer& trainer, const ElementRequest& request) {
    if (request.tensors.empty()) throw std::invalid_argument("no tensor was named");
    if (request.limit < 1 || request.limit > kMostElements)
        throw std::invalid_argument("from 1 to " + std::to_string(kMostElements) + " elements can be listed");
    return thenRestore(trainer, [&] { return ElementReader(trainer, request).read(); });
}

}  // namespace mantissa
