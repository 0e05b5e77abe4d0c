// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/readout_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/plot_choice.h"

namespace mantissa::gui {
namespace {

const QString kNothing = QStringLiteral("\u2013");
constexpr int kMostDecimals = 5;
constexpr int kManyDecimals = 4;
constexpr int kDigitsOfLarge = 4;
constexpr int kTightDecimals = 4;  // "0.0047"

}  // namespace

ReadoutModel::ReadoutModel(const SessionModel* session, QObject* parent)
    : QAbstractTableModel(parent), m_session(session), m_cells(RowCount) {
    resetRuns();
}

void ReadoutModel::setStep(std::int64_t step) {
    m_step = step;
    refresh();
}

void ReadoutModel::setSmoothing(const Smoothing& loss, const Smoothing& throughput) {
    m_loss = loss;
    m_throughput = throughput;
    refresh();
}

void ReadoutModel::setTight(bool tight) {
    if (std::exchange(m_isTight, tight) != tight) refresh();
}

void ReadoutModel::setPlots(const std::vector<std::string>& keys) {
    std::vector<std::string> plots;
    for (const std::string& key : keys) {
        const auto isOwn = [&](const PlotPlace& place) { return place.key == key; };
        const bool hasRow = key == metricName(Metric::ValidationAccuracy) || key == metricName(Metric::LearningRate) ||
                            std::any_of(PlotChoice::usual().begin(), PlotChoice::usual().end(), isOwn);
        if (!hasRow) plots.push_back(key);
    }
    if (plots == m_plots) return;
    beginResetModel();
    m_plots = std::move(plots);
    m_cells.assign(RowCount + m_plots.size(), {});
    writeRows();
    endResetModel();
}

void ReadoutModel::resetRuns() {
    beginResetModel();
    m_runs.clear();
    for (const auto& run : m_session->runs())
        if (!run->isWithheld) m_runs.push_back(run->id);
    writeRows();
    endResetModel();
}

void ReadoutModel::refresh() {
    if (m_runs.empty()) return;
    writeRows();
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

/// Returns the latest step. While runs train in lock-step, it is the latest that all of them have done, so that their columns compare; a
/// run that has stopped or catches up does not count.
std::int64_t ReadoutModel::liveStep() const {
    const std::int64_t latest = m_session->stepCount() - 1;
    if (m_session->state().state != LabState::Training || !m_session->state().lockstep) return latest;
    std::int64_t common = latest;
    for (const RunId id : m_runs) {
        const RunState* run = m_session->run(id);
        if (run && run->isLive() && run->stopReason.isEmpty() && catchingUpText(*m_session, *run).isEmpty())
            common = std::min(common, run->stepCount() - 1);
    }
    return common;
}

std::optional<double> ReadoutModel::shownEpoch() const {
    // All steps use equally many samples.
    for (const auto& run : m_session->runs())
        if (run->isOwn() && run->hasSteps())
            return run->last.epoch * static_cast<double>(shownStep() + 1) / static_cast<double>(run->last.step + 1);
    return std::nullopt;
}

ReadoutModel::Cell ReadoutModel::valueAt(Row row, const RunState& run, std::int64_t step) const {
    const auto words = [](const QString& text, double value = std::numeric_limits<double>::quiet_NaN()) {
        return Cell{value, false, false, text};
    };
    const auto number = [&](double value) { return Cell{value, std::isfinite(value), !std::isfinite(value), numberText(value)}; };
    if (step < run.info.firstStep || step >= run.stepCount()) return words(kNothing);
    // The last value up to this step: read-only and long runs do not have one for each step.
    const auto placeIn = [&](const Series& series) { return run.placeIn(series, step); };
    const auto hasValue = [&](const Series& series) { return series.valueClass(placeIn(series)) != ValueClass::Absent; };
    const auto isFinite = [&](const Series& series) { return series.valueClass(placeIn(series)) == ValueClass::Finite; };
    const auto plain = [&](const Series& series) { return hasValue(series) ? number(series.exact(placeIn(series))) : words(kNothing); };
    // A value with a format of its own.
    const auto written = [&](const Series& series, const auto& text) {
        const double value = series.value(placeIn(series));
        return isFinite(series) ? words(text(value), value) : plain(series);
    };
    const RunState* parent = m_session->parentOf(run);
    const auto smooth = [&](Series RunState::*metric, const Smoothing& how) {
        return smoothedAt(how, run.*metric, placeIn(run.*metric), parent ? &(parent->*metric) : nullptr);
    };
    // The last validation up to this step.
    const auto lastValidation = [&](const Series& series, double unit) {
        const std::int64_t validated = series.latestStep(step);
        return validated < 0 ? words(kNothing) : number(series.exact(validated) * unit);
    };
    switch (row) {
        case Loss:
            return isFinite(run.loss) ? number(smooth(&RunState::loss, m_loss)) : plain(run.loss);
        case Raw:
            return plain(run.loss);
        case Validation:
            return lastValidation(run.validationLoss, 1);
        case Accuracy:
            return lastValidation(run.validationAccuracy, 100);
        case LossScale:
            if (!hasValue(run.lossScale) || !run.scalesItsLossAt(placeIn(run.lossScale))) return words(kNothing);
            return written(run.lossScale, scaleText);
        case Skipped:
            if (m_session->isQuestionOpen()) return words(kNothing);
            return written(run.skippedTotal, [](double value) { return groupedText(std::llround(value)); });
        case GradNorm:
            return plain(run.gradNorm);
        case LearningRate:
            return written(run.lr, [](double value) { return numberText(value); });
        case Throughput:
            return isFinite(run.samplesPerSecond) ? number(toDigits(smooth(&RunState::samplesPerSecond, m_throughput), 3))
                   : run.isWatched()              ? words(kNothing)
                                                  : plain(run.samplesPerSecond);
        case Tflops: {
            const bool hasSpeed = isFinite(run.samplesPerSecond) && run.info.products.flopsPerSample > 0;
            return hasSpeed ? number(run.info.products.tflops(smooth(&RunState::samplesPerSecond, m_throughput))) : words(kNothing);
        }
        case RowCount:
            break;
    }
    return {};
}

bool ReadoutModel::isApplicable(int row) const {
    return m_runs.empty() || std::any_of(m_runs.begin(), m_runs.end(), [&](RunId id) {
               const RunState* run = m_session->run(id);
               if (!run || run->isOwn()) return true;
               const std::int64_t last = run->stepCount() - 1;
               return row == Validation ? run->validationLoss.latestStep(last) >= 0
                      : row == Accuracy ? run->validationAccuracy.latestStep(last) >= 0
                                        : row != Tflops || run->info.products.flopsPerSample > 0;
           });
}

void ReadoutModel::writeRows() {
    for (int row = 0; row < rowCount(); ++row) writeRow(row);
    m_waits = std::any_of(m_runs.begin(), m_runs.end(), [this](RunId id) {
        const RunState* run = m_session->run(id);
        return run && run->isOwn() && run->stepCount() <= shownStep();
    });
}

ReadoutModel::Cell ReadoutModel::plotValue(const std::string& key, const RunState& run, std::int64_t step) const {
    const Series* series = run.series(key);
    const std::int64_t latest = series && step >= run.info.firstStep ? series->latestStep(step) : -1;
    if (latest < 0) return {.text = kNothing};
    const double value = series->exact(latest) * (ChosenPanel::kindOf(key).isShare ? 100 : 1);
    return {value, std::isfinite(value), !std::isfinite(value), numberText(value)};
}

void ReadoutModel::writeRow(int row) {
    std::vector<Cell>& cells = m_cells[static_cast<std::size_t>(row)];
    cells.clear();
    double least = std::numeric_limits<double>::infinity();
    for (const RunId id : m_runs) {
        const RunState* run = m_session->run(id);
        const std::int64_t step = run ? stepOf(*run) : -1;
        cells.push_back(!run             ? Cell{}
                        : row < RowCount ? valueAt(static_cast<Row>(row), *run, step)
                                         : plotValue(m_plots[static_cast<std::size_t>(row - RowCount)], *run, step));
        if (cells.back().isNumber && cells.back().value != 0) least = std::min(least, std::abs(cells.back().value));
    }
    // Decimals give the smallest loss three digits, other smallest numbers two; accuracy always has one decimal.
    if (!std::isfinite(least) && row != Accuracy) return;
    const int digits = !m_isTight && (row == Loss || row == Raw || row == Validation) ? 3 : 2;
    int decimals = row == Accuracy ? 1 : std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(least))));
    if (digits == 3 && decimals > kManyDecimals) --decimals;  // a larger number beside a small loss would get too many digits
    for (Cell& c : cells) {
        if (!c.isNumber) continue;
        // A large number beside a small one keeps four digits, so that columns do not overlap.
        const int whole = std::abs(c.value) < 1 ? 0 : 1 + static_cast<int>(std::floor(std::log10(std::abs(c.value))));
        const int own = whole == 0 ? decimals : std::min(decimals, std::max(0, kDigitsOfLarge - whole));
        if (m_isTight && decimals > kTightDecimals)
            c.text = std::abs(c.value) < 0.001 && c.value != 0 ? numberText(c.value, 1) : fixedText(c.value, std::min(own, kTightDecimals));
        else
            c.text = decimals <= kMostDecimals ? fixedText(c.value, own) : numberText(c.value, digits);
    }
}

