// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizer_plan.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mantissa {
namespace {

/// Parameters that one instruction updates, in elements of the flat arenas: adjacent ones with or without decay, or one matrix of Muon's.
struct Share {
    std::int64_t first = 0, count = 0;
    bool decays = true;
    std::optional<MatrixShape> matrix{};  // Muon's
    std::int64_t firstOfSecond = 0;       // in the arena of second moments, which Muon's matrices lack
};

const Shape& shapeOfParameter(const Plan& plan, std::size_t parameter) {
    return plan.buffers[static_cast<std::size_t>(plan.parameterBuffers[parameter])].shape;
}

/// Whether a parameter has weight decay.
bool isDecayed(const Shape& shape, const OptimizerSettings& settings) {
    return settings.decay == "all" || shape.size() > 1;
}

bool isMuon(const OptimizerSettings& settings) {
    return settings.kind == "muon";
}

/// The shape of a parameter that Muon updates: the weight of a hidden linear layer.
std::optional<MatrixShape> matrixOf(const Plan& plan, std::size_t parameter, const std::vector<std::string>& hidden) {
    const Buffer& buffer = plan.buffers[static_cast<std::size_t>(plan.parameterBuffers[parameter])];
    if (buffer.shape.size() != 2 || std::find(hidden.begin(), hidden.end(), buffer.name.substr(0, buffer.name.rfind('.'))) == hidden.end())
        return std::nullopt;
    return MatrixShape{buffer.shape[0], buffer.shape[1]};
}

std::vector<Share> partsOf(const Plan& plan, const Graph& graph, const OptimizerSettings& settings) {
    const std::vector<std::string> hidden = isMuon(settings) ? hiddenLinearLayers(graph) : std::vector<std::string>();
    std::vector<Share> parts;
    std::int64_t ofSecond = 0;
    for (std::size_t i = 0; i < plan.parameterBuffers.size(); ++i) {
        const Shape& shape = shapeOfParameter(plan, i);
        const std::optional<MatrixShape> matrix = matrixOf(plan, i, hidden);
        const bool decays = isDecayed(shape, settings);
        if (parts.empty() || parts.back().decays != decays || parts.back().matrix || matrix)
            parts.push_back({plan.segments[i], 0, decays, matrix, ofSecond});
        parts.back().count += elementCount(shape);
        if (!matrix) ofSecond += elementCount(shape);
    }
    return parts;
}

/// A view of a flat arena, for operations on many parameters at once.
int viewOf(Plan& plan, const char* name, Arena arena, const Share& part) {
    const bool isSecond = arena == Arena::Moment2, isMoment = isSecond || arena == Arena::Moment1;
    const Dtype dtype = isMoment ? plan.moments : plan.policy.weights;
    return plan.addBuffer({.name = name,
                           .shape = {part.count},
                           .dtype = dtype,
                           .arena = arena,
                           .offset = (isSecond ? part.firstOfSecond : part.first) * static_cast<std::int64_t>(facts(dtype).storageBytes()),
                           .isCounted = false});
}

/// Adds an optimizer state of `count` elements.
void addState(Plan& plan, const char* name, Arena arena, std::int64_t count, Dtype dtype) {
    const int index =
        plan.addBuffer({.name = name, .shape = {count}, .dtype = dtype, .category = BufferCategory::Optimizer, .arena = arena});
    plan.arenaBytes[static_cast<std::size_t>(arena)] = plan.buffers[static_cast<std::size_t>(index)].bytes;
}

/// Appends an instruction of the optimizer.
void appendOfOptimizer(Plan& plan, const Backend& backend, Instruction instruction) {
    instruction.layer = "optimizer";
    instruction.phase = Phase::Optimizer;
    appendInstruction(plan, backend, std::move(instruction));
}

/// The update of one part; `state`: its operands between gradients and step scalars.
struct Update {
    OperationDesc operation;
    std::vector<std::pair<const char*, Arena>> state;
    double flopsEach = 0;
};

/// With Muon, AdamW updates the parameters that are not weights of hidden linear layers.
Update updateOf(const OptimizerSettings& s, const Share& part, const ParameterStorage& storage, bool hasMomentumBuffer) {
    const double decay = part.decays ? s.weightDecay : 0;
    if (s.kind == "adamw" || s.kind == "adam" || isMuon(s)) {
        return {AdamWDesc{part.count, s.beta1, s.beta2, s.epsilon, decay, storage, s.kind != "adam"},
                {{"exp_avg", Arena::Moment1}, {"exp_avg_sq", Arena::Moment2}},
                14};
    }
    if (s.kind == "lion") return {LionDesc{part.count, s.beta1, s.beta2, decay, storage}, {{"exp_avg", Arena::Moment1}}, 9};
    if (s.kind != "sgd") throw std::invalid_argument("optimizer '" + s.kind + "' is not known");
    Update update{SgdDesc{part.count, s.momentum, s.dampening, decay, s.nesterov, storage}, {}, 6};
    if (hasMomentumBuffer) update.state = {{"momentum_buffer", Arena::Moment1}};
    return update;
}

Dtype formatNamed(const std::string& name) {
    const std::optional<Dtype> dtype = dtypeFromName(name);
    if (!dtype) throw std::invalid_argument("format '" + name + "' is not known");
    return *dtype;
}

/// Muon's update of one matrix: momentum, the Newton-Schulz iteration with its products in a format of choice, and the step. A matrix with
/// more rows than columns is transposed, so that the product with itself is the smaller one.
class MuonUpdate {
public:
    MuonUpdate(Plan& plan, const Backend& backend, const OptimizerSettings& settings, const Share& part)
        : m_plan(plan),
          m_backend(backend),
          m_settings(settings),
          m_part(part),
          m_compute(formatNamed(settings.nsDtype)),
          m_storage(storageDtype(plan.policy, m_compute)) {}

