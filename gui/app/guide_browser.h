// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a page of the user guide in the theme's colours: tables with hairlines, code on a separate background, headings that links can
// point to. The pages are those of resources/guide, compiled in. GUI thread only.
#pragma once

#include <QHash>
#include <QList>
#include <QTextBrowser>

namespace mantissa::gui {

struct GuideHeading {
    int level = 1;
    QString text, anchor;  // the anchor as Markdown renderers on the web create it: "compare-runs-where-do-two-runs-first-differ"
};

struct GuidePage {
    QString file, title;  // "window.md", "The window"
    QString words;        // the whole text without markup
    QList<GuideHeading> headings;
};

/// Returns all pages in the order of the guide's first page, which comes first.
const QList<GuidePage>& guidePages();
/// Returns the URL of a place such as "window.md" or "window.md#plots".
QUrl guideUrl(const QString& place);

class GuideBrowser : public QTextBrowser {
    Q_OBJECT
public:
    explicit GuideBrowser(QWidget* parent);

    /// Opens a page as a click on a link to it does, and adds it to the history.
    void open(const QUrl& place);
    QUrl place() const { return m_visits.value(m_visit).place; }
    void backward() override;
    void forward() override;

    /// Highlights all occurrences of `words` on the page. Returns their number.
    int mark(const QString& words);
    /// Selects the next or previous occurrence of `words` from the cursor. Returns false if there is none before the page's end.
    bool step(const QString& words, bool isBackward);

signals:
    void placeChanged(const QUrl& place);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Visit {
        QUrl place;
        int scroll = -1;  // scroll position when it was left; -1: not yet
    };
    void visit(int index);
    QTextDocument* pageOf(const QString& file);

    QHash<QString, QTextDocument*> m_pages;  // by file; loaded on demand
    QList<Visit> m_visits;
    int m_visit = -1;
};

}  // namespace mantissa::gui
