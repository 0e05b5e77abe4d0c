// SPDX-License-Identifier: Apache-2.0
// A SQLite file of another program, read while that program may write it. Nothing of it is trusted, and nothing beside it is changed: a
// write-ahead log that its writer has left is read in a copy. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

class ForeignRow {
public:
    virtual ~ForeignRow() = default;
    virtual std::int64_t integer(int column) const = 0;
    virtual double number(int column) const = 0;
    virtual bool isNumber(int column) const = 0;
    /// It holds until the next row.
    virtual std::string_view text(int column) const = 0;
};

class ForeignDatabase {
public:
    /// Throws InputError in one sentence, as all others do.
    explicit ForeignDatabase(const std::string& path);
    ~ForeignDatabase();

    /// Names of a table's columns; empty: there is no such table.
    std::vector<std::string> columnsOf(const std::string& table) const;
    /// Each row of a SELECT, whose ?1 is `parameter`.
    void read(const std::string& select, std::int64_t parameter, const std::function<void(const ForeignRow&)>& take) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Whether a file's first bytes are those of a SQLite file.
bool isSqlite(std::string_view head);

}  // namespace mantissa