    void append(ParameterStorage storage, bool compensates) {
        const auto [rows, cols] = *m_part.matrix;
        const auto count = static_cast<double>(m_part.count);
        const int direction = scratch("direction", {rows, cols}, Dtype::F32);
        instruct("muon_momentum", MuonMomentumDesc{m_part.count, m_settings.momentum, m_settings.nesterov, storage},
                 {viewOf(m_plan, "gradients", Arena::Gradients, m_part), viewOf(m_plan, "exp_avg", Arena::Moment1, m_part), m_plan.scalars,
                  direction},
                 5 * count);
        int x = scratch("matrix", {rows, cols}, m_storage);
        instruct("normalize", NormalizeDesc{m_part.count, m_storage}, {direction, x}, 3 * count);
        for (std::int64_t i = 0; i < m_settings.nsSteps; ++i) x = iterate(x);
        const double decay = m_part.decays ? m_settings.weightDecay : 0;
        const int weights = viewOf(m_plan, "parameters", Arena::Masters, m_part);
        std::vector<int> operands{weights, x, m_plan.scalars};
        if (compensates) operands.push_back(viewOf(m_plan, "compensation", Arena::Compensation, m_part));
        instruct("muon", MuonUpdateDesc{m_part.count, muonRateFactor(m_settings.adjustLrFn, rows, cols), decay, m_storage, storage},
                 std::move(operands), 3 * count, weights);
    }

private:
    Plan& m_plan;
    const Backend& m_backend;
    const OptimizerSettings& m_settings;
    const Share& m_part;
    Dtype m_compute, m_storage;

    /// x of the next iteration: a x + (b A + c A A) x with A = x x^T, each sum rounded once, as torch.addmm does.
    int iterate(int x) {
        constexpr float kA = 3.4445f, kB = -4.775f, kC = 2.0315f;
        const auto [rows, cols] = *m_part.matrix;
        const bool isTall = rows > cols;
        const std::int64_t side = std::min(rows, cols), length = std::max(rows, cols);
        const int gram = scratch("matrix times its transpose", {side, side}, m_storage);
        product({.m = side, .n = side, .k = length, .transposeA = isTall, .transposeB = !isTall, .out = m_storage}, x, x, gram);
        const int square = scratch("its square", {side, side}, Dtype::F32);
        product({.m = side, .n = side, .k = side}, gram, gram, square);
        const int polynomial = scratch("polynomial", {side, side}, m_storage);
        add(gram, square, polynomial, kB, kC);
        const int moved = scratch("polynomial times the matrix", {rows, cols}, Dtype::F32);
        if (isTall)  // the transpose of the polynomial times the transposed matrix
            product({.m = rows, .n = cols, .k = cols, .transposeB = true}, x, polynomial, moved);
        else
            product({.m = rows, .n = cols, .k = rows}, polynomial, x, moved);
        const int next = scratch("matrix", {rows, cols}, m_storage);
        add(x, moved, next, kA, 1);
        return next;
    }

    void product(MatmulDesc desc, int a, int b, int out) {
        desc.a = desc.b = m_storage;
        desc.compute = m_compute;
        m_plan.policy.products.applyTo(desc);
        const double flops = 2.0 * static_cast<double>(desc.m) * static_cast<double>(desc.n) * static_cast<double>(desc.k);
        appendOfOptimizer(
            m_plan, m_backend,
            {.operation = desc, .name = "newton_schulz", .operands = {a, b, out}, .output = out, .compute = m_compute, .flops = flops});
    }

