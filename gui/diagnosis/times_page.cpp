// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/times_page.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <utility>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/blocks_page.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kTimeRowPixels = 20, kTimeRows = 7;  // rows that are visible at least
constexpr int kOperationWidth = 180, kTimeWidth = 58, kColumnEdges = 18;
constexpr int kNotesWidth = 280, kShareWidth = 60, kBarEdge = 10;
constexpr int kNarrowTimes = 1200;  // px: below this width the sentences are below the table

/// "H200", "RTX 4090".
QString gpuText(const std::string& name) {
    return QString::fromStdString(name).toUpper().replace(u'-', u' ');
}

/// Paints a row's share of the step as a bar left of the number.
class ShareDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QRect bar = option.rect.adjusted(kBarEdge, 2, 0, -3);
        const auto* model = static_cast<const TimesModel*>(index.model());
        const double longest = model->share(0);
        bar.setWidth(longest > 0 ? static_cast<int>((bar.width() - kShareWidth) * std::min(1.0, model->share(index.row()) / longest)) : 0);
        painter->fillRect(bar, Theme::current().accent);
        QStyledItemDelegate::paint(painter, option, index);
    }
};

}  // namespace

TimesPage::TimesPage(const SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine) {
    const auto [card, head, column] = makeTitledCard(tr("Step time"), this);
    makeColumn(0, {}, this)->addWidget(card, 1);
    buildHead(head);
    m_sentence = makeWrappedLabel({}, "secondary", card);
    column->addWidget(m_sentence);
    m_body = new QWidget(card);
    m_parts = makeRow(16, {0, 6, 0, 0}, m_body);
    m_model = new TimesModel(this);
    m_table = new CopyTable(tr("Time of a step by operation"), kTimeRowPixels, m_body);
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(TimesModel::Share, new ShareDelegate(m_table));
    setTableFonts(m_table);
    fixColumns(m_table, kTimeRowPixels, TimesModel::Share);
    m_table->setMinimumHeight((kTimeRows + 1) * kTimeRowPixels);
    auto* words = makeColumn(8);
    words->addWidget(makeLabel(tr("What limits the step"), "title", m_body));
    m_notes = makeWrappedLabel({}, "body2", m_body);
    m_notes->setAccessibleName(tr("What limits the step"));
    m_notes->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_notes->setMinimumWidth(kNotesWidth);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_parts->addWidget(m_table, 3);
    words->addWidget(m_notes, 1);
    m_parts->addLayout(words, 1);
    column->addWidget(m_body, 1);
    column->addStretch(0);

    connect(session, &SessionModel::timesMeasured, this, [this](const TimesMeasured& answer) {
        m_measured.insert_or_assign(answer.run, answer);
        refresh();
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked != 0 && commandId == m_asked) m_problems[m_askedRun] = sentence;
    });
    connect(session, &SessionModel::questionProgressed, this, [this](const QuestionProgress& progress) {
        if (m_asked != 0 && progress.commandId == m_asked) m_sentence->setText(progressText(progress.progress));
    });
    connect(engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_asked = 0;
        askNext();
        refresh();
    });
    connect(engine, &EngineClient::lost, this, &TimesPage::forget);
    connect(session, &SessionModel::experimentLoaded, this, &TimesPage::forget);
    connect(session, &SessionModel::runsChanged, this, &TimesPage::refresh);
    connect(session, &SessionModel::runChanged, this, &TimesPage::refreshButtons);
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (m_step < 0) refreshButtons();
    });
    refresh();
}

void TimesPage::buildHead(QHBoxLayout* head) {
    m_about = makeLabel({}, "secondary", this);
    head->addWidget(m_about, 1);
    head->addWidget(makeLabel(tr("Compare with"), "secondary", this));
    m_beside = new ComboBox(tr("Times shown beside those of this run"), this);
    m_beside->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_beside->setMinimumContentsLength(14);
    m_beside->setToolTip(tr("Another run that was measured, or a GPU for which the times of this run's step are predicted"));
    head->addWidget(m_beside);
    m_measure = makeButton({}, {}, {}, this);
    m_measure->setToolTip(
        tr("Goes back to the step on a copy of the run, repeats it several times and times each operation. The run goes on."));
    head->addWidget(m_measure);
    m_all = makeButton({}, {}, {}, this);
    m_all->setToolTip(tr("Measures the latest step of each run, so that they can be shown beside each other"));
    head->addWidget(m_all);
    connect(m_beside, &QComboBox::activated, this, &TimesPage::showTimes);
    connect(m_measure, &QPushButton::clicked, this, &TimesPage::measure);
    connect(m_all, &QPushButton::clicked, this, &TimesPage::measureAll);
}

void TimesPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_parts->setDirection(width() < kNarrowTimes ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void TimesPage::show(RunId run, std::int64_t step) {
    const bool isOther = std::exchange(m_run, run) != run;
    m_step = step;
    isOther ? refresh() : refreshButtons();
}

void TimesPage::setEngineAlive(bool alive) {
    m_isAlive = alive;
    refreshButtons();
}

std::int64_t TimesPage::stepToMeasure(RunId run, std::int64_t step) const {
    const RunState* state = m_session->run(run);
    return step >= 0 || !state ? step : state->stepCount() - 1;
}

void TimesPage::measure() {
    if (m_asked == 0) return ask(m_run, stepToMeasure(m_run, m_step));
    m_next.clear();
    m_engine->ask(StopQuestion{m_asked});
}

void TimesPage::measureAll() {
    if (m_asked != 0) return;
    for (const auto& run : m_session->runs())
        if (BlocksPage::refusalFor(run.get()).isEmpty()) m_next.push_back(run->id);
    askNext();
}

void TimesPage::ask(RunId run, std::int64_t step) {
    m_problems.erase(run);
    m_askedRun = run;
    m_asked = m_engine->ask(MeasureTimes{run, step});
    if (m_asked == 0) m_problems[run] = tr("The engine has stopped: restart it to measure a step.");
    refresh();
}

void TimesPage::askNext() {
    if (m_next.empty()) return;
    const RunId run = m_next.front();
    m_next.pop_front();
    ask(run, stepToMeasure(run, -1));
}

void TimesPage::forget() {
    m_asked = 0;
    m_next.clear();
    m_measured.clear();
    m_problems.clear();
    refresh();
}

/// Lists the other measured runs, then the GPUs. Keeps the choice.
void TimesPage::refreshChoices() {
    QList<std::pair<QString, QVariant>> choices{{tr("nothing"), QVariant()}};
    const auto found = m_measured.find(m_run);
    if (found != m_measured.end()) {
        for (const auto& [run, measured] : m_measured)
            if (run != m_run) choices.push_back({m_session->run(run)->name(), run});
        for (const StepTimes& each : found->second.predictions)
            choices.push_back({tr("%1, predicted").arg(gpuText(each.device)), QString::fromStdString(each.device)});
    }
    m_beside->setEnabled(choices.size() > 1);
    if (choices == m_choices) return;
    m_choices = choices;
    const QVariant chosen = m_beside->currentData();
    m_beside->clear();
    for (const auto& [text, value] : choices) m_beside->addItem(text, value);
    m_beside->setCurrentIndex(std::max(0, m_beside->findData(chosen)));
}

void TimesPage::showTimes() {
    const TimesMeasured& measured = m_measured.at(m_run);
    const QVariant chosen = m_beside->currentData();
    QStringList notes;
    const auto add = [&](const std::vector<Text>& texts) {
        for (const Text& note : texts) notes << engineText(note);
    };
    add(measured.times.notes);
    const auto predicted = std::find_if(measured.predictions.begin(), measured.predictions.end(), [&](const StepTimes& each) {
        return chosen.typeId() == QMetaType::QString && QString::fromStdString(each.device) == chosen.toString();
    });
    const auto other = chosen.typeId() == QMetaType::Int ? m_measured.find(chosen.toInt()) : m_measured.end();
    if (predicted != measured.predictions.end()) {
        const QString name = gpuText(predicted->device);
        m_model->setBeside(*predicted, name);
        notes << tr("On %1, a step is predicted to take %2.").arg(name, millisecondsText(predicted->seconds));
        add(predicted->notes);
    } else if (other != m_measured.end()) {
        const QString name = m_session->run(other->first)->name();
        const double seconds = other->second.times.stepSeconds;
        m_model->setBeside(other->second.times, name);
        notes << tr("A step of “%1” takes %2, so this run takes %3 times as long.")
                     .arg(name, millisecondsText(seconds), numberText(measured.times.stepSeconds / seconds, 3));
    } else {
        m_model->setBeside({}, {});
    }
    if (notes.isEmpty()) notes << tr("No kind of operation stands out.");
    m_notes->setText(notes.join(QStringLiteral("\n\n")));
    const QFontMetrics metrics(pixelFont(font(), kTagPixels));
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const int words = metrics.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        m_table->setColumnWidth(column, std::max(column == TimesModel::Operation ? kOperationWidth
                                                 : column == TimesModel::Share   ? 2 * kTimeWidth
                                                                                 : kTimeWidth,
                                                 words + kColumnEdges));
    }
    fixColumns(m_table, kTimeRowPixels, TimesModel::Share);  // the model may have more columns now
}

void TimesPage::refreshButtons() {
    const QString refusal = BlocksPage::refusalFor(m_session->run(m_run));
    const bool isReady = m_isAlive && m_asked == 0 && refusal.isEmpty();
    const std::int64_t step = std::max<std::int64_t>(0, stepToMeasure(m_run, m_step));
    m_measure->setText(m_asked != 0 ? tr("Stop measuring") : tr("Measure step %1").arg(groupedText(step)));
    m_measure->setAccessibleName(m_measure->text());
    m_measure->setEnabled(isReady || m_asked != 0);
    m_all->setText(tr("Measure all runs"));
    m_all->setAccessibleName(m_all->text());
    m_all->setEnabled(isReady);
    if (std::exchange(m_refusal, refusal) != refusal) emit refusalChanged(refusal);
}

void TimesPage::refresh() {
    refreshButtons();
    const RunState* run = m_session->run(m_run);
    std::erase_if(m_measured, [this](const auto& each) { return !m_session->run(each.first); });
    const auto found = m_measured.find(m_run);
    m_body->setVisible(found != m_measured.end());
    refreshChoices();
    if (found == m_measured.end()) {
        m_about->setText({});
        m_sentence->setText(
            tr("Where does the time of a step go, and why is a narrower format not faster? Each operation of a step is timed "
               "on this device. The run does not change."));
    } else {
        const StepTimes& times = found->second.times;
        const auto percent = [&](OperationKind kind) { return numberText(100 * times.secondsOf(kind) / times.seconds, 2); };
        m_about->setText(tr("%1, step %2, on %3").arg(run->name(), groupedText(found->second.step), QString::fromStdString(times.device)));
        m_sentence->setText(tr("A step takes %1, its operations %2: products %3 %, conversions between formats %4 %, others %5 %.")
                                .arg(millisecondsText(times.stepSeconds), millisecondsText(times.seconds), percent(OperationKind::Product),
                                     percent(OperationKind::Conversion), percent(OperationKind::Other)));
        m_model->show(times);
        showTimes();
    }
    if (const auto problem = m_problems.find(m_run); problem != m_problems.end()) m_sentence->setText(problem->second);
}

}  // namespace mantissa::gui
