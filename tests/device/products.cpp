// SPDX-License-Identifier: Apache-2.0
// What a card's products reach: those of GPT-2 124M against the best algorithm of cuBLASLt, found by search in the same run; linear layers
// of width 4096 in fp8, quantisation included, over bf16; attention's times, for measure.py to put beside PyTorch's. One JSON object on
// standard output. The module is loaded as the programs load it.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda_module.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

constexpr int kRounds = 9, kCallsARound = 20, kMostCandidates = 256;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // as ours may have

template <typename Status>
void check(Status status, const char* call) {
    if (static_cast<int>(status) != 0) throw DeviceError{std::string(call) + " failed with " + std::to_string(static_cast<int>(status))};
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Milliseconds of each of kCallsARound calls, from the first one's enqueuing to the end of the last.
double roundMs(const std::function<void()>& call, const std::function<void()>& wait) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCallsARound; ++i) call();
    wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / kCallsARound;
}

/// Memory of the card, with numbers of deviation 1 in it.
class Memory {
public:
    Memory(Backend& backend, Queue& queue, Dtype dtype, std::int64_t count) : m_backend(backend) {
        const std::size_t width = facts(dtype).storageBytes(), bytes = static_cast<std::size_t>(count) * width;
        m_memory = backend.allocate(bytes);
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        std::vector<std::byte> some(width << 20);
        for (std::size_t i = 0; i < some.size(); i += width) {
            const std::uint32_t code = encodeBits(dtype, normal(random));
            std::copy_n(reinterpret_cast<const std::byte*>(&code), width, some.begin() + static_cast<std::ptrdiff_t>(i));
        }
        for (std::size_t at = 0; at < bytes; at += some.size())
            backend.copyIn(queue, static_cast<std::byte*>(m_memory) + at, some.data(), std::min(some.size(), bytes - at));
        queue.wait();
    }
    explicit Memory(Backend& backend, std::size_t bytes)
        : m_backend(backend), m_memory(backend.allocate(std::max<std::size_t>(bytes, 1))) {}
    ~Memory() { m_backend.release(m_memory); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* get() const { return m_memory; }

private:
    Backend& m_backend;
    void* m_memory = nullptr;
};

/// An operation with its operands and its workspace.
class Prepared {
public:
    Prepared(Backend& backend, const OperationDesc& desc, std::vector<void*> operands)
        : m_workspace(backend, backend.workspaceBytes(desc)), m_operation(backend.prepare(desc)), m_operands(std::move(operands)) {
        if (namesWorkspace(desc)) m_operands.push_back(m_workspace.get());
    }
    void enqueue(Queue& queue) { m_operation->enqueue(queue, m_operands); }

private:
    Memory m_workspace;
    std::unique_ptr<Operation> m_operation;
    std::vector<void*> m_operands;
};

/// A product without a bias by cuBLASLt itself, with the algorithm that is fastest of all that it offers, whatever their bits.
class BestOfLibrary {
public:
    BestOfLibrary(const MatmulDesc& d, const void* a, const void* b, void* c) : m_a(a), m_b(b), m_c(c) {
        const cudaDataType type = d.a == Dtype::F32 ? CUDA_R_32F : d.a == Dtype::F16 ? CUDA_R_16F : CUDA_R_16BF;
        check(cublasLtCreate(&m_handle), "cublasLtCreate");
        check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        check(cudaMalloc(&m_workspace, kWorkspaceBytes), "cudaMalloc");
        const cublasComputeType_t compute = d.a == Dtype::F32 ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
        check(cublasLtMatmulDescCreate(&m_desc, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
        // Column by column, so C' = op(B)' op(A)'.
        const cublasOperation_t ofB = d.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N, ofA = d.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N;
        check(cublasLtMatmulDescSetAttribute(m_desc, CUBLASLT_MATMUL_DESC_TRANSA, &ofB, sizeof ofB), "cublasLtMatmulDescSetAttribute");
        check(cublasLtMatmulDescSetAttribute(m_desc, CUBLASLT_MATMUL_DESC_TRANSB, &ofA, sizeof ofA), "cublasLtMatmulDescSetAttribute");
        const auto layout = [&](cublasLtMatrixLayout_t& to, std::int64_t rows, std::int64_t cols) {
            check(cublasLtMatrixLayoutCreate(&to, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols), rows),
                  "cublasLtMatrixLayoutCreate");
        };
        layout(m_layoutB, d.transposeB ? d.k : d.n, d.transposeB ? d.n : d.k);
        layout(m_layoutA, d.transposeA ? d.m : d.k, d.transposeA ? d.k : d.m);
        layout(m_layoutC, d.n, d.m);
        search();
    }
    ~BestOfLibrary() {
        for (cublasLtMatrixLayout_t layout : {m_layoutA, m_layoutB, m_layoutC}) cublasLtMatrixLayoutDestroy(layout);
        cublasLtMatmulDescDestroy(m_desc);
        cudaFree(m_workspace);
        cudaStreamDestroy(m_stream);
        cublasLtDestroy(m_handle);
    }
    BestOfLibrary(const BestOfLibrary&) = delete;
    BestOfLibrary& operator=(const BestOfLibrary&) = delete;

    int candidates() const { return m_candidates; }
    void enqueue() { check(call(m_best), "cublasLtMatmul"); }
    void wait() { check(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize"); }

private:
    cublasLtHandle_t m_handle = nullptr;
    cudaStream_t m_stream = nullptr;
    void* m_workspace = nullptr;
    cublasLtMatmulDesc_t m_desc = nullptr;
    cublasLtMatrixLayout_t m_layoutA = nullptr, m_layoutB = nullptr, m_layoutC = nullptr;
    const void *m_a, *m_b;
    void* m_c;
    cublasLtMatmulAlgo_t m_best{};
    int m_candidates = 0;

    cublasStatus_t call(const cublasLtMatmulAlgo_t& algorithm) {
        const float one = 1, none = 0;
        return cublasLtMatmul(m_handle, m_desc, &one, m_b, m_layoutB, m_a, m_layoutA, &none, m_c, m_layoutC, m_c, m_layoutC, &algorithm,
                              m_workspace, kWorkspaceBytes, m_stream);
    }

    void search() {
        cublasLtMatmulPreference_t preference = nullptr;
        check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
        const std::uint64_t bytes = kWorkspaceBytes;
        check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes),
              "cublasLtMatmulPreferenceSetAttribute");
        std::vector<cublasLtMatmulHeuristicResult_t> results(kMostCandidates);
        check(cublasLtMatmulAlgoGetHeuristic(m_handle, m_desc, m_layoutB, m_layoutA, m_layoutC, m_layoutC, preference, kMostCandidates,
                                             results.data(), &m_candidates),
              "cublasLtMatmulAlgoGetHeuristic");
        cublasLtMatmulPreferenceDestroy(preference);
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < m_candidates; ++i) {
            const auto& each = results[static_cast<std::size_t>(i)];
            if (each.state != CUBLAS_STATUS_SUCCESS || call(each.algo) != CUBLAS_STATUS_SUCCESS) continue;
            wait();
            const double ms = roundMs([&] { call(each.algo); }, [&] { wait(); });
            if (ms < best) m_best = each.algo;
            best = std::min(best, ms);
        }
        if (best == std::numeric_limits<double>::infinity()) throw DeviceError{"cuBLASLt offers nothing for a product"};
    }
};

class Card {
public:
    Card() : m_backend(createCudaBackend("cuda:0")), m_queue(m_backend->createQueue()) {}

