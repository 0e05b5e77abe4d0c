// SPDX-License-Identifier: GPL-3.0-or-later
// The window's layouts as saved between sessions: the arrangement of panels in each, the user's layouts by name, the current layout, the
// theme, and the window's position. Stored in the notes of SessionMemory; without them, kept until the window closes. GUI thread only.
#pragma once

#include <QByteArray>
#include <QStringList>
#include <QVariant>

#include "gui/app/layout_switch.h"

class QSettings;

namespace mantissa::gui {

/// The arrangement of panels for one layout and one form of the window.
struct Arrangement {
    QByteArray panels;    // of PanelHost; empty: the default
    bool isLevel = true;  // the right panels align with the plots beside them
    bool operator==(const Arrangement&) const = default;
};

/// LayoutMemory's key for whether the user has closed the panel of a language model's text.
inline const QString kClosedText = QStringLiteral("closedText");

/// LayoutMemory's keys for the plots and their axes: keys of plots from top to bottom, their heights (0: default), x axis, scales by key,
/// smoothing, and the last smoothing factor other than none.
inline const QString kPlots = QStringLiteral("plots"), kPlotShares = QStringLiteral("plotShares");
inline const QString kXAxis = QStringLiteral("xAxis"), kScales = QStringLiteral("scales"), kSmoothing = QStringLiteral("smoothing"),
                     kLastSmoothing = QStringLiteral("lastSmoothing");

class LayoutMemory {
public:
    explicit LayoutMemory(QSettings* notes);

    /// Returns the id of a built-in layout. Layouts of the user have the ids "own-1", ...
    static QString idOf(WindowLayout layout);
    bool isOwn(const QString& id) const { return ownIds().contains(id); }
    /// Returns whether `id` is a built-in layout or an existing one of the user.
    bool isKnown(const QString& id) const;
    /// Returns the ids of the user's layouts in the order of their creation.
    QStringList ownIds() const;
    QString nameOf(const QString& id) const;
    /// Returns the id of the user's layout of that name; empty: there is none.
    QString idOfName(const QString& name) const;
    /// Returns the built-in layout that it is based on.
    WindowLayout baseOf(const QString& id) const;
    QString add(const QString& name, WindowLayout base);
    void rename(const QString& id, const QString& name);
    void remove(const QString& id);

    QString current() const;
    void noteCurrent(const QString& id);
    Arrangement arrangement(const QString& id, bool isSlim) const;
    void note(const QString& id, bool isSlim, const Arrangement& arrangement);
    /// Returns the arrangement that Reset restores: a user's layout as it was saved, the default of a built-in one.
    Arrangement saved(const QString& id, bool isSlim) const;
    void noteSaved(const QString& id, bool isSlim, const Arrangement& arrangement);

    /// Returns another setting of the window: "theme", "presentTheme", "place".
    QVariant value(const QString& key) const { return read(QStringLiteral("window/") + key); }
    void noteValue(const QString& key, const QVariant& value) { write(QStringLiteral("window/") + key, value); }

private:
    QSettings* m_notes;  // null: values are in m_passing
    QVariantMap m_passing;
    QVariant read(const QString& key) const;
    void write(const QString& key, const QVariant& value);
    void drop(const QString& group);
};

}  // namespace mantissa::gui
