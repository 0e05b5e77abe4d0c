// SPDX-License-Identifier: GPL-3.0-or-later
// One experiment or recording of the gallery: its curves, what it shows, what to do. A click, Space or Enter opens it. GUI thread only.
#pragma once

#include <QAbstractButton>

#include "gui/gallery/curve_picture.h"

class QLabel;

namespace mantissa::gui {

class GalleryCard : public QAbstractButton {
    Q_OBJECT
public:
    /// `lookFor` stands below a sign of its own; empty: there is none. `searched`: more words that it is found by.
    GalleryCard(CurveSet curves, const QString& title, const QString& text, const QString& lookFor, const QString& searched,
                QWidget* parent);

    /// Whether each of the words is somewhere in it, in whatever case.
    bool holds(const QStringList& words) const;
    /// The experiment that the window shows now.
    void setCurrent(bool isCurrent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_searched;
    QLabel* m_current;
};

}  // namespace mantissa::gui
