// SPDX-License-Identifier: GPL-3.0-or-later
// The gallery's card of one experiment or recording: its curves, what it shows, what to do. A click, Space or Enter opens it. GUI thread
// only.
#pragma once

#include <QAbstractButton>

#include "gui/gallery/curve_picture.h"

class QLabel;

namespace mantissa::gui {

class GalleryCard : public QAbstractButton {
    Q_OBJECT
public:
    /// `lookFor`: what to observe, shown with a separate icon; empty: none. `searched`: additional words for the search.
    GalleryCard(CurveSet curves, const QString& title, const QString& text, const QString& lookFor, const QString& searched,
                QWidget* parent);

    /// Returns whether its texts contain each of the words, ignoring case.
    bool holds(const QStringList& words) const;
    /// Returns whether its title contains them.
    bool isNamed(const QStringList& words) const;
    /// Draws the card as one with the focus: Enter opens it.
    void setMatch(bool isMatch);
    /// Marks the card as that of the current experiment.
    void setCurrent(bool isCurrent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_searched;
    bool m_isMatch = false;
    QLabel* m_current;
};

}  // namespace mantissa::gui
