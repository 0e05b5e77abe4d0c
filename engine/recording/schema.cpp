// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/schema.h"

#include <cmath>
#include <limits>

namespace mantissa {
namespace {

constexpr int kClassBits = 3;
/// Values that REAL columns cannot store: SQLite turns NaN into NULL, and -0 into 0. `classes` has three bits for each column, those of
/// the first one lowest.
enum ValueClass : std::int64_t {
    kAsStored = 0,  // NULL: no value; the record has 0
    kNaN = 1,
    kPlusInf = 2,
    kMinusInf = 3,
    kMinusZero = 4,
};

constexpr int kFirstReal = 8;
constexpr std::array<double StepRecord::*, 9> kReals{
    &StepRecord::wallSeconds, &StepRecord::loss, &StepRecord::validationLoss, &StepRecord::validationAccuracy, &StepRecord::lossScale,
    &StepRecord::gradNorm,    &StepRecord::lr,   &StepRecord::stepMs,         &StepRecord::samplesPerSecond};
static_assert(kFirstReal + kReals.size() == kStepColumnCount);

ValueClass classOf(double value) {
    if (std::isnan(value)) return kNaN;
    if (std::isinf(value)) return value > 0 ? kPlusInf : kMinusInf;
    return value == 0 && std::signbit(value) ? kMinusZero : kAsStored;
}

double valueOf(std::int64_t valueClass, double stored) {
    constexpr double kInf = std::numeric_limits<double>::infinity(),
                     kValues[] = {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf, -0.0};
    return valueClass >= kNaN && valueClass <= kMinusZero ? kValues[valueClass - kNaN] : stored;
}

}  // namespace

void setFact(Database& database, const char* key, const std::string& value) {
    Statement set(database, "INSERT OR REPLACE INTO facts VALUES (?1, ?2)");
    set.runOnce(std::string_view(key), value);
}

void bindStep(Statement& insert, std::int64_t seq, RunId run, const StepRecord& record) {
    std::int64_t classes = 0;
    for (std::size_t i = 0; i < kReals.size(); ++i) {
        const double value = record.*kReals[i];
        const ValueClass valueClass = classOf(value);
        classes |= valueClass << (kClassBits * static_cast<int>(i));
        const bool isOfValidation = kReals[i] == &StepRecord::validationLoss || kReals[i] == &StepRecord::validationAccuracy;
        const bool isAbsent = isOfValidation && !record.validated() && value == 0;
        const int parameter = kFirstReal + static_cast<int>(i) + 1;
        if (valueClass != kAsStored || isAbsent) {
            insert.bindNull(parameter);
        } else {
            insert.bind(parameter, value);
        }
    }
    int parameter = 0;
    for (const std::int64_t value : {seq, std::int64_t{run}, record.step, record.samples, record.skippedTotal, record.memoryBytes,
                                     std::int64_t{record.flags}, classes}) {
        insert.bind(++parameter, value);
    }
}

bool readStep(sqlite3_stmt* row, RunId& run, StepRecord& record) {
    const std::int64_t runColumn = sqlite3_column_int64(row, 1);
    record.step = sqlite3_column_int64(row, 2);
    record.samples = sqlite3_column_int64(row, 3);
    record.epoch = 0;
    record.skippedTotal = sqlite3_column_int64(row, 4);
    record.memoryBytes = sqlite3_column_int64(row, 5);
    const std::int64_t flags = sqlite3_column_int64(row, 6);
    const std::int64_t classes = sqlite3_column_int64(row, 7);
    for (std::size_t i = 0; i < kReals.size(); ++i) record.*kReals[i] = sqlite3_column_double(row, kFirstReal + static_cast<int>(i));
    if (classes != 0) {
        for (std::size_t i = 0; i < kReals.size(); ++i)
            record.*kReals[i] = valueOf((classes >> (kClassBits * static_cast<int>(i))) & 7, record.*kReals[i]);
    }
    run = static_cast<RunId>(runColumn);
    record.flags = static_cast<std::uint32_t>(flags);
    return run == runColumn && run >= 0 && record.step >= 0 && record.flags == flags;
}

}  // namespace mantissa
