// SPDX-License-Identifier: Apache-2.0
// What a user can get wrong in an experiment file: one sentence each, with the place.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

/// A file with one run "a" that has `settings` ("" for none).
std::string withRun(const std::string& settings) {
    return R"({"runs":[{"name":"a")" + (settings.empty() ? "" : "," + settings) + "}]}";
}

/// The same settings at the level of the experiment.
std::string above(const std::string& settings) {
    return "{" + settings + R"(,"runs":[{"name":"a"},{"name":"b"}]})";
}

std::string withEvent(const std::string& event) {
    return R"({"steps":10,"runs":[{"name":"a"},{"name":"bee"}],"events":[)" + event + "]}";
}

struct Case {
    std::string text;
    std::string pointer;  // expected
    std::string says;     // part of the sentence
};

void expectRefused(const std::vector<Case>& cases) {
    for (const auto& [text, pointer, says] : cases) {
        try {
            parseExperiment(text, "lab.json");
            ADD_FAILURE() << "accepted: " << text.substr(0, 200);
        } catch (const InputError& error) {
            EXPECT_EQ(error.pointer(), pointer) << text.substr(0, 200);
            EXPECT_NE(error.sentence().find(says), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()), "lab.json: " + (pointer.empty() ? "" : "at " + pointer + ": ") + error.sentence());
            EXPECT_EQ(error.sentence().find('\n'), std::string::npos);
        }
    }
}

TEST(BrokenFiles, Syntax) {
    std::string deep;
    for (int i = 0; i < 65; ++i) deep += R"({"a":)";
    expectRefused({
        {"", "", "not JSON: line 1, column 1"},
        {"{", "", "not JSON: line 1, column 2"},
        {"{\"runs\":[\n {\"name\":\"a\",}]}", "", "not JSON: line 2, column 14"},
        {R"({"runs":[]} x)", "", "not JSON: line 1, column 13"},
        {"[1]", "", "must be a JSON object"},
        {"\"text\"", "", "must be a JSON object"},
        {R"({"runs":[{"name":"a","steps":NaN}]})", "", "not JSON: line 1, column 30"},
        {R"({"steps":1,"steps":2})", "/steps", "twice"},
        {withRun(R"("optimizer":{"lr":1,"eps":1,"lr":2})"), "/runs/0/optimizer/lr", "twice"},
        {withRun(R"("optimizer":{"lr":1e999})"), "/runs/0/optimizer/lr", "beyond what a double can hold"},
        {deep,
         "/a" +
             [] {
                 std::string s;
                 for (int i = 0; i < 63; ++i) s += "/a";
                 return s;
             }(),
         "deeper than 64"},
        {std::string(kMaxJsonBytes + 1, ' '), "", std::to_string(kMaxJsonBytes) + " bytes"},
        {"{\"title\":\"\xff\"}", "", "not JSON: line 1, column 11"},
    });
}

TEST(BrokenFiles, Keys) {
    expectRefused({
        {R"({"run":[]})", "/run", "did you mean 'runs'?"},
        {above(R"("optimiser":{})"), "/optimiser", "did you mean 'optimizer'?"},
        {above(R"("xyzzy":1)"), "/xyzzy", "unknown key"},
        {withRun(R"("data":{"batchsize":1})"), "/runs/0/data/batchsize", "did you mean 'batch_size'?"},
        {withRun(R"("scaler":{"preset":"pytorch","growth_intervall":1})"), "/runs/0/scaler/growth_intervall",
         "did you mean 'growth_interval'?"},
        {withRun(R"("precision":{"polcy":"fp16"})"), "/runs/0/precision/polcy", "did you mean 'policy'?"},
        {withRun(R"("title":"x")"), "/runs/0/title", "unknown key"},
        {above(R"("name":"x")"), "/name", "did you mean 'title'?"},
        {withRun(R"("a/b~c":1)"), "/runs/0/a~1b~0c", "unknown key"},
    });
}

