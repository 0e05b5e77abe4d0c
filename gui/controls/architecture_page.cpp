// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/architecture_page.h"

#include <QHeaderView>
#include <QMenu>
#include <QTableView>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/controls/precision_menu.h"

namespace mantissa::gui {

ArchitectureModel::ArchitectureModel(SessionModel* session, QObject* parent) : QAbstractTableModel(parent), m_session(session) {
    connectEach(session, this, &ArchitectureModel::sync, &SessionModel::selectionChanged, &SessionModel::runChanged,
                &SessionModel::experimentLoaded);
    sync();
}

void ArchitectureModel::sync() {
    const RunState* state = m_session->run(m_session->selected());
    const std::vector<LayerLine> lines = state ? state->info.layers : std::vector<LayerLine>();
    std::vector<bool> isForced;
    for (const LayerLine& line : lines) {
        const auto& overrides = state->info.settings.training.precision.overrides;
        isForced.push_back(std::ranges::any_of(overrides, [&](const PrecisionOverride& forced) {
            return coversLayer(forced.place, line.layer) || forced.place == line.operation;
        }));
    }
    const bool isSameModel = m_run == m_session->selected() && lines.size() == m_lines.size();
    if (!isSameModel) beginResetModel();
    const bool hasChanged = lines != m_lines || isForced != m_isForced;
    m_run = m_session->selected();
    m_lines = lines;
    m_isForced = std::move(isForced);
    if (!isSameModel) {
        endResetModel();
    } else if (hasChanged) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));  // keeps selection and scroll position
    }
}

QVariant ArchitectureModel::data(const QModelIndex& index, int role) const {
    const LayerLine& line = this->line(index.row());
    const bool isFormat = index.column() == FormatColumn;
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case LayerColumn:
                    return QString::fromStdString(line.layer);
                case OperationColumn:
                    return QString::fromStdString(line.operation).replace(u'_', u' ');
                case FormatColumn:
                    return QString::fromStdString(line.format) + (isForced(index.row()) ? tr(" forced") : QString()) +
                           QStringLiteral("  \u25be");
                case ParametersColumn:
                    return line.parameters > 0 ? groupedText(line.parameters) : QStringLiteral("\u2013");
                default:
                    return line.outputBytes > 0 ? bytesText(line.outputBytes) : QStringLiteral("\u2013");
            }
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter | (index.column() >= ParametersColumn ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ForegroundRole:
            if (isFormat && isForced(index.row())) return Theme::current().accentText;
            return index.column() == OperationColumn ? Theme::current().ink2 : Theme::current().ink;
        case Qt::ToolTipRole:
            return isFormat ? tr("Choose a format for %1").arg(QString::fromStdString(line.layer)) : QVariant();
        default:
            return {};
    }
}

QVariant ArchitectureModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter | (section >= ParametersColumn ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    const QString names[] = {tr("layer"), tr("operation"), tr("computes in"), tr("parameters"), tr("makes")};
    return names[section];
}

ArchitecturePage::ArchitecturePage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_model(new ArchitectureModel(session, this)), m_table(new QTableView(this)) {
    auto* column = makeColumn(8, {}, this);
    auto* head = makeRow(6);
    m_sample = new RunSample(this);
    m_name = makeLabel({}, "title", this);
    m_summary = makeLabel({}, "secondary", this);
    addWidgets(head, {m_sample, m_name});
    head->addWidget(m_summary, 1);
    column->addLayout(head);
    column->addWidget(m_table, 1);

    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Operations of the model"));
    m_table->setShowGrid(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(ArchitectureModel::LayerColumn, QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(88);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setStyleSheet(QStringLiteral("QTableView::item, QHeaderView::section { padding: 0 6px; }"));
    connect(m_table, &QTableView::clicked, this, &ArchitecturePage::offerFormats);
    connect(m_table, &QTableView::activated, this, &ArchitecturePage::offerFormats);  // Enter
    connect(m_model, &QAbstractItemModel::modelReset, this, &ArchitecturePage::refresh);
    connectEach(session, this, &ArchitecturePage::refresh, &SessionModel::runChanged, &SessionModel::runsChanged);
    refresh();
}

void ArchitecturePage::refresh() {
    const RunState* state = m_session->run(m_model->run());
    if (!state) return;
    m_sample->setIdentity(state->identity);
    m_name->setText(state->name());
    std::int64_t parameters = 0;
    for (const LayerLine& line : state->info.layers) parameters += line.parameters;
    m_summary->setText(tr("%1, %2 parameters").arg(QString::fromStdString(state->info.modelText), groupedText(parameters)));
}

void ArchitecturePage::offerFormats(const QModelIndex& index) {
    if (index.column() != ArchitectureModel::FormatColumn || !m_engine->isRunning()) return;
    QMenu menu(this);
    fillFormatMenu(&menu, m_session, m_engine, m_model->run(), m_model->line(index.row()));
    menu.exec(m_table->viewport()->mapToGlobal(m_table->visualRect(index).bottomLeft()));
}

}  // namespace mantissa::gui
