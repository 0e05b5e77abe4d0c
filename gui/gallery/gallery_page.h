// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog "Gallery": all bundled experiments as cards in groups, and the user's recordings. Arrow keys select, letters filter, Enter
// opens, Esc closes. Recordings appear when the engine has listed them. GUI thread only.
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "gui/gallery/gallery_card.h"
#include "gui/link/engine_client.h"

class QGridLayout;
class QHBoxLayout;
class QLineEdit;
class QScrollArea;
class QVBoxLayout;

namespace mantissa::gui {

class GalleryPage : public QDialog {
    Q_OBJECT
public:
    GalleryPage(SessionModel* session, EngineClient* engine, QWidget* parent);

    /// Returns the cards that match the filter, in display order.
    QList<GalleryCard*> shownCards() const;
    /// Returns the card that Enter opens from the search field: the first one whose title contains what was typed, or at least its words,
    /// or the first one. Null: no card is shown.
    GalleryCard* match() const;

signals:
    void experimentRequested(const QString& name);
    void recordingRequested(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Group {
        QWidget* whole = nullptr;
        QPushButton* link = nullptr;  // scrolls to it
        QGridLayout* grid = nullptr;
        QList<GalleryCard*> cards;
    };

    Group& addGroup(const QString& title);
    /// Adds a card that closes the page after `report`.
    void addCard(Group& group, GalleryCard* card, const std::function<void()>& report);
    void fillExperiments();
    void showRecordings(const RecordingsListed& list);
    void filter();
    void arrange();
    void arrange(Group& group, int columns);
    void showGroup(const Group& group);
    void focusCard(GalleryCard* card);
    bool takeCardKey(GalleryCard* card, QKeyEvent* key);
    bool takeFieldKey(QKeyEvent* key);
    GalleryCard* neighbour(const GalleryCard* card, int rows) const;

    SessionModel* m_session;
    EngineClient* m_engine;
    QLineEdit* m_field;
    QHBoxLayout* m_links;
    QScrollArea* m_scroll;
    QWidget* m_content;
    QVBoxLayout* m_column;
    QLabel* m_nothing;
    std::vector<Group> m_groups;
    GalleryCard* m_first = nullptr;  // focused when the page opens
    int m_columns = 0;
    std::uint64_t m_asked = 0;
};

}  // namespace mantissa::gui
