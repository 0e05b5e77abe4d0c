// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/destination.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

QString experimentStem(const ExperimentLoaded& experiment) {
    return QFileInfo(QString::fromStdString(experiment.name)).completeBaseName();
}

QString askSavePath(QWidget* parent, const QString& title, const QString& suggested, const QStringList& suffixes) {
    QString path = suggested;
    for (;;) {
        path = QFileDialog::getSaveFileName(parent, title, path, QStringLiteral("*.") + suffixes.join(QStringLiteral(" *.")));
        if (path.isEmpty() || suffixes.contains(QFileInfo(path).suffix(), Qt::CaseInsensitive)) return path;
        path += u'.' + suffixes.front();
        // The dialog has not confirmed the name with its suffix: it opens again for that name.
        if (!QFileInfo::exists(path)) return path;
    }
}

QString freshFolder(const QString& parent, const QString& name) {
    const QString stem = QDir(parent).filePath(name + QDateTime::currentDateTime().toString(QStringLiteral(" yyyy-MM-dd HH-mm-ss")));
    QString path = stem;
    for (int number = 2; QFileInfo::exists(path); ++number) path = stem + u' ' + QString::number(number);
    return path;
}

}  // namespace mantissa::gui