TEST(BrokenFiles, TypesAndRanges) {
    expectRefused({
        {above(R"("title":1)"), "/title", "text"},
        {above(R"("optimizer":3)"), "/optimizer", "must be an object"},
        {withRun(R"("scaler":"pytorch")"), "/runs/0/scaler", "must be an object"},
        {withRun(R"("optimizer":{"lr":"0.1"})"), "/runs/0/optimizer/lr", "must be a number"},
        {above(R"("optimizer":{"lr":-1})"), "/optimizer/lr", "must not be negative"},
        {withRun(R"("optimizer":{"betas":[0.9]})"), "/runs/0/optimizer/betas", "two numbers"},
        {withRun(R"("optimizer":{"betas":[0.9,1]})"), "/runs/0/optimizer/betas/1", "below 1"},
        {withRun(R"("optimizer":{"betas":[-0.1,0.9]})"), "/runs/0/optimizer/betas/0", "at least 0"},
        {withRun(R"("optimizer":{"eps":-1e-8})"), "/runs/0/optimizer/eps", "must not be negative"},
        {withRun(R"("optimizer":{"weight_decay":-0.1})"), "/runs/0/optimizer/weight_decay", "must not be negative"},
        {withRun(R"("optimizer":{"kind":"adamv"})"), "/runs/0/optimizer/kind", "did you mean 'adamw'?"},
        {withRun(R"("optimizer":{"kind":"lion","eps":1})"), "/runs/0/optimizer/eps", "only adamw adam muon have"},
        {withRun(R"("optimizer":{"kind":"adamw","ns_dtype":"fp32"})"), "/runs/0/optimizer/ns_dtype", "only 'muon' has"},
        {withRun(R"("optimizer":{"kind":"muon","ns_dtype":"fp8"})"), "/runs/0/optimizer/ns_dtype", "only bf16 fp16 tf32 fp32"},
        {withRun(R"("optimizer":{"kind":"muon","ns_steps":0})"), "/runs/0/optimizer/ns_steps", "must be at least 1"},
        {withRun(R"("optimizer":{"kind":"muon"},"model":{"hidden":[]})"), "/runs/0/optimizer/kind", "this model has none"},
        {withRun(R"("optimizer":{"kind":"muon","ns_dtype":"bf16"},"precision":{"policy":"fp16","accumulator":"volta"})"),
         "/runs/0/precision/accumulator", "no instruction for bf16"},
        {withRun(R"("optimizer":{"state_dtype":"fp8"})"), "/runs/0/optimizer/state_dtype", "only weights fp32 bf16 fp16"},
        {withRun(R"("optimizer":{"decay":"weights"})"), "/runs/0/optimizer/decay", "only all matrices"},
        {withRun(R"("optimizer":{"schedule":"cosine"})"), "/runs/0/optimizer/schedule", "must be an object"},
        {withRun(R"("optimizer":{"schedule":{"kind":"cosin"}})"), "/runs/0/optimizer/schedule/kind", "did you mean 'cosine'?"},
        {withRun(R"("optimizer":{"schedule":{"kind":"cosine","every":3}})"), "/runs/0/optimizer/schedule/every",
         "has only kind warmup_steps total_steps"},
        {above(R"("optimizer":{"schedule":{"warmup_steps":-1}})"), "/optimizer/schedule/warmup_steps", "at least 0"},
        {withRun(R"("optimizer":{"schedule":{"kind":"step","factor":0}})"), "/runs/0/optimizer/schedule/factor", "greater than 0"},
        {withRun(R"("optimizer":{"schedule_on_skip":"wait"})"), "/runs/0/optimizer/schedule_on_skip", "only advance hold"},
        {withRun(R"("unscale":"never")"), "/runs/0/unscale", "only before_clip after_clip"},
        {withRun(R"("eval_precision":"fp17")"), "/runs/0/eval_precision", "did you mean 'fp16'?"},
        {withRun(R"("eval_precision":{"policy":"fp16"})"), "/runs/0/eval_precision", "must be text"},
        {withRun(R"("clip_grad_norm":0)"), "/runs/0/clip_grad_norm", "greater than 0"},
        {withRun(R"("clip_grad_norm":true)"), "/runs/0/clip_grad_norm", "must be a number"},
        {withRun(R"("accumulate":0)"), "/runs/0/accumulate", "at least 1"},
        {withRun(R"("steps":1.5)"), "/runs/0/steps", "whole number"},
        {withRun(R"("steps":-1)"), "/runs/0/steps", "at least 0"},
        {withRun(R"("steps":18446744073709551615)"), "/runs/0/steps", "at most"},
        {withRun(R"("validation_interval":0)"), "/runs/0/validation_interval", "at least 1"},
        {withRun(R"("data":{"batch_size":0})"), "/runs/0/data/batch_size", "at least 1"},
        {withRun(R"("data":{"name":"imagenet"})"), "/runs/0/data/name", "only digits"},
        {withRun(R"("data":{"order":"random"})"), "/runs/0/data/order", "shuffled sequential"},
        {withRun(R"("data":{"seed":-1})"), "/runs/0/data/seed", "2^64"},
        {withRun(R"("init":{"seed":1.5})"), "/runs/0/init/seed", "2^64"},
        {withRun(R"("init":{"weights":7})"), "/runs/0/init/weights", "must be text"},
        {withRun(R"("model":{"kind":"alexnet"})"), "/runs/0/model/kind", "only mlp"},
        {withRun(R"("model":{"kind":"resnet","depth":16})"), "/runs/0/model/depth", "must be 6 n + 2"},
        {withRun(R"("model":{"kind":"resnet"},"data":{"name":"synthetic-regression"})"), "/runs/0/data/name", "takes images"},
        {withRun(R"("model":{"label_smoothing":1.5})"), "/runs/0/model/label_smoothing", "must be from 0 to 1"},
        {withRun(R"("loss":{"logits":"fp16"})"), "/runs/0/loss/logits", "only autocast fp32"},
        {withRun(R"("loss":"fp32")"), "/runs/0/loss", "must be an object, as {\"logits\": ...}"},
        {withRun(R"("loss":{"logit":"fp32"})"), "/runs/0/loss/logit", "did you mean 'logits'?"},
        {withRun(R"("model":{"kind":"autoencoder"},"loss":{"logits":"fp32"})"), "/runs/0/loss/logits", "has no logits"},
        {withRun(R"("model":{"kind":"gpt","fused_kernels":true})"), "/runs/0/model/fused_kernels", "only 'llama' has"},
        {withRun(R"("model":{"kind":"autoencoder","code":100000000000})"), "/runs/0/model/code", "more than 64 GiB"},
        {withRun(R"("model":{"n_layer":2})"), "/runs/0/model/n_layer", "model 'mlp' has no n_layer, only gpt llama have"},
        {withRun(R"("model":{"kind":"gpt","hidden":[3]})"), "/runs/0/model/hidden", "model 'gpt' has no hidden, only mlp autoencoder have"},
        {withRun(R"("model":{"kind":"gpt","n_embd":130})"), "/runs/0/model/n_head", "must divide the 130 channels"},
        {withRun(R"("model":{"kind":"gpt","dropout":1})"), "/runs/0/model/dropout", "below 1"},
        {withRun(R"("model":{"kind":"gpt","dropout":0.1,"attention":"fused"})"), "/runs/0/model/attention", "no dropout"},
        {withRun(R"("model":{"kind":"gpt","tie_weights":1})"), "/runs/0/model/tie_weights", "true or false"},
        {withRun(R"("model":{"kind":"llama","n_kv_head":3})"), "/runs/0/model/n_kv_head", "must divide the 4 heads"},
        {withRun(R"("model":{"kind":"resnet"},"precision":{"policy":"fp16","accumulator":"hopper"})"), "/runs/0/precision/accumulator",
         "convolutions are summed in fp32"},
        {withRun(R"("precision":{"overrides":{"conv2d":"fp32"}})"), "/runs/0/precision/overrides/conv2d", "its layers are"},
        {withRun(R"("model":{"kind":"gpt","n_layer":201})"), "/runs/0/model/n_layer", "at most 200"},
        {withRun(R"("model":{"kind":"llama","n_embd":36})"), "/runs/0/model/n_head", "even"},
        {withRun(R"("model":{"kind":"llama","rope_theta":0})"), "/runs/0/model/rope_theta", "greater than 0"},
        {withRun(R"("model":{"kind":"llama","norm_eps":-1e-6})"), "/runs/0/model/norm_eps", "must not be negative"},
        {withRun(R"("model":{"kind":"resnet","norm_eps":1e999})"), "/runs/0/model/norm_eps", "beyond what a double can hold"},
        {withRun(R"("model":{"norm_eps":1e-5})"), "/runs/0/model/norm_eps", "model 'mlp' has no norm_eps"},
        {withRun(R"("model":{"kind":"gpt"})"), "/data/name", "model 'gpt' takes tokens, and 'digits' has images"},
        {withRun(R"("sample_tokens":5)"), "/runs/0/sample_tokens", "only gpt llama have"},
        {withRun(R"("model":{"kind":"gpt"},"precision":{"overrides":{"transformer.h.9":"fp32"}})"),
         "/runs/0/precision/overrides/transformer.h.9", "its layers are"},
        {withRun(R"("model":{"kind":"gpt"},"precision":{"overrides":{"transformer.h.0":"fp8_e4m3"}})"),
         "/runs/0/precision/overrides/transformer.h.0", "products of linear"},
        {withRun(R"("model":{"hidden":128})"), "/runs/0/model/hidden", "list of widths"},
        {withRun(R"("model":{"hidden":[128,0]})"), "/runs/0/model/hidden/1", "at least 1"},
        {withRun(R"("model":{"activation":"rely"})"), "/runs/0/model/activation", "did you mean 'relu'?"},
        {withRun(R"("precision":"fp17")"), "/runs/0/precision", "did you mean 'fp16'?"},
        {withRun(R"("precision":"fp9")"), "/runs/0/precision", "only fp32 tf32 fp16 bf16 fp8"},
        {withRun(R"("precision":"pure-fp32")"), "/runs/0/precision", "only fp32 tf32 fp16 bf16 fp8"},
        {withRun(R"("precision":16)"), "/runs/0/precision", "policy's name"},
        {withRun(R"("precision":{"policy":"int8"})"), "/runs/0/precision/policy", "not known"},
        {withRun(R"("precision":{"overrides":[]})"), "/runs/0/precision/overrides", "from layer to format"},
        {withRun(R"("precision":{"overrides":{"layers.0":"fp9"}})"), "/runs/0/precision/overrides/layers.0", "not known"},
        {withRun(R"("precision":{"overrides":{"activations.0":"fp8"}})"), "/runs/0/precision/overrides/activations.0", "fp8 is for"},
        {withRun(R"("precision":{"policy":"fp8","fp8":"current"})"), "/runs/0/precision/fp8", "must be an object"},
        {withRun(R"("precision":{"policy":"fp8","fp8":{"scaling":"instant"}})"), "/runs/0/precision/fp8/scaling", "not known"},
        {withRun(R"("precision":{"policy":"fp8","fp8":{"amax_history":8}})"), "/runs/0/precision/fp8/amax_history", "did you mean"},
        {withRun(R"("precision":{"policy":"fp8","fp8":{"amax_history_len":0}})"), "/runs/0/precision/fp8/amax_history_len", "1"},
        {withRun(R"("precision":{"policy":"bf16","accumulator":"volta"})"), "/runs/0/precision/accumulator", "no instruction for bf16"},
        {withRun(R"("precision":{"policy":"fp8","accumulator":"ampere"})"), "/runs/0/precision/accumulator", "no instruction for fp8_e4m3"},
        {withRun(R"("precision":{"policy":"fp16","accumulator":"kepler"})"), "/runs/0/precision/accumulator", "not known"},
        {withRun(R"("precision":{"policy":"fp32","accumulator":"hopper"})"), "/runs/0/precision/accumulator", "no product of this run"},
        {withRun(R"("precision":{"policy":"nvfp4","blocks":true})"), "/runs/0/precision/blocks", "must be an object"},
        {withRun(R"("precision":{"policy":"nvfp4","blocks":{"rotates":true}})"), "/runs/0/precision/blocks/rotates", "did you mean"},
        {withRun(R"("precision":{"policy":"nvfp4","blocks":{"keep_last":1.5}})"), "/runs/0/precision/blocks/keep_last", "from 0 to 1"},
        {withRun(R"("precision":{"policy":"nvfp4","blocks":{"scale_rule":"floor"}})"), "/runs/0/precision/blocks/scale_rule", "one rule"},
        {withRun(R"("precision":{"policy":"nvfp4","blocks":{"dialect":"llama.cpp"}})"), "/runs/0/precision/blocks/dialect",
         "not for training"},
        {withRun(R"("precision":{"policy":"mxfp8","blocks":{"scale_rule":"power-of-two"}})"), "/runs/0/precision/blocks/scale_rule",
         "round-up floor"},
        {withRun(R"("precision":{"policy":"fp8-block","blocks":{"scale_rule":"floor"}})"), "/runs/0/precision/blocks/scale_rule",
         "power-of-two fp32"},
        {withRun(R"("precision":{"policy":"nvfp4","blocks":{"requantize_input":true}})"), "/runs/0/precision/blocks/requantize_input",
         "factor of the whole tensor"},
        {withRun(R"("precision":{"policy":"mxfp8","blocks":{"dialect":"te"}})"), "/runs/0/precision/blocks/dialect", "only nvfp4"},
        {withRun(R"("precision":{"policy":"mxfp4","blocks":{"gradients":"e5m2"}})"), "/runs/0/precision/blocks/gradients", "e2m1"},
        {withRun(R"("precision":{"policy":"fp8-rowwise","blocks":{"square_weights":true}})"), "/runs/0/precision/blocks/square_weights",
         "each row"},
        {withRun(R"("precision":{"policy":"bf16","blocks":{"rotate":true}})"), "/runs/0/precision/blocks", "block format"},
        {withRun(R"("precision":{"policy":"auto","blocks":{"rotate":true}})"), "/runs/0/precision/blocks", "block format"},
        {withRun(R"("precision":{"policy":"fp32","promote_every":16})"), "/runs/0/precision/promote_every", "no product of this run"},
        {withRun(R"("precision":{"policy":"fp16","tf32_rounding":"toward-zero"})"), "/runs/0/precision/tf32_rounding", "in tf32"},
        {withRun(R"("precision":{"policy":"bf16","fp8":{"margin":1}})"), "/runs/0/precision/fp8", "in fp8"},
        {withRun(R"("precision":{"policy":"fp8","fp8":{"margins":1}})"), "/runs/0/precision/fp8/margins", "only scaling margin"},
        {withRun(R"("precision":{"policy":"bf16","promote_every":128})"), "/runs/0/precision/promote_every", "nothing to promote"},
        {withRun(R"("precision":{"policy":"auto","promote_every":128})"), "/runs/0/precision/promote_every", "nothing to promote"},
        {withRun(R"("precision":{"policy":"bf16","accumulator":"hopper","promote_every":24})"), "/runs/0/precision/promote_every",
         "a multiple of 16"},
        {withRun(R"("precision":{"policy":"tf32","tf32_rounding":"stochastic"})"), "/runs/0/precision/tf32_rounding", "not known"},
        {withRun(R"("scaler":{"preset":"keras"})"), "/runs/0/scaler/preset", "did you mean 'keras3'?"},
        {withRun(R"("scaler":{"preset":"megatron","hysteresis":1.5})"), "/runs/0/scaler/hysteresis", "whole number"},
        {withRun(R"("scaler":{"preset":"megatron","min_scale":"1"})"), "/runs/0/scaler/min_scale", "must be a number"},
    });
}

