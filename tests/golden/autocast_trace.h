// SPDX-License-Identifier: Apache-2.0
// What trace_autocast.py recorded, and how an instruction of a plan is found in it.
#pragma once

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace mantissa::test {

using Formats = std::vector<std::string>;  // "fp32" or "low"

struct TraceRow {
    std::string phase, module, node, op;
    Formats in, out;
};

/// The rows of one model under one format; none where the file has none.
inline std::vector<TraceRow> traceOf(const std::string& path, const std::string& model, const std::string& format) {
    std::ifstream file(path);
    std::vector<TraceRow> rows;
    const nlohmann::json stored = nlohmann::json::parse(file);
    for (const auto& trace : stored.at("traces")) {
        const auto formats = trace.at("formats").get<Formats>();
        if (trace.at("model") != model || std::find(formats.begin(), formats.end(), format) == formats.end()) continue;
        for (const auto& row : trace.at("rows"))
            rows.push_back({row.at("phase"), row.at("module"), row.value("node", ""), row.at("op"), row.at("in"), row.at("out")});
    }
    return rows;
}

/// One aten operation of those that an instruction stands for.
struct Step {
    std::string op;            // alternatives between |
    std::string module = ".";  // "." the instruction's layer, "^" the one around it, "^.x" x beside it, "/x" from the model on
    std::string node = "";     // backward: alternatives between |
    std::string formats = "";  // of the inputs, where a module has the operation in several
};

inline bool isOneOf(const std::string& name, const std::string& alternatives) {
    std::istringstream list(alternatives);
    for (std::string one; std::getline(list, one, '|');) {
        if (one == name) return true;
    }
    return false;
}

inline std::string joined(const Formats& formats) {
    std::string text;
    for (const std::string& format : formats) text += (text.empty() ? "" : " ") + format;
    return text;
}

inline std::string moduleOf(std::string layer, std::string relative) {
    if (relative.front() == '/') return relative.substr(1);
    for (; !relative.empty() && relative.front() == '^'; relative.erase(0, 1))
        layer = layer.find('.') == std::string::npos ? "" : layer.substr(0, layer.rfind('.'));
    return relative.size() > 1 ? layer + relative : layer;
}

/// A layer's name without the numbers of layers.
inline std::string roleOf(const std::string& layer) {
    std::istringstream parts(layer);
    std::string role;
    for (std::string part; std::getline(parts, part, '.');) {
        if (part.find_first_not_of("0123456789") != std::string::npos) role += (role.empty() ? "" : ".") + part;
    }
    return role;
}

/// The only row that fits; null: none, or several of different formats.
inline const TraceRow* find(const std::vector<TraceRow>& trace, const std::string& phase, const std::string& role, const Step& step) {
    const TraceRow* found = nullptr;
    for (const TraceRow& row : trace) {
        if (row.phase != phase || row.module != moduleOf(role, step.module) || !isOneOf(row.op, step.op)) continue;
        if (!step.node.empty() && !isOneOf(row.node, step.node)) continue;
        if (!step.formats.empty() && joined(row.in) != step.formats) continue;
        if (found != nullptr && (found->in != row.in || found->out != row.out)) return nullptr;
        found = &row;
    }
    return found;
}

}  // namespace mantissa::test