QString ReadoutModel::speedText(const RunState& run) const {
    const ProductRates& products = run.info.products;
    const std::int64_t step = stepOf(run);
    const double samplesPerSecond = valueAt(Throughput, run, step).value, tflops = valueAt(Tflops, run, step).value;
    if (!(tflops > 0)) return {};
    constexpr int kDigits = 3;
    const auto number = [](double value) { return numberText(value, kDigits); };
    const auto share = [&](double of) { return number(100 * tflops / of); };
    QStringList lines{tr("%1 TFLOP/s in %2 products").arg(number(tflops), QString::fromStdString(products.format))};
    if (products.tokensPerSample > 0)
        lines << tr("%1 tokens/s")
                     .arg(groupedText(std::llround(toDigits(static_cast<double>(products.tokensPerSample) * samplesPerSecond, kDigits))));
    lines << (products.peak > 0 ? tr("%1 % of the GPU's peak of %2").arg(share(products.peak), number(products.peak))
                                : tr("the device's peak: n/a"));
    if (products.measuredPeak > 0)
        lines << tr("%1 % of the %2 that a large product reaches on this device")
                     .arg(share(products.measuredPeak), number(products.measuredPeak));
    return lines.join(u'\n');
}

QVariant ReadoutModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Cell& c = m_cells[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole:
            return c.text;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
        case IsNonFiniteRole:
            return c.isNonFinite;
        case Qt::ToolTipRole:
            if (const RunState* run = m_session->run(m_runs[static_cast<std::size_t>(index.column())]);
                run && (index.row() == Throughput || index.row() == Tflops))
                return speedText(*run);
            return {};
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2: %3")
                .arg(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
                     headerData(index.row(), Qt::Vertical, Qt::DisplayRole).toString(), c.text);
        default:
            return {};
    }
}