TEST(BrokenFiles, Contradictions) {
    expectRefused({
        {withRun(R"("optimizer":{"kind":"sgd","nesterov":true})"), "/runs/0/optimizer/nesterov", "momentum"},
        {withRun(R"("optimizer":{"kind":"sgd","momentum":0.9,"dampening":0.1,"nesterov":true})"), "/runs/0/optimizer/nesterov",
         "dampening"},
        {withRun(R"("optimizer":{"momentum":0.9})"), "/runs/0/optimizer/momentum", "'adamw' has no momentum"},
        {above(R"("optimizer":{"kind":"sgd","betas":[0,0]})"), "/optimizer/betas", "'sgd' has no betas"},
        {withRun(R"("scaler":{"preset":"static","init_scale":0})"), "/runs/0/scaler/init_scale", "positive"},
        {withRun(R"("scaler":{"preset":"none","init_scale":2})"), "/runs/0/scaler/init_scale", "has no scale"},
        {withRun(R"("scaler":{"preset":"static","growth_interval":5})"), "/runs/0/scaler/growth_interval", "never changes"},
        {withRun(R"("scaler":{"preset":"pytorch","hysteresis":2})"), "/runs/0/scaler/hysteresis", "has no hysteresis"},
        {withRun(R"("scaler":{"preset":"logmax","growth_interval":2})"), "/runs/0/scaler/growth_interval", "follows the largest gradients"},
        {withRun(R"("scaler":{"preset":"apex","min_scale":32,"max_scale":16})"), "/runs/0/scaler/min_scale", "above the largest"},
        {withRun(R"("scaler":{"preset":"pytorch","growth_factor":1})"), "/runs/0/scaler/growth_factor", "greater than 1"},
        {withRun(R"("scaler":{"preset":"pytorch","backoff_factor":1})"), "/runs/0/scaler/backoff_factor", "less than 1"},
        {withRun(R"("scaler":{"preset":"megatron","backoff_factor":0})"), "/runs/0/scaler/backoff_factor", "between 0 and 1"},
        {withRun(R"("precision":{"overrides":{"layers.3":"fp32"}})"), "/runs/0/precision/overrides/layers.3", "layers.0 to layers.2"},
        {withRun(R"("precision":{"overrides":{"layer.1":"fp32"}})"), "/runs/0/precision/overrides/layer.1", "did you mean 'layers.1'?"},
        {withRun(R"("precision":{"autocast":"kera"})"), "/runs/0/precision/autocast", "did you mean 'keras'?"},
        {withRun(R"("precision":{"overrides":{"linear":{"forwards":"fp16"}}})"), "/runs/0/precision/overrides/linear/forwards",
         "did you mean 'forward'?"},
        {withRun(R"("precision":{"overrides":{"linear":{"forward":"fp17"}}})"), "/runs/0/precision/overrides/linear/forward", "not known"},
        {withRun(R"("precision":{"overrides":{"linear":{}}})"), "/runs/0/precision/overrides/linear", "must name a format"},
        {withRun(R"("precision":{"overrides":{"loss":"fp16"}})"), "/runs/0/precision/overrides/loss", "fp32 only"},
        {above(R"("precision":{"policy":"bf16","overrides":{"layers.9":"fp32"}})"), "/precision/overrides/layers.9", "no layer"},
        {withRun(R"("model":{"hidden":[1000000,1000000]})"), "/runs/0/model/hidden", "64 GiB"},
        {withRun(R"("model":{"hidden":[999999999999,999999999999,999999999999]})"), "/runs/0/model/hidden", "64 GiB"},
        {above(R"("data":{"batch_size":1000000000})"), "/data/batch_size", "64 GiB"},
        {withRun(R"("model":{"hidden":[1)" +
                 [] {
                     std::string s;
                     for (int i = 0; i < 1000; ++i) s += ",1";
                     return s;
                 }() +
                 "]}"),
         "/runs/0/model/hidden", "more than 1000 layers"},
    });
}

