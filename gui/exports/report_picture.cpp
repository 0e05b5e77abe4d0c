// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/report_picture.h"

#include <QAbstractTextDocumentLayout>
#include <QDir>
#include <QFile>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTextDocument>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

constexpr int kPageWidth = 1040, kPagePadding = 24;  // px, as in the report's style
constexpr int kMostPixels = 16'000;                  // of the picture's height

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Draws the report's vector pictures, and elements that QTextDocument does not support.
class ReportDocument {
public:
    ReportDocument(const QString& html, const QString& folder, qreal sharpness) : m_folder(folder), m_sharpness(sharpness) {
        m_document.setDocumentMargin(kPagePadding);
        QFont font = interfaceFont();
        font.setPixelSize(15);
        m_document.setDefaultFont(font);
        m_document.setDefaultStyleSheet(QStringLiteral("h1 { font-size: 26px; } h2 { font-size: 17px; } th { font-weight: 400; } "
                                                       "td, th { white-space: nowrap; } .said td { white-space: normal; } .note, "
                                                       ".said { color: %1; } pre { font-size: 12px; white-space: pre-wrap; }"
                                                       "a { color: %2; }")
                                            .arg(Theme::light().ink2.name(), Theme::light().accentText.name()));
        m_document.setHtml(simplified(html));
        m_document.setTextWidth(kPageWidth);
        // If long names widen a table, the page is as wide and shown smaller.
        if (const qreal needed = m_document.size().width(); needed > kPageWidth) m_document.setTextWidth(needed);
    }
    QTextDocument& text() { return m_document; }

private:
    static constexpr int kPlotWidth = kPageWidth - 2 * kPagePadding;
    static constexpr int kBarWidth = kPlotWidth * 60 / 100, kBarHeight = 20;  // the last column of its table
    QTextDocument m_document;
    QString m_folder;
    qreal m_sharpness;
    int m_pictures = 0;

    /// HTML of the drawing, `width` px wide.
    QString placed(QString svg, int width) {
        // The renderer does not support shifts within a line of text.
        svg.replace(QStringLiteral("<text "), QStringLiteral("<text xml:space=\"preserve\" "));
        svg.replace(QStringLiteral("<tspan dx=\"8\""), QStringLiteral("<tspan>\u00A0\u00A0</tspan><tspan"));
        QSvgRenderer renderer(svg.toUtf8());
        const QSizeF box = renderer.viewBoxF().size();
        if (box.isEmpty()) return {};
        const QSizeF size(width, width * box.height() / box.width());
        QImage image((size * m_sharpness).toSize(), QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        renderer.render(&painter);
        painter.end();
        const QString name = QStringLiteral("drawn:%1").arg(m_pictures++);
        m_document.addResource(QTextDocument::ImageResource, QUrl(name), image);
        return QStringLiteral("<img src=\"%1\" width=\"%2\" height=\"%3\">").arg(name).arg(size.width()).arg(size.height());
    }

    /// Replaces each match of `pattern` by the result of `write`.
    template <class Write>
    static QString replaced(const QString& html, const QString& pattern, Write write) {
        const QRegularExpression expression(pattern, QRegularExpression::DotMatchesEverythingOption);
        QString out;
        qsizetype end = 0;
        for (auto matches = expression.globalMatch(html); matches.hasNext();) {
            const QRegularExpressionMatch match = matches.next();
            out += html.mid(end, match.capturedStart() - end) + write(match);
            end = match.capturedEnd();
        }
        return out + html.mid(end);
    }

    /// A run's memory as a bar of categories.
    QString bar(const QString& parts) {
        QString svg = QStringLiteral(
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1 %2\" font-family=\"Noto Sans, DejaVu Sans, "
                          "sans-serif\" font-size=\"11\" text-anchor=\"middle\">")
                          .arg(kBarWidth)
                          .arg(kBarHeight);
        const QRegularExpression part(QStringLiteral("<i style=\"width:([0-9.]+)%;background:([^;]+);color:([^\"]+)\"[^>]*>([^<]*)</i>"));
        double left = 0;
        for (auto matches = part.globalMatch(parts); matches.hasNext();) {
            const QRegularExpressionMatch match = matches.next();
            const double width = match.captured(1).toDouble() / 100 * kBarWidth;
            svg += QStringLiteral("<rect x=\"%1\" width=\"%2\" height=\"%3\" fill=\"%4\"/><text x=\"%5\" y=\"14\" fill=\"%6\">%7</text>")
                       .arg(left)
                       .arg(std::max(0.0, width - 1))
                       .arg(kBarHeight)
                       .arg(match.captured(2))
                       .arg(left + width / 2)
                       .arg(match.captured(3), match.captured(4));
            left += width;
        }
        return placed(svg + QStringLiteral("</svg>"), kBarWidth);
    }

    QString key(const QString& color) {
        return QStringLiteral("&nbsp; ") +
               placed(QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 10\"><rect width=\"10\" height=\"10\" "
                                     "fill=\"%1\"/></svg>")
                          .arg(color),
                      10) +
               QStringLiteral("&nbsp;");
    }

