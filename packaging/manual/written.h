// SPDX-License-Identifier: Apache-2.0
// The texts that are written from the commands; each returns a whole file, but for the man page, of which only the part on commands is
// made.
#pragma once

#include <string>

#include "packaging/manual/command_tree.h"

namespace mantissa {

/// Of mantissa.1: the entries of its section OPTIONS, then the section COMMANDS, in man's macros.
std::string manOptionsAndCommands(const CommandTree& tree);

std::string bashCompletion(const CommandTree& tree);
std::string zshCompletion(const CommandTree& tree);
std::string fishCompletion(const CommandTree& tree);

}  // namespace mantissa
