// SPDX-License-Identifier: Apache-2.0
// A text file line by line, none of them longer than a bound. One thread.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "engine/exchange/run_builder.h"

namespace mantissa {

class LineReader {
public:
    /// Of a file that `goOn` opens.
    explicit LineReader(const std::string& source) : m_source(source) {}
    LineReader(std::istream& in, const std::string& source) : m_in(&in), m_source(source) {}

    /// Reads on in this stream, which stands at `position`. `mayGrow`: a last line without its end is left for the next time.
    void goOn(std::istream& in, bool mayGrow) {
        m_in = &in;
        m_mayGrow = mayGrow;
    }

    /// The next line without its end, "\n" or "\r\n", and without a byte order mark. It holds until the next call. Throws InputError.
    bool next(std::string_view& line);
    FilePlace place() const { return {"line", m_mark.number}; }
    /// Whether the file ended in the line, before its end.
    bool isCut() const { return m_in->eof(); }
    bool mayGrow() const { return m_mayGrow; }

    /// Behind the latest line.
    struct Mark {
        std::uint64_t position = 0;  // bytes from the file's beginning
        std::uint64_t number = 0;    // lines
    };
    const Mark& mark() const { return m_mark; }
    /// The lines from there on are read again, by the next `goOn`.
    void goBack(const Mark& mark) { m_mark = mark; }

private:
    static constexpr std::size_t kMaxLineBytes = 1u << 20;  // far above what a step takes
    std::istream* m_in = nullptr;
    bool m_mayGrow = false;
    std::string m_source;
    std::string m_buffer = std::string(4096, '\0');  // grows to the longest line
    Mark m_mark;
};

}  // namespace mantissa
