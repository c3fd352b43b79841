#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pty/child.h"

// What a host and the process in a pane (pane_duty.h) say to each other: packets of a socket, each
// a letter and texts that are ended by a NUL.
namespace orch::pane {

constexpr size_t kMaxPacket = 16 * 1024;

// The pane's first and only packet, with its terminal: the variables by which its multiplexer has
// told it where it is, empty where it has not.
struct Hello {
  std::string tmux;         // $TMUX: socket, pid of the server, number of the session
  std::string tmux_pane;    // $TMUX_PANE: "%3"
  std::string zellij_pane;  // $ZELLIJ_PANE_ID
  bool operator==(const Hello&) const = default;
};
std::string to_packet(const Hello& hello);
std::optional<Hello> hello_in(std::string_view packet);

// What the host orders.
struct Order {
  enum class Kind : char {
    kIfAbandoned = 'A',  // words: the command to run when the host is gone without a kFinish
    kPrint = 'P',        // words[0]: bytes for the terminal
    kFinish = 'F',       // words: a command to run first, if any; then to end as `status` says
  } kind = Kind::kPrint;
  pty::ExitStatus status{};
  std::vector<std::string> words{};
  bool operator==(const Order&) const = default;
};
std::string to_packet(const Order& order);
std::optional<Order> order_in(std::string_view packet);

}  // namespace orch::pane
