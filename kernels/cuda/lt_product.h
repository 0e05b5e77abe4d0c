// SPDX-License-Identifier: Apache-2.0
// One call of cuBLASLt: a description of matrices in its terms, column-major, and the chosen algorithm. Only algorithms that sum in fp32
// and are deterministic are used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/context.h"

namespace mantissa::cuda {

/// What a matrix's scales are: one fp32 factor, or one for each block. The numbers are those of cublasLtMatmulMatrixScale_t.
enum class LtScales : std::int32_t { OfTensor = 0, Vec16Ue4m3 = 1, Vec32Ue8m0 = 2, Vec128F32 = 4, Blk128x128F32 = 5 };
/// Whether the library that this was built with has scales of blocks: CUDA 12.9.
inline constexpr bool kLtHasBlockScales = CUBLAS_VERSION >= 120900;
inline constexpr auto kLtE2m1 = static_cast<cudaDataType>(33);  // CUDA_R_4F_E2M1, which older toolkits lack

/// Bytes of a matrix's scales as a product reads them. The matrix has `rows` rows (columns, for b) of k numbers.
std::size_t ltScaleBytes(LtScales scales, std::int64_t rows, std::int64_t k);

/// D[rows, cols] = alpha * op(A)[rows, k] op(B)[k, cols] (+ bias along rows) + beta * D, for each matrix of a batch.
struct LtShape {
    std::int64_t rows = 0, cols = 0, k = 0;
    bool transposeA = false, transposeB = false;
    std::int64_t lda = 0, ldb = 0, ldd = 0;
    cudaDataType a = CUDA_R_32F, b = CUDA_R_32F, d = CUDA_R_32F;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    bool hasBias = false;    // stored as d
    bool hasScales = false;  // of a and b: device pointers (kLtScaleAlignment), by default to one fp32 number each
    LtScales scalesOfA = LtScales::OfTensor, scalesOfB = LtScales::OfTensor;
    bool hasDeviceAlpha = false;                                 // alpha and beta are read from device memory
    std::int64_t batch = 1, batchA = 0, batchB = 0, batchD = 0;  // elements from one matrix to the next
    std::uint32_t alignment = 0;                                 // in bytes, of every pointer; 0: that of the elements

    /// Its key in Context::algorithms.
    std::string key() const;
};

struct LtOperands {
    const void *a = nullptr, *b = nullptr, *bias = nullptr;
    const void *scaleA = nullptr, *scaleB = nullptr;
    void* d = nullptr;
    float alpha = 1, beta = 0;
    const float *deviceAlpha = nullptr, *deviceBeta = nullptr;  // in place of these
};

class LtProduct {
public:
    /// Chooses the algorithm, unless it is known: by time on the GPU if the context does so and `mayTime`.
    LtProduct(Context& context, const LtShape& shape, bool mayTime);

    /// Whether the library has an algorithm for it.
    bool isOffered() const { return m_algorithm.isOffered; }
    std::size_t workspaceBytes() const { return m_algorithm.workspaceBytes; }
    const LtShape& shape() const { return m_shape; }
    void run(cudaStream_t stream, const LtOperands& operands, void* workspace);

private:
    template <auto destroy>
    struct Destroy {
        template <typename T>
        void operator()(T* handle) const {
            destroy(handle);
        }
    };
    using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy<cublasLtMatrixLayoutDestroy>>;
    using Desc = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy<cublasLtMatmulDescDestroy>>;
    using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy<cublasLtMatmulPreferenceDestroy>>;

    cublasLtHandle_t m_handle;
    LtShape m_shape;
    Desc m_desc;
    Layout m_a, m_b, m_d;
    LtAlgorithm m_algorithm;

    static Layout layoutOf(cudaDataType type, std::int64_t rows, std::int64_t cols, std::int64_t ld, std::int64_t batch,
                           std::int64_t apart);
    std::vector<LtAlgorithm> candidates();
    LtAlgorithm fastest(int device, const std::vector<LtAlgorithm>& candidates);
    cublasStatus_t call(cudaStream_t stream, const LtOperands& operands, void* workspace, const LtAlgorithm& algorithm);
};

}  // namespace mantissa::cuda
