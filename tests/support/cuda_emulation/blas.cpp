// SPDX-License-Identifier: Apache-2.0
// cuBLASLt's calls that kernels/cuda makes, on the host: sums in fp32 in order of k, every attribute honoured, and what the library's
// documentation refuses is refused (cuBLAS 13, "cublasLtMatmul()": combinations of types, the fp8 requirements, alignment). Among the
// algorithms that it offers are some that are not to be taken: their sums are wrong, as a narrower accumulator's would be.
#include <cublasLt.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/dtype/rounding.h"
#include "tests/support/cuda_emulation/block_scales.h"
#include "tests/support/cuda_emulation/emulation.h"
#include "tests/support/cuda_emulation/libraries.h"
#include "tests/support/cuda_emulation/runtime.h"

namespace mantissa::emulation {

LibraryCalls& libraryCalls() {
    static LibraryCalls calls;
    return calls;
}

namespace {

struct Desc {
    cublasComputeType_t compute;
    cudaDataType scale;
    cublasOperation_t opA = CUBLAS_OP_N, opB = CUBLAS_OP_N;
    std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
    std::int32_t biasType = -1;
    const void *scaleA = nullptr, *scaleB = nullptr;
    std::int32_t modeA = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, modeB = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    std::int32_t pointerMode = CUBLASLT_POINTER_MODE_HOST;
    bool isInBlocks() const { return isOfBlocks(modeA) || isOfBlocks(modeB); }
    bool hasBias() const { return epilogue == CUBLASLT_EPILOGUE_BIAS; }
};
struct Layout {
    cudaDataType type;
    std::int64_t rows, cols, ld;
    std::int32_t batch = 1;
    std::int64_t apart = 0;
};
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_MASK, a = 256, b = 256, c = 256, d = 256;
};
/// In a cublasLtMatmulAlgo_t.
struct Algorithm {
    std::uint64_t id = 0, flags = 0, scheme = 0, workspace = 0, shape = 0, alignment = 0;
    bool isWrong() const {
        return (flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F) != 0 || scheme == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
    }
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

Desc& of(cublasLtMatmulDesc_t desc) {
    return *reinterpret_cast<Desc*>(desc);
}
Layout& of(cublasLtMatrixLayout_t layout) {
    return *reinterpret_cast<Layout*>(layout);
}
Preference& of(cublasLtMatmulPreference_t preference) {
    return *reinterpret_cast<Preference*>(preference);
}
Algorithm of(const cublasLtMatmulAlgo_t* algorithm) {
    Algorithm own;
    std::memcpy(static_cast<void*>(&own), algorithm, sizeof own);
    return own;
}

template <typename T>
cublasStatus_t take(T& to, const void* from, std::size_t bytes) {
    if (from == nullptr || bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&to, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t give(const T& value, void* to, std::size_t bytes, std::size_t* written) {
    if (to == nullptr || bytes != sizeof value) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(to, &value, bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

Dtype dtypeOf(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F:
            return Dtype::F16;
        case CUDA_R_16BF:
            return Dtype::BF16;
        case CUDA_R_8F_E4M3:
            return Dtype::E4M3;
        case CUDA_R_8F_E5M2:
            return Dtype::E5M2;
        case CUDA_R_4F_E2M1:
            return Dtype::E2M1;
        default:
            return Dtype::F32;
    }
}
std::int64_t bitsOf(cudaDataType type) {
    return facts(dtypeOf(type)).storageBits;
}
std::uint64_t bytesOf(cudaDataType type) {
    return static_cast<std::uint64_t>(bitsOf(type)) / 8;
}
/// Whether that many elements are a multiple of 16 bytes.
bool isWhole(std::int64_t elements, cudaDataType type) {
    return elements * bitsOf(type) % 128 == 0;
}
bool isFp8(cudaDataType type) {
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

float element(cudaDataType type, const void* memory, std::int64_t index) {
    if (type == CUDA_R_4F_E2M1) {
        const unsigned pair = static_cast<const std::uint8_t*>(memory)[index / 2];
        return decodeBits(Dtype::E2M1, index % 2 == 0 ? pair & 0xFu : pair >> 4);
    }
    const std::uint64_t bytes = bytesOf(type);
    std::uint32_t code = 0;
    std::memcpy(&code, static_cast<const char*>(memory) + static_cast<std::uint64_t>(index) * bytes, bytes);
    return decodeBits(dtypeOf(type), code);
}
void setElement(cudaDataType type, void* memory, std::int64_t index, float value) {
    const std::uint64_t bytes = bytesOf(type);
    const std::uint32_t code = encodeBits(dtypeOf(type), value);
    std::memcpy(static_cast<char*>(memory) + static_cast<std::uint64_t>(index) * bytes, &code, bytes);
}

/// All that a call is about.
struct Call {
    Desc desc;
    Layout a, b, d;

    std::int64_t k() const { return desc.opA == CUBLAS_OP_N ? a.cols : a.rows; }
    std::uint64_t name() const {
        std::uint64_t hash = 1469598103934665603u;
        for (const Layout* each : {&a, &b, &d}) {
            for (const std::int64_t part :
                 {std::int64_t{each->type}, each->rows, each->cols, each->ld, std::int64_t{each->batch}, each->apart})
                hash = (hash ^ static_cast<std::uint64_t>(part)) * 1099511628211u;
        }
        hash = (hash ^ static_cast<std::uint64_t>(desc.modeA * 8 + desc.modeB)) * 1099511628211u;
        return (hash ^ static_cast<std::uint64_t>(desc.compute * 8 + desc.opA * 2 + desc.opB)) * 1099511628211u;
    }

    BlockScales scalesOfA() const { return {desc.modeA, desc.scaleA, d.rows, k()}; }
    BlockScales scalesOfB() const { return {desc.modeB, desc.scaleB, d.cols, k()}; }

    cublasStatus_t check() const {
        const bool turnsA = desc.opA == CUBLAS_OP_T, turnsB = desc.opB == CUBLAS_OP_T;
        const std::int64_t m = turnsA ? a.cols : a.rows, n = turnsB ? b.rows : b.cols, kOfB = turnsB ? b.cols : b.rows;
        if (m != d.rows || n != d.cols || kOfB != k() || a.ld < a.rows || b.ld < b.rows || d.ld < d.rows)
            return CUBLAS_STATUS_INVALID_VALUE;
        if (a.batch != d.batch || b.batch != d.batch || desc.scale != CUDA_R_32F) return CUBLAS_STATUS_INVALID_VALUE;
        if (desc.epilogue != CUBLASLT_EPILOGUE_DEFAULT && !desc.hasBias()) return CUBLAS_STATUS_NOT_SUPPORTED;
        const bool isFp32 = a.type == CUDA_R_32F && b.type == CUDA_R_32F && d.type == CUDA_R_32F;
        const bool isBiasOfD = !desc.hasBias() || desc.biasType == -1 || desc.biasType == d.type;
        if (desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32) return isFp32 && isBiasOfD ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
        if (desc.compute != CUBLAS_COMPUTE_32F && desc.compute != CUBLAS_COMPUTE_32F_PEDANTIC) return CUBLAS_STATUS_NOT_SUPPORTED;
        if (isFp32) return isBiasOfD ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
        const bool is16 = (a.type == CUDA_R_16F || a.type == CUDA_R_16BF) && b.type == a.type && (d.type == a.type || d.type == CUDA_R_32F);
        if (is16) return isBiasOfD ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
        if (desc.isInBlocks()) return checkBlocks(m, n, turnsA && !turnsB);
        if (!isFp8(a.type) || !isFp8(b.type) || (a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2)) return CUBLAS_STATUS_NOT_SUPPORTED;
        const cudaDataType biasType = d.type == CUDA_R_32F ? CUDA_R_16BF : d.type;
        const bool isBiasOffered = !desc.hasBias() || desc.biasType == biasType;
        const bool areWhole = m % 16 == 0 && n % 16 == 0 && k() % 16 == 0 && a.ld % 16 == 0 && b.ld % 16 == 0;
        const bool isOut = d.type == CUDA_R_16F || d.type == CUDA_R_16BF || d.type == CUDA_R_32F;
        const bool isTurned = turnsA && !turnsB && desc.compute == CUBLAS_COMPUTE_32F && card().capability >= 89;
        return isBiasOffered && areWhole && isOut && isTurned ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
    }

private:
    cublasStatus_t checkBlocks(std::int64_t m, std::int64_t n, bool isTurned) const {
        const bool isOut = d.type == CUDA_R_16F || d.type == CUDA_R_16BF || d.type == CUDA_R_32F;
        const bool isBiasOffered = !desc.hasBias() || desc.biasType == (d.type == CUDA_R_32F ? CUDA_R_16BF : d.type);
        const bool areWhole = isWhole(k(), a.type) && isWhole(k(), b.type) && isWhole(m, d.type) && isWhole(a.ld, a.type) &&
                              isWhole(b.ld, b.type) && isWhole(d.ld, d.type) && m % 4 == 0 && n % 4 == 0;
        const bool isTaken = takesScales(card().capability, a.type, desc.modeA, b.type, desc.modeB);
        const bool isOffered = isOut && isBiasOffered && areWhole && isTurned && isTaken && desc.compute == CUBLAS_COMPUTE_32F;
        return isOffered ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
    }
};

std::vector<float> numbers(const Layout& layout, cublasOperation_t op, std::int64_t matrix, const void* memory, bool isTf32) {
    const std::int64_t across = op == CUBLAS_OP_N ? layout.rows : layout.cols, along = op == CUBLAS_OP_N ? layout.cols : layout.rows;
    std::vector<float> values(static_cast<std::size_t>(across * along));
    for (std::int64_t i = 0; i < across; ++i) {
        for (std::int64_t k = 0; k < along; ++k) {
            const std::int64_t at = matrix * layout.apart + (op == CUBLAS_OP_N ? i + k * layout.ld : k + i * layout.ld);
            const float value = element(layout.type, memory, at);
            // As tensor cores do it, which look at no more: who wants another rounding brings rounded numbers.
            values[static_cast<std::size_t>(i * along + k)] = isTf32 ? floatFromBits(floatBits(value) & ~0x1FFFu) : value;
        }
    }
    return values;
}

struct Pointers {
    const void *a, *b, *c;
    void *d, *workspace;
    const float *deviceAlpha, *deviceBeta;  // null: `alpha` and `beta`
    float alpha, beta;
};

/// A dot product of rows of codes. With scales of blocks, each block's sum is multiplied by both of its scales.
float dot(const Call& call, const float* left, const float* right, std::int64_t row, std::int64_t col) {
    float sum = 0;
    if (!call.desc.isInBlocks()) {
        for (std::int64_t at = 0; at < call.k(); ++at) sum += left[at] * right[at];
        return sum;
    }
    const BlockScales a = call.scalesOfA(), b = call.scalesOfB();
    for (std::int64_t block = 0; block * a.length() < call.k(); ++block) {
        float part = 0;
        for (std::int64_t at = block * a.length(); at < std::min((block + 1) * a.length(), call.k()); ++at) part += left[at] * right[at];
        sum += part * a.at(row, block) * b.at(col, block);
    }
    return sum;
}

void multiply(const Call& call, const Pointers& p, const Algorithm& algorithm) {
    const bool isTf32 = call.desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    const auto k = static_cast<std::size_t>(call.k());
    float alpha = p.deviceAlpha != nullptr ? *p.deviceAlpha : p.alpha;
    const float beta = p.deviceBeta != nullptr ? *p.deviceBeta : p.beta;
    if (call.desc.scaleA != nullptr && !call.desc.isInBlocks()) alpha *= *static_cast<const float*>(call.desc.scaleA);
    if (call.desc.scaleB != nullptr && !call.desc.isInBlocks()) alpha *= *static_cast<const float*>(call.desc.scaleB);
    const bool isWrong = algorithm.isWrong() || (call.desc.isInBlocks() && (!call.scalesOfA().isPadded() || !call.scalesOfB().isPadded()));
    if (algorithm.workspace > 0) std::memset(p.workspace, 0xAB, algorithm.workspace);
    for (std::int64_t matrix = 0; matrix < call.d.batch; ++matrix) {
        const std::vector<float> a = numbers(call.a, call.desc.opA, matrix, p.a, isTf32);
        const cublasOperation_t opB = call.desc.opB == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
        const std::vector<float> b = numbers(call.b, opB, matrix, p.b, isTf32);
        for (std::int64_t j = 0; j < call.d.cols; ++j) {
            for (std::int64_t i = 0; i < call.d.rows; ++i) {
                const float *left = a.data() + static_cast<std::size_t>(i) * k, *right = b.data() + static_cast<std::size_t>(j) * k;
                float sum = dot(call, left, right, i, j);
                if (alpha != 1) sum *= alpha;
                const std::int64_t to = matrix * call.d.apart + i + j * call.d.ld;
                if (beta != 0) sum += beta * element(call.d.type, p.c, to);
                if (call.desc.hasBias()) sum += element(call.d.type, call.desc.bias, i);
                if (isWrong) sum += 1000;
                setElement(call.d.type, p.d, to, sum);
            }
        }
    }
    libraryCalls().milliseconds += algorithm.id == 3 ? 1 : 2;
}

}  // namespace
}  // namespace mantissa::emulation

using namespace mantissa::emulation;

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = reinterpret_cast<cublasLtHandle_t>(new int(mantissa::emulation::currentDevice()));
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    auto* const device = reinterpret_cast<int*>(handle);
    mantissa::emulation::counts().strays += *device != mantissa::emulation::currentDevice() ? 1 : 0;
    delete device;
    return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : status == CUBLAS_STATUS_INVALID_VALUE ? "invalid value" : "status";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute, cudaDataType_t scale) {
    *desc = reinterpret_cast<cublasLtMatmulDesc_t>(new Desc{.compute = compute, .scale = scale});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
    delete &of(desc);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void* from,
                                              std::size_t bytes) {
    switch (attribute) {
        case CUBLASLT_MATMUL_DESC_TRANSA:
            return take(of(desc).opA, from, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSB:
            return take(of(desc).opB, from, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE:
            return take(of(desc).epilogue, from, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
            return take(of(desc).bias, from, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
            return take(of(desc).biasType, from, bytes);
        case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
            return take(of(desc).scaleA, from, bytes);
        case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
            return take(of(desc).scaleB, from, bytes);
        case CUBLASLT_MATMUL_DESC_A_SCALE_MODE:
            return take(of(desc).modeA, from, bytes);
        case CUBLASLT_MATMUL_DESC_B_SCALE_MODE:
            return take(of(desc).modeB, from, bytes);
        case CUBLASLT_MATMUL_DESC_POINTER_MODE:
            return take(of(desc).pointerMode, from, bytes);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows, std::uint64_t cols,
                                          std::int64_t ld) {
    *layout =
        reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols), ld});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete &of(layout);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void* from,
                                                std::size_t bytes) {
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return take(of(layout).batch, from, bytes);
    if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) return take(of(layout).apart, from, bytes);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete &of(preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* from, std::size_t bytes) {
    Preference& own = of(preference);
    switch (attribute) {
        case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
            return take(own.workspace, from, bytes);
        case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
            return take(own.schemes, from, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
            return take(own.a, from, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
            return take(own.b, from, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
            return take(own.c, from, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
            return take(own.d, from, bytes);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most, cublasLtMatmulHeuristicResult_t* results,
                                              int* count) {
    ++libraryCalls().heuristics;
    *count = 0;
    const Call call{of(desc), of(a), of(b), of(d)};
    const Preference& asked = of(preference);
    if (libraryCalls().refuses) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (const cublasStatus_t status = call.check(); status != CUBLAS_STATUS_SUCCESS) return status;
    const std::uint64_t least = std::min({asked.a, asked.b, asked.c, asked.d});
    if ((isFp8(call.a.type) || call.desc.isInBlocks()) && least < 16) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool isNarrow = bytesOf(call.a.type) < 4;
    const Algorithm offered[] = {
        {.id = 0, .flags = CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F},
        {.id = 1, .scheme = CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE},
        {.id = 2, .scheme = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, .workspace = 1000},
        {.id = 3, .flags = isNarrow ? CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA : CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA},
    };
    for (Algorithm each : offered) {
        if ((each.scheme & asked.schemes) != each.scheme || each.workspace > asked.workspace || *count == most) continue;
        if (each.id == 0 && !isNarrow) continue;
        each.shape = call.name();
        each.alignment = std::min<std::uint64_t>(least, 16);
        results[*count] = {};
        std::memcpy(&results[*count].algo, &each, sizeof each);
        results[*count].workspaceSize = each.workspace;
        results[*count].state = CUBLAS_STATUS_SUCCESS;
        ++*count;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulAlgoCapAttributes_t attribute,
                                                 void* to, std::size_t bytes, std::size_t* written) {
    if (attribute != CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS) return CUBLAS_STATUS_NOT_SUPPORTED;
    return give(of(algorithm).flags, to, bytes, written);
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* to, std::size_t bytes, std::size_t* written) {
    if (attribute != CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME) return CUBLAS_STATUS_NOT_SUPPORTED;
    return give(static_cast<std::uint32_t>(of(algorithm).scheme), to, bytes, written);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void* alpha, const void* a, cublasLtMatrixLayout_t aLayout,
                              const void* b, cublasLtMatrixLayout_t bLayout, const void* beta, const void* c, cublasLtMatrixLayout_t,
                              void* d, cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t* algo, void* workspace,
                              std::size_t workspaceBytes, cudaStream_t stream) {
    const Call call{of(desc), of(aLayout), of(bLayout), of(dLayout)};
    if (const cublasStatus_t status = call.check(); status != CUBLAS_STATUS_SUCCESS) return status;
    const Algorithm algorithm = of(algo);
    const auto isAligned = [](const void* memory, std::uint64_t bytes) { return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0; };
    if (algorithm.shape != call.name() || workspaceBytes < algorithm.workspace) return CUBLAS_STATUS_INVALID_VALUE;
    if (algorithm.workspace > 0 && (workspace == nullptr || !isAligned(workspace, 256))) return CUBLAS_STATUS_INVALID_VALUE;
    if (a == nullptr || b == nullptr || d == nullptr || (call.desc.hasBias() && call.desc.bias == nullptr))
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool isScaled = call.desc.scaleA != nullptr || call.desc.scaleB != nullptr;
    const bool isNarrowEnough = isFp8(call.a.type) || call.a.type == CUDA_R_4F_E2M1;
    if (isScaled && !isNarrowEnough) return CUBLAS_STATUS_INVALID_VALUE;
    if (call.desc.isInBlocks() && (call.desc.scaleA == nullptr || call.desc.scaleB == nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
    if (!isAligned(call.desc.scaleA, 16) || !isAligned(call.desc.scaleB, 16)) return CUBLAS_STATUS_NOT_SUPPORTED;  // as 13.1 on an H200
    for (const void* memory : {a, b, static_cast<const void*>(d)}) {
        if (!isAligned(memory, algorithm.alignment)) return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (call.desc.hasBias() && !isAligned(call.desc.bias, std::min(algorithm.alignment, bytesOf(call.d.type))))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    ++libraryCalls().products;
    libraryCalls().blockProducts += call.desc.isInBlocks() ? 1 : 0;
    libraryCalls().lastAlgorithm = static_cast<std::int64_t>(algorithm.id);
    Pointers pointers{a, b, c, d, workspace, static_cast<const float*>(alpha), static_cast<const float*>(beta), 1, 0};
    if (call.desc.pointerMode == CUBLASLT_POINTER_MODE_HOST) {  // read before the call returns
        pointers.alpha = *std::exchange(pointers.deviceAlpha, nullptr);
        pointers.beta = *std::exchange(pointers.deviceBeta, nullptr);
    }
    enqueue(stream, [call, pointers, algorithm] { multiply(call, pointers, algorithm); });
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
