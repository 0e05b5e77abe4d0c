// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/board_picture.h"

#include <qcustomplot.h>

#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr QSize kLeastBoard{1200, 900}, kLeastPanel{1000, 380};
constexpr int kEdge = 16, kTitleRow = 28, kKeyRow = 22, kSampleWidth = 28, kKeyGap = 24;
constexpr int kTitleFont = 15, kKeyFont = 13, kCaptionFont = 11;
constexpr double kPointsPerPixel = 0.75;  // 96 pixels to the inch, 72 points

QString versionsText(const SessionModel& session) {
    QStringList parts{QStringLiteral("Mantissa " MANTISSA_VERSION)};
    const QString engine = QString::fromStdString(session.hello().version);
    if (!engine.isEmpty() && engine != QStringLiteral(MANTISSA_VERSION)) parts << QObject::tr("engine %1").arg(engine);
    if (const DeviceInfo* device = session.device()) parts << QString::fromStdString(device->name).toUpper();
    return parts.join(QStringLiteral(", "));
}

QString seedsText(const SessionModel& session) {
    QStringList seeds;
    for (const auto& run : session.runs())
        if (run->isOwn() && !run->isHidden) seeds << QString::number(run->info.settings.training.init.seed);
    seeds.removeDuplicates();
    if (seeds.isEmpty()) return {};
    return (seeds.size() == 1 ? QObject::tr("seed %1") : QObject::tr("seeds %1")).arg(seeds.join(QStringLiteral(", ")));
}

}  // namespace

BoardPicture::BoardPicture(SessionModel* session, const PlotBoard& shown, int panel, ThemeKind theme)
    : m_session(session), m_theme(theme), m_board(std::make_unique<PlotBoard>(session)) {
    const ThemeLoan loan(theme);
    m_board->takeView(shown);
    m_board->cursors().setMode(CrosshairMode::Off);
    m_board->choice().showOnly(panel);
    const QSize wanted = panel < 0 ? shown.size().expandedTo(kLeastBoard) : QSize(shown.width(), 0).expandedTo(kLeastPanel);
    m_board->resize(wanted);
    m_board->setAttribute(Qt::WA_DontShowOnScreen);  // gets a layout as if shown, without a window
    m_board->show();
    m_board->refreshNow();

    const ExperimentLoaded& experiment = session->experiment();
    m_title = QString::fromStdString(experiment.title.empty() ? experiment.name : experiment.title);
    QStringList parts{QString::fromStdString(experiment.dataText), seedsText(*session)};
    const auto [first, end] = m_board->axes().stepsInView(panel);
    if (end > first) parts << QObject::tr("steps %1 to %2").arg(groupedText(first), groupedText(end - 1));
    parts << versionsText(*session);
    parts.removeAll(QString());
    m_caption = parts.join(QStringLiteral(" \u00B7 "));

    // The runs' names wrap to as many rows as they need.
    const QFontMetricsF metrics(pixelFont(m_board->font(), kKeyFont));
    double left = kEdge, row = kTitleRow + kEdge / 2.0;
    for (const auto& run : session->runs()) {
        if (run->isHidden) continue;
        const double width = kSampleWidth + 8 + metrics.horizontalAdvance(run->name());
        if (left > kEdge && left + width > wanted.width() - kEdge) left = kEdge, row += kKeyRow;
        m_keys.push_back({run.get(), {left, row}});
        left += width + kKeyGap;
    }
    m_headHeight = static_cast<int>(row) + (m_keys.empty() ? 0 : kKeyRow) + 4;
    const QRectF caption = QFontMetricsF(pixelFont(m_board->font(), kCaptionFont))
                               .boundingRect(QRectF(0, 0, wanted.width() - 2 * kEdge, 1000), Qt::TextWordWrap, m_caption);
    m_footHeight = static_cast<int>(std::ceil(caption.height())) + kEdge;
}

BoardPicture::~BoardPicture() = default;

QSize BoardPicture::size() const {
    return {m_board->canvas()->width(), m_headHeight + m_board->canvas()->height() + m_footHeight};
}

