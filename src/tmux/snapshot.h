#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tmux/control_parser.h"

// How one who joins a pane late learns what stands there. Pure.
namespace orch::tmux {

// One line of commands, which the server carries out at one moment: output that comes before the
// first block of its answer is in the snapshot, output after the last block is not.
inline constexpr size_t kSnapshotBlocks = 3;
std::string snapshot_command(std::string_view pane);

// The bytes that draw what the answer tells, on a terminal in whatever state. Of the modes those
// that tmux tells are set; bracketed paste, focus reports and the cursor's shape, which it does not
// (3.3a), stay as they are, and so does a tile's title, which is not its agent's. "" when the
// answer is not what was asked for.
std::string drawing(std::span<const Block> answer);

}  // namespace orch::tmux
