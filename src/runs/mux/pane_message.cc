#include "mux/pane_message.h"

#include <charconv>

namespace orch::mux {
namespace {

constexpr char kHello = 'H';

void add(std::string& packet, std::string_view text) { packet.append(text).push_back('\0'); }

// The texts after the letter; nullopt if the last one has no NUL.
std::optional<std::vector<std::string>> texts_in(std::string_view packet) {
  std::vector<std::string> texts;
  packet.remove_prefix(1);
  while (!packet.empty()) {
    const size_t end = packet.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    texts.emplace_back(packet.substr(0, end));
    packet.remove_prefix(end + 1);
  }
  return texts;
}

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace

std::string to_packet(const Hello& hello) {
  std::string packet(1, kHello);
  for (const std::string& text : {hello.tmux, hello.tmux_pane, hello.zellij_pane}) {
    add(packet, text);
  }
  return packet;
}

std::optional<Hello> hello_in(std::string_view packet) {
  if (packet.empty() || packet.front() != kHello) return std::nullopt;
  const auto texts = texts_in(packet);
  if (!texts || texts->size() != 3) return std::nullopt;
  return Hello{(*texts)[0], (*texts)[1], (*texts)[2]};
}

std::string to_packet(const Order& order) {
  std::string packet(1, static_cast<char>(order.kind));
  if (order.kind == Order::Kind::kFinish) {
    add(packet, std::to_string(order.status.code));
    add(packet, std::to_string(order.status.signal));
  }
  for (const std::string& word : order.words) add(packet, word);
  return packet;
}

std::optional<Order> order_in(std::string_view packet) {
  if (packet.empty()) return std::nullopt;
  auto texts = texts_in(packet);
  if (!texts) return std::nullopt;
  switch (packet.front()) {
    case static_cast<char>(Order::Kind::kIfAbandoned):
      return Order{Order::Kind::kIfAbandoned, {}, std::move(*texts)};
    case static_cast<char>(Order::Kind::kPrint):
      return Order{Order::Kind::kPrint, {}, std::move(*texts)};
    case static_cast<char>(Order::Kind::kFinish): {
      if (texts->size() < 2) return std::nullopt;
      const std::optional<int> code = number_in((*texts)[0]);
      const std::optional<int> signal = number_in((*texts)[1]);
      if (!code || !signal) return std::nullopt;
      texts->erase(texts->begin(), texts->begin() + 2);
      return Order{Order::Kind::kFinish, {*code, *signal}, std::move(*texts)};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace orch::mux