    /// Ours and the library's best, milliseconds and the median ratio of rounds: the library's time over ours.
    void race(const char* name, const MatmulDesc& d) {
        const Memory a(*m_backend, *m_queue, d.a, d.m * d.k), b(*m_backend, *m_queue, d.b, d.k * d.n),
            c(*m_backend, *m_queue, d.out, d.m * d.n);
        Prepared own(*m_backend, d, {a.get(), b.get(), c.get()});
        BestOfLibrary best(d, a.get(), b.get(), c.get());
        std::vector<double> ours, theirs, ratios;
        for (int round = 0; round <= kRounds; ++round) {
            const double mine = ms({&own}), rival = roundMs([&] { best.enqueue(); }, [&] { best.wait(); });
            if (round == 0) continue;  // to warm up
            ours.push_back(mine), theirs.push_back(rival), ratios.push_back(rival / mine);
        }
        std::printf("%s\n  {\"name\": \"%s %s\", \"ours_ms\": %.5f, \"best_ms\": %.5f, \"ratio\": %.4f, \"candidates\": %d}",
                    m_isFirst ? "" : ",", name, std::string(facts(d.a).name).c_str(), median(ours), median(theirs), median(ratios),
                    best.candidates());
        m_isFirst = false;
    }

    /// How many times as fast a linear layer and its gradients are in fp8, with what they quantise, as in bf16.
    double fp8OverBf16(std::int64_t rows, std::int64_t width) {
        const auto tensor = [&](Dtype dtype, std::int64_t count) { return std::make_unique<Memory>(*m_backend, *m_queue, dtype, count); };
        const std::int64_t ofRows = rows * width, ofWeights = width * width;
        const auto x = tensor(Dtype::BF16, ofRows), w = tensor(Dtype::BF16, ofWeights), g = tensor(Dtype::BF16, ofRows);
        const auto narrowX = tensor(Dtype::E4M3, ofRows), narrowW = tensor(Dtype::E4M3, ofWeights), narrowG = tensor(Dtype::E5M2, ofRows);
        const auto y = tensor(Dtype::BF16, ofRows), gradX = tensor(Dtype::BF16, ofRows), gradW = tensor(Dtype::BF16, ofWeights);
        const Memory scaleX(*m_backend, sizeof(QuantScale)), scaleW(*m_backend, sizeof(QuantScale)), scaleG(*m_backend, sizeof(QuantScale));
        MatmulDesc forward{.m = rows, .n = width, .k = width, .transposeB = true};
        forward.a = forward.b = forward.out = forward.compute = Dtype::BF16;
        MatmulDesc ofInput = forward, ofWeight = forward;
        ofInput.transposeB = false;
        ofWeight.m = width, ofWeight.k = rows, ofWeight.transposeA = true, ofWeight.transposeB = false;
        Prepared plainForward(*m_backend, forward, {x->get(), w->get(), y->get()}),
            plainInput(*m_backend, ofInput, {g->get(), w->get(), gradX->get()}),
            plainWeight(*m_backend, ofWeight, {g->get(), x->get(), gradW->get()});
        for (MatmulDesc* d : {&forward, &ofInput, &ofWeight}) {
            d->isScaled = true;
            d->a = d == &forward ? Dtype::E4M3 : Dtype::E5M2;
            d->b = Dtype::E4M3, d->compute = d->a;
        }
        // As a plan has them: casts write what products of the other order read.
        const bool isAlongK = m_backend->readsAlongK(ofInput) && m_backend->readsAlongK(ofWeight);
        const auto turnedX = tensor(Dtype::E4M3, ofRows), turnedW = tensor(Dtype::E4M3, ofWeights), turnedG = tensor(Dtype::E5M2, ofRows);
        const Memory &byK = isAlongK ? *turnedW : *narrowW, &xByK = isAlongK ? *turnedX : *narrowX, &gByK = isAlongK ? *turnedG : *narrowG;
        ofInput.transposeB = ofWeight.transposeB = isAlongK;
        ofWeight.transposeA = !isAlongK;
        const auto cast = [&](Dtype to, std::int64_t of, const Memory& from, const Memory& narrow, const Memory& scale,
                              const Memory& turned) {
            const std::int64_t height = of == ofWeights ? width : rows;
            const QuantizeDesc desc{.count = of, .from = Dtype::BF16, .to = to, .transposedRows = isAlongK ? height : 0};
            return isAlongK ? Prepared(*m_backend, desc, {from.get(), narrow.get(), scale.get(), turned.get()})
                            : Prepared(*m_backend, desc, {from.get(), narrow.get(), scale.get()});
        };
        Prepared quantizeX = cast(Dtype::E4M3, ofRows, *x, *narrowX, scaleX, *turnedX),
                 quantizeW = cast(Dtype::E4M3, ofWeights, *w, *narrowW, scaleW, *turnedW),
                 quantizeG = cast(Dtype::E5M2, ofRows, *g, *narrowG, scaleG, *turnedG),
                 narrowForward(*m_backend, forward, {narrowX->get(), narrowW->get(), scaleX.get(), scaleW.get(), y->get()}),
                 narrowInput(*m_backend, ofInput, {narrowG->get(), byK.get(), scaleG.get(), scaleW.get(), gradX->get()}),
                 narrowWeight(*m_backend, ofWeight, {gByK.get(), xByK.get(), scaleG.get(), scaleX.get(), gradW->get()});
        std::vector<double> ratios;
        for (int round = 0; round <= kRounds; ++round) {
            const double wide = ms({&plainForward, &plainInput, &plainWeight});
            const double narrow = ms({&quantizeX, &quantizeW, &quantizeG, &narrowForward, &narrowInput, &narrowWeight});
            if (round > 0) ratios.push_back(wide / narrow);
        }
        return median(ratios);
    }

