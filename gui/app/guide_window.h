// SPDX-License-Identifier: GPL-3.0-or-later
// The user guide in a window of its own, beside the plots: contents at the left, the page at the right, a field to find words in all pages.
// GUI thread only.
#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace mantissa::gui {

class GuideBrowser;

class GuideWindow : public QDialog {
    Q_OBJECT
public:
    /// The one of `window`, made where it has none, in front and at `place` ("loss-scaling.md#presets"); empty: where it was.
    static GuideWindow* of(QWidget* window, const QString& place = {});

    void open(const QString& place);
    /// Goes on to the next place of the words, over the end of the page to the pages behind it.
    void search(bool isBackward);

    GuideBrowser* browser() const { return m_browser; }
    QTreeWidget* contents() const { return m_contents; }
    QLineEdit* field() const { return m_field; }

private:
    explicit GuideWindow(QWidget* parent);
    void fillContents();
    void showChosen(const QUrl& source);

    QTreeWidget* m_contents;
    GuideBrowser* m_browser;
    QLineEdit* m_field;
    QLabel* m_found;
};

}  // namespace mantissa::gui