TEST(BrokenFiles, Runs) {
    expectRefused({
        {"{}", "/runs", "needs a list of runs"},
        {R"({"runs":[]})", "/runs", "at least one run"},
        {R"({"runs":{}})", "/runs", "at least one run"},
        {R"({"runs":[1]})", "/runs/0", "must be an object"},
        {R"({"runs":[{}]})", "/runs/0/name", "needs a name"},
        {R"({"runs":[{"name":""}]})", "/runs/0/name", "must not be empty"},
        {R"({"runs":[{"name":5}]})", "/runs/0/name", "must be text"},
        {R"({"runs":[{"name":"a\u0000b"}]})", "/runs/0/name", "control characters"},
        {R"({"runs":[{"name":")" + std::string(101, 'x') + R"("}]})", "/runs/0/name", "100 bytes"},
        {R"({"runs":[{"name":"a"},{"name":"a"}]})", "/runs/1/name", "another run 'a'"},
        {R"({"runs":[{"name":"a b"},{"name":"a/b"}]})", "/runs/1/name", "share the file a_b.csv"},
        {R"({"runs":[{"name":"../../etc/passwd"}]})", "/runs/0/name", "out of the output folder"},
        {R"({"runs":[{"name":"/etc/passwd"}]})", "/runs/0/name", "out of the output folder"},
        {R"({"runs":[{"name":".."}]})", "/runs/0/name", "out of the output folder"},
        {R"({"runs":[{"name":"a\\..\\b"}]})", "/runs/0/name", "out of the output folder"},
    });
}

