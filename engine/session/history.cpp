// SPDX-License-Identifier: Apache-2.0
#include "engine/session/history.h"

#include <algorithm>
#include <cmath>

namespace mantissa {
namespace {

std::int64_t bytesOf(const RunPoint& point) {
    return point.snapshot ? static_cast<std::int64_t>(point.snapshot->memory.size()) : 0;
}

}  // namespace

History::History(RunPoint begin, std::int64_t budgetBytes) : m_budget(budgetBytes), m_bytes(bytesOf(begin)) {
    m_points.push_back(std::move(begin));
}

const RunPoint& History::nearest(std::int64_t step) const {
    const auto after = std::upper_bound(m_points.begin() + 1, m_points.end(), step,
                                        [](std::int64_t wanted, const RunPoint& point) { return wanted < point.step; });
    return *(after - 1);
}

bool History::wants(std::int64_t snapshotBytes) const {
    return snapshotBytes <= m_budget / 2 && m_cost <= kShareOfTime * m_sinceLatest;
}

void History::keep(RunPoint point, double seconds) {
    m_cost = seconds;
    m_sinceLatest = 0;
    if (point.step <= latest().step) return;  // re-running to a step passes existing points
    m_bytes += bytesOf(point);
    m_points.push_back(std::move(point));
    makeRoom();
}

void History::setBudget(std::int64_t budgetBytes) {
    m_budget = budgetBytes;
    makeRoom();
}

void History::keepOnlyLatest() {
    m_mostPoints = 2;
    makeRoom();
}

bool History::keepByHand(RunPoint point) {
    std::int64_t byHand = bytesOf(point);
    for (const RunPoint& other : m_points)
        if (other.isByHand && other.step != point.step) byHand += bytesOf(other);
    if (byHand > budgetByHand()) return false;
    if (latest().step < point.step) {
        m_bytes += bytesOf(point);
        m_points.push_back(std::move(point));
    }
    m_points.back().isByHand = true;
    makeRoom();
    return true;
}

/// Removes the point with the least loss: the gap it would leave, divided by the root of its distance from the present. Gaps then grow
/// with that root, and the widest of n is twice that of n equal ones.
void History::makeRoom() {
    while ((m_bytes > m_budget || m_points.size() > m_mostPoints) && m_points.size() > 2) {
        const auto loss = [&](std::size_t i) {
            return static_cast<double>(m_points[i + 1].step - m_points[i - 1].step) /
                   std::sqrt(static_cast<double>(latest().step - m_points[i].step + 1));
        };
        std::size_t least = 0;  // 0: none yet; the first point is always kept
        for (std::size_t i = 1; i + 1 < m_points.size(); ++i) {
            if (!m_points[i].isByHand && (least == 0 || loss(i) < loss(least))) least = i;
        }
        if (least == 0) return;
        m_bytes -= bytesOf(m_points[least]);
        m_points.erase(m_points.begin() + static_cast<std::ptrdiff_t>(least));
    }
}

void History::forgetFrom(std::int64_t step) {
    std::erase_if(m_changes, [&](const AppliedChange& change) { return change.step >= step; });
    const auto after = std::find_if(m_points.begin() + 1, m_points.end(), [&](const RunPoint& point) { return point.step > step; });
    for (auto point = after; point != m_points.end(); ++point) m_bytes -= bytesOf(*point);
    m_points.erase(after, m_points.end());
}

}  // namespace mantissa
