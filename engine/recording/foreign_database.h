// SPDX-License-Identifier: Apache-2.0
// Reads a SQLite file of another program, also while that program writes it. The content is not trusted, and no file is changed: a
// write-ahead log left by its writer is read in a copy. One thread at a time.
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
    /// Valid until the next row.
    virtual std::string_view text(int column) const = 0;
};

class ForeignDatabase {
public:
    /// Throws InputError in one sentence, as all other functions do.
    explicit ForeignDatabase(const std::string& path);
    ~ForeignDatabase();

    /// Names of a table's columns; empty: the table does not exist.
    std::vector<std::string> columnsOf(const std::string& table) const;
    /// Calls `take` for each row of a SELECT, whose ?1 is `parameter`.
    void read(const std::string& select, std::int64_t parameter, const std::function<void(const ForeignRow&)>& take) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Whether a file's first bytes are those of a SQLite file.
bool isSqlite(std::string_view head);

}  // namespace mantissa
