// SPDX-License-Identifier: GPL-3.0-or-later
// A page of the user guide, drawn in the theme's colours: tables with hairlines, code on a ground of its own, headings that links can lead
// to. The pages are those of resources/guide, compiled in. GUI thread only.
#pragma once

#include <QHash>
#include <QList>
#include <QTextBrowser>

namespace mantissa::gui {

struct GuideHeading {
    int level = 1;
    QString text, anchor;  // the anchor as Markdown's readers on the web make it: "compare-runs-where-do-two-runs-first-differ"
};

struct GuidePage {
    QString file, title;  // "window.md", "The window"
    QString words;        // all of it, without its markup
    QList<GuideHeading> headings;
};

/// In the order of the guide's first page, which comes first.
const QList<GuidePage>& guidePages();
/// "window.md", "window.md#plots".
QUrl guideUrl(const QString& place);
/// The part of a page that is shown: "window.md".
QString guideFile(const QUrl& url);

class GuideBrowser : public QTextBrowser {
    Q_OBJECT
public:
    explicit GuideBrowser(QWidget* parent);

    /// As a click on a link to it does.
    void open(const QUrl& place);
    QUrl place() const { return m_visits.value(m_visit).place; }
    void backward() override;
    void forward() override;

    /// Marks every place of `words` on the page. Returns how many there are.
    int mark(const QString& words);
    /// Goes from the cursor to the next place of `words`, or the one before; false: there is none before the page's end.
    bool step(const QString& words, bool isBackward);

signals:
    void placeChanged(const QUrl& place);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Visit {
        QUrl place;
        int scroll = -1;  // where it was left; -1: not yet
    };
    void visit(int index);
    QTextDocument* pageOf(const QString& file);

    QHash<QString, QTextDocument*> m_pages;  // by file, once they were asked for
    QList<Visit> m_visits;
    int m_visit = -1;
};

}  // namespace mantissa::gui
