// SPDX-License-Identifier: Apache-2.0
// The sizes of classes, read from the headers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

namespace {

constexpr int kMostFunctions = 40;

const std::regex& accessLabel() {
    static const std::regex kLabel("(signals|(?:public|private) slots|public|protected|private)\\s*:(?!:)");
    return kLabel;
}

/// Whether a statement of a class declares a member function that is written by hand.
bool declaresFunction(std::string statement) {
    static const std::regex kMacro("Q_OBJECT"), kTemplateArguments("<[^<>]*>"),
        kOther("^\\s*(using|friend|static_assert|Q_\\w+|struct|class|enum)\\b|=\\s*(default|delete)\\s*$");
    statement = std::regex_replace(std::regex_replace(statement, accessLabel(), ""), kMacro, "");
    for (std::string before; before != statement;) {
        before = statement;
        statement = std::regex_replace(statement, kTemplateArguments, "");
    }
    if (std::regex_search(statement, kOther)) return false;
    const std::string head = statement.substr(0, statement.find('('));
    if (head.size() == statement.size()) return false;
    return head.find('=') == std::string::npos || head.find("operator") != std::string::npos;
}

/// The number of member functions of the class whose body begins at `at`, without signals.
int functionsFrom(const std::string& text, std::size_t at) {
    int count = 0, depth = 1;
    bool isSignal = false;
    std::string statement;
    for (; depth > 0 && at < text.size(); ++at) {
        const char c = text[at];
        const bool endsBody = c == '}' && --depth == 1;
        if (c == '{') ++depth;
        if (depth == 1 && (c == ';' || endsBody)) {
            for (std::sregex_iterator each(statement.begin(), statement.end(), accessLabel()); each != std::sregex_iterator(); ++each)
                isSignal = (*each)[1] == "signals";
            count += !isSignal && declaresFunction(statement) ? 1 : 0;
            statement.clear();
        } else if (depth == 1) {
            statement += c;
        }
    }
    return count;
}

/// The classes of a header, by name, with their numbers of member functions.
std::map<std::string, int> classesOf(const std::string& header) {
    static const std::regex kComment("//[^\n]*"), kBegin("\n(?:class|struct) (?:\\w+ )?(\\w+)[^;{(=]*\\{");
    const std::string text = '\n' + std::regex_replace(header, kComment, "");
    std::map<std::string, int> classes;
    for (std::sregex_iterator each(text.begin(), text.end(), kBegin); each != std::sregex_iterator(); ++each) {
        const auto end = static_cast<std::size_t>(each->position() + each->length());
        classes[(*each)[1]] = std::max(classes[(*each)[1]], functionsFrom(text, end));
    }
    return classes;
}

TEST(Classes, MemberFunctionsAreCounted) {
    const char* const header = R"(
class Example : public QWidget {
    Q_OBJECT
public:
    explicit Example(int a, QWidget* parent = nullptr);  // one()
    Example(const Example&) = delete;
    int value() const { return m_a; }
    bool operator==(const Example&) const = default;
    std::map<int, std::function<void(int)>> all;
    using Sink = std::function<void()>;
signals:
    void changed();
private:
    struct Inner {
        void notCounted();
    };
    void one();
    int m_a = std::max(1, 2);
};)";
    EXPECT_EQ(classesOf(header), (std::map<std::string, int>{{"Example", 3}}));
}

TEST(Classes, HaveOnePurpose) {
    for (const char* folder : {"kernels", "engine", "gui"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(MANTISSA_SOURCE_DIR) / folder)) {
            if (entry.path().extension() != ".h") continue;
            std::ostringstream header;
            header << std::ifstream(entry.path()).rdbuf();
            for (const auto& [name, functions] : classesOf(header.str())) {
                EXPECT_LE(functions, kMostFunctions) << name << " in " << entry.path() << ": split it into classes of one purpose";
            }
        }
    }
}

}  // namespace
