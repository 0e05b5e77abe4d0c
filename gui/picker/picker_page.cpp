// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/picker/picker_page.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScreen>
#include <QScrollArea>
#include <algorithm>

#include "gui/controls/copy_table.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/picker/draft_form.h"
#include "gui/picker/ledger_model.h"

namespace mantissa::gui {
namespace {

constexpr QSize kPageSize{1220, 900};
constexpr int kCostWidth = 416, kNamesWidth = 122, kRunWidth = 58;  // least width beside the form; widths of the table's columns
constexpr int kRowPixels = 24, kHeadPixels = 36, kPoliciesPerLine = 4;
constexpr double kGibi = 1024.0 * 1024 * 1024, kDefaultGpuGibi = 8, kLargestGpuGibi = 1e6;

/// The precision policies of the current runs, each once, in the table's order.
std::vector<std::string> policiesOf(const SessionModel& session) {
    std::vector<std::string> policies;
    for (const std::string& name : policyNames()) {
        const auto& runs = session.runs();
        if (std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run->info.settings.training.precision.policy == name; }))
            policies.push_back(name);
    }
    return policies;
}

Draft draftOf(const SessionModel& session) {
    std::vector<RunSettings> runs;
    for (const auto& run : session.runs()) runs.push_back(run->info.settings);
    return runs.empty() ? Draft() : Draft(runs, policiesOf(session));
}

}  // namespace

PickerPage::PickerPage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QDialog(parent), m_session(session), m_engine(engine), m_draft(draftOf(*session)), m_ledger(new LedgerModel(this)) {
    setWindowTitle(tr("New experiment"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = makeColumn(12, {20, 16, 20, 14}, this);
    auto* head = makeRow(14);
    head->addWidget(makeLabel(tr("New experiment"), "headline", this));
    m_title = new QLineEdit(this);
    m_title->setAccessibleName(tr("Title of the experiment"));
    m_title->setMaxLength(200);
    head->addWidget(m_title, 1);
    column->addLayout(head);
    auto* body = makeRow(20);
    m_form = new DraftForm(this);
    QScrollArea* scroll = makeScroll(m_form, this);
    scroll->setFrameShape(QFrame::NoFrame);
    body->addWidget(scroll, 1);
    body->addWidget(buildCost());
    column->addLayout(body, 1);

    auto* foot = makeRow(8);
    m_foot = makeWrappedLabel({}, "danger", this);
    m_foot->setObjectName(QStringLiteral("foot"));
    foot->addWidget(m_foot, 1);
    m_cancel = makeButton(tr("Cancel"), {}, tr("Cancel"), this);
    m_create = makeButton(tr("Create"), {}, tr("Create the experiment"), this);
    m_create->setObjectName(QStringLiteral("create"));
    m_create->setProperty("look", "primary");
    m_create->setDefault(true);
    m_cancel->setAutoDefault(false);
    foot->addWidget(m_cancel);
    foot->addWidget(m_create);
    column->addLayout(foot);

    connect(m_title, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_draft.setTitle(text.trimmed().toStdString());
        askSoon();
    });
    connect(m_form, &DraftForm::changed, this, &PickerPage::change);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_create, &QPushButton::clicked, this, &PickerPage::create);
    connect(&m_askTimer, &QTimer::timeout, this, &PickerPage::ask);
    connect(&m_slowTimer, &QTimer::timeout, this, [this] { showStyled(m_foot, tr("The engine reads the data…"), "secondary"); });
    connect(session, &SessionModel::previewed, this, &PickerPage::take);
    connect(session, &SessionModel::experimentLoaded, this, [this] {
        if (m_isWaiting) accept();
    });
    connect(engine, &EngineClient::started, this, &PickerPage::askSoon);
    connect(engine, &EngineClient::lost, this, [this] {
        m_isWaiting = false;
        showProblem({}, tr("The engine has stopped: restart it to go on."));
    });

    m_form->setTabBegin(m_title);
    m_form->show(m_draft.rows());
    resize(kPageSize.boundedTo(screen()->availableSize() - QSize(24, 60)));
    if (DraftCell* first = m_form->cell("/data/name")) first->control()->setFocus(Qt::OtherFocusReason);
    ask();
}

