// SPDX-License-Identifier: GPL-3.0-or-later
// The slim list of runs: one row each, with line sample, name, format chip and short health text. The chip opens a menu of formats.
#pragma once

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>

#include "gui/link/engine_client.h"

namespace mantissa::gui {

inline constexpr int kMostIndents = 4;        // levels of forks; deeper ones are indented like the last
inline constexpr int kPanelNamePixels = 118;  // of a run's name in a panel of the runs' dock

class RunListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { IdentityRole = Qt::UserRole, FormatRole, HealthRole, HealthIconRole, HealthInkRole, HiddenRole, DepthRole, LiveRole };
    explicit RunListModel(SessionModel* session, QObject* parent);
    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : m_count; }
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override { return QAbstractListModel::flags(index) | Qt::ItemIsEditable; }
    /// Requests a new name for the run; the engine decides.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    RunId runAt(const QModelIndex& index) const;
    QModelIndex indexOf(RunId run) const;
    /// Updates the texts of the rows.
    void refresh() {
        if (m_count > 0) emit dataChanged(index(0), index(m_count - 1));
    }

signals:
    void renameRequested(int run, const QString& name);

private:
    SessionModel* m_session;
    int m_count = 0;  // rows that the views know
    void syncRows();
};

class RunListDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {200, rowHeight}; }
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index) override;
    int rowHeight = 0;

signals:
    void formatClicked(const QModelIndex& index, QPoint globalPosition);
};

class RunList : public QListView {
    Q_OBJECT
public:
    RunList(SessionModel* session, EngineClient* engine, QWidget* parent);
    void refresh();
    QSize sizeHint() const override { return {200, m_delegate->rowHeight * m_model->rowCount()}; }
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }
    /// Fits the height of the rows into so many pixels, within legible limits.
    void fitInto(int pixels);

signals:
    void pointed(int run);  // -1: none

protected:
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void openFormats(const QModelIndex& index, QPoint globalPosition);
    SessionModel* m_session;
    EngineClient* m_engine;
    RunListModel* m_model;
    RunListDelegate* m_delegate;
};

}  // namespace mantissa::gui