void BoardPicture::paint(QCPPainter& painter) const {
    const ThemeLoan loan(m_theme);
    const Theme& theme = Theme::current();
    const QSize whole = size();
    painter.fillRect(QRect({0, 0}, whole), theme.surface);
    painter.save();
    painter.translate(0, m_headHeight);
    m_board->paint(&painter);
    painter.restore();
    painter.setClipping(false);
    painter.setAntialiasing(true);

    const QFont base = m_board->font();
    painter.setPen(theme.ink);
    painter.setFont(pixelFont(base, kTitleFont, true));
    painter.drawText(QRectF(kEdge, 6, whole.width() - 2 * kEdge, kTitleRow), Qt::AlignVCenter | Qt::AlignLeft, m_title);
    for (const Key& key : m_keys) {
        const QRectF sample(key.place, QSizeF(kSampleWidth, kKeyRow));
        drawRunSample(painter, sample, theme.run(key.run->identity), theme.surface);
        painter.setPen(theme.ink);
        painter.setFont(pixelFont(base, kKeyFont));
        painter.drawText(QRectF(sample.right() + 8, sample.top(), whole.width(), kKeyRow), Qt::AlignVCenter | Qt::AlignLeft,
                         key.run->name());
    }
    painter.setPen(theme.ink2);
    painter.setFont(pixelFont(base, kCaptionFont));
    painter.drawText(QRectF(kEdge, whole.height() - m_footHeight, whole.width() - 2 * kEdge, m_footHeight),
                     static_cast<int>(Qt::TextWordWrap | Qt::AlignTop | Qt::AlignLeft), m_caption);
}

QImage BoardPicture::image(double scale) const {
    QImage image((QSizeF(size()) * scale).toSize(), QImage::Format_RGB32);
    if (image.isNull()) return image;  // not enough memory for the image
    QCPPainter painter(&image);
    painter.scale(scale, scale);
    paint(painter);
    painter.end();
    image.setText(QStringLiteral("Title"), m_title);
    image.setText(QStringLiteral("Description"), description());
    image.setText(QStringLiteral("Software"), versionsText(*m_session));
    image.setText(QStringLiteral("Experiment"), m_session->experimentText());
    return image;
}

QString BoardPicture::description() const {
    QStringList names;
    for (const Key& key : m_keys) names << key.run->name();
    return QObject::tr("Runs: %1.").arg(names.join(QStringLiteral(", "))) + u' ' + m_caption;
}

QString BoardPicture::write(const QString& path, PictureFormat format, double scale) const {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return QObject::tr("%1 cannot be written: %2.").arg(path, file.errorString());
    bool isDrawn = true;
    const auto drawOn = [&](QPaintDevice* device) {
        QCPPainter painter(device);
        isDrawn = painter.isActive();
        painter.setMode(QCPPainter::pmVectorized);
        paint(painter);
    };
    switch (format) {
        case PictureFormat::Png:
            isDrawn = image(scale).save(&file, "PNG");
            break;
        case PictureFormat::Svg: {
            QSvgGenerator svg;
            svg.setOutputDevice(&file);
            svg.setSize(size());
            svg.setViewBox(QRect({0, 0}, size()));
            svg.setTitle(m_title.toHtmlEscaped());
            svg.setDescription(description().toHtmlEscaped());
            drawOn(&svg);
            break;
        }
        case PictureFormat::Pdf: {
            QPdfWriter pdf(&file);
            pdf.setPageSize(QPageSize(QSizeF(size()) * kPointsPerPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
            pdf.setPageMargins({});
            pdf.setResolution(96);
            pdf.setTitle(m_title);
            pdf.setCreator(versionsText(*m_session));
            pdf.addFileAttachment(QStringLiteral("experiment.json"), m_session->experimentText().toUtf8(),
                                  QStringLiteral("application/json"));
            drawOn(&pdf);
            break;
        }
    }
    if (!isDrawn) return QObject::tr("%1 was not written: the picture could not be drawn.").arg(path);  // an existing file is kept
    return file.commit() ? QString() : QObject::tr("%1 was not written: %2.").arg(path, file.errorString());
}

}  // namespace mantissa::gui
