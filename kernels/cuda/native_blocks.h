// SPDX-License-Identifier: Apache-2.0
// Products whose operands in block formats are multiplied as stored, by cuBLASLt's block-scaled modes (internal).
#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/operations.h"

namespace mantissa::cuda {

/// A product of the codes themselves.
class NativeBlockMatmul {
public:
    virtual ~NativeBlockMatmul() = default;
    /// Whether the operands' addresses are aligned as the library requires.
    virtual bool fits(Operands operands) const = 0;
    virtual void enqueue(cudaStream_t stream, Operands operands) = 0;
    virtual std::size_t workspaceBytes() const = 0;
    /// The library's mode, for display: "cuBLASLt's VEC32_UE8M0".
    virtual std::string mode() const = 0;
};

/// The product, or null and the reason why it must be emulated, a clause.
std::unique_ptr<NativeBlockMatmul> makeNativeBlockMatmul(const MatmulDesc& desc, Context& context, std::string& reason);

}  // namespace mantissa::cuda
