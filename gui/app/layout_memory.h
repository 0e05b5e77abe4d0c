// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of the window's layouts from one start to the next: how the panels of each one stand, the user's own ones by name, which
// one is in force, the theme, and the window's place. Kept in the notes of SessionMemory; without them, until the window closes.
// GUI thread only.
#pragma once

#include <QByteArray>
#include <QStringList>
#include <QVariant>

#include "gui/app/layout_switch.h"

class QSettings;

namespace mantissa::gui {

/// How the panels stand, for one layout and one form of the window.
struct Arrangement {
    QByteArray panels;    // of PanelHost; empty: the default
    bool isLevel = true;  // the right panels follow the plots beside them
    bool operator==(const Arrangement&) const = default;
};

/// Whether the panel of a language model's text was closed by hand, as LayoutMemory keeps it.
inline const QString kClosedText = QStringLiteral("closedText");

/// Which plots there are and what their axes show, as LayoutMemory keeps it: their keys from top to bottom, their heights (0: as usual), x
/// axis, scales by key, smoothing, and the factor it had when it was last on.
inline const QString kPlots = QStringLiteral("plots"), kPlotShares = QStringLiteral("plotShares");
inline const QString kXAxis = QStringLiteral("xAxis"), kScales = QStringLiteral("scales"), kSmoothing = QStringLiteral("smoothing"),
                     kLastSmoothing = QStringLiteral("lastSmoothing");

class LayoutMemory {
public:
    explicit LayoutMemory(QSettings* notes);

    /// Layouts are known by an id: the three of ours, and "own-1", ... of the user.
    static QString idOf(WindowLayout layout);
    bool isOwn(const QString& id) const;
    /// Ours, or an own one that is there.
    bool isKnown(const QString& id) const;
    /// In the order in which they were made.
    QStringList ownIds() const;
    QString nameOf(const QString& id) const;
    /// The id of an own one; empty: there is none of that name.
    QString idOfName(const QString& name) const;
    /// What it is an arrangement of.
    WindowLayout baseOf(const QString& id) const;
    QString add(const QString& name, WindowLayout base);
    void rename(const QString& id, const QString& name);
    void remove(const QString& id);

    QString current() const;
    void noteCurrent(const QString& id);
    Arrangement arrangement(const QString& id, bool isSlim) const;
    void note(const QString& id, bool isSlim, const Arrangement& arrangement);
    /// What Reset goes back to: of an own layout as it was saved, of ours the default.
    Arrangement saved(const QString& id, bool isSlim) const;
    void noteSaved(const QString& id, bool isSlim, const Arrangement& arrangement);

    /// Anything else about the window: "theme", "presentTheme", "place".
    QVariant value(const QString& key) const;
    void noteValue(const QString& key, const QVariant& value);

private:
    QSettings* m_notes;  // null: in m_passing
    QVariantMap m_passing;
    QVariant read(const QString& key) const;
    void write(const QString& key, const QVariant& value);
    void drop(const QString& group);
};

}  // namespace mantissa::gui
