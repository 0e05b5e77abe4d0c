// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/lt_product.h"

#include <algorithm>
#include <limits>
#include <new>

namespace mantissa::cuda {
namespace {

constexpr int kMostCandidates = 16;
constexpr int kTimedRuns = 5;
/// An algorithm replaces the library's first choice below this share of its time: smaller differences are noise and would vary between
/// processes.
constexpr float kWorthwhile = 0.98f;

/// Bytes of an element; of two for 4 bits, which is enough for those that are counted here.
std::size_t bytesOf(cudaDataType type) {
    return type == CUDA_R_32F ? 4 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 1;
}

template <typename T>
void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}
template <typename T>
void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const T& value) {
    check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value), "cublasLtMatrixLayoutSetAttribute");
}
template <typename T>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
    check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value), "cublasLtMatmulPreferenceSetAttribute");
}

#if CUBLAS_VERSION >= 120900
static_assert(static_cast<int>(LtScales::Vec16Ue4m3) == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3);
static_assert(static_cast<int>(LtScales::Vec32Ue8m0) == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0);
static_assert(static_cast<int>(LtScales::Vec128F32) == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
static_assert(static_cast<int>(LtScales::Blk128x128F32) == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
static_assert(kLtE2m1 == CUDA_R_4F_E2M1);
void setScales(cublasLtMatmulDesc_t desc, LtScales a, LtScales b) {
    if (a == LtScales::OfTensor && b == LtScales::OfTensor) return;
    set(desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, static_cast<std::int32_t>(a));
    set(desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, static_cast<std::int32_t>(b));
}
#else
void setScales(cublasLtMatmulDesc_t, LtScales, LtScales) {}
#endif

/// Whether partial sums, if any, are added in fp32 in a fixed order, and operands keep their precision. An attribute that an algorithm does
/// not report counts as no.
bool isExact(const LtShape& shape, const cublasLtMatmulAlgo_t& algorithm) {
    std::uint32_t scheme = 0;
    std::size_t written = 0;
    if (cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &scheme, sizeof scheme, &written) !=
        CUBLAS_STATUS_SUCCESS) {
        return false;
    }
    if (scheme != CUBLASLT_REDUCTION_SCHEME_NONE && scheme != CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) return false;
    std::uint64_t how = 0;
    if (cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &how, sizeof how, &written) !=
        CUBLAS_STATUS_SUCCESS) {
        return false;
    }
    if ((how & CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F) != 0) return false;
    if (shape.compute != CUBLAS_COMPUTE_32F_PEDANTIC) return true;
    constexpr std::uint64_t kNarrow =
        CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32;
    return (how & (kNarrow | CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA)) == 0;
}

/// Measures the GPU time between two points of a stream.
class Stopwatch {
public:
    Stopwatch() {
        check(cudaEventCreate(&m_begin), "cudaEventCreate");
        check(cudaEventCreate(&m_end), "cudaEventCreate");
    }
    ~Stopwatch() {
        cudaEventDestroy(m_begin);
        cudaEventDestroy(m_end);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    template <typename Work>
    float milliseconds(cudaStream_t stream, const Work& work) {
        check(cudaEventRecord(m_begin, stream), "cudaEventRecord");
        work();
        check(cudaEventRecord(m_end, stream), "cudaEventRecord");
        check(cudaEventSynchronize(m_end), "cudaEventSynchronize");
        float time = 0;
        check(cudaEventElapsedTime(&time, m_begin, m_end), "cudaEventElapsedTime");
        return time;
    }

private:
    cudaEvent_t m_begin = nullptr, m_end = nullptr;
};

}  // namespace

std::size_t ltScaleBytes(LtScales scales, std::int64_t rows, std::int64_t k) {
    constexpr std::int64_t kTileRows = 128, kTileBytes = 512, kFp32 = 4;
    const auto parts = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
    std::int64_t bytes = kFp32;
    if (scales == LtScales::Vec16Ue4m3) bytes = parts(rows, kTileRows) * parts(k, 4 * 16) * kTileBytes;
    if (scales == LtScales::Vec32Ue8m0) bytes = parts(rows, kTileRows) * parts(k, 4 * 32) * kTileBytes;
    if (scales == LtScales::Vec128F32) bytes = rows * parts(k, 128) * kFp32;
    if (scales == LtScales::Blk128x128F32) bytes = parts(rows, 128) * parts(k, 4 * 128) * 4 * kFp32;
    return static_cast<std::size_t>(bytes);
}