TEST(BrokenFiles, Events) {
    expectRefused({
        {R"({"runs":[{"name":"a"}],"events":{}})", "/events", "must be a list"},
        {withEvent("1"), "/events/0", "must be an object"},
        {withEvent(R"({"step":1,"run":"a","set":{"/optimizer/lr":1},"at":2})"), "/events/0/at", "unknown key"},
        {withEvent(R"({"step":-1,"run":"a","set":{"/optimizer/lr":1}})"), "/events/0/step", "from 0"},
        {withEvent(R"({"step":1.5,"run":"a","set":{"/optimizer/lr":1}})"), "/events/0/step", "from 0"},
        {withEvent(R"({"step":10,"run":"a","set":{"/optimizer/lr":1}})"), "/events/0/step", "after the run's last step"},
        {withEvent(R"({"step":1,"run":"be","set":{"/optimizer/lr":1}})"), "/events/0/run", "did you mean 'bee'?"},
        {withEvent(R"({"step":1,"set":{"/optimizer/lr":1}})"), "/events/0/run", "run's name"},
        {withEvent(R"({"step":1,"run":"a","set":{}})"), "/events/0/set", "pointers to values"},
        {withEvent(R"({"step":1,"run":"a","set":{"/optimizer/lrr":1}})"), "/events/0/set/~1optimizer~1lrr",
         "did you mean '/optimizer/lr'?"},
        {withEvent(R"({"step":1,"run":"a","set":{"optimizer/lr":1}})"), "/events/0/set/optimizer~1lr", "no such setting"},
        {withEvent(R"({"step":1,"run":"a","set":{"/optimizer/lr":-1}})"), "/events/0/set/~1optimizer~1lr", "must not be negative"},
        {withEvent(R"({"step":1,"run":"a","set":{"/model/hidden":[1]}})"), "/events/0/set/~1model~1hidden", "fixed for the life of a run"},
        {withEvent(R"({"step":1,"run":"a","set":{"/name":"b"}})"), "/events/0/set/~1name", "fixed for the life of a run"},
        {withEvent(R"({"step":1,"run":"a","set":{"/scaler/scale":2}})"), "/events/0/set/~1scaler~1scale", "no scale to set"},
        {withEvent(R"({"step":1,"run":"a","set":{"/precision":"fp16","/scaler/scale":0}})"), "/events/0/set/~1scaler~1scale",
         "greater than 0"},
        // the order of steps counts, not the order of the file
        {withEvent(R"({"step":5,"run":"a","set":{"/precision":"fp16"}},{"step":4,"run":"a","set":{"/scaler/scale":2}})"),
         "/events/1/set/~1scaler~1scale", "no scale to set"},
    });
    EXPECT_NO_THROW(parseExperiment(
        withEvent(R"({"step":5,"run":"a","set":{"/scaler/scale":2}},{"step":4,"run":"a","set":{"/precision":"fp16"}})"), "x"));
}

