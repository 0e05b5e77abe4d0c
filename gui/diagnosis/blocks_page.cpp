// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/blocks_page.h"

#include <QHeaderView>
#include <algorithm>
#include <utility>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kBlockRowPixels = 20;
constexpr int kSeveralSteps = 12;
constexpr int kBlockWidths[] = {0, 168, 66, 70, 62, 70};  // of the table's columns; the layer takes the rest

/// "NVFP4, blocks of 16x1, rotated, stochastic rounding"
QString blocksText(const OperandBlocks& each) {
    const auto format = blockFormatFromName(each.format);
    const QString name = format ? nameText(format->screenName) : QString::fromStdString(each.format);
    QStringList parts{name, BlocksPage::tr("blocks of %1").arg(QString::fromStdString(blockShapeName({each.blockRows, each.blockCols})))};
    if (each.isRequantized) parts << BlocksPage::tr("requantised");
    if (each.isRotated) parts << BlocksPage::tr("rotated");
    if (each.isStochastic) parts << BlocksPage::tr("stochastic rounding");
    return parts.join(QStringLiteral(", "));
}

}  // namespace

QString BlocksPage::refusalFor(const RunState* run) {
    if (!run || !run->isOwn()) return tr("Only a run that the engine trains can repeat a step.");
    return run->hasSteps() ? QString() : tr("The run has no step yet.");
}

bool BlocksPage::hasOwnBlocks(const RunState& run) {
    if (isBlockPolicy(run.info.settings.training.precision.policy)) return true;
    return std::any_of(run.effectiveAt.begin(), run.effectiveAt.end(), [](const auto& each) {
        return each.first.startsWith(QStringLiteral("/precision")) && each.second > 0;  // earlier steps had another precision
    });
}

BlocksPage::BlocksPage(const SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine) {
    const auto [card, head, column] = makeTitledCard(tr("Blocks"), this);
    makeColumn(0, {}, this)->addWidget(card, 1);
    buildHead(head);
    m_sentence = makeWrappedLabel({}, "secondary", card);
    column->addWidget(m_sentence);
    m_body = new QWidget(card);
    auto* body = makeRow(12, {0, 6, 0, 0}, m_body);
    m_model = new BlockModel(this);
    m_table = new CopyTable(tr("Quantised operands"), kBlockRowPixels, m_body);
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setMinimumWidth(420);
    setTableFonts(m_table);
    fixColumns(m_table, kBlockRowPixels, BlockModel::LayerColumn);
    for (int i = 1; i < BlockModel::ColumnCount; ++i) m_table->setColumnWidth(i, kBlockWidths[i]);
    m_strip = new BlockStrip(m_body);
    auto* left = makeColumn(8);
    left->addWidget(m_table, 1);
    left->addWidget(m_strip, 1);
    body->addLayout(left, 1);
    body->addWidget(buildOperand(m_body), 1);
    column->addWidget(m_body, 1);
    column->addStretch(0);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &BlocksPage::showOperand);
    connect(m_strip, &BlockStrip::cellChosen, this, [this](qint64 step, int row) { showStep(step, row); });
    connect(m_strip, &BlockStrip::rowChosen, this, [this](int row) { m_table->setCurrentIndex(m_model->index(row, 0)); });
    connect(session, &SessionModel::elementsRead, this, &BlocksPage::take);
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_asked = 0;
        const bool isNothingRead = m_next.empty() && m_readStep < 0;
        if (!m_isSeveral || isNothingRead) m_sentence->setText(sentence);
        if (m_isSeveral && !isNothingRead) sayRead();
        askNext();  // another step may have blocks
        refresh();
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
    connect(session, &SessionModel::runRewound, this, [this](int run) {
        if (run == m_run) clear({});  // steps that were read may be among the discarded ones
    });
    clear({});
}

void BlocksPage::buildHead(QHBoxLayout* head) {
    m_about = makeLabel({}, "secondary", this);
    head->addWidget(m_about, 1);
    head->addWidget(makeLabel(tr("Precision"), "secondary", this));
    m_policies = new ComboBox(tr("Precision in which the step is read"), this);
    m_policies->setToolTip(
        tr("A precision shows the step as it would be after a switch to it, with its usual recipe and without overrides. The run does not "
           "change."));
    head->addWidget(m_policies);
    m_read = makeButton({}, {}, {}, this);
    head->addWidget(m_read);
    m_several = makeButton({}, {}, {}, this);
    head->addWidget(m_several);
    connect(m_policies, &QComboBox::activated, this, [this] { clear({}); });
    connect(m_read, &QPushButton::clicked, this, &BlocksPage::read);
    connect(m_several, &QPushButton::clicked, this, &BlocksPage::readSeveral);
}

void BlocksPage::choosePolicy(const QString& policy) {
    const int at = m_policies->findData(policy);
    if (at < 0 || at == m_policies->currentIndex()) return;
    m_policies->setCurrentIndex(at);
    clear({});
}

/// Lists the run's own precision, if a step of it may have blocks, and all block policies. Returns whether another one is chosen now.
bool BlocksPage::refreshPolicies() {
    const RunState* run = m_session->run(m_run);
    const bool hasOwn = run && hasOwnBlocks(*run);
    if (m_policies->count() > 0 && (m_policies->findData(QString()) >= 0) == hasOwn) return false;
    const QVariant chosen = m_policies->currentData();
    m_policies->clear();
    if (hasOwn) m_policies->addItem(tr("as trained"), QString());
    for (const BlockPolicy& each : blockPolicies()) m_policies->addItem(nameText(each.screenName), nameText(each.name));
    const bool hasOwnNow = hasOwn && isBlockPolicy(run->info.settings.training.precision.policy);
    const int before = chosen.isValid() ? m_policies->findData(chosen) : -1;
    m_policies->setCurrentIndex(before >= 0 ? before : hasOwn && !hasOwnNow ? 1 : 0);
    return chosen.isValid() && before < 0;
}

