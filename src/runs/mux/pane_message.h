#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pty/child.h"

// The packets between a host and the process in a pane (pane_duty.h). Each consists of a letter and
// of texts that end with a NUL.
namespace orch::mux {

constexpr size_t kMaxPacket = 16 * 1024;

// The pane's first and only packet, which carries its terminal. The variables say where the
// multiplexer has put the pane; empty if unset.
struct Hello {
  std::string tmux;         // $TMUX: the socket, the server's pid, the session's number
  std::string tmux_pane;    // $TMUX_PANE: "%3"
  std::string zellij_pane;  // $ZELLIJ_PANE_ID
  bool operator==(const Hello&) const = default;
};
std::string to_packet(const Hello& hello);
std::optional<Hello> hello_in(std::string_view packet);

// An order of the host.
struct Order {
  enum class Kind : char {
    kIfAbandoned = 'A',  // words: the command to run if the host is gone without a kFinish
    kPrint = 'P',        // words[0]: bytes for the terminal
    kFinish = 'F',       // words: a command to run first, if any; then end as `status` says
  } kind = Kind::kPrint;
  pty::ExitStatus status{};
  std::vector<std::string> words{};
  bool operator==(const Order&) const = default;
};
std::string to_packet(const Order& order);
std::optional<Order> order_in(std::string_view packet);

}  // namespace orch::mux
