// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/theme.h"

#include <QApplication>
#include <QPalette>
#include <utility>

#include "gui/app/style_sheet.h"

namespace mantissa::gui {
namespace {

QColor rgb(QRgb value) {
    return QColor::fromRgb(value);
}

/// The table of run styles, shared with reports, as Qt types.
auto runIdentities(ThemeKind kind) {
    decltype(Theme::runs) runs;
    for (std::size_t i = 0; i < kRunIdentities.size(); ++i) {
        const mantissa::RunIdentity& identity = kRunIdentities[i];
        runs[i].color = QColor(QLatin1String(kind == ThemeKind::Light ? identity.light : identity.dark));
        runs[i].marker = identity.marker;
        for (const double length : identity.dash) {
            if (length > 0) runs[i].dash.append(length);
        }
        runs[i + kWhatIfIdentity] = {runs[i].color, {3, 3}, runs[i].marker, true};
    }
    return runs;
}

Theme makeLight() {
    Theme t;
    t.kind = ThemeKind::Light;
    t.window = rgb(0xF2F4F6);
    t.surface = rgb(0xFFFFFF);
    t.raised = rgb(0xFFFFFF);
    t.sunken = rgb(0xF0F2F4);
    t.line = rgb(0xDCE0E5);
    t.controlBorder = rgb(0xAEB6BF);
    t.grid = rgb(0xE9ECEF);
    t.axis = rgb(0x9AA3AD);
    t.ink = rgb(0x17202A);
    t.ink2 = rgb(0x46515D);
    t.ink3 = rgb(0x626D79);
    t.accent = rgb(0x4B45B2);
    t.onAccent = rgb(0xFFFFFF);
    t.accentWeak = rgb(0xEEEDFA);
    t.accentText = rgb(0x433DA6);
    t.frozenEdge = rgb(0xC77F00);
    t.frozenFill = rgb(0xFFF3D4);
    t.frozenInk = rgb(0x6B4300);
    t.danger = rgb(0xB3261E);
    t.dangerFill = rgb(0xFCEBE9);
    t.neutralBar = rgb(0x8C97A3);
    t.memory = {rgb(0x2F3E4E), rgb(0x7467A8), rgb(0x7F91A1), rgb(0xA6B4C0), rgb(0xC8D2DA), rgb(0xE3E8EC)};
    t.runs = runIdentities(ThemeKind::Light);
    return t;
}

Theme makeDark() {
    Theme t;
    t.kind = ThemeKind::Dark;
    t.window = rgb(0x131619);
    t.surface = rgb(0x1A1D20);
    t.raised = rgb(0x20242A);
    t.sunken = rgb(0x15181B);
    t.line = rgb(0x2E343A);
    t.controlBorder = rgb(0x4A525B);
    t.grid = rgb(0x262B30);
    t.axis = rgb(0x6D7781);
    t.ink = rgb(0xE9EDF1);
    t.ink2 = rgb(0xB4BDC7);
    t.ink3 = rgb(0x929CA7);
    t.accent = rgb(0xA5A0F6);
    t.onAccent = rgb(0x17152B);
    t.accentWeak = rgb(0x2A2848);
    t.accentText = rgb(0xB9B5FA);
    t.frozenEdge = rgb(0xFFB62E);
    t.frozenFill = rgb(0x3A2B08);
    t.frozenInk = rgb(0xFFD587);
    t.danger = rgb(0xFF8A7E);
    t.dangerFill = rgb(0x3A1B18);
    t.neutralBar = rgb(0x7B8793);
    // The light ramp in reverse order: weights have the highest contrast in either theme.
    t.memory = {rgb(0xE3E8EC), rgb(0xA89AD8), rgb(0x7F91A1), rgb(0x566879), rgb(0x3D4B59), rgb(0x2F3E4E)};
    t.runs = runIdentities(ThemeKind::Dark);
    return t;
}

/// Keeps the runs' colours, with stronger inks, borders and grid. All backgrounds have one colour, so that borders separate parts.
Theme makeHighContrast(ThemeKind kind) {
    const bool isLight = kind == ThemeKind::Light;
    Theme t = isLight ? makeLight() : makeDark();
    t.contrast = Contrast::High;
    const QColor ground = isLight ? rgb(0xFFFFFF) : rgb(0x000000), ink = isLight ? rgb(0x000000) : rgb(0xFFFFFF);
    t.window = t.surface = t.raised = t.sunken = ground;
    t.ink = ink;
    t.ink2 = t.ink3 = isLight ? rgb(0x262626) : rgb(0xE6E6E6);
    t.line = t.controlBorder = t.axis = t.neutralBar = isLight ? rgb(0x595959) : rgb(0xA6A6A6);
    t.grid = isLight ? rgb(0x949494) : rgb(0x5E5E5E);
    t.accent = t.accentText = isLight ? rgb(0x2E2889) : rgb(0xCFCCFF);
    t.onAccent = ground;
    t.accentWeak = isLight ? rgb(0xE4E2FA) : rgb(0x26234F);
    t.frozenEdge = isLight ? rgb(0x8A5800) : rgb(0xFFC85C);
    t.frozenFill = isLight ? rgb(0xFFF3D4) : rgb(0x2B1F00);
    t.frozenInk = isLight ? rgb(0x4A2E00) : rgb(0xFFE2AB);
    t.danger = isLight ? rgb(0x8C0F0A) : rgb(0xFFB3AB);
    t.dangerFill = isLight ? rgb(0xFFF2F0) : rgb(0x2B0F0C);
    return t;
}

const Theme* currentTheme = &Theme::light();

QPalette paletteOf(const Theme& t) {
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, const QColor& color, const QColor& disabled) {
        palette.setColor(QPalette::Active, role, color);
        palette.setColor(QPalette::Inactive, role, color);
        palette.setColor(QPalette::Disabled, role, disabled);
    };
    set(QPalette::Window, t.window, t.window);
    set(QPalette::WindowText, t.ink, t.ink3);
    set(QPalette::Base, t.surface, t.sunken);
    set(QPalette::AlternateBase, t.window, t.window);
    set(QPalette::Text, t.ink, t.ink3);
    set(QPalette::PlaceholderText, t.ink3, t.ink3);
    set(QPalette::Button, t.raised, t.sunken);
    set(QPalette::ButtonText, t.ink, t.ink3);
    set(QPalette::BrightText, t.danger, t.ink3);
    set(QPalette::Highlight, t.accent, t.neutralBar);
    set(QPalette::HighlightedText, t.onAccent, t.surface);
    set(QPalette::Link, t.accentText, t.ink3);
    set(QPalette::LinkVisited, t.accentText, t.ink3);
    set(QPalette::ToolTipBase, t.raised, t.raised);
    set(QPalette::ToolTipText, t.ink, t.ink);
    set(QPalette::Light, t.surface, t.surface);
    set(QPalette::Midlight, t.line, t.line);
    set(QPalette::Mid, t.controlBorder, t.line);
    set(QPalette::Dark, t.axis, t.axis);
    set(QPalette::Shadow, t.axis, t.axis);
    return palette;
}

}  // namespace

