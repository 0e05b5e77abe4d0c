// SPDX-License-Identifier: GPL-3.0-or-later
// The user guide in a separate window: contents at the left, the page at the right, a field to search all pages. GUI thread only.
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
    /// Shows the guide window of `window`, created if needed, at `place` ("loss-scaling.md#presets"); empty: at its current place.
    static GuideWindow* of(QWidget* window, const QString& place = {});

    void open(const QString& place);
    /// Selects the next or previous occurrence of the words, and continues on the other pages, cyclically.
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
