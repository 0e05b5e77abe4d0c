// SPDX-License-Identifier: Apache-2.0
// Reads a text file line by line, with a bound on their length. One thread.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "engine/exchange/run_builder.h"

namespace mantissa {

class LineReader {
public:
    /// Reads nothing until `goOn` sets a stream.
    explicit LineReader(const std::string& source) : m_source(source) {}
    LineReader(std::istream& in, const std::string& source) : m_in(&in), m_source(source) {}

    /// Continues with this stream, which is at `position`. `mayGrow`: an incomplete last line is left for the next call.
    void goOn(std::istream& in, bool mayGrow) {
        m_in = &in;
        m_mayGrow = mayGrow;
    }

    /// Reads the next line without its end, "\n" or "\r\n", and without a byte order mark. It is valid until the next call. Throws
    /// InputError.
    bool next(std::string_view& line);
    FilePlace place() const { return {"line", m_mark.number}; }
    /// Whether the file ended before the line's end.
    bool isCut() const { return m_in->eof(); }
    bool mayGrow() const { return m_mayGrow; }

    /// The position after the latest line.
    struct Mark {
        std::uint64_t position = 0;  // bytes from the file's beginning
        std::uint64_t number = 0;    // lines
    };
    const Mark& mark() const { return m_mark; }
    /// The next `goOn` reads from this position again.
    void goBack(const Mark& mark) { m_mark = mark; }

private:
    static constexpr std::size_t kMaxLineBytes = 1u << 20;  // far above the length of a step
    std::istream* m_in = nullptr;
    bool m_mayGrow = false;
    std::string m_source;
    std::string m_buffer = std::string(4096, '\0');  // grows to the longest line
    Mark m_mark;
};

}  // namespace mantissa