const Theme& Theme::light() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::dark() {
    static const Theme theme = makeDark();
    return theme;
}

const Theme& Theme::of(ThemeKind kind, Contrast contrast) {
    static const Theme highLight = makeHighContrast(ThemeKind::Light), highDark = makeHighContrast(ThemeKind::Dark);
    if (contrast == Contrast::High) return kind == ThemeKind::Dark ? highDark : highLight;
    return kind == ThemeKind::Dark ? dark() : light();
}

const Theme& Theme::current() {
    return *currentTheme;
}

void Theme::apply(QApplication& application, ThemeKind kind, Contrast contrast) {
    // The pointer is set first: the style sheet and every PaletteChange handler read current().
    currentTheme = &of(kind, contrast);
    application.setPalette(paletteOf(*currentTheme));
    application.setStyleSheet(styleSheet(*currentTheme));
}

ThemeLoan::ThemeLoan(ThemeKind kind) : m_before(std::exchange(currentTheme, kind == ThemeKind::Dark ? &Theme::dark() : &Theme::light())) {}

ThemeLoan::~ThemeLoan() {
    currentTheme = m_before;
}

QFont interfaceFont() {
    // Qt 6.4 cannot switch a font to tabular digits: these families have them by default.
    QFont font;
    font.setFamilies({QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
    font.setPixelSize(13);
    return font;
}

}  // namespace mantissa::gui