std::string LtShape::key() const {
    std::string text;
    for (const std::int64_t part : {rows,
                                    cols,
                                    k,
                                    std::int64_t{transposeA},
                                    std::int64_t{transposeB},
                                    lda,
                                    ldb,
                                    ldd,
                                    std::int64_t{a},
                                    std::int64_t{b},
                                    std::int64_t{d},
                                    std::int64_t{compute},
                                    std::int64_t{hasBias},
                                    std::int64_t{hasScales},
                                    static_cast<std::int64_t>(scalesOfA),
                                    static_cast<std::int64_t>(scalesOfB),
                                    std::int64_t{hasDeviceAlpha},
                                    batch,
                                    batchA,
                                    batchB,
                                    batchD,
                                    std::int64_t{alignment}}) {
        text += std::to_string(part) + ' ';
    }
    return text;
}

LtProduct::Layout LtProduct::layoutOf(cudaDataType type, std::int64_t rows, std::int64_t cols, std::int64_t ld, std::int64_t batch,
                                      std::int64_t apart) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols), ld),
          "cublasLtMatrixLayoutCreate");
    Layout owned(layout);
    if (batch > 1) {
        set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch));
        set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, apart);
    }
    return owned;
}

LtProduct::LtProduct(Context& context, const LtShape& shape, bool mayTime) : m_handle(context.blasLt()), m_shape(shape) {
    cublasLtMatmulDesc_t desc = nullptr;
    check(cublasLtMatmulDescCreate(&desc, shape.compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    m_desc.reset(desc);
    set(desc, CUBLASLT_MATMUL_DESC_TRANSA, shape.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(desc, CUBLASLT_MATMUL_DESC_TRANSB, shape.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (shape.hasBias) {
        set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
        set(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(shape.d));
        // The search uses only the alignment of this address.
        set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, std::uintptr_t{256} + (shape.alignment > 0 ? 0 : bytesOf(shape.d)));
    }
    if (shape.hasScales) {
        set(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, std::uintptr_t{256});
        set(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, std::uintptr_t{256});
        setScales(desc, shape.scalesOfA, shape.scalesOfB);
    }
    if (shape.hasDeviceAlpha) set(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE});
    m_a = layoutOf(shape.a, shape.transposeA ? shape.k : shape.rows, shape.transposeA ? shape.rows : shape.k, shape.lda, shape.batch,
                   shape.batchA);
    m_b = layoutOf(shape.b, shape.transposeB ? shape.cols : shape.k, shape.transposeB ? shape.k : shape.cols, shape.ldb, shape.batch,
                   shape.batchB);
    m_d = layoutOf(shape.d, shape.rows, shape.cols, shape.ldd, shape.batch, shape.batchD);
    const auto known = context.algorithms().find(shape.key());
    if (known != context.algorithms().end()) {
        m_algorithm = known->second;
        return;
    }
    const std::vector<LtAlgorithm> all = candidates();
    if (context.isOnlyAsked()) {
        const auto wantsLess = [](const LtAlgorithm& a, const LtAlgorithm& b) { return a.workspaceBytes < b.workspaceBytes; };
        if (!all.empty()) m_algorithm = *std::max_element(all.begin(), all.end(), wantsLess);
        return;
    }
    const bool times = mayTime && context.timesAlgorithms() && all.size() > 1;
    if (!all.empty()) m_algorithm = times ? fastest(context.device(), all) : all.front();
    context.algorithms().emplace(shape.key(), m_algorithm);
}

std::vector<LtAlgorithm> LtProduct::candidates() {
    cublasLtMatmulPreference_t handle = nullptr;
    check(cublasLtMatmulPreferenceCreate(&handle), "cublasLtMatmulPreferenceCreate");
    const Preference preference(handle);
    set(handle, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(kLtWorkspaceBytes));
    set(handle, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    const auto aligned = [&](cublasLtMatmulPreferenceAttributes_t attribute, cudaDataType type) {
        set(handle, attribute, m_shape.alignment > 0 ? m_shape.alignment : static_cast<std::uint32_t>(bytesOf(type)));
    };
    aligned(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, m_shape.a);
    aligned(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, m_shape.b);
    aligned(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, m_shape.d);
    aligned(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, m_shape.d);

    cublasLtMatmulHeuristicResult_t results[kMostCandidates];
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(m_handle, m_desc.get(), m_a.get(), m_b.get(), m_d.get(), m_d.get(), handle,
                                                                 kMostCandidates, results, &count);
    std::vector<LtAlgorithm> found;
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return found;
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    for (int i = 0; i < count; ++i) {
        if (results[i].state == CUBLAS_STATUS_SUCCESS && isExact(m_shape, results[i].algo))
            found.push_back({true, results[i].algo, results[i].workspaceSize});
    }
    return found;
}

LtAlgorithm LtProduct::fastest(int device, const std::vector<LtAlgorithm>& candidates) {
    const auto elements = [this](std::int64_t ld, std::int64_t lines, std::int64_t apart) {
        return static_cast<std::size_t>((m_shape.batch - 1) * apart + ld * lines);
    };
    const LtShape& s = m_shape;
    std::size_t workspaceBytes = 0;
    for (const LtAlgorithm& each : candidates) workspaceBytes = std::max(workspaceBytes, each.workspaceBytes);
    try {
        const Scratch a(elements(s.lda, s.transposeA ? s.rows : s.k, s.batchA) * bytesOf(s.a)),
            b(elements(s.ldb, s.transposeB ? s.k : s.cols, s.batchB) * bytesOf(s.b)), d(elements(s.ldd, s.cols, s.batchD) * bytesOf(s.d)),
            bias(static_cast<std::size_t>(s.rows) * bytesOf(s.d)), scaleA(ltScaleBytes(s.scalesOfA, s.rows, s.k)),
            scaleB(ltScaleBytes(s.scalesOfB, s.cols, s.k)), alpha(sizeof(float)), workspace(workspaceBytes);
        const LtOperands operands{.a = a.as<void>(),
                                  .b = b.as<void>(),
                                  .bias = bias.as<void>(),
                                  .scaleA = scaleA.as<void>(),
                                  .scaleB = scaleB.as<void>(),
                                  .d = d.as<void>(),
                                  .deviceAlpha = alpha.as<float>(),
                                  .deviceBeta = alpha.as<float>()};
        CudaQueue queue(device);
        Stopwatch watch;
        LtAlgorithm best = candidates.front();
        float bestTime = std::numeric_limits<float>::infinity();
        for (const LtAlgorithm& each : candidates) {
            const auto once = [&] { return call(queue.stream(), operands, workspace.as<void>(), each); };
            if (once() != CUBLAS_STATUS_SUCCESS) continue;  // loads its code
            float time = std::numeric_limits<float>::infinity();
            for (int i = 0; i < kTimedRuns; ++i) time = std::min(time, watch.milliseconds(queue.stream(), once));
            if (!(time < bestTime)) continue;
            best = each;
            bestTime = &each == &candidates.front() ? time * kWorthwhile : time;
        }
        return best;
    } catch (const std::bad_alloc&) {
        return candidates.front();  // not enough memory to time them
    }
}

void LtProduct::run(cudaStream_t stream, const LtOperands& operands, void* workspace) {
    check(call(stream, operands, workspace, m_algorithm), "cublasLtMatmul");
}

cublasStatus_t LtProduct::call(cudaStream_t stream, const LtOperands& operands, void* workspace, const LtAlgorithm& algorithm) {
    if (m_shape.hasBias) set(m_desc.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
    if (m_shape.hasScales) {
        set(m_desc.get(), CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.scaleA);
        set(m_desc.get(), CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.scaleB);
    }
    const float* const alpha = m_shape.hasDeviceAlpha ? operands.deviceAlpha : &operands.alpha;
    const float* const beta = m_shape.hasDeviceAlpha ? operands.deviceBeta : &operands.beta;
    return cublasLtMatmul(m_handle, m_desc.get(), alpha, operands.a, m_a.get(), operands.b, m_b.get(), beta, operands.d, m_d.get(),
                          operands.d, m_d.get(), &algorithm.algorithm, workspace, algorithm.workspaceBytes, stream);
}

}  // namespace mantissa::cuda
