// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/text_panel.h"

#include "gui/controls/number_text.h"
#include "gui/controls/run_list.h"

namespace mantissa::gui {

namespace {
constexpr int kMostCharacters = 400;  // about as many as fit below the memory panel
}  // namespace

TextPanel::TextPanel(SessionModel* session, QWidget* parent) : QWidget(parent), m_session(session) {
    setAccessibleName(tr("Text that the model writes"));
    auto* column = makeColumn(6, {}, this);
    auto* head = makeRow(6);
    head->addWidget(makeLabel(tr("Text"), "title", this));
    m_step = makeLabel({}, "secondary", this);
    head->addWidget(m_step, 1);
    m_sample = new RunSample(this);
    m_name = makeLabel({}, "body2", this);
    addWidgets(head, {m_sample, m_name});
    column->addLayout(head);
    m_text = makeWrappedLabel({}, "body2", this);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long word is cut and does not widen the panel
    column->addWidget(m_text);

    connectEach(session, this, &TextPanel::refresh, &SessionModel::runChanged, &SessionModel::seriesReset, &SessionModel::runsChanged,
                &SessionModel::selectionChanged, &SessionModel::experimentLoaded);
    refresh();
}

void TextPanel::setFrozen(bool frozen) {
    m_isFrozen = frozen;
    if (!frozen) refresh();
}

const RunState* TextPanel::subject() const {
    const RunState* selected = m_session->run(m_session->selected());
    if (selected && selected->sample) return selected;
    for (const auto& run : m_session->runs())
        if (run->sample) return run.get();
    return nullptr;
}

void TextPanel::refresh() {
    if (m_isFrozen) return;
    const RunState* run = subject();
    setVisible(run != nullptr);
    if (!run) return;
    m_sample->setIdentity(run->identity);
    m_name->setText(m_name->fontMetrics().elidedText(run->name(), Qt::ElideRight, kPanelNamePixels));
    m_step->setText(tr("written after step %1").arg(groupedText(run->sample->step)));
    m_text->setText(QString::fromStdString(run->sample->text).trimmed().left(kMostCharacters));
}

}  // namespace mantissa::gui