QWidget* PickerPage::buildCost() {
    auto* side = m_cost = new QWidget(this);
    side->setFixedWidth(kCostWidth);
    auto* column = makeColumn(8, {}, side);
    auto* head = makeRow(10);
    head->addWidget(makeLabel(tr("Runs"), "title", side));
    QLabel* rule = makeWrappedLabel(tr("one for each format, its loss scaler as the format needs"), "secondary", side);
    head->addWidget(rule, 1);
    column->addLayout(head);
    column->addLayout(buildPolicies());
    column->addSpacing(4);
    buildTable();
    column->addWidget(m_table);

    auto* memory = makeRow(8);
    QLabel* memoryLabel = makeLabel(tr("GPU memory"), "secondary", side);
    m_gpuMemory = new QLineEdit(editText(kDefaultGpuGibi), side);
    m_gpuMemory->setAccessibleName(tr("GPU memory in GiB"));
    m_gpuMemory->setAlignment(Qt::AlignRight);
    m_gpuMemory->setFixedWidth(64);
    memoryLabel->setBuddy(m_gpuMemory);
    memory->addWidget(memoryLabel);
    memory->addWidget(m_gpuMemory);
    memory->addWidget(makeLabel(tr("GiB"), "secondary", side));
    memory->addStretch(1);
    column->addLayout(memory);
    connect(m_gpuMemory, &QLineEdit::textEdited, this, [this] {
        setStyleProperty(m_gpuMemory, "state", gpuBytes() ? "" : "refused");
        askSoon();
    });
    m_costNote = makeWrappedLabel({}, "secondary", side);
    column->addWidget(m_costNote);
    column->addStretch(1);
    return side;
}

QGridLayout* PickerPage::buildPolicies() {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(0);
    for (const std::string& policy : policyNames()) {
        auto* box = new CheckBox(QString::fromStdString(policyScreenName(policy)), this);
        const auto& ticked = m_draft.policies();
        box->setChecked(std::find(ticked.begin(), ticked.end(), policy) != ticked.end());
        const int place = static_cast<int>(m_policies.size());
        grid->addWidget(box, place / kPoliciesPerLine, place % kPoliciesPerLine);
        m_policies.emplace_back(policy, box);
        connect(box, &QCheckBox::toggled, this, [this] {
            std::vector<std::string> chosen;
            for (const auto& [name, each] : m_policies) {
                if (each->isChecked()) chosen.push_back(name);
            }
            m_draft.setPolicies(std::move(chosen));
            askSoon();
        });
    }
    return grid;
}

void PickerPage::buildTable() {
    m_table = new QTableView(this);
    m_table->setModel(m_ledger);
    m_table->setItemDelegate(new LedgerDelegate(m_ledger, m_table));
    m_table->setAccessibleName(tr("Memory of each run by purpose"));
    m_table->verticalHeader()->setMinimumSectionSize(kRowPixels);
    makePlain(m_table, kRowPixels);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(40);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setFixedHeight(kHeadPixels);
    m_table->setFixedHeight(kHeadPixels + kRowPixels * (LedgerModel::RowCount - 1) + LedgerDelegate::kBarPixels + 4);
    m_table->setStyleSheet(QStringLiteral("QTableView::item, QHeaderView::section { padding: 0 4px; }"));
    connect(m_ledger, &QAbstractItemModel::modelReset, this, [this] {
        m_table->setRowHeight(LedgerModel::BarRow, LedgerDelegate::kBarPixels);
        m_table->horizontalHeader()->setSectionResizeMode(LedgerModel::kNameColumn, QHeaderView::ResizeToContents);
    });
}

std::optional<std::int64_t> PickerPage::gpuBytes() const {
    const std::optional<double> gibi = parseNumber(m_gpuMemory->text());
    if (!gibi || !(*gibi > 0) || *gibi > kLargestGpuGibi) return std::nullopt;
    return static_cast<std::int64_t>(*gibi * kGibi);
}

void PickerPage::change(const std::string& pointer, const Json& value) {
    m_lastChanged = pointer;
    m_draft.set(pointer, value);
    m_form->show(m_draft.rows());
    askSoon();
}

void PickerPage::askSoon() {
    m_asked = 0;
    m_wantsCreate = false;  // the request to create belonged to another draft
    m_slowTimer.stop();
    setVerdict(Verdict::Asking);
    m_askTimer.start();
}

