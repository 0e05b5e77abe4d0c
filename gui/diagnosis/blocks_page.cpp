// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/blocks_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kBlockRowPixels = 20;
constexpr int kBlockWidths[] = {0, 168, 66, 70, 62, 70};  // of the table's columns; the layer takes the rest

/// "NVFP4, blocks of 16x1, rotated, stochastic rounding"
QString blocksText(const OperandBlocks& each) {
    const auto format = blockFormatFromName(each.format);
    const QString name = format ? QString::fromUtf8(format->screenName.data(), static_cast<qsizetype>(format->screenName.size()))
                                : QString::fromStdString(each.format);
    QStringList parts{name, BlocksPage::tr("blocks of %1").arg(QString::fromStdString(blockShapeName({each.blockRows, each.blockCols})))};
    if (each.isRotated) parts << BlocksPage::tr("rotated");
    if (each.isStochastic) parts << BlocksPage::tr("stochastic rounding");
    return parts.join(QStringLiteral(", "));
}

}  // namespace

QString BlocksPage::refusalFor(const RunState* run, std::int64_t step) {
    if (!run || !run->isOwn()) return tr("Only a run that the engine trains can repeat a step.");
    if (!run->hasSteps()) return tr("The run has no step yet.");
    if (isBlockPolicy(run->info.settings.training.precision.policy)) return {};
    for (const auto& [pointer, changedAt] : run->effectiveAt)
        if (pointer.startsWith(QStringLiteral("/precision")) && step < changedAt) return {};  // the step had another precision
    return tr("The run's precision has no blocks at this step.");
}

BlocksPage::BlocksPage(const SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    const auto [card, head, column] = makeTitledCard(tr("Blocks"), this);
    all->addWidget(card, 1);
    buildHead(head);
    m_sentence = makeWords("secondary", card);
    column->addWidget(m_sentence);
    m_body = new QWidget(card);
    auto* body = new QHBoxLayout(m_body);
    body->setContentsMargins(0, 6, 0, 0);
    body->setSpacing(12);
    m_model = new BlockModel(this);
    m_table = new CopyTable(tr("Quantised operands"), kBlockRowPixels, m_body);
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setFont(pixelFont(font(), kTickPixels));
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setMinimumWidth(420);
    QHeaderView* header = m_table->horizontalHeader();
    header->setFont(pixelFont(font(), kTagPixels));
    header->setMinimumSectionSize(20);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(BlockModel::LayerColumn, QHeaderView::Stretch);
    header->setFixedHeight(kBlockRowPixels);
    for (int i = 1; i < BlockModel::ColumnCount; ++i) m_table->setColumnWidth(i, kBlockWidths[i]);
    body->addWidget(m_table, 1);
    body->addWidget(buildOperand(m_body), 1);
    column->addWidget(m_body, 1);
    column->addStretch(0);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &BlocksPage::showOperand);
    connect(session, &SessionModel::elementsRead, this, &BlocksPage::take);
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked != 0 && commandId == m_asked) clear(sentence);
    });
    connect(engine, &EngineClient::lost, this, [this] { clear({}); });
    connect(session, &SessionModel::runChanged, this, [this](int run) {
        if (run == m_run) refresh();
    });
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (m_step < 0) refresh();
    });
    const auto forget = [this] { clear({}); };
    connect(session, &SessionModel::experimentLoaded, this, forget);
    connect(session, &SessionModel::seriesReset, this, forget);
    connect(session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        if (run == m_run && step <= std::max(m_readStep, m_step)) clear({});
    });
    clear({});
}

void BlocksPage::buildHead(QHBoxLayout* head) {
    m_about = makeLabel({}, "secondary", this);
    head->addWidget(m_about, 1);
    m_read = makeButton({}, {}, {}, this);
    head->addWidget(m_read);
    connect(m_read, &QPushButton::clicked, this, &BlocksPage::read);
}

QWidget* BlocksPage::buildOperand(QWidget* parent) {
    auto* part = new QWidget(parent);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_operand = makeWords("secondary", part);
    m_map = new BlockMapPlot(part);
    m_scales = new ScaleHistogram(part);
    m_rotation = makeWords("secondary", part);
    column->addWidget(m_operand);
    column->addWidget(m_map, 1);
    column->addWidget(m_scales);
    column->addWidget(m_rotation);
    return part;
}

void BlocksPage::show(RunId run, std::int64_t step) {
    const bool isOther = run != m_run || step != m_step;
    m_run = run;
    m_step = step;
    isOther ? clear({}) : refresh();
}

void BlocksPage::setEngineAlive(bool alive) {
    m_isAlive = alive;
    refresh();
}

std::int64_t BlocksPage::stepToRead() const {
    const RunState* run = m_session->run(m_run);
    return m_step >= 0 || !run ? m_step : run->stepCount() - 1;
}

void BlocksPage::read() {
    if (m_asked != 0 || stepToRead() < 0) return;
    m_asked = m_engine->ask(readBlocksOf(m_run, stepToRead()));
    if (m_asked == 0) return clear(tr("The engine has stopped: restart it to read a step."));
    m_sentence->setText(tr("The step is repeated. Nothing of that is committed."));
    refresh();
}

void BlocksPage::take(const ElementsRead& answer) {
    if (m_asked == 0 || answer.commandId != m_asked) return;
    m_asked = 0;
    m_readStep = answer.step;
    m_model->show(answer.blocks);
    m_sentence->setText(tr("Select an operand: its map shows the signal to quantisation noise ratio of its blocks."));
    m_table->setCurrentIndex(m_model->index(0, 0));
    showOperand();
    refresh();
}

void BlocksPage::clear(const QString& sentence) {
    m_asked = 0;
    m_readStep = -1;
    m_model->show({});
    m_sentence->setText(sentence.isEmpty() ? tr("What the block format makes of each operand of the step's matrix products.") : sentence);
    refresh();
}

void BlocksPage::showOperand() {
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= m_model->rowCount()) return;
    const OperandBlocks& each = m_model->operand(row);
    m_operand->setText(tr("%1: %2").arg(QString::fromStdString(each.tensor), blocksText(each)));
    m_map->show(each);
    m_scales->show(each.scales);
    m_rotation->setText(
        each.isRotated
            ? tr("Largest magnitude: %1 before the rotation, %2 after it.").arg(numberText(each.largest), numberText(each.largestRotated))
            : tr("Largest magnitude: %1. This operand is not rotated.").arg(numberText(each.largest)));
}

void BlocksPage::refresh() {
    const RunState* run = m_session->run(m_run);
    m_body->setVisible(m_readStep >= 0);
    m_about->setText(run && m_readStep >= 0 ? tr("%1, step %2").arg(run->name(), groupedText(m_readStep)) : QString());
    const std::int64_t step = stepToRead();
    m_read->setText(m_asked != 0 ? tr("Reading") : tr("Read step %1").arg(groupedText(std::max<std::int64_t>(0, step))));
    m_read->setAccessibleName(m_read->text());
    const QString refusal = refusalFor(run, step);
    m_read->setEnabled(m_isAlive && m_asked == 0 && refusal.isEmpty());
    if (std::exchange(m_refusal, refusal) != refusal) emit refusalChanged(refusal);
}

}  // namespace mantissa::gui