    /// Milliseconds of attention, and of attention with its gradient, causal, in bf16, heads beside each other.
    std::pair<double, double> attention(std::int64_t samples, std::int64_t heads, std::int64_t length, std::int64_t headDim) {
        FusedAttentionDesc d{
            .outer = samples, .heads = heads, .keyHeads = heads, .length = length, .headDim = headDim, .dtype = Dtype::BF16};
        d.scale = 0.125f;
        d.q = d.k = d.v = d.out = {heads * headDim, length * heads * headDim, headDim};
        std::vector<std::unique_ptr<Memory>> own;
        for (int i = 0; i < 9; ++i) {
            const bool areSums = i == 5;
            own.push_back(std::make_unique<Memory>(*m_backend, *m_queue, areSums ? Dtype::F32 : Dtype::BF16,
                                                   samples * heads * length * (areSums ? 1 : headDim)));
        }
        const auto at = [&](std::size_t i) { return own[i]->get(); };
        Prepared forward(*m_backend, d, {at(1), at(2), at(3), at(4), at(5)});
        Prepared backward(*m_backend, FusedAttentionGradDesc{d}, {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)});
        std::vector<double> once, both;
        for (int round = 0; round <= kRounds; ++round) {
            const double ahead = ms({&forward}), back = ms({&forward, &backward});
            if (round > 0) once.push_back(ahead), both.push_back(back);
        }
        return {median(once), median(both)};
    }

private:
    std::shared_ptr<Backend> m_backend;
    std::unique_ptr<Queue> m_queue;
    bool m_isFirst = true;

