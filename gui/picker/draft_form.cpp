// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/picker/draft_form.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

constexpr int kCellWidth = 158, kFewestColumns = 2, kMostColumns = 4;

QString textOf(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return QString::fromStdString(value.get<std::string>());
    if (value.is_number_float()) return editText(value.get<double>());
    if (!value.is_array()) return QString::fromStdString(value.dump());
    QStringList numbers;
    for (const Json& each : value) numbers << textOf(each);
    return numbers.join(QStringLiteral(", "));
}

/// A number if the text is one; otherwise the text itself, so that the engine reports the error.
Json numberOf(const QString& text) {
    bool isWhole = false;
    const qlonglong whole = text.toLongLong(&isWhole);
    if (isWhole) return static_cast<std::int64_t>(whole);
    const qulonglong large = text.toULongLong(&isWhole);
    if (isWhole) return static_cast<std::uint64_t>(large);
    const std::optional<double> number = parseNumber(text);
    if (!number) return text.toStdString();
    return *number == std::floor(*number) && std::abs(*number) < 1e15 ? Json(static_cast<std::int64_t>(*number)) : Json(*number);
}

Json valueOf(const QString& typed, const DraftRow& row) {
    const QString text = typed.trimmed();
    if (row.kind == FieldKind::Numbers) {
        static const QRegularExpression between(QStringLiteral("[\\s,;]+"));
        Json numbers = Json::array();
        for (const QString& each : text.split(between, Qt::SkipEmptyParts)) numbers.push_back(numberOf(each));
        return numbers;
    }
    if (text.isEmpty() && (!row.unset.empty() || row.kind == FieldKind::Path)) return {};
    return row.kind == FieldKind::Path ? Json(text.toStdString()) : numberOf(text);
}

}  // namespace

DraftCell::DraftCell(const DraftRow& row, QWidget* parent) : QWidget(parent), m_row(row) {
    auto* column = makeColumn(3, {}, this);
    m_label = makeLabel(engineText(row.label), "secondary", this);
    column->addWidget(m_label);
    auto* line = makeRow(6);
    column->addLayout(line);
    buildControl();
    line->addWidget(control(), 1);
    m_label->setBuddy(control());
    if (row.kind == FieldKind::Path) {
        QPushButton* browser = makeButton(tr("Browse…"), {}, tr("Browse for %1").arg(engineText(m_row.label)), this);
        connect(browser, &QPushButton::clicked, this, &DraftCell::browse);
        line->addWidget(browser);
        m_browser = browser;
    }
    showValue();
}

void DraftCell::buildControl() {
    const QString name = engineText(m_row.label);
    if (m_row.kind != FieldKind::Choice && m_row.kind != FieldKind::Flag) {
        m_edit = new QLineEdit(this);
        m_edit->setAccessibleName(name);
        m_edit->setPlaceholderText(engineText(m_row.unset));
        connect(m_edit, &QLineEdit::textEdited, this, [this](const QString& text) { emit changed(valueOf(text, m_row)); });
        return;
    }
    m_choice = new ComboBox(name, this);
    if (m_row.kind == FieldKind::Flag) {
        m_choice->addItem(tr("yes"), true);
        m_choice->addItem(tr("no"), false);
    } else {
        if (!m_row.unset.empty()) m_choice->addItem(engineText(m_row.unset), QVariant());
        for (std::size_t i = 0; i < m_row.choices.size(); ++i) {
            const QString choice = QString::fromStdString(m_row.choices[i]);
            m_choice->addItem(i < m_row.choiceLabels.size() ? engineText(m_row.choiceLabels[i]) : choice, choice);
        }
    }
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(8);
    connect(m_choice, &QComboBox::activated, this, [this](int index) {
        const QVariant chosen = m_choice->itemData(index);
        if (!chosen.isValid()) return emit changed(Json());
        emit changed(chosen.typeId() == QMetaType::Bool ? Json(chosen.toBool()) : Json(chosen.toString().toStdString()));
    });
}

void DraftCell::browse() {
    const QString title = tr("Choose: %1").arg(engineText(m_row.label));
    const QString from = QFileInfo(m_edit->text()).absolutePath();
    const QString path =
        m_row.isFolder ? QFileDialog::getExistingDirectory(this, title, from) : QFileDialog::getOpenFileName(this, title, from);
    if (path.isEmpty()) return;
    m_edit->setText(path);
    emit changed(Json(path.toStdString()));
}

void DraftCell::setRow(const DraftRow& row) {
    m_row = row;
    showValue();
}

void DraftCell::showValue() {
    if (m_choice != nullptr) {
        const QSignalBlocker blocker(m_choice);
        const Json& value = m_row.value;
        m_choice->setCurrentIndex(value.is_null()      ? 0
                                  : value.is_boolean() ? m_choice->findData(value.get<bool>())
                                                       : m_choice->findData(textOf(value)));
        return;
    }
    // The text may be another notation of the value ("1e3"), or incomplete.
    if (valueOf(m_edit->text(), m_row) == m_row.value || (m_edit->hasFocus() && m_edit->isModified())) return;
    m_edit->setText(textOf(m_row.value));
}

void DraftCell::setRefused(bool refused) {
    setStyleProperty(control(), "state", refused ? "refused" : "");
}

