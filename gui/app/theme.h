// SPDX-License-Identifier: GPL-3.0-or-later
// The theme: all colours, dashes and markers. Contrast of text is 4.5:1 or better on each surface it is used on, of lines and glyphs 3:1.
// GUI thread only.
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <array>

#include "engine/telemetry/run_identity.h"

class QApplication;

namespace mantissa::gui {

using mantissa::RunMarker;

/// The style of one run in every view, constant during its life.
struct RunIdentity {
    QColor color;
    QList<qreal> dash;  // in pen widths at pen 1; empty: solid
    RunMarker marker = RunMarker::Disc;
    bool isWhatIf = false;  // drawn thin
};

/// Offset from a run's identity to that of its what-if, which has the run's colour, but a thin line with short dashes.
inline constexpr int kWhatIfIdentity = static_cast<int>(kRunIdentities.size());

enum class ThemeKind { Light, Dark };
/// Levels of contrast. High: text 7:1 or better, borders and grid 3:1.
enum class Contrast { Normal, High };

struct Theme {
    ThemeKind kind = ThemeKind::Light;
    Contrast contrast = Contrast::Normal;
    QColor window, surface, raised, sunken, line, controlBorder, grid, axis;
    QColor ink, ink2, ink3;
    QColor accent, onAccent, accentWeak, accentText;
    QColor frozenEdge, frozenFill, frozenInk;
    QColor danger, dangerFill, neutralBar;
    std::array<QColor, 6> memory;                             // weights, masters, gradients, optimizer, activations, workspace
    std::array<RunIdentity, 2 * kRunIdentities.size()> runs;  // and their what-ifs
    const RunIdentity& run(int identity) const { return runs[static_cast<std::size_t>(identity) % runs.size()]; }

    static const Theme& light();
    static const Theme& dark();
    static const Theme& of(ThemeKind kind, Contrast contrast);
    /// Returns the current theme.
    static const Theme& current();
    /// Sets palette and style sheet of the application; views repaint on QEvent::PaletteChange.
    static void apply(QApplication& application, ThemeKind kind, Contrast contrast = Contrast::Normal);
};

/// Replaces the current theme's colours during its lifetime, as for a picture; the application's palette and style sheet stay.
class ThemeLoan {
public:
    explicit ThemeLoan(ThemeKind kind);
    ~ThemeLoan();
    ThemeLoan(const ThemeLoan&) = delete;
    ThemeLoan& operator=(const ThemeLoan&) = delete;

private:
    const Theme* m_before;
};

/// Returns the window's font: a sans with digits of equal width, 13 px.
QFont interfaceFont();

}  // namespace mantissa::gui
