// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/plot_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include "gui/controls/number_text.h"
#include "gui/exports/plot_table.h"
#include "gui/plots/board_picture.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr std::int64_t kMostRows = 200'000;  // larger tables belong in a file: spreadsheets end at a million

}  // namespace

QString copyPlot(SessionModel* session, const PlotBoard& board, int panel, CopyAs as, ThemeKind theme, double scale) {
    const QString name = panel < 0 ? QObject::tr("all plots") : board.panels().at(panel).title().title;
    auto data = std::make_unique<QMimeData>();
    QStringList copied;
    if (as != CopyAs::Table) {
        data->setImageData(BoardPicture(session, board, panel, theme).image(scale));
        copied << QObject::tr("a picture");
    }
    QString left;
    if (as != CopyAs::Picture) {
        const auto [first, last] = board.axes().stepsInView(panel);
        const std::vector<std::string> keys = board.choice().keys(panel);
        const std::int64_t rows = leastTableRows(*session, keys, first, last);
        if (rows > kMostRows) {
            left = QObject::tr(" A table of %1 rows is too long for the clipboard: zoom in, or export a CSV.").arg(groupedText(rows));
        } else {
            const QString table = plotTable(*session, keys, first, last);
            data->setText(table);
            data->setData(QStringLiteral("text/tab-separated-values"), table.toUtf8());
            copied << QObject::tr("a table of %1 rows").arg(groupedText(table.count(u'\n') - 1));
        }
    }
    if (copied.isEmpty()) return left.trimmed();
    QGuiApplication::clipboard()->setMimeData(data.release());
    return QObject::tr("Copied %1 as %2.").arg(name.toLower(), copied.join(QObject::tr(" and "))) + left;
}

}  // namespace mantissa::gui
