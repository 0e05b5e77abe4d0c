// SPDX-License-Identifier: Apache-2.0
// The style of a run in every view and export: colour, dash and marker. Okabe and Ito's colours; a colour with less than 3:1 contrast on a
// background has a darker variant for light surfaces, or a lighter one for dark surfaces. Constant data; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mantissa {

enum class RunMarker : std::uint8_t { Disc, Square, Plus, Ring, OpenSquare, Star };

struct RunIdentity {
    const char* light;  // "#RRGGBB", on light surfaces
    const char* dark;
    std::array<double, 4> dash;  // in pen widths; padded with zeros; all zeros: solid
    RunMarker marker;
};

inline constexpr std::array<RunIdentity, 6> kRunIdentities{{
    {"#0072B2", "#0F7CBC", {0, 0, 0, 0}, RunMarker::Disc},
    {"#D55E00", "#D55E00", {9, 3, 0, 0}, RunMarker::Square},
    {"#009069", "#009E73", {10, 3, 2, 3}, RunMarker::Plus},
    {"#BA6595", "#CC79A7", {5, 3, 0, 0}, RunMarker::Ring},
    {"#A87200", "#E69F00", {2, 2, 0, 0}, RunMarker::OpenSquare},
    {"#2B7FB8", "#56B4E9", {12, 4, 0, 0}, RunMarker::Star},
}};

inline constexpr const RunIdentity& runIdentity(std::size_t index) {
    return kRunIdentities[index % kRunIdentities.size()];
}

}  // namespace mantissa
