// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/followed_name.h"

#include "engine/experiment/experiment.h"

namespace mantissa::gui {
namespace {

/// Name in the style of runs: "pure fp16" for "pure FP16, ...".
std::string nameOf(const QString& precision) {
    return precision.section(u',', 0, 0).toLower().toStdString();
}

}  // namespace

std::optional<std::string> followedName(const SessionModel& session, const RunState& run, const std::string& name, const QString& from,
                                        const QString& to) {
    const std::string before = nameOf(from), after = nameOf(to);
    const bool isNumbered = name.starts_with(before + ' ') && name.find_first_not_of("0123456789", before.size() + 1) == std::string::npos;
    if (before == after || (name != before && !isNumbered)) return std::nullopt;
    std::vector<RunSettings> others;
    for (const auto& other : session.runs())
        if (other->id != run.id) others.push_back(other->info.settings);
    return freeName(others, after);
}

}  // namespace mantissa::gui
