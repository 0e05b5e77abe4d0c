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

/// D[rows, cols] = alpha * op(A)[rows, k] op(B)[k, cols] (+ bias along rows) + beta * D, for each matrix of a batch.
struct LtShape {
    std::int64_t rows = 0, cols = 0, k = 0;
    bool transposeA = false, transposeB = false;
    std::int64_t lda = 0, ldb = 0, ldd = 0;
    cudaDataType a = CUDA_R_32F, b = CUDA_R_32F, d = CUDA_R_32F;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    bool hasBias = false;    // stored as d
    bool hasScales = false;  // of a and b: device pointers to fp32 (kLtScaleAlignment), factors of the sums
    std::int64_t batch = 1, batchA = 0, batchB = 0, batchD = 0;  // elements from one matrix to the next
    std::uint32_t alignment = 0;                                 // in bytes, of every pointer; 0: that of the elements

    /// Its key in Context::algorithms.
    std::string key() const;
};

struct LtOperands {
    const void *a = nullptr, *b = nullptr, *bias = nullptr;
    const float *scaleA = nullptr, *scaleB = nullptr;
    void* d = nullptr;
    float alpha = 1, beta = 0;
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