QWidget* BlocksPage::buildOperand(QWidget* parent) {
    auto* part = new QWidget(parent);
    auto* column = makeColumn(6, {}, part);
    m_operand = makeWrappedLabel({}, "secondary", part);
    m_map = new BlockMapPlot(part);
    m_scales = new ScaleHistogram(part);
    m_rotation = makeWrappedLabel({}, "secondary", part);
    column->addWidget(m_operand);
    column->addWidget(m_map, 1);
    column->addWidget(m_scales);
    column->addWidget(m_rotation);
    return part;
}

void BlocksPage::show(RunId run, std::int64_t step) {
    const bool isOther = run != m_run;
    const bool isOtherStep = std::exchange(m_step, step) != step;
    m_run = run;
    if (isOther) {
        m_policies->clear();
        return clear({});
    }
    if (isOtherStep && m_strip->operandsOf(stepToRead())) showStep(stepToRead(), m_table->currentIndex().row());
    refresh();
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
    m_isSeveral = false;
    ask(stepToRead());
}

void BlocksPage::readSeveral() {
    const RunState* run = m_session->run(m_run);
    if (m_asked != 0 || !run) {
        m_next.clear();
        return refresh();
    }
    for (const std::int64_t step : spreadSteps(run->info.firstStep, run->stepCount() - 1, kSeveralSteps))
        if (!m_strip->operandsOf(step)) m_next.push_back(step);
    m_isSeveral = true;
    if (m_next.empty()) m_sentence->setText(tr("These steps were read already."));
    askNext();
}

void BlocksPage::ask(std::int64_t step) {
    m_asked = m_engine->ask(readBlocksOf(m_run, step, m_policies->currentData().toString().toStdString()));
    if (m_asked == 0) return clear(tr("The engine has stopped: restart it to read a step."));
    m_sentence->setText(m_next.empty() ? tr("The step is repeated. The run does not change.")
                                       : tr("Step %1 is repeated, and %2 more. The run does not change.")
                                             .arg(groupedText(step), groupedText(static_cast<std::int64_t>(m_next.size()))));
    refresh();
}

void BlocksPage::askNext() {
    if (m_next.empty()) return;
    const std::int64_t step = m_next.front();
    m_next.pop_front();
    ask(step);
}

void BlocksPage::take(const ElementsRead& answer) {
    if (m_asked == 0 || answer.commandId != m_asked) return;
    m_asked = 0;
    sayRead();
    m_strip->add(answer.step, answer.blocks);
    if (!m_isSeveral || m_readStep < 0) showStep(answer.step, std::max(0, m_table->currentIndex().row()));
    askNext();
    refresh();
}

void BlocksPage::sayRead() {
    m_sentence->setText(tr("Select an operand: its map shows the signal to quantisation noise ratio of its blocks."));
}

void BlocksPage::clear(const QString& sentence) {
    m_asked = 0;
    m_next.clear();
    m_readStep = -1;
    m_model->show({});
    m_strip->clear();
    m_sentence->setText(sentence.isEmpty() ? tr("What the block format makes of each operand of the step's matrix products.") : sentence);
    refresh();
}

void BlocksPage::showStep(std::int64_t step, int row) {
    const std::vector<OperandBlocks>* operands = m_strip->operandsOf(step);
    if (!operands) return;
    m_readStep = step;
    m_model->show(*operands);
    m_table->setMaximumHeight((m_model->rowCount() + 1) * kBlockRowPixels + 2 * m_table->frameWidth());
    m_table->setCurrentIndex(m_model->index(std::min(row, m_model->rowCount() - 1), 0));
    showOperand();
    refresh();
}

void BlocksPage::showOperand() {
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= m_model->rowCount()) return;
    const OperandBlocks& each = m_model->row(row);
    m_strip->choose(m_readStep, row);
    m_operand->setText(tr("%1: %2").arg(QString::fromStdString(each.tensor), blocksText(each)));
    m_map->show(each);
    m_scales->show(each.scales);
    m_rotation->setText(
        each.isRotated
            ? tr("Largest magnitude: %1 before the rotation, %2 after it.").arg(numberText(each.largest), numberText(each.largestRotated))
            : tr("Largest magnitude: %1. This operand is not rotated.").arg(numberText(each.largest)));
}

void BlocksPage::refresh() {
    if (refreshPolicies()) return clear({});
    const RunState* run = m_session->run(m_run);
    m_body->setVisible(m_readStep >= 0);
    m_about->setText(run && m_readStep >= 0 ? tr("%1, step %2").arg(run->name(), groupedText(m_readStep)) : QString());
    const std::int64_t step = stepToRead();
    const QString refusal = refusalFor(run);
    const bool isReady = m_isAlive && m_asked == 0 && refusal.isEmpty();
    m_read->setText(m_asked != 0 ? tr("Reading") : tr("Read step %1").arg(groupedText(std::max<std::int64_t>(0, step))));
    m_read->setAccessibleName(m_read->text());
    m_read->setEnabled(isReady);
    m_policies->setEnabled(isReady);
    m_several->setText(m_next.empty() ? tr("Read %1 steps of the run").arg(kSeveralSteps) : tr("Stop"));
    m_several->setAccessibleName(m_several->text());
    m_several->setEnabled(isReady || !m_next.empty());
    if (std::exchange(m_refusal, refusal) != refusal) emit refusalChanged(refusal);
}

}  // namespace mantissa::gui
