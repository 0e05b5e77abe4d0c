// SPDX-License-Identifier: Apache-2.0
#include "kernels/backend.h"

namespace mantissa {

std::string_view activationName(Activation kind) {
    switch (kind) {
        case Activation::Relu:
            return "relu";
        case Activation::Gelu:
            return "gelu";
        case Activation::Tanh:
            return "tanh";
        case Activation::Sigmoid:
            return "sigmoid";
        case Activation::Silu:
            return "silu";
    }
    return "";
}

}  // namespace mantissa
