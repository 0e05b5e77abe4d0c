// SPDX-License-Identifier: Apache-2.0
// W&B's offline files (run-ID.wandb): the numbers of a run's history, and its name.
#include <istream>
#include <optional>

#include "engine/exchange/json_numbers.h"
#include "engine/exchange/log_reader.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/protobuf.h"
#include "engine/exchange/wandb_file.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

using protobuf::Field;
using protobuf::FieldKind;
using protobuf::FieldReader;

constexpr std::size_t kMaxRecordBytes = 64u << 20;  // tables and configurations are records too

/// Zigzag: 0, -1, 1, -2 are 0, 1, 2, 3.
std::int64_t signedOf(std::uint64_t zigzag) {
    return static_cast<std::int64_t>(zigzag >> 1 ^ (~(zigzag & 1) + 1));
}

class WandbReader : public LogReader {
public:
    WandbReader(RunBuilder& builder, std::string source) : LogReader(builder), m_source(std::move(source)) { builder.expectTraining(); }

    void read(std::istream& in, std::uint64_t bytes, bool mayGrow) override {
        if (m_position == 0 && !takeHead(in, bytes, mayGrow)) return;
        while (m_position < bytes) {
            std::uint64_t end = m_position;
            if (!assemble(in, bytes, end)) {
                if (!mayGrow) m_builder.addRemark("the last record is cut and was left out");
                return;
            }
            takeRecord({"byte", m_position});
            m_position = end;
        }
    }
    std::uint64_t position() const override { return m_position; }
    std::string name() const override { return m_name; }

private:
    std::string m_source, m_name;
    std::uint64_t m_position = 0;
    std::string m_record, m_piece;
    std::int64_t m_nextStep = 0;

    void take(std::istream& in, std::string& into, std::uint64_t at) {
        if (!in.read(into.data(), static_cast<std::streamsize>(into.size()))) refuseAt(m_source, {"byte", at}, "cannot be read");
    }

    /// False if the head is incomplete.
    bool takeHead(std::istream& in, std::uint64_t bytes, bool mayGrow) {
        std::string head(wandb_file::kHead.size(), '\0');
        if (bytes < head.size()) {
            if (!mayGrow) refuseAt(m_source, {"byte", bytes}, "breaks off in the head of a W&B file");
            return false;
        }
        take(in, head, 0);
        if (!head.starts_with(wandb_file::kMark)) refuseAt(m_source, {"byte", 0}, "does not begin as a W&B file does");
        if (head != wandb_file::kHead)
            refuseAt(m_source, {"byte", wandb_file::kMark.size()}, "its version is none that is known, which is 0");
        m_position = head.size();
        return true;
    }

    /// Joins the pieces of the next record; `end`: its end. False if the file ends before.
    bool assemble(std::istream& in, std::uint64_t bytes, std::uint64_t& end) {
        in.seekg(static_cast<std::streamoff>(end));
        m_record.clear();
        std::string head(wandb_file::kPieceHeadBytes, '\0');
        for (bool isFirst = true;; isFirst = false) {
            const std::uint64_t left = wandb_file::kBlockBytes - end % wandb_file::kBlockBytes;
            if (left < wandb_file::kPieceHeadBytes) {
                end += left;
                if (end > bytes) return false;
                in.seekg(static_cast<std::streamoff>(end));
            }
            const FilePlace place{"byte", end};
            if (bytes - end < head.size()) return false;
            take(in, head, end);
            const std::string_view view = head;
            const std::uint64_t size = protobuf::littleEndian(view.substr(4, 2));
            const auto kind = static_cast<unsigned char>(view[6]);
            const std::uint64_t room = wandb_file::kBlockBytes - end % wandb_file::kBlockBytes - head.size();
            if (kind < wandb_file::Full || kind > wandb_file::Last) refuseAt(m_source, place, "a piece of a record of no known kind");
            if (size > room) refuseAt(m_source, place, "a piece of a record that is longer than its block");
            if (bytes - end - head.size() < size) return false;
            m_piece.resize(size);
            take(in, m_piece, end);
            if (protobuf::littleEndian(view.substr(0, 4)) != wandb_file::checkSum(kind, m_piece))
                refuseAt(m_source, place, "the check sum of a record is wrong");
            const bool begins = kind == wandb_file::Full || kind == wandb_file::First;
            if (begins != isFirst) refuseAt(m_source, place, "a piece that belongs to no record");
            if (m_record.size() + size > kMaxRecordBytes)
                refuseAt(m_source, place, "a record of more than " + std::to_string(kMaxRecordBytes >> 20) + " MiB");
            m_record += m_piece;
            end += head.size() + size;
            if (kind == wandb_file::Full || kind == wandb_file::Last) return true;
        }
    }

