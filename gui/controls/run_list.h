// SPDX-License-Identifier: GPL-3.0-or-later
// The slim form of the runs: one row each, with line sample, name, format chip and a short word on its health. The chip opens the formats.
#pragma once

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>

#include "gui/link/engine_client.h"

namespace mantissa::gui {

inline constexpr int kMostIndents = 4;        // of forks of forks; deeper ones stand below the last
inline constexpr int kPanelNamePixels = 118;  // of a run's name in a panel of the runs' dock

class RunListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { IdentityRole = Qt::UserRole, FormatRole, HealthRole, HealthIconRole, HealthInkRole, HiddenRole, DepthRole, LiveRole };
    explicit RunListModel(Lab* lab, QObject* parent);
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// A new name for the run: only asked for here, the engine decides.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    RunId runAt(const QModelIndex& index) const;
    QModelIndex indexOf(RunId run) const;
    /// New words in the same rows.
    void refresh();

signals:
    void renameRequested(int run, const QString& name);

private:
    Lab* m_lab;
    int m_count = 0;  // rows as the views know them
    void syncRows();
};

class RunListDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index) override;
    int rowHeight = 0;

signals:
    void formatClicked(const QModelIndex& index, QPoint globalPosition);
};

class RunList : public QListView {
    Q_OBJECT
public:
    RunList(Lab* lab, EngineClient* engine, QWidget* parent);
    void refresh();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }
    /// Rows as high as fit into so many pixels, within what can be read.
    void fitInto(int pixels);

signals:
    void pointed(int run);  // -1: none

protected:
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void openFormats(const QModelIndex& index, QPoint globalPosition);
    Lab* m_lab;
    EngineClient* m_engine;
    RunListModel* m_model;
    RunListDelegate* m_delegate;
};

}  // namespace mantissa::gui
