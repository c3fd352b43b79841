#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mux/tmux/control_parser.h"

// How a client that joins a pane late learns the pane's contents. Pure.
namespace orch::mux::tmux {

// snapshot_command() is one line of commands, which the server carries out at one moment: output
// that comes before the first block of its answer is in the snapshot, and output after the last
// block is not. kSnapshotBlocks is how many blocks the answer has.
inline constexpr size_t kSnapshotBlocks = 3;
std::string snapshot_command(std::string_view pane);

// The bytes that draw a snapshot's answer on a terminal in whatever state. The modes that tmux
// reports are set. It does not report bracketed paste, focus reports and the cursor's shape (3.3a),
// so these stay as they are. The title of a tile also stays, because it is not the agent's. "" if
// the answer is not that of snapshot_command().
std::string drawing(std::span<const Block> answer);

}  // namespace orch::mux::tmux
