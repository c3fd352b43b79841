// Viewers of a session: the frames that they get and send.
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "rig.h"

namespace orch::host {
namespace {

using wire::FrameType;

std::string attach_as(bool interactive) {
  return wire::to_json(wire::Request{1, wire::Attach{interactive, 100, 30}});
}

// The bytes of the last snapshot that the peer got, and of the raw output after it.
std::string shown(const Peer& peer) {
  std::string all;
  for (const wire::Frame& frame : peer.frames) {
    if (frame.type == FrameType::kSnapshot) all = wire::read_snapshot(frame.payload)->bytes;
    if (frame.type == FrameType::kRaw) all += frame.payload;
  }
  return all;
}

// Turns the loop until the condition holds; for conditions of which no peer is told.
void turn_until(Rig& rig, const std::function<bool()>& reached) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!reached() && std::chrono::steady_clock::now() < until) {
    rig.turn();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(reached());
}

size_t snapshots(const Peer& peer) {
  size_t count = 0;
  for (const wire::Frame& frame : peer.frames) count += frame.type == FrameType::kSnapshot ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a viewer gets its name, the screen, and the output that follows, with nothing between") {
  Rig rig;
  rig.session.screen = "[screen]";
  Peer peer(rig);
  peer.ask(attach_as(true));
  rig.run_until([&] { return snapshots(peer) == 1; });
  REQUIRE(peer.frames[0].type == FrameType::kAnswer);
  const auto answer = wire::read_answer(peer.frames[0].payload);
  REQUIRE(answer);
  CHECK(std::get<wire::Attached>(answer->result).viewer == 1);
  CHECK(peer.frames[1].type == FrameType::kSnapshot);
  CHECK(rig.session.windows.at(1) == term::Size{100, 30});
  rig.socket->on_raw("more");
  rig.run_until([&] { return shown(peer) == "[screen]more"; });
}

TEST_CASE("a viewer types, tells its window, and leaves; what it says then is nobody's") {
  Rig rig;
  rig.session.screen = "x";
  Peer peer(rig);
  peer.ask(attach_as(true));
  peer.send(wire::encode_input(1, "ab"));
  peer.ask(wire::to_json(wire::Request{2, wire::Window{1, 90, 20}}));
  peer.send(wire::encode_input(7, "a stranger's"));
  turn_until(rig, [&] { return rig.session.typed == "ab" && rig.session.windows[1]->rows == 20; });
  peer.ask(wire::to_json(wire::Request{3, wire::Detach{1}}));
  peer.send(wire::encode_input(1, "too late"));
  peer.ask(wire::to_json(wire::Request{4, wire::Window{1, 90, 20}}));
  rig.run_until([&] { return rig.session.windows.empty() && peer.frames.size() == 5; });
  CHECK(rig.session.typed == "ab");
  CHECK(std::get<wire::Refusal>(wire::read_answer(peer.frames[4].payload)->result)
            .error.find("no viewer") != std::string::npos);
  CHECK_FALSE(peer.closed);
}

TEST_CASE("a viewer that is gone has left") {
  Rig rig;
  rig.session.screen = "x";
  Peer one(rig), other(rig);
  one.ask(attach_as(true));
  other.ask(attach_as(true));
  rig.run_until([&] { return rig.session.windows.size() == 2; });
  one.leave();
  turn_until(rig, [&] { return rig.session.windows.size() == 1; });
}

TEST_CASE("who only looks has no window, and whose input comes all the same breaks the protocol") {
  Rig rig;
  rig.session.screen = "x";
  Peer peer(rig);
  peer.ask(attach_as(false));
  rig.run_until([&] { return snapshots(peer) == 1; });
  CHECK(rig.session.windows.at(1) == std::nullopt);
  peer.send(wire::encode_input(1, "x"));
  rig.run_until([&] { return peer.closed; });
  CHECK(rig.session.typed.empty());
}

TEST_CASE("an agent without a screen is not shown") {
  Rig rig;
  Peer peer(rig);
  peer.ask(attach_as(true));
  rig.run_until([&] { return peer.frames.size() == 1; });
  CHECK(std::holds_alternative<wire::Refusal>(wire::read_answer(peer.frames[0].payload)->result));
  CHECK_FALSE(peer.closed);
}

TEST_CASE("a viewer that lags gets another snapshot in place of what it missed, and no hole") {
  Rig rig;
  rig.session.screen = "[first]";
  Peer peer(rig);
  peer.ask(attach_as(true));
  rig.run_until([&] { return snapshots(peer) == 1; });
  peer.stop_reading();
  const std::string much(60'000, '.');
  for (int i = 0; i < 40; ++i) {
    rig.socket->on_raw(much);
    rig.turn();
  }
  rig.session.screen = "[later]";
  CHECK(rig.socket->queued_bytes() < 3 * kMaxQueuedBytes);
  peer.go_on_reading();
  rig.run_until([&] { return snapshots(peer) == 2; });
  rig.socket->on_raw("end");
  rig.run_until([&] { return shown(peer) == "[later]end"; });
}

TEST_CASE("when the screen is replaced every viewer gets it anew") {
  Rig rig;
  rig.session.screen = "[small]";
  Peer peer(rig);
  peer.ask(attach_as(true));
  rig.run_until([&] { return snapshots(peer) == 1; });
  rig.session.screen = "[large]";
  rig.socket->on_screen_replaced();
  rig.run_until([&] { return shown(peer) == "[large]"; });
}

TEST_CASE("an agent that takes nothing holds up who types, and nobody else") {
  Rig rig;
  rig.session.screen = "x";
  Peer peer(rig), other(rig);
  peer.ask(attach_as(true));
  rig.run_until([&] { return snapshots(peer) == 1; });
  rig.session.full = true;
  peer.send(wire::encode_input(1, "paste"));
  other.ask(wire::to_json(wire::Request{1, wire::AskStatus{}}));
  rig.run_until([&] { return other.frames.size() == 1; });
  CHECK(rig.session.typed.empty());
  rig.session.full = false;
  turn_until(rig, [&] { return rig.session.typed == "paste"; });
}

TEST_CASE("a snapshot of any size arrives whole at a client") {
  Rig rig;
  rig.session.screen.assign(3 << 20, 'x');
  struct Watcher final : client::Follower {
    explicit Watcher(Rig& rig) : rig_(rig) {}
    void on_started(uint64_t /*offset*/) override {}
    void on_snapshot(term::Size size, std::string_view bytes) override {
      shown = bytes;
      window = size;
      rig_.look();
    }
    void on_lagged(const client::Gap& /*gap*/) override {}
    void on_end(std::string_view /*json*/) override {}
    void on_lost(const base::Error& /*error*/) override {}
    Rig& rig_;
    std::string shown;
    term::Size window;
  } watcher(rig);
  auto client = client::Client::connect(rig.loop, rig.folder.path(), rig.record());
  REQUIRE(client);
  (*client)->attach(term::Size{80, 25}, watcher);
  rig.run_until([&] { return !watcher.shown.empty(); });
  CHECK(watcher.shown == rig.session.screen);
  CHECK(watcher.window == term::Size{80, 24});
}

}  // namespace orch::host