void PickerPage::ask() {
    m_askTimer.stop();
    m_title->setPlaceholderText(QString::fromStdString(m_draft.title()));
    m_asked = m_engine->send(PreviewExperiment{m_draft.text(), gpuBytes().value_or(0)});
    m_slowTimer.start();
    if (m_asked == 0) showProblem({}, tr("No engine is running."));
}

void PickerPage::take(const ExperimentPreviewed& preview) {
    if (preview.commandId != m_asked) return;
    m_slowTimer.stop();
    // If the model cannot take the chosen data, a model that can replaces it.
    const auto& models = preview.models;
    if (m_lastChanged.starts_with("/data") && preview.pointer == "/data/name" && !models.empty() &&
        std::find(models.begin(), models.end(), m_draft.settings().training.model.kind) == models.end()) {
        m_draft.set("/model/kind", models.front());
        m_form->show(m_draft.rows());
        m_lastChanged.clear();
        return ask();
    }
    if (DraftCell* kind = m_form->cell("/model/kind")) kind->setOffered(models);
    m_form->setSummary(DraftSection::Data, QString::fromStdString(preview.dataText));
    if (!preview.sentence.empty()) return showProblem(preview.pointer, QString::fromStdString(preview.sentence));
    showProblem({}, {});
    showCost(preview);
    setVerdict(Verdict::Good);
    if (std::exchange(m_wantsCreate, false)) create();
}

void PickerPage::showCost(const ExperimentPreviewed& preview) {
    m_form->setSummary(DraftSection::Model,
                       tr("%1: %2 parameters").arg(QString::fromStdString(preview.modelText), groupedText(preview.parameters)));
    m_cost->setFixedWidth(std::max(kCostWidth, kNamesWidth + kRunWidth * static_cast<int>(preview.runs.size())));
    m_ledger->show(preview, gpuBytes() ? tr("%1 GiB").arg(m_gpuMemory->text().trimmed()) : QString());
    std::int64_t together = preview.dataBytes;
    for (const PreviewedRun& run : preview.runs) together += run.memory.total();
    const bool fits = together <= preview.availableBytes;
    m_costNote->setText(tr("With the data, %1 in all as each run has its own copy, the runs take %2, scratch included. %3")
                            .arg(bytesText(preview.dataBytes), bytesText(together),
                                 fits ? tr("This machine has %1 to spare.").arg(bytesText(preview.availableBytes))
                                      : tr("This machine has only %1 to spare.").arg(bytesText(preview.availableBytes))));
    setStyleProperty(m_costNote, "kind", fits ? "secondary" : "danger");
}

void PickerPage::showProblem(const std::string& pointer, const QString& sentence) {
    // Shown beside its field; also at the foot if the field is not visible or not in this form.
    const DraftCell* concerned = m_form->showProblem(pointer, sentence);
    const bool isAway = concerned != nullptr && concerned->visibleRegion().isEmpty();
    showStyled(m_foot,
               concerned == nullptr ? sentence
               : isAway             ? tr("%1: %2").arg(engineText(concerned->row().label), sentence)
                                    : QString(),
               concerned != nullptr && concerned->isEmptyPath() ? "secondary" : "danger");
    if (sentence.isEmpty()) return;
    m_form->setSummary(DraftSection::Model, {});
    m_costNote->clear();
    m_slowTimer.stop();
    m_wantsCreate = false;
    setVerdict(Verdict::Bad);
}

void PickerPage::setVerdict(Verdict verdict) {
    m_verdict = verdict;
    m_ledger->setStale(verdict != Verdict::Good);
    m_create->setEnabled(verdict != Verdict::Bad && !m_isWaiting);
    m_create->setText(m_isWaiting ? tr("Creating…") : tr("Create"));
}

void PickerPage::create() {
    if (m_verdict == Verdict::Asking) {
        m_wantsCreate = true;
        if (m_askTimer.isActive()) ask();
        return;
    }
    if (m_verdict == Verdict::Bad || m_isWaiting) return;
    m_isWaiting = true;
    setVerdict(Verdict::Good);
    emit created(QString::fromStdString(m_draft.name()), QString::fromStdString(m_draft.text()));
}

void PickerPage::takeRefusal(const QString& pointer, const QString& sentence) {
    m_isWaiting = false;
    showProblem(pointer.toStdString(), sentence);
}

}  // namespace mantissa::gui
