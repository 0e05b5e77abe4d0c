// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/pseudo_language.h"

#include <QFile>
#include <QRegularExpression>
#include <QXmlStreamReader>

namespace mantissa::gui {

QString cataloguePath(const QString& language) {
    return QStringLiteral(MANTISSA_TRANSLATIONS "/mantissa_%1.ts").arg(language);
}

PseudoLanguage::PseudoLanguage(const QString& catalogue) {
    QFile file(catalogue);
    if (!file.open(QIODevice::ReadOnly)) return;
    QString context;
    for (QXmlStreamReader xml(&file); !xml.atEnd();) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == u"name")
            context = xml.readElementText();
        else if (xml.name() == u"source")
            m_known.emplace(context, xml.readElementText());
    }
}

QString PseudoLanguage::translated(const QString& source) {
    static const QString kPlain = QStringLiteral("aceilnorstuACEINORSTU"), kAccented = QStringLiteral("åçéíļñöŕšţüÅÇÉÍÑÖŔŠŢÜ");
    static const QRegularExpression kKept(QStringLiteral("%(?:n|L?\\d+)|<[^>]*>|&(?=\\w)|\\n"));
    QString text;
    qsizetype end = 0;
    const auto append = [&](QStringView plain) {
        for (const QChar c : plain) {
            const qsizetype at = kPlain.indexOf(c);
            text += at < 0 ? c : kAccented[at];
        }
    };
    for (auto it = kKept.globalMatch(source); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        append(QStringView(source).mid(end, match.capturedStart() - end));
        text += match.captured();
        end = match.capturedEnd();
    }
    append(QStringView(source).mid(end));
    const qsizetype longer = std::max<qsizetype>(0, source.size() * 2 / 5 - 2);
    return u'[' + text + QString(longer, u'~') + u']';
}

QString PseudoLanguage::translate(const char* context, const char* source, const char*, int) const {
    const QString where = QString::fromUtf8(context), text = QString::fromUtf8(source);
    if (m_known.contains({where, text})) return translated(text);
    if (where.startsWith(u"mantissa") || where == u"QObject" || where == u"QMenu") m_missing.insert(where + QStringLiteral(": ") + text);
    return {};
}

}  // namespace mantissa::gui