    void takeRecord(FilePlace place) {
        FieldReader fields(m_record);
        for (Field field; fields.next(field);) {
            if (field.isBytes(wandb_file::record::kHistory)) takeHistory(field.bytes, place);
            if (field.isBytes(wandb_file::record::kRun)) takeRun(field.bytes);
        }
        if (fields.isBroken()) refuseAt(m_source, place, "a record that breaks off");
    }

    void takeRun(std::string_view run) {
        std::string id, name;
        FieldReader fields(run);
        for (Field field; fields.next(field);) {
            if (field.isBytes(wandb_file::run::kId)) id = field.bytes;
            if (field.isBytes(wandb_file::run::kDisplayName)) name = field.bytes;
        }
        m_name = name.empty() ? id : name;
    }

    /// The values logged at one step. The record has the step's number; in older files only the values have it.
    void takeHistory(std::string_view history, FilePlace place) {
        std::vector<std::pair<int, double>> values;
        std::optional<double> step, named;
        FieldReader fields(history);
        for (Field field; fields.next(field);) {
            if (field.isBytes(wandb_file::history::kItem)) takeItem(field.bytes, values, named, place);
            if (!field.isBytes(wandb_file::history::kStep)) continue;
            FieldReader parts(field.bytes);
            step = 0;  // the default, which is not written
            for (Field part; parts.next(part);)
                if (part.is(wandb_file::step::kNumber, FieldKind::Varint))
                    step = static_cast<double>(static_cast<std::int64_t>(part.value));
        }
        if (fields.isBroken()) refuseAt(m_source, place, "a history that breaks off");
        const std::int64_t at = named ? readStep(*named, m_source, place) : step ? readStep(*step, m_source, place) : m_nextStep;
        m_nextStep = at + 1;
        for (const auto& [column, value] : values) m_builder.add(column, at, value, place);
    }

    void takeItem(std::string_view item, std::vector<std::pair<int, double>>& values, std::optional<double>& step, FilePlace place) {
        std::string name;
        std::string_view json;
        std::optional<double> number;
        bool isNested = false;
        FieldReader fields(item);
        for (Field field; fields.next(field);) {
            if (field.isBytes(wandb_file::item::kKey)) name = field.bytes;
            if (field.isBytes(wandb_file::item::kNestedKey)) {
                name = isNested ? name + "/" + std::string(field.bytes) : std::string(field.bytes);
                isNested = true;
            }
            if (field.is(wandb_file::item::kInteger, FieldKind::Varint)) number = static_cast<double>(signedOf(field.value));
            if (field.is(wandb_file::item::kNumber, FieldKind::Fixed64)) number = field.asDouble();
            if (field.isBytes(wandb_file::item::kText)) number = looseNumberOf(std::string(field.bytes));
            if (field.isBytes(wandb_file::item::kJson) || field.isBytes(wandb_file::item::kValueJson)) json = field.bytes;
        }
        if (fields.isBroken()) refuseAt(m_source, place, "a value that breaks off");
        if (number) return take(name, *number, values, step, place);
        if (json.empty() || json.front() == '[' || json.size() > kMaxJsonBytes) return;  // not a number, and contains none
        Json value;
        try {
            value = readJson(quoteNonFinite(json), "");
        } catch (const InputError& error) {
            refuseAt(m_source, place, "the value of '" + name + "': " + error.sentence());
        }
        gather(value, name, values, step, place);
    }

    /// Takes a value, or nested values. Skips pictures and tables, whose numbers describe a file.
    void gather(const Json& value, const std::string& name, std::vector<std::pair<int, double>>& values, std::optional<double>& step,
                FilePlace place) {
        if (const std::optional<double> number = looseNumberOf(value)) return take(name, *number, values, step, place);
        if (!value.is_object() || value.contains("_type")) return;
        for (const auto& [key, inner] : value.items()) gather(inner, name + "/" + key, values, step, place);
    }

    void take(const std::string& name, double number, std::vector<std::pair<int, double>>& values, std::optional<double>& step,
              FilePlace place) {
        if (name == "_step") step = number;
        if (stepNameRank(name)) return;
        if (const int column = m_builder.columnOf(name, place); column >= 0) values.emplace_back(column, number);
    }
};

}  // namespace

std::unique_ptr<LogReader> makeWandbReader(RunBuilder& builder, const std::string& source) {
    return std::make_unique<WandbReader>(builder, source);
}

}  // namespace mantissa
