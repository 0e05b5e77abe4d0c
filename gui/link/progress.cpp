// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/progress.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

namespace mantissa::gui {
namespace {

constexpr double kSameAmount = 1e-9;  // relative: differences below are rounding of k * amount

}  // namespace

void Progress::Ramp::append(std::int64_t index, double value, double before) {
    const bool goesOn = !m_pieces.empty() && std::abs(at(index) - value) <= kSameAmount * std::abs(value);
    if (!goesOn) m_pieces.push_back({index, value, value - before});
}

void Progress::Ramp::truncate(std::int64_t count) {
    std::erase_if(m_pieces, [count](const Piece& piece) { return piece.first >= count; });
}

double Progress::Ramp::at(std::int64_t index) const {
    const auto after = std::ranges::upper_bound(m_pieces, index, {}, &Piece::first);
    if (after == m_pieces.begin()) return 0;
    const Piece& piece = *std::prev(after);
    return piece.value + piece.aStep * static_cast<double>(index - piece.first);
}

void Progress::begin(std::int64_t firstStep, const Progress* parent) {
    m_firstStep = firstStep;
    m_samples.clear();
    m_epochs.clear();
    m_wall.clear();
    m_training.clear();
    m_indices.clear();
    m_count = 0;
    m_before = {};
    m_knowsBefore = firstStep == 0 || (parent && !parent->isEmpty());
    if (firstStep == 0 || !m_knowsBefore) return;
    const auto usedBy = [&](XQuantity quantity) { return parent->at(quantity, static_cast<double>(firstStep - 1)); };
    m_before = {usedBy(XQuantity::Samples), usedBy(XQuantity::Epoch), usedBy(XQuantity::WallTime), usedBy(XQuantity::TrainingTime)};
}

void Progress::append(const StepRecord& record) {
    const std::int64_t index = record.step - m_firstStep, latest = m_count - 1;
    if (!m_knowsBefore) {
        // Without a known parent, each earlier step is assumed to take the average amount.
        const double share = static_cast<double>(m_firstStep) / static_cast<double>(m_firstStep + 1);
        m_before = {static_cast<double>(record.samples) * share, record.epoch * share, record.wallSeconds * share,
                    record.wallSeconds * share};
        m_knowsBefore = true;
    }
    // Imported files may hold times that decrease, or none: amounts never decrease.
    const auto grown = [&](XQuantity quantity, double value) {
        const double before = valueAt(quantity, latest);
        return std::isfinite(value) ? std::max(value, before) : before;
    };
    const double samples = grown(XQuantity::Samples, static_cast<double>(record.samples)), epochs = grown(XQuantity::Epoch, record.epoch);
    const double wall = grown(XQuantity::WallTime, record.wallSeconds);
    const double trainedBefore = valueAt(XQuantity::TrainingTime, latest);
    m_samples.append(index, samples, valueAt(XQuantity::Samples, latest));
    m_epochs.append(index, epochs, valueAt(XQuantity::Epoch, latest));
    const double training = grown(XQuantity::TrainingTime, trainedBefore + record.stepMs / 1000);
    if (m_indices.empty() && index > m_count) {  // steps are left out
        m_indices.resize(static_cast<std::size_t>(m_count));
        std::iota(m_indices.begin(), m_indices.end(), std::int64_t{0});
        m_indices.push_back(index);
    } else if (!m_indices.empty()) {
        m_indices.push_back(index);
    }
    m_wall.push_back(wall);
    m_training.push_back(training);
    m_count = index + 1;
}

void Progress::reserve(std::size_t steps) {
    m_wall.reserve(steps);
    m_training.reserve(steps);
}

void Progress::truncate(std::int64_t end) {
    m_count = std::clamp<std::int64_t>(end - m_firstStep, 0, m_count);
    m_samples.truncate(m_count);
    m_epochs.truncate(m_count);
    auto kept = static_cast<std::size_t>(m_count);
    if (!m_indices.empty()) {
        kept = static_cast<std::size_t>(std::ranges::lower_bound(m_indices, m_count) - m_indices.begin());
        m_indices.resize(kept);
    }
    m_wall.resize(kept);
    m_training.resize(kept);
    if (kept == 0) m_count = 0;
}

void Progress::keep(const std::vector<bool>& kept) {
    std::size_t rows = 0;
    std::vector<std::int64_t> indices;
    for (std::size_t i = 0; i < m_wall.size(); ++i) {
        if (!kept[i]) continue;
        indices.push_back(m_indices.empty() ? static_cast<std::int64_t>(i) : m_indices[i]);
        m_wall[rows] = m_wall[i];
        m_training[rows++] = m_training[i];
    }
    m_wall.resize(rows);
    m_training.resize(rows);
    m_indices = std::move(indices);
}

double Progress::timeAt(const std::vector<double>& times, std::int64_t index) const {
    if (m_indices.empty()) return times[static_cast<std::size_t>(index)];
    if (index == m_indices.back()) return times.back();  // the common case: the newest step
    const auto row = static_cast<std::size_t>(std::ranges::lower_bound(m_indices, index) - m_indices.begin());
    if (row == times.size()) return times.back();  // after a rewind to a step that is not kept
    if (m_indices[row] == index || row == 0) return times[row];
    const auto share = static_cast<double>(index - m_indices[row - 1]) / static_cast<double>(m_indices[row] - m_indices[row - 1]);
    return std::lerp(times[row - 1], times[row], share);
}

double Progress::valueAt(XQuantity quantity, std::int64_t index) const {
    const bool isBefore = index < 0;
    switch (quantity) {
        case XQuantity::Step:
            return static_cast<double>(m_firstStep + index);
        case XQuantity::Samples:
            return isBefore ? m_before.samples : m_samples.at(index);
        case XQuantity::Epoch:
            return isBefore ? m_before.epochs : m_epochs.at(index);
        case XQuantity::WallTime:
            return isBefore ? m_before.wall : timeAt(m_wall, index);
        case XQuantity::TrainingTime:
            return isBefore ? m_before.training : timeAt(m_training, index);
    }
    return 0;
}

double Progress::average(XQuantity quantity) const {
    const std::int64_t count = m_count;
    return count == 0 ? 0 : (valueAt(quantity, count - 1) - valueAt(quantity, -1)) / static_cast<double>(count);
}

double Progress::at(XQuantity quantity, double step) const {
    if (quantity == XQuantity::Step) return step;
    const double place = step - static_cast<double>(m_firstStep), last = static_cast<double>(m_count) - 1;
    if (place >= last) return valueAt(quantity, static_cast<std::int64_t>(last)) + (place - last) * average(quantity);
    if (place <= -1) {
        // A fork joins its parent at the step before its first; steps further back count equally.
        const double steps = static_cast<double>(m_firstStep);
        return steps > 0 ? valueAt(quantity, -1) * std::max(0.0, step + 1) / steps : 0;
    }
    const double lower = std::floor(place), share = place - lower;
    const double value = valueAt(quantity, static_cast<std::int64_t>(lower));
    return share == 0 ? value : std::lerp(value, valueAt(quantity, static_cast<std::int64_t>(lower) + 1), share);
}

double Progress::stepAt(XQuantity quantity, double value) const {
    if (quantity == XQuantity::Step) return value;
    const std::int64_t count = m_count;
    const auto first = static_cast<double>(m_firstStep);
    const double least = valueAt(quantity, -1), most = valueAt(quantity, count - 1);
    if (value >= most) return first + static_cast<double>(count - 1) + (average(quantity) > 0 ? (value - most) / average(quantity) : 0);
    if (value <= least) return least > 0 ? std::max(0.0, value) / least * first - 1 : -1;
    const auto indices = std::views::iota(std::int64_t{0}, count);
    const auto found = std::ranges::partition_point(indices, [&](std::int64_t index) { return valueAt(quantity, index) < value; });
    const double upper = valueAt(quantity, *found), lower = valueAt(quantity, *found - 1);
    return first + static_cast<double>(*found) - (upper > lower ? (upper - value) / (upper - lower) : 0);
}

}  // namespace mantissa::gui
