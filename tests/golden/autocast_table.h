// SPDX-License-Identifier: Apache-2.0
// Which of PyTorch's operations each instruction of a plan stands for, and where the program does not follow them.
#pragma once

#include "tests/golden/autocast_probe.h"
#include "tests/golden/autocast_trace.h"

namespace mantissa::test {

struct Mapping {
    std::string models;  // alternatives between |; none: all
    std::string phase, instruction;
    std::string role;         // layer without numbers; none: all
    std::vector<Step> steps;  // none: numbers are moved and not changed
    /// Where a chain rounds within an instruction: whether the numbers are PyTorch's.
    std::function<bool(const Ran&, const Instruction&)> probe = nullptr;

    bool concerns(const std::string& model, const std::string& itsPhase, const std::string& name, const std::string& itsRole) const {
        return (models.empty() || isOneOf(model, models)) && phase == itsPhase && instruction == name && (role.empty() || role == itsRole);
    }
};

template <bool (*check)(const Ran&)>
bool probe(const Ran& ran, const Instruction&) {
    return check(ran);
}
inline bool probeRotaryGrad(const Ran& ran, const Instruction& instruction) {
    const auto& desc = std::get<RotaryDesc>(instruction.operation);
    return rotaryGradRounds(ran, desc.heads, desc.length);
}

inline std::vector<Mapping> mappings() {
    const std::string forward = "forward", backward = "backward", fp32Loss = "mlp-float|mlp-float-smoothing|autoencoder|llama|llama-flash";
    const std::string gpt = "gpt|gpt-flash", llama = "llama|llama-flash", resnet = "resnet";
    return {
        // casts
        {"", forward, "cast", "", {{"_to_copy", ".", "", "fp32"}}},
        {gpt, forward, "cast", "transformer.wte", {{"_to_copy", "/lm_head", "", "fp32"}}},
        {"gpt|llama", forward, "cast", "", {{"_to_copy", "^", "", "fp32"}}},
        {"autoencoder", forward, "cast", "loss", {{"_to_copy", "/", "", "low"}}},
        {"", backward, "cast", "", {{"_to_copy", ".", "ToCopy", "low"}}},
        {"gpt|llama", backward, "cast", "", {{"_to_copy", "^", "ToCopy", "low"}}},
        {gpt + "|" + llama, backward, "cast", "", {{"_to_copy", "^^", "Add", "fp32"}}},
        {fp32Loss, backward, "cast", "", {{"_to_copy", "/", "ToCopy", "fp32"}}},
        // linear layers
        {"", forward, "linear", "", {{"addmm|mm"}}},
        {"", backward, "linear_grad_input", "", {{"mm", ".", "Addmm|Mm"}}},
        {"", backward, "linear_grad_weight", "", {{"mm", ".", "Addmm|Mm"}, {"_to_copy", ".", "ToCopy", "low"}}},
        {gpt, backward, "linear_grad_weight", "lm_head", {{"mm", ".", "Mm"}}},
        {"", backward, "linear_grad_bias", "", {{"sum.dim_IntList", ".", "Addmm"}}},
        // activations
        {"", forward, "relu", "", {{"relu"}}},
        {resnet, forward, "relu", "", {{"relu", "^"}}},
        {"", forward, "gelu", "", {{"gelu"}}},
        {"", forward, "tanh", "", {{"tanh"}}},
        {"", forward, "sigmoid", "", {{"sigmoid"}}},
        {"", backward, "relu_grad", "", {{"threshold_backward", ".", "Relu"}}},
        {resnet, backward, "relu_grad", "", {{"threshold_backward", "^", "Relu"}}},
        {"", backward, "gelu_grad", "", {{"gelu_backward", ".", "Gelu"}}},
        {"", backward, "tanh_grad", "", {{"tanh_backward", ".", "Tanh"}}},
        {"", backward, "sigmoid_grad", "", {{"sigmoid_backward", ".", "Sigmoid"}}},
        // losses
        {"",
         forward,
         "cross_entropy",
         "",
         {{"_log_softmax", "/", "", "low"}, {"_to_copy", "/", "", "low"}, {"nll_loss_forward", "/"}},
         probe<crossEntropyRounds>},
        {"", forward, "cross_entropy", "", {{"_to_copy", "/", "", "low"}, {"_log_softmax", "/", "", "fp32"}, {"nll_loss_forward", "/"}}},
        {"",
         backward,
         "cross_entropy_grad",
         "",
         {{"nll_loss_backward", "/"}, {"_to_copy", "/", "ToCopy", "fp32"}, {"_log_softmax_backward_data", "/", "", "low low"}},
         probe<crossEntropyGradRounds>},
        {"", backward, "cross_entropy_grad", "", {{"nll_loss_backward", "/"}, {"_log_softmax_backward_data", "/", "", "fp32 fp32"}}},
        {"", forward, "mean_squared_error", "", {{"mse_loss", "/"}}},
        {"", backward, "mean_squared_error_grad", "", {{"mse_loss_backward", "/"}}},
        // embeddings
        {"", forward, "embedding", "", {{"embedding"}}},
        {"", forward, "add_positions", "", {{"add.Tensor", "/", "", "fp32 fp32"}}},
        {"", backward, "add_positions_grad", "", {{"sum.dim_IntList", "/", "Add"}, {"embedding_dense_backward"}}},
        {"", backward, "embedding_grad", "", {{"embedding_dense_backward"}}},
        // norms: what linear layers alone read is rounded as it is written
        {"", forward, "layer_norm", "transformer.h.ln_1", {{"native_layer_norm"}, {"_to_copy", "^.attn.c_attn", "", "fp32"}}},
        {"", forward, "layer_norm", "transformer.h.ln_2", {{"native_layer_norm"}, {"_to_copy", "^.mlp.c_fc", "", "fp32"}}},
        {"", forward, "layer_norm", "transformer.ln_f", {{"native_layer_norm"}, {"_to_copy", "/lm_head", "", "fp32"}}},
        {"", backward, "layer_norm_grad", "", {{"native_layer_norm_backward"}}},
        {"",
         forward,
         "rms_norm",
         "model.layers.input_layernorm",
         {{"pow.Tensor_Scalar"}, {"rsqrt"}, {"mul.Tensor"}, {"_to_copy", "^.self_attn.q_proj", "", "fp32"}}},
        {"",
         forward,
         "rms_norm",
         "model.layers.post_attention_layernorm",
         {{"pow.Tensor_Scalar"}, {"rsqrt"}, {"mul.Tensor"}, {"_to_copy", "^.mlp.gate_proj", "", "fp32"}}},
        {"", forward, "rms_norm", "model.norm", {{"pow.Tensor_Scalar"}, {"rsqrt"}, {"mul.Tensor"}, {"_to_copy", "/lm_head", "", "fp32"}}},
        {"", backward, "rms_norm_grad", "", {{"mul.Tensor", ".", "Mul"}, {"mul.Tensor", ".", "Rsqrt"}, {"mul.Tensor", ".", "Pow"}}},
        // attention
        {"", forward, "split", "", {}},
        {"", backward, "concat", "", {{"cat", "^", "Split"}}},
        {"", forward, "attention_scores", "", {{"bmm", "^"}}},
        {"", forward, "scale", "", {{"mul.Tensor", "^", "", "low"}}},
        {"gpt", forward, "causal_mask", "", {{"masked_fill.Scalar", "^"}}},
        {"llama", forward, "causal_mask", "", {{"add.Tensor", "^", "", "low fp32"}}},
        {"", forward, "softmax", "", {{"_softmax", "^"}}},
        {"", forward, "attention_mix", "", {{"bmm", "^"}}},
        {"", backward, "attention_mix_grad_weights", "", {{"bmm", "^", "Bmm"}}},
        {"", backward, "attention_mix_grad_value", "", {{"bmm", "^", "Bmm"}}},
        {"llama", backward, "sum_heads", "model.layers.self_attn.mix", {{"sum.dim_IntList", "^", "Expand", "low"}}},
        {"", backward, "softmax_grad", "", {{"_softmax_backward_data", "^"}}},
        {"", backward, "softmax_grad", "", {{"_softmax_backward_data", "^"}, {"_to_copy", "^", "ToCopy|Add", "fp32"}}},
        {"", backward, "scale_grad", "", {{"mul.Tensor", "^", "Mul", "low"}}},
        {"", backward, "attention_scores_grad_query", "", {{"bmm", "^", "Bmm"}}},
        {"", backward, "attention_scores_grad_key", "", {{"bmm", "^", "Bmm"}}},
        {"llama",
         backward,
         "sum_heads",
         "model.layers.self_attn.scores",
         {{"_to_copy", "^", "ToCopy", "low"}, {"sum.dim_IntList", "^", "Expand", "fp32"}}},
        {"", forward, "fused_attention", "", {{"_scaled_dot_product_flash_attention", "^"}}},
        {"", backward, "fused_attention_grad", "", {{"_scaled_dot_product_flash_attention_backward", "^"}}},
        {llama,
         forward,
         "rotary",
         "",
         {{"mul.Tensor", "^", "", "low fp32"}, {"add.Tensor", "^", "", "fp32 fp32"}, {"_to_copy", "^", "", "fp32"}}},
        {llama,
         backward,
         "rotary_grad",
         "",
         {{"mul.Tensor", "^", "Mul", "fp32 fp32"}, {"_to_copy", "^", "Mul", "fp32"}, {"add.Tensor", "^", "Mul", "low low"}},
         probeRotaryGrad},
        // gated activations
        {llama, forward, "swiglu", "", {{"silu"}, {"mul.Tensor", "^"}}, probe<swiGluRounds>},
        {llama, backward, "swiglu_grad", "", {{"mul.Tensor", "^", "Mul"}, {"silu_backward"}}, probe<swiGluGradRounds>},
        // residual sums, and gradients of values that several layers read
        {gpt + "|" + llama, forward, "add", "", {{"add.Tensor", "^^"}}},
        {resnet, forward, "add", "", {{"add.Tensor", "^"}}},
        {gpt, backward, "add_gradients", "transformer.h.attn.residual", {{"add.Tensor", "^^.ln_2", "NativeLayerNorm"}}},
        {gpt, backward, "add_gradients", "transformer.h.mlp.residual", {{"add.Tensor", "^^.ln_1", "NativeLayerNorm"}}},
        {gpt, backward, "add_gradients", "transformer.wpe", {{"add.Tensor", "^.h.ln_1", "NativeLayerNorm"}}},
        {gpt, backward, "add_gradients", "transformer.wte", {{"add.Tensor", ".", "Embedding"}}},
        {llama, backward, "add_gradients", "model.layers.self_attn.residual", {{"add.Tensor", "^^.post_attention_layernorm", "Pow"}}},
        {llama, backward, "add_gradients", "model.layers.mlp.residual", {{"add.Tensor", "^^.input_layernorm", "Pow"}}},
        {llama, backward, "add_gradients", "model.embed_tokens", {{"add.Tensor", "^.layers.input_layernorm", "Pow"}}},
        {llama, backward, "add_gradients", "model.layers.input_layernorm", {{"add.Tensor", "^.self_attn.q_proj", "ToCopy"}}},
        {llama, backward, "add_gradients", "model.layers.post_attention_layernorm", {{"add.Tensor", "^.mlp.gate_proj", "ToCopy"}}},
        {resnet, backward, "add_gradients", "relu", {{"add.Tensor", "/layer1.conv1", "Convolution"}}},
        {resnet, backward, "add_gradients", "", {{"add.Tensor", "^.conv1", "Convolution"}}},
        // convolutional networks
        {"", forward, "conv2d", "", {{"convolution"}}},
        {"", backward, "conv2d_grad_input", "", {{"convolution_backward"}}},
        {"", backward, "conv2d_grad_weight", "", {{"convolution_backward"}, {"_to_copy", ".", "ToCopy", "low"}}},
        {"", forward, "batch_norm", "", {{"cudnn_batch_norm|native_batch_norm"}}},
        {"", backward, "batch_norm_grad", "", {{"cudnn_batch_norm_backward|native_batch_norm_backward"}}},
        {"", forward, "average_pool", "", {{"mean.dim"}}},
        {"", backward, "average_pool_grad", "", {{"div.Scalar"}}},
    };
}

/// Where a plan does not follow the trace. The test fails when one of the models no longer deviates.
struct Deviation {
    std::string models;  // alternatives between |
    std::string phase, instruction;
    std::string reads;  // formats of the inputs; none: all
    std::string reason;

    bool concerns(const std::string& model, const std::string& itsPhase, const std::string& name, const std::string& formats) const {
        return isOneOf(model, models) && phase == itsPhase && instruction == name && (reads.empty() || reads == formats);
    }
};

inline std::vector<Deviation> deviations() {
    return {
        {"llama", "forward", "causal_mask", "",
         "Hugging Face adds an fp32 mask and gets fp32 scores; masking changes no number that is kept."},
    };
}

}  // namespace mantissa::test