void DraftCell::setOffered(const std::vector<std::string>& offered) {
    auto* items = qobject_cast<QStandardItemModel*>(m_choice->model());
    for (int i = 0; i < m_choice->count(); ++i) {
        const std::string name = m_choice->itemText(i).toStdString();
        items->item(i)->setEnabled(offered.empty() || std::find(offered.begin(), offered.end(), name) != offered.end());
    }
}

DraftForm::DraftForm(QWidget* parent) : QWidget(parent), m_problem(makeWrappedLabel({}, "danger", this)) {
    auto* column = makeColumn(8, {0, 0, 12, 0}, this);
    const QString heads[] = {tr("Data"), tr("Model"), tr("Training")};
    for (const DraftSection each : kDraftSections) {
        Section& section = sectionOf(each);
        auto* head = makeRow(10);
        head->addWidget(makeLabel(heads[static_cast<std::size_t>(each)], "title", this), 0, Qt::AlignTop);
        section.summary = makeWrappedLabel({}, "secondary", this);
        head->addWidget(section.summary, 1);
        section.grid = new QGridLayout;
        section.grid->setHorizontalSpacing(12);
        section.grid->setVerticalSpacing(8);
        if (each != kDraftSections.front()) column->addSpacing(8);
        column->addLayout(head);
        column->addLayout(section.grid);
    }
    column->addStretch(1);
    m_problem->hide();
}

DraftCell* DraftForm::cell(const std::string& pointer) const {
    const auto found = m_cells.find(pointer);
    return found == m_cells.end() ? nullptr : found->second;
}

void DraftForm::show(const std::vector<DraftRow>& rows) {
    std::map<std::string, DraftCell*> kept;
    for (const DraftRow& row : rows) {
        DraftCell* old = cell(row.pointer);
        if (old != nullptr && old->row().kind == row.kind && old->row().choices == row.choices && old->row().unset == row.unset) {
            old->setRow(row);
            kept[row.pointer] = old;
        } else {
            auto* fresh = new DraftCell(row, this);
            connect(fresh, &DraftCell::changed, this, [this, pointer = row.pointer](const Json& value) { emit changed(pointer, value); });
            kept[row.pointer] = fresh;
        }
    }
    for (const auto& [pointer, old] : m_cells) {
        const auto found = kept.find(pointer);
        if (found != kept.end() && found->second == old) continue;
        if (m_concerned == old) m_concerned = nullptr;
        old->hide();
        old->deleteLater();  // it may be the sender of the current signal
    }
    m_cells = std::move(kept);
    std::vector<DraftCell*> order;
    for (const DraftRow& row : rows) order.push_back(m_cells.at(row.pointer));
    if (std::exchange(m_order, order) != order) place();
}

/// Arranges the cells in lines; every second line of a grid is for error messages.
void DraftForm::place() {
    for (Section& section : m_sections) {
        while (QLayoutItem* item = section.grid->takeAt(0)) delete item;
        for (int i = 0; i < kMostColumns; ++i) section.grid->setColumnStretch(i, i < m_columns ? 1 : 0);
    }
    m_lines.clear();
    std::array<int, kDraftSections.size()> line{}, column{};
    QWidget* before = m_tabBegin;
    for (DraftCell* cell : m_order) {
        const auto index = static_cast<std::size_t>(cell->row().section);
        const int width = cell->isWide() ? m_columns : 1;
        if (column[index] + width > m_columns) {
            column[index] = 0;
            line[index] += 2;
        }
        m_sections[index].grid->addWidget(cell, line[index], column[index], 1, width, Qt::AlignTop);
        m_lines[cell] = line[index];
        column[index] += width;
        cell->setVisible(true);
        if (before != nullptr) setTabOrder(before, cell->control());
        if (cell->lastControl() != cell->control()) setTabOrder(cell->control(), cell->lastControl());
        before = cell->lastControl();
    }
    placeProblem();
}

void DraftForm::placeProblem() {
    m_problem->setVisible(m_concerned != nullptr);
    if (m_concerned == nullptr) return;
    QGridLayout* grid = sectionOf(m_concerned->row().section).grid;
    grid->addWidget(m_problem, m_lines.at(m_concerned) + 1, 0, 1, m_columns);
}

void DraftForm::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const int columns = std::clamp(width() / kCellWidth, kFewestColumns, kMostColumns);
    if (std::exchange(m_columns, columns) != columns) place();
}

const DraftCell* DraftForm::showProblem(const std::string& pointer, const QString& sentence) {
    m_concerned = nullptr;
    for (const auto& [own, each] : m_cells) {
        const bool isIt = !sentence.isEmpty() && pointer.starts_with(own) && (pointer.size() == own.size() || pointer[own.size()] == '/');
        each->setRefused(isIt && !each->isEmptyPath());
        each->control()->setAccessibleDescription(isIt ? sentence : QString());
        if (isIt) m_concerned = each;
    }
    if (m_concerned != nullptr) {
        showStyled(m_problem, tr("%1: %2").arg(engineText(m_concerned->row().label), sentence),
                   m_concerned->isEmptyPath() ? "secondary" : "danger");
    }
    placeProblem();
    return m_concerned;
}

}  // namespace mantissa::gui
