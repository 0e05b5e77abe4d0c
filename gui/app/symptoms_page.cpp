// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/symptoms_page.h"

#include <algorithm>

#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {
namespace {

constexpr int kRunPixels = 150;  // px of a run's name

QPushButton* makeLink(const QString& text, const QString& name, QWidget* parent) {
    QPushButton* button = makeButton(text, {}, name, parent);
    button->setProperty("look", "link");
    button->setCursor(Qt::PointingHandCursor);
    button->setAutoDefault(false);
    button->setToolTip(name);
    return button;
}

QString experimentTitle(const SessionModel& session, const QString& name) {
    for (const BundledExperiment& each : session.hello().experiments)
        if (each.name == name.toStdString()) return QString::fromStdString(each.title);
    return name;
}

}  // namespace

SymptomsPage::SymptomsPage(const SessionModel* session, QWidget* parent) : QWidget(parent), m_session(session) {
    auto* column = makeColumn(10, {}, this);
    m_summary = makeWrappedLabel({}, "body2", this);
    column->addWidget(m_summary);
    auto* list = new QWidget;
    auto* rows = makeColumn(8, {0, 0, 10, 0}, list);
    for (int i = 0; i < kSymptoms; ++i) addRow(rows, static_cast<Symptom>(i));
    rows->addStretch(1);
    column->addWidget(makeScroll(list, this), 1);

    connect(&m_delay, &QTimer::timeout, this, &SymptomsPage::refresh);
    connectEach(session, &m_delay, &Delay::begin, &SessionModel::experimentLoaded, &SessionModel::seriesReset, &SessionModel::runsChanged,
                &SessionModel::recordsAppended, &SessionModel::runChanged, &SessionModel::runRewound, &SessionModel::stepExamined,
                &SessionModel::tensorsMeasured);
    refresh();
}

void SymptomsPage::addRow(QVBoxLayout* column, Symptom symptom) {
    if (symptom != Symptom{}) column->addWidget(makeRule(Qt::Horizontal, this));
    const SymptomEntry entry = symptomEntry(symptom);
    Row& row = m_rows[static_cast<std::size_t>(symptom)];
    auto* head = makeRow(8);
    row.icon = new IconLabel(this, 14);
    row.title = makeWrappedLabel(entry.title, "body", this);
    QPushButton* section = makeLink(tr("Guide"), tr("Read in the guide: %1").arg(entry.title), this);
    QPushButton* experiment =
        makeLink(tr("Experiment"), tr("Open the experiment that shows it: %1").arg(experimentTitle(*m_session, entry.experiment)), this);
    connect(section, &QPushButton::clicked, this, [this, entry] { emit sectionRequested(entry.section); });
    connect(experiment, &QPushButton::clicked, this, [this, entry] { emit experimentRequested(entry.experiment); });
    head->addWidget(row.icon);
    head->addWidget(row.title, 1);
    addWidgets(head, {section, experiment});
    column->addLayout(head);
    row.lines = makeColumn(2, {22, 0, 0, 0});
    column->addLayout(row.lines);
}

void SymptomsPage::refresh() {
    int marked = 0;
    for (int i = 0; i < kSymptoms; ++i) {
        const auto symptom = static_cast<Symptom>(i);
        Row& row = m_rows[static_cast<std::size_t>(i)];
        std::vector<SymptomSign> signs = signsOf(symptom, *m_session);
        marked += signs.empty() ? 0 : 1;
        if (m_isFilled && signs == row.signs) continue;  // unchanged rows keep the focus
        row.signs = std::move(signs);
        fill(row, symptomEntry(symptom));
    }
    m_isFilled = true;
    m_summary->setText(marked == 0 ? tr("None of the present runs shows one of these. Choose what you see in your own training.")
                                   : tr("What a present run shows is marked, and leads to it. For your own training choose what you see."));
}

void SymptomsPage::fill(Row& row, const SymptomEntry& entry) {
    const bool isShown = !row.signs.empty();
    row.icon->setIcon(isShown ? QStringLiteral("warning") : QStringLiteral("info"), isShown ? IconInk::Danger : IconInk::Ink2);
    setStyleProperty(row.title, "kind", isShown ? "title" : "body");
    row.title->setAccessibleName(isShown ? tr("%1: shown by a present run").arg(entry.title) : entry.title);
    emptyLayout(row.lines);
    for (const SymptomSign& sign : row.signs) {
        const RunState* run = m_session->run(sign.run);
        if (!run) continue;
        auto* line = new QWidget(this);
        auto* inside = makeRow(8, {}, line);
        QPushButton* link = makeLink(fontMetrics().elidedText(run->name(), Qt::ElideMiddle, kRunPixels),
                                     tr("Examine %1 in Diagnose: %2").arg(run->name(), sign.words), line);
        connect(link, &QPushButton::clicked, this, [this, run = sign.run, step = sign.step] { emit runRequested(run, step); });
        QLabel* words = makeWrappedLabel(sign.words, "secondary", line);
        inside->addWidget(link, 0, Qt::AlignTop);
        inside->addWidget(words, 1);
        row.lines->addWidget(line);
        line->show();
    }
}

}  // namespace mantissa::gui