    void add(int a, int b, int sum, float aFactor, float bFactor) {
        const auto dtypeOf = [&](int buffer) { return *m_plan.buffers[static_cast<std::size_t>(buffer)].dtype; };
        const std::int64_t count = elementCount(m_plan.buffers[static_cast<std::size_t>(sum)].shape);
        const AddDesc desc{.count = count, .a = dtypeOf(a), .b = dtypeOf(b), .out = dtypeOf(sum), .aFactor = aFactor, .bFactor = bFactor};
        instruct("newton_schulz", desc, {a, b, sum}, 3.0 * static_cast<double>(count));
    }

    /// Without `output` it is the last operand.
    void instruct(const char* name, OperationDesc operation, std::vector<int> operands, double flops, int output = -1) {
        if (output < 0) output = operands.back();
        appendOfOptimizer(
            m_plan, m_backend,
            {.operation = std::move(operation), .name = name, .operands = std::move(operands), .output = output, .flops = flops});
    }

    int scratch(const char* name, Shape shape, Dtype dtype) {
        return m_plan.addBuffer(
            {.name = std::string("muon ") + name, .shape = std::move(shape), .dtype = dtype, .category = BufferCategory::Workspace});
    }
};

}  // namespace

bool usesMomentum(const OptimizerSettings& settings) {
    return settings.kind == "sgd" && settings.momentum != 0;
}

std::vector<bool> decaysOf(const Plan& plan, const OptimizerSettings& settings) {
    std::vector<bool> decays;
    for (std::size_t i = 0; i < plan.parameterBuffers.size(); ++i)
        decays.push_back(settings.weightDecay != 0 && isDecayed(shapeOfParameter(plan, i), settings));
    return decays;
}

double muonRateFactor(const std::string& adjustLrFn, std::int64_t rows, std::int64_t cols) {
    const auto r = static_cast<double>(rows), c = static_cast<double>(cols);
    if (adjustLrFn == "match_rms_adamw") return 0.2 * std::sqrt(std::max(r, c));
    if (adjustLrFn == "original") return std::sqrt(std::max(1.0, r / c));
    if (adjustLrFn == "spectral_unclamped") return std::sqrt(r / c);
    throw std::invalid_argument("the factor '" + adjustLrFn + "' of Muon's rate is not known");
}

void appendOptimizer(Plan& plan, const Graph& graph, const TrainingSettings& training, const Backend& backend, bool keepsMomentum) {
    const OptimizerSettings& settings = training.optimizer;
    const Share all{0, plan.segments.back()};
    plan.moments = settings.stateDtype == "weights" ? plan.policy.weights : formatNamed(settings.stateDtype);
    ParameterStorage storage{plan.policy.weights, plan.policy.weightUpdate, training.init.seed, 0, plan.moments};
    const bool compensates = storage.dtype != Dtype::F32 && storage.update == WeightUpdate::Kahan;
    const bool hasMomentumBuffer = usesMomentum(settings) || keepsMomentum;
    const int gradients = viewOf(plan, "gradients", Arena::Gradients, all);
    appendOfOptimizer(plan, backend,
                      {.operation = UnscaleDesc{plan.segments, storage.dtype},
                       .name = "unscale",
                       .operands = {gradients, plan.foundInf, plan.scalars},
                       .output = gradients,
                       .flops = 3.0 * static_cast<double>(all.count)});
    plan.unscaleEnd = static_cast<std::int64_t>(plan.instructions.size());
    const std::vector<Share> parts = partsOf(plan, graph, settings);
    std::int64_t matrices = 0;
    for (const Share& part : parts) matrices += part.matrix ? part.count : 0;
    for (const auto& [name, arena] : updateOf(settings, all, storage, hasMomentumBuffer).state)
        addState(plan, name, arena, arena == Arena::Moment2 ? all.count - matrices : all.count, plan.moments);
    if (compensates) addState(plan, "compensation", Arena::Compensation, all.count, storage.dtype);
    for (const Share& part : parts) {
        storage.firstElement = part.first;
        if (part.matrix) {
            MuonUpdate(plan, backend, settings, part).append(storage, compensates);
            continue;
        }
        const Update update = updateOf(settings, part, storage, hasMomentumBuffer);
        const int weights = viewOf(plan, "parameters", Arena::Masters, part);
        std::vector<int> operands{weights, viewOf(plan, "gradients", Arena::Gradients, part)};
        for (const auto& [name, arena] : update.state) operands.push_back(viewOf(plan, name, arena, part));
        if (settings.kind == "sgd" && !hasMomentumBuffer) operands.push_back(-1);
        operands.push_back(plan.scalars);
        if (compensates) operands.push_back(viewOf(plan, "compensation", Arena::Compensation, part));
        appendOfOptimizer(plan, backend,
                          {.operation = update.operation,
                           .name = isMuon(settings) ? "adamw" : settings.kind,
                           .operands = std::move(operands),
                           .output = weights,
                           .flops = update.flopsEach * static_cast<double>(part.count)});
    }
}

}  // namespace mantissa
