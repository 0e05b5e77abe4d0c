// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of elements, from a bar, a count or a cell; and requests for tensor statistics.
#include "gui/controls/number_text.h"
#include "gui/diagnosis/instruments.h"

namespace mantissa::gui {

void Instruments::setAsking(bool canAsk, bool isAsking) {
    m_canAsk = canAsk;
    m_isAsking = isAsking;
    if (const StepStats* seen = stats()) refreshNote(*seen);
}

void Instruments::refreshNote(const StepStats& seen) {
    const bool isOther = m_step >= 0 && seen.step != m_step;
    const bool isPart = m_step >= 0 && !isOther && seen.isPartial();
    m_stepNote->setText(isOther ? QString() : inPart(seen.isPartial(), tr("step %1").arg(groupedText(seen.step))));
    m_askRow->setVisible(isOther || (m_canAsk && isPart));
    m_askNote->setVisible(isOther);
    const QString nearest = inPart(seen.isPartial(), tr("nearest sample: step %1").arg(groupedText(seen.step)));
    m_askNote->setText(m_isAsking ? tr("%1; measuring step %2").arg(nearest, groupedText(m_step)) : nearest);
    m_ask->setVisible(m_canAsk && (isOther || isPart));
    m_ask->setEnabled(!m_isAsking);
    m_ask->setText(tr("Measure step %1").arg(groupedText(m_step)));
    m_ask->setAccessibleName(m_ask->text());
}

StripGroup Instruments::shownGroup() const {
    const int id = m_group->checkedId();
    return id == 0 ? StripGroup::Gradients : id == 1 ? StripGroup::Forward : StripGroup::Updates;
}

void Instruments::listElements(ElementsFrom from) {
    if (from != ElementsFrom::Strip) m_strip->setChosenStep(-1);
    if (from == m_elementsFrom) return;
    m_elementsFrom = from;
    arrange();
    showCards();
    refreshMicroscope();
}

void Instruments::listFromMicroscope(std::optional<int> bar, ElementChoice choice) {
    const StepStats* seen = stats();
    if (!seen || (blockFormat() && !bar)) return;  // a class of a block format depends on the block
    listElements(ElementsFrom::Microscope);
    m_elements->ask({m_run, seen->step, chosenTensors(*seen).names, m_tensor->currentText(), m_tensorFormat, bar}, choice);
    refreshMicroscope();
}

void Instruments::listBar(int exponent) {
    listFromMicroscope(exponent, ElementChoice::Bar);
}

void Instruments::listCount(int row, int column) {
    constexpr ElementChoice kChoices[] = {ElementChoice::All,      ElementChoice::Flushed, ElementChoice::Subnormal, ElementChoice::Normal,
                                          ElementChoice::Overflow, ElementChoice::Zero,    ElementChoice::NonFinite};
    if (row == 0 && column >= 0 && column < static_cast<int>(std::size(kChoices))) listFromMicroscope({}, kChoices[column]);
}

void Instruments::listCell(const QString& layer, qint64 step) {
    const StepStats* seen = stats();  // of any step: all have these tensors
    const RunMeasurements* measured = m_measurements->of(m_run);
    if (!seen || !measured) return;
    std::vector<TensorName> names;
    for (const TensorStats& tensor : seen->tensors)
        if (QString::fromStdString(tensor.layer) == layer && isOf(shownGroup(), tensor)) names.push_back(nameOf(tensor));
    if (names.empty()) return;
    const bool isUpdate = shownGroup() == StripGroup::Updates;
    const ElementChoice choices[] = {ElementChoice::All, isUpdate ? ElementChoice::Lost : ElementChoice::Flushed, ElementChoice::Subnormal,
                                     ElementChoice::Overflow, ElementChoice::NonFinite};  // in the order of StripMeasure
    const QString group = m_group->checkedButton() ? m_group->checkedButton()->text() : QString();
    listElements(ElementsFrom::Strip);
    m_strip->setChosenStep(step);
    m_elements->ask({m_run, step, std::move(names), tr("%1 of %2").arg(group, layer), measured->format, {}},
                    choices[std::max(0, m_measure->checkedId())]);
}

/// The listed bar, if it belongs to what is shown.
std::optional<int> Instruments::listedBar(const StepStats& seen, const Chosen& tensors) const {
    const ElementSubject& listed = m_elements->subject();
    const bool isShown =
        m_elementsFrom == ElementsFrom::Microscope && listed.run == m_run && listed.step == seen.step && listed.tensors == tensors.names;
    return isShown && m_elements->choice() == ElementChoice::Bar ? listed.bar : std::nullopt;
}

}  // namespace mantissa::gui