TEST(BrokenFiles, ARefusalIsOneLineWhateverItQuotes) {
    for (const std::string& text : {std::string(R"({"a\nb":1})"), withRun(R"("optimizer":{"kind":"a\nb"})"), withRun(R"("a\r\u007f":{})"),
                                    withEvent(R"({"step":1,"run":"a\nb","set":{"/optimizer/lr":1}})")}) {
        try {
            parseExperiment(text, "lab.json");
            ADD_FAILURE() << "accepted: " << text;
        } catch (const InputError& error) {
            for (const std::string& said : {std::string(error.what()), error.sentence()})
                EXPECT_TRUE(std::none_of(said.begin(), said.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) << said;
            EXPECT_NE(std::string(error.what()).find("\\u000"), std::string::npos) << error.what();
        }
    }
}

TEST(JsonReader, ReadsAMillionValuesAndNoMore) {
    constexpr std::size_t kRoom = 16u << 20;
    std::string lists = "[";
    for (std::size_t i = 2; i < kMaxJsonValues; ++i) lists += "[],";
    EXPECT_EQ(readJson(lists + "[]]", "file", kRoom).size(), kMaxJsonValues - 1);
    try {
        readJson(lists + "[],[]]", "file", kRoom);
        FAIL() << "one more was read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.sentence(), "holds more than 1000000 values, the most that are read");
    }
}

}  // namespace
}  // namespace mantissa
