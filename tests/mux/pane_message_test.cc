#include "mux/pane_message.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace orch::mux;

TEST_CASE("what a pane says first comes back as it was") {
  for (const Hello& hello :
       {Hello{}, Hello{"/tmp/tmux-0/orch,12,3", "%4", ""}, Hello{"", "", "1"}}) {
    CHECK(hello_in(to_packet(hello)) == hello);
  }
}

TEST_CASE("an order comes back as it was") {
  using Kind = Order::Kind;
  const std::vector<Order> orders{
      {Kind::kIfAbandoned, {}, {"zellij", "delete-session", "a b"}},
      {Kind::kIfAbandoned, {}, {}},
      {Kind::kPrint, {}, {"\033Pmark\033\\"}},
      {Kind::kFinish, {7, 0}, {}},
      {Kind::kFinish, {0, 9}, {"tmux", "", "set-option"}},
  };
  for (const Order& order : orders) {
    INFO(to_packet(order));
    CHECK(order_in(to_packet(order)) == order);
  }
}

TEST_CASE("a packet that is no message is none") {
  for (const std::string& packet :
       {std::string(), std::string("H"), std::string("Hone\0two\0", 9), std::string("X\0", 2),
        std::string("Pno end"), std::string("F7\0", 3), std::string("Fx\0000\0", 6),
        std::string("F7\0000x\0", 7)}) {
    INFO(packet);
    CHECK_FALSE(hello_in(packet));
    CHECK_FALSE(order_in(packet));
  }
}
