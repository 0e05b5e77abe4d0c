// SPDX-License-Identifier: Apache-2.0
// mantissa-manual TEMPLATE DATE FOLDER: writes mantissa.1 (the template, with @OPTIONS_AND_COMMANDS@, @VERSION@ and @DATE@ replaced) and
// the completions for bash, zsh and fish into the folder. Runs once in a build; is not installed.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "packaging/manual/written.h"

namespace {

void replace(std::string& text, const std::string& mark, const std::string& with) {
    const std::size_t place = text.find(mark);
    if (place == std::string::npos) throw std::runtime_error("the template has no " + mark);
    text.replace(place, mark.size(), with);
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error(path.string() + " could not be written");
}

}  // namespace

int main(int argc, char** argv) {
    using namespace mantissa;
    try {
        if (argc != 4) throw std::runtime_error("expected: TEMPLATE DATE FOLDER");
        std::ifstream in(argv[1], std::ios::binary);
        std::string page{std::istreambuf_iterator<char>(in), {}};
        const CommandTree tree = commandTree();
        replace(page, "@OPTIONS_AND_COMMANDS@\n", manOptionsAndCommands(tree));
        replace(page, "@VERSION@", MANTISSA_VERSION);
        replace(page, "@DATE@", argv[2]);
        const std::filesystem::path folder = argv[3];
        write(folder / "mantissa.1", page);
        write(folder / "mantissa.bash", bashCompletion(tree));
        write(folder / "_mantissa", zshCompletion(tree));
        write(folder / "mantissa.fish", fishCompletion(tree));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "mantissa-manual: " << error.what() << '\n';
        return 1;
    }
}