    QString simplified(QString html) {
        html = html.mid(std::max<qsizetype>(0, html.indexOf(QStringLiteral("<h1>"))));
        // A run's name stays on one line, behind its line sample.
        html = replaced(html, QStringLiteral("(<svg width.*?</svg>)([^<]*)"), [this](const QRegularExpressionMatch& match) {
            constexpr int kSampleWidth = 32;
            QString svg = match.captured(1), name = u' ' + match.captured(2) + QStringLiteral("   ");
            svg.replace(QStringLiteral("<svg "), QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
            return placed(svg, kSampleWidth) + name.replace(u' ', QStringLiteral("&nbsp;"));
        });
        html = replaced(html, QStringLiteral("<img src=\"([a-z_]+\\.svg)\"[^>]*>"), [this](const QRegularExpressionMatch& match) {
            return placed(textOf(m_folder + u'/' + match.captured(1)), kPlotWidth);
        });
        html = replaced(html, QStringLiteral("<div class=\"bar\">(.*?)</div>"),
                        [this](const QRegularExpressionMatch& match) { return bar(match.captured(1)); });
        html = replaced(html, QStringLiteral("<span class=\"key\" style=\"background:([^\"]+)\"></span>"),
                        [this](const QRegularExpressionMatch& match) { return key(match.captured(1)); });
        html.replace(QStringLiteral("<table"), QStringLiteral("<table width=\"100%\" cellpadding=\"3\" cellspacing=\"0\""));
        html.replace(QStringLiteral("<th>"), QStringLiteral("<th align=\"right\">"));
        html.replace(QStringLiteral("<th class"), QStringLiteral("<th align=\"left\" class"));
        html.replace(QStringLiteral("<td>"), QStringLiteral("<td align=\"right\">"));
        html.replace(QStringLiteral("<section>"), QStringLiteral("<div>"));
        return html.replace(QStringLiteral("</section>"), QStringLiteral("</div>"));
    }
};

}  // namespace

QImage reportPicture(const QString& folder, int width, qreal ratio) {
    const QString html = textOf(QDir(folder).filePath(QStringLiteral("index.html")));
    if (html.isEmpty() || width <= 0) return {};
    ReportDocument report(html, folder, std::max(1.0, static_cast<qreal>(width) / kPageWidth * ratio));
    const QSizeF page(report.text().textWidth(), report.text().size().height());
    const qreal scale = width / page.width() * ratio;
    QSize pixels = (page * scale).toSize();
    pixels.setHeight(std::min(pixels.height(), kMostPixels));
    QImage image(pixels, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform | QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, Theme::light().ink);
    report.text().documentLayout()->draw(&painter, context);
    painter.end();
    image.setDevicePixelRatio(ratio);
    return image;
}

}  // namespace mantissa::gui
