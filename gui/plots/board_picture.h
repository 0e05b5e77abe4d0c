// SPDX-License-Identifier: GPL-3.0-or-later
// Renders the plots as a self-contained picture: title and runs above, data, seed and versions below and in the file's metadata. It uses a
// separate board, so the one on screen keeps its size and theme. GUI thread only.
#pragma once

#include <QImage>
#include <QString>
#include <memory>

#include "gui/app/theme.h"
#include "gui/link/session_model.h"

class QCPPainter;

namespace mantissa::gui {

class PlotBoard;

enum class PictureFormat { Png, Svg, Pdf };

class BoardPicture {
public:
    /// Copies the view of `shown`, of all panels (-1) or of one.
    BoardPicture(SessionModel* session, const PlotBoard& shown, int panel, ThemeKind theme);
    ~BoardPicture();

    /// Returns the size in pixels at scale 1.
    QSize size() const;
    QImage image(double scale) const;
    /// Writes a file. Returns a sentence with the error; empty: none. `scale` applies to PNG only.
    QString write(const QString& path, PictureFormat format, double scale) const;
    /// Returns the line below the plots.
    QString caption() const { return m_caption; }

private:
    void paint(QCPPainter& painter) const;
    QString description() const;

    const SessionModel* m_session;
    ThemeKind m_theme;
    std::unique_ptr<PlotBoard> m_board;
    QString m_title, m_caption;
    struct Key {
        const RunState* run;
        QPointF place;  // of its line's left end
    };
    std::vector<Key> m_keys;  // of the runs that are shown
    int m_headHeight = 0, m_footHeight = 0;
};

}  // namespace mantissa::gui
