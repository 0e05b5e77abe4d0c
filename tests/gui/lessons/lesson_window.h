// SPDX-License-Identifier: Apache-2.0
// A window that plays a lesson.
#pragma once

#include <gtest/gtest.h>

#include <QLabel>
#include <QTemporaryDir>
#include <QTextBrowser>

#include "gui/lessons/lesson_panel.h"
#include "tests/gui/lessons/sample_lesson.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {

struct LessonWindow : LiveWindow {
    QTemporaryDir folder;

    QString write(const QString& name, const std::string& text) {
        const QString path = folder.filePath(name);
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
        return path;
    }
    bool plays(QSize size = {1920, 1080}, const std::string& text = kSampleLesson) {
        if (!open(size)) return false;
        window->openLesson(write(QStringLiteral("two-formats.md"), text));
        return settles();
    }
    LessonPlayer& player() { return *window->findChild<LessonPlayer*>(); }
    LessonPanel& panel() { return *window->findChild<LessonPanel*>(); }
    bool settles() {
        return QTest::qWaitFor([this] { return player().isPlaying() && !player().isBusy(); }, kPatienceMs);
    }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : window.get(), static_cast<Qt::Key>(key), modifiers);
    }
    bool next() {
        key(Qt::Key_Right, Qt::AltModifier);
        return settles();
    }
    bool says(const QString& words) {
        QTest::qWait(0);
        for (const QLabel* label : panel().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(words)) return true;
        for (const QTextBrowser* text : panel().findChildren<QTextBrowser*>())
            if (text->isVisible() && text->toPlainText().contains(words)) return true;
        return false;
    }
};

}  // namespace mantissa::gui