    double ms(const std::vector<Prepared*>& operations) {
        return roundMs(
            [&] {
                for (Prepared* each : operations) each->enqueue(*m_queue);
            },
            [&] { m_queue->wait(); });
    }
};

void measure() {
    Card card;
    const std::int64_t rows = 16 * 1024;  // of a batch
    struct {
        const char* name;
        std::int64_t in, out;
    } layers[] = {{"qkv", 768, 2304}, {"projection", 768, 768}, {"up", 768, 3072}, {"down", 3072, 768}, {"head", 768, 50304}};
    std::printf("{\"products\": [");
    for (const auto& layer : layers) {
        for (const Dtype dtype : {Dtype::BF16, Dtype::F16, Dtype::F32}) {
            if (dtype != Dtype::BF16 && std::string(layer.name) != "up") continue;
            MatmulDesc forward{.m = rows, .n = layer.out, .k = layer.in, .transposeB = true};
            forward.a = forward.b = forward.out = forward.compute = dtype;
            MatmulDesc ofInput = forward, ofWeight = forward;
            ofInput.n = layer.in, ofInput.k = layer.out, ofInput.transposeB = false;
            ofWeight.m = layer.out, ofWeight.n = layer.in, ofWeight.k = rows, ofWeight.transposeA = true, ofWeight.transposeB = false;
            card.race((std::string(layer.name) + ",").c_str(), forward);
            card.race((std::string(layer.name) + ", its input's gradient,").c_str(), ofInput);
            card.race((std::string(layer.name) + ", its weights' gradient,").c_str(), ofWeight);
        }
    }
    const double fp8 = card.fp8OverBf16(8192, 4096);
    const auto [ahead, both] = card.attention(16, 12, 1024, 64);
    std::printf("],\n \"fp8_over_bf16\": %.4f, \"attention_ms\": %.5f, \"attention_and_gradient_ms\": %.5f}\n", fp8, ahead, both);
}

}  // namespace
}  // namespace mantissa

int main() {
    try {
        mantissa::measure();
        return 0;
    } catch (const mantissa::DeviceError& error) {
        std::fprintf(stderr, "products: %s\n", error.reason.c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "products: %s\n", error.what());
    }
    return 1;
}