QString ReadoutModel::rowName(Row row) {
    static constexpr const char* kNames[RowCount] = {
        QT_TR_NOOP("loss"),    QT_TR_NOOP("raw"),       QT_TR_NOOP("validation"), QT_TR_NOOP("accuracy, %"), QT_TR_NOOP("loss scale"),
        QT_TR_NOOP("skipped"), QT_TR_NOOP("grad norm"), QT_TR_NOOP("lr"),         QT_TR_NOOP("samples/s"),   QT_TR_NOOP("TFLOP/s")};
    return tr(kNames[row]);
}

QVariant ReadoutModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) {
        if (section < 0 || section >= rowCount()) return {};
        if (section >= RowCount) {
            const ChosenPanel::Kind kind = ChosenPanel::kindOf(m_plots[static_cast<std::size_t>(section - RowCount)]);
            if (role == Qt::ToolTipRole) return kind.unit;
            return role == Qt::DisplayRole ? QVariant(kind.isShare ? tr("%1, %").arg(kind.title.toLower()) : kind.title) : QVariant();
        }
        if (role == Qt::ToolTipRole && section == Loss && m_loss.factor > 0) {
            const QString words = m_loss.scale == AxisScale::Linear
                                      ? tr("exponential average, factor %1; the value itself is in the row below")
                                  : m_loss.scale == AxisScale::Symlog
                                      ? tr("exponential average of the symlog value, factor %1; the value itself is in the row below")
                                      : tr("exponential average of the logarithm, factor %1; the value itself is in the row below");
            return words.arg(numberText(m_loss.factor));
        }
        return role == Qt::DisplayRole ? QVariant(rowName(static_cast<Row>(section))) : QVariant();
    }
    if (section < 0 || section >= columnCount()) return {};
    const RunState* run = m_session->run(m_runs[static_cast<std::size_t>(section)]);
    if (!run) return {};
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return run->name();
    if (role == IdentityRole) return run->identity;
    return {};
}

}  // namespace mantissa::gui
