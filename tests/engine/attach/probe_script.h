// SPDX-License-Identifier: Apache-2.0
// Messages as a probe writes them, made by hand, and the file that a real one has made (tests/golden/make_watched.py).
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/attach/probe_decode.h"
#include "engine/wire/packed.h"
#include "engine/wire/wire.h"

namespace mantissa::test {

inline const std::string kWatchedFile = MANTISSA_GOLDEN "/watched.mprobe";

inline std::vector<std::uint8_t> bytesOfFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::uint8_t> messageFrame(const std::string& type, const Json& body) {
    return frameOf({{"type", type}, {"body", body}});
}

template <class T>
Json column(const std::vector<T>& values) {
    std::vector<std::uint8_t> bytes;
    for (const T value : values) {
        const auto bits = littleEndian(std::bit_cast<BitsOf<T>>(value));
        const auto* begin = reinterpret_cast<const std::uint8_t*>(&bits);
        bytes.insert(bytes.end(), begin, begin + sizeof bits);
    }
    return Json::binary(std::move(bytes));
}

inline Json helloBody(const std::string& run = "00000000000000000000000000000001", const std::string& name = "script") {
    return {{"protocol", 1},
            {"probe", "0.1.0"},
            {"torch", "2.15.0"},
            {"cuda", nullptr},
            {"python", "3.11.7"},
            {"run", run},
            {"name", name},
            {"token", ""},
            {"pid", 4711},
            {"host", "here"},
            {"started", 1.7e9},
            {"rank", 0},
            {"world", 1},
            {"device", "cpu"},
            {"model", "GPT"},
            {"parameters", 1234},
            {"modules", Json::array({{{"path", ""}, {"class", "GPT"}}, {{"path", "head"}, {"class", "Linear"}}})},
            {"scaler", {{"init_scale", 65536.0}, {"growth_factor", 2.0}, {"backoff_factor", 0.5}, {"growth_interval", 2000}}},
            {"native", true}};
}

/// Tensors 0: head.output (fp16), 1: its gradient, 2: head.weight, 3: its gradient, 4: input.0.
inline Json tensorsBody() {
    Json tensors = Json::array();
    const auto add = [&](int id, const char* name, const char* module, const char* role, const char* dtype) {
        tensors.push_back({{"id", id},
                           {"name", name},
                           {"module", module},
                           {"class", *module ? "Linear" : "GPT"},
                           {"role", role},
                           {"dtype", dtype},
                           {"shape", {2, 4}},
                           {"elements", 8}});
    };
    add(0, "head.output", "head", "value", "f16");
    add(1, "head.output.grad", "head", "gradient", "f16");
    add(2, "head.weight", "head", "weight", "f32");
    add(3, "head.weight.grad", "head", "weight gradient", "f32");
    add(4, "input.0", "", "value", "f32");
    return {{"tensors", tensors}};
}

struct ScriptStep {
    double loss = 1, scale = 65536, next = 65536;
    bool skipped = false, foundInf = false;
    Json firstBad = nullptr, badWeights = Json::array();
    std::string autocast = "f16";
    std::int64_t dropped = 0;
};
inline Json stepBody(std::int64_t step, const ScriptStep& s = {}) {
    return {{"step", step},
            {"loss", s.loss},
            {"micro_batches", 1},
            {"samples", 32},
            {"autocast", s.autocast},
            {"loss_scale", s.scale},
            {"growth_tracker", 0},
            {"next_loss_scale", s.next},
            {"next_growth_tracker", 1.0},
            {"optimizers", Json::array({{{"name", "AdamW"},
                                         {"lr", {0.001}},
                                         {"stepped", !s.skipped},
                                         {"skipped", s.skipped},
                                         {"found_inf", {{"cpu", s.foundInf ? 1.0 : 0.0}}},
                                         {"grad_norm", s.skipped ? Json() : Json(0.5)},
                                         {"grad_norm_before_clip", nullptr}}})},
            {"step_ns", 20'000'000},
            {"data_ns", 1'000'000},
            {"allocated_bytes", nullptr},
            {"reserved_bytes", nullptr},
            {"resident_bytes", 1 << 20},
            {"magnitudes", {{"tensor", column<std::uint32_t>({0})}, {"bits", column<std::uint32_t>({0x3F800000})}}},
            {"first_bad", s.firstBad},
            {"bad", Json::array()},
            {"bad_weights", s.badWeights},
            {"statistics_period", 8},
            {"dropped", s.dropped}};
}

/// Statistics of tensor 1, an fp16 gradient: 8 elements, the largest `absMax` as stored, so times the scale.
inline Json statisticsBody(std::int64_t step, double scale, float absMax) {
    std::vector<std::int64_t> record{0, 4, 0, 4, 0, 0, -1};
    std::vector<std::uint8_t> records = column(record).get_binary();
    const std::vector<std::uint8_t> doubles = column<double>({absMax, absMax}).get_binary();
    records.insert(records.end(), doubles.begin(), doubles.end());
    const std::vector<std::uint8_t> cells = packCells({{cellOf(absMax), 8}});
    return {{"step", step},
            {"count", 1},
            {"tensor", column<std::uint32_t>({1})},
            {"elements", column<std::int64_t>({8})},
            {"records", Json::binary(records)},
            {"cell_bytes", column<std::uint32_t>({static_cast<std::uint32_t>(cells.size())})},
            {"cells", Json::binary(cells)},
            {"loss_scale", scale},
            {"gradients_are_scaled", true},
            {"weight_gradients_are_scaled", false},
            {"in_blocks", false}};
}

inline ProbeMessage decoded(const std::string& type, const Json& body) {
    const std::vector<std::uint8_t> frame = messageFrame(type, body);
    return decodeProbeMessage(std::span(frame).subspan(4)).value();
}

}  // namespace mantissa::test
