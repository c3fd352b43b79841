#include "host/control_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "rig.h"

namespace orch::host {
namespace {

namespace fs = std::filesystem;
using wire::Frame;
using wire::FrameType;

constexpr std::string_view kAskStatus = R"({"v":1,"id":1,"verb":"status"})";

// The answer to kAskStatus.
bool tells_status(const Peer& peer, const Rig& rig) {
  return peer.frames == std::vector<Frame>{{FrameType::kAnswer,
                                            wire::to_json(wire::Answer{1, rig.session.report})}};
}

TEST_CASE("A session tells its status to who asks") {
  Rig rig;
  rig.session.report.session = "orch-42";
  rig.session.report.turns = 7;
  Peer peer(rig);
  peer.ask(kAskStatus);
  rig.run_until([&] { return !peer.frames.empty(); });
  CHECK(tells_status(peer, rig));
  CHECK_FALSE(peer.closed);
}

TEST_CASE("A follower is told what happens from its offset on, and what it asked for alone") {
  Rig rig;
  rig.event(R"({"n":1})");
  TestFollower events(rig), raw(rig, {.events = false, .raw = true}), none(rig, {});
  rig.run_until([&] { return events.started && raw.started && none.started; });
  CHECK(events.started == rig.session.log.size());
  rig.event(R"({"n":2})");
  rig.socket->on_raw("\x1b[2Jhello");
  rig.event(R"({"n":3})");
  rig.run_until([&] { return events.log == rig.session.log && !raw.raw.empty(); });
  CHECK(raw.raw == "\x1b[2Jhello");
  CHECK(events.raw.empty());
  CHECK(raw.log == "{\"n\":1}\n");
  CHECK(none.log == "{\"n\":1}\n");
}

TEST_CASE("Much raw output comes in order") {
  Rig rig;
  TestFollower raw(rig, {.events = false, .raw = true});
  rig.run_until([&] { return raw.started.has_value(); });
  std::string all;
  for (int i = 0; i < 20'000; ++i) all += std::to_string(i) + "\r\n";
  rig.socket->on_raw(all);
  rig.run_until([&] { return raw.raw == all; });
  CHECK(raw.gaps.empty());
}

TEST_CASE("What cannot be served is refused, and the connection stays") {
  Rig rig;
  Peer peer(rig);
  peer.ask(R"({"v":1,"id":1,"verb":"dance"})");
  peer.ask(R"({"v":9,"id":2,"verb":"status"})");
  peer.ask(R"({"v":1,"id":3,"verb":"subscribe"})");
  peer.ask(R"({"v":1,"id":4,"verb":"subscribe"})");
  peer.ask(R"({"v":1,"id":5,"verb":"kill"})");
  rig.run_until([&] { return peer.frames.size() == 5; });
  std::vector<std::string> answers;
  for (const Frame& frame : peer.frames) {
    CHECK(frame.type == FrameType::kAnswer);
    const auto answer = wire::read_answer(frame.payload);
    REQUIRE(answer.ok());
    const auto* refusal = std::get_if<wire::Refusal>(&answer->result);
    answers.push_back(refusal != nullptr ? refusal->error : "ok");
  }
  CHECK(answers == std::vector<std::string>{"unknown verb 'dance'",
                                            "this session speaks version 1 of the protocol, not 9",
                                            "ok", "subscribed already", "ok"});
  CHECK_FALSE(peer.closed);
}

TEST_CASE("A peer that breaks the protocol is cut off, and nobody else notices") {
  const std::string garbage = GENERATE(
      std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\xff\xff\xff\xff"),
      std::string("\0\0\0\0Z", 5), std::string("\1\0\x10\0q", 5),
      wire::encode(FrameType::kRequest, "{nonsense"), wire::encode(FrameType::kRequest, "[1]"),
      wire::encode(FrameType::kRequest, R"({"v":1,"verb":"status"})"),
      wire::encode(FrameType::kAnswer, R"({"id":1,"ok":true})"),
      wire::encode(FrameType::kRaw, "x"));
  Rig rig;
  TestFollower other(rig);
  Peer peer(rig);
  peer.ask(kAskStatus);
  rig.run_until([&] { return other.started && tells_status(peer, rig); });
  peer.send(garbage);
  rig.run_until([&] { return peer.closed; });
  rig.event("{}");
  rig.run_until([&] { return other.log == "{}\n"; });
  CHECK(rig.socket->connections() == 1);
}

TEST_CASE("A peer that says nothing, or half of it, is cut off after a while; a follower is not") {
  Rig rig;
  TestFollower follower(rig);
  Peer silent(rig), half(rig), idle(rig);
  half.send(wire::encode(FrameType::kRequest, kAskStatus));
  half.send(wire::encode(FrameType::kRequest, kAskStatus).substr(0, 12));
  idle.ask(kAskStatus);
  const int64_t start = rig.loop.now_ms();
  rig.run_until([&] { return silent.closed && half.closed; });
  CHECK(rig.loop.now_ms() - start >= kRequestPatienceMs);
  CHECK(tells_status(half, rig));
  CHECK_FALSE(idle.closed);  // asked something, and may ask again
  CHECK(rig.socket->connections() == 2);
  CHECK_FALSE(follower.lost.has_value());
}

TEST_CASE("Connections are limited; who comes too late is told so, and later there is room") {
  Rig rig;
  std::vector<std::unique_ptr<Peer>> peers;
  for (size_t i = 0; i < kMaxConnections; ++i) peers.push_back(std::make_unique<Peer>(rig));
  for (const auto& peer : peers) peer->ask(kAskStatus);
  rig.run_until([&] { return tells_status(*peers.back(), rig); });
  Peer late(rig);
  rig.run_until([&] { return late.closed; });
  REQUIRE(late.frames.size() == 1);
  CHECK(
      late.frames[0].payload ==
      R"({"id":0,"ok":false,"error":"too many connections; at most 64 at a time","code":"busy"})");
  peers.front()->leave();
  while (rig.socket->connections() == kMaxConnections) rig.turn();
  Peer next(rig);
  next.ask(kAskStatus);
  rig.run_until([&] { return tells_status(next, rig); });
}

TEST_CASE("A peer that asks and never reads does not make the host remember it all") {
  Rig rig;
  rig.session.report.repository = std::string(10'000, 'r');
  Peer peer(rig);
  peer.stop_reading();
  for (int i = 0; i < 5'000; ++i) peer.ask(kAskStatus);
  while (rig.socket->queued_bytes() <= kMaxQueuedBytes) rig.turn();
  for (int i = 0; i < 100; ++i) rig.turn();
  CHECK(rig.socket->queued_bytes() < kMaxQueuedBytes + 11'000);  // and one answer
  peer.go_on_reading();
  rig.run_until([&] { return peer.frames.size() == 5'000; });
}

TEST_CASE("Twenty followers are told everything in order while one never reads") {
  Rig rig;
  std::vector<std::unique_ptr<TestFollower>> followers;
  for (int i = 0; i < 20; ++i) followers.push_back(std::make_unique<TestFollower>(rig));
  Peer stopped(rig);
  stopped.ask(R"({"v":1,"id":1,"verb":"subscribe","events":true,"raw":true})");
  rig.run_until([&] { return stopped.frames.size() == 1 && followers.back()->started; });
  stopped.stop_reading();

  const auto all_told = [&] {
    return std::all_of(followers.begin(), followers.end(), [&](const auto& follower) {
      return follower->log.size() == rig.session.log.size();
    });
  };
  size_t most_queued = 0;
  int n = 0;
  for (int batch = 0; batch < 40; ++batch) {
    for (int i = 0; i < 200; ++i) {
      rig.event(R"({"n":)" + std::to_string(++n) + R"(,"text":")" + std::string(100, 'x') + "\"}");
      rig.socket->on_raw("12345");
    }
    most_queued = std::max(most_queued, rig.socket->queued_bytes());
    rig.run_until(all_told);
  }
  REQUIRE(rig.session.log.size() > 3 * kMaxQueuedBytes);
  CHECK(most_queued <= 21 * kMaxQueuedBytes);
  CHECK(rig.socket->queued_bytes() <= kMaxQueuedBytes);  // the stopped one's
  for (const auto& follower : followers) {
    CHECK(follower->log == rig.session.log);
    CHECK(follower->gaps.empty());
  }

  stopped.go_on_reading();
  rig.run_until([&] { return stopped.frames.back().type == FrameType::kLagged; });
  rig.event(R"({"n":"live"})");
  rig.run_until([&] { return stopped.frames.back().payload == R"({"n":"live"})"; });
  std::string told;
  size_t raw = 0;
  for (const Frame& frame : stopped.frames) {
    if (frame.type == FrameType::kEvent) told += frame.payload + "\n";
    if (frame.type == FrameType::kRaw) raw += frame.payload.size();
    if (frame.type != FrameType::kLagged) continue;
    const auto lagged = wire::read_lagged(frame.payload);
    CHECK(rig.session.log.starts_with(told));
    CHECK(lagged->events_from == told.size());
    CHECK(lagged->events_offset > told.size());
    told = rig.session.log.substr(0, lagged->events_offset);
    raw += lagged->dropped_bytes;
  }
  CHECK(told == rig.session.log);
  CHECK(raw == static_cast<size_t>(n) * 5);
}

TEST_CASE("A follower of events is told the session record first, then what happens from now on") {
  Rig rig;
  rig.session.first = R"({"ms":0,"event":"session","v":2,"session":"orch-42"})";
  rig.event(rig.session.first);
  rig.event(R"({"ms":1,"event":"turn","n":1})");
  Peer follower(rig), raw(rig);
  follower.ask(R"({"v":1,"id":1,"verb":"subscribe","events":true})");
  raw.ask(R"({"v":1,"id":1,"verb":"subscribe","raw":true})");
  rig.run_until([&] { return !raw.frames.empty() && follower.frames.size() == 2; });
  rig.event(R"({"ms":9,"event":"turn","n":2})");
  rig.run_until([&] { return follower.frames.size() == 3; });
  CHECK(follower.frames[0].type == FrameType::kAnswer);
  CHECK(follower.frames[1] == Frame{FrameType::kEvent, rig.session.first});
  CHECK(follower.frames[2] == Frame{FrameType::kEvent, R"({"ms":9,"event":"turn","n":2})"});
  CHECK(raw.frames.size() == 1);
}

TEST_CASE("A follower for whom one turn was too much catches up and goes on, losing nothing") {
  Rig rig;
  TestFollower follower(rig);
  rig.run_until([&] { return follower.started.has_value(); });
  const auto flood = [&](int lines) {
    for (int i = 0; i < lines; ++i) rig.event("\"" + std::string(1'000, 'x') + "\"");
  };
  flood(3'000);
  rig.run_until([&] { return follower.log == rig.session.log; });
  CHECK(follower.gaps.size() == 1);
  rig.event("\"" + std::string(2 * wire::kMaxPayloadBytes, 'y') + "\"");  // fits into no frame
  rig.run_until([&] { return follower.log == rig.session.log; });
  CHECK(follower.gaps.size() == 2);
  rig.event("\"live\"");
  rig.run_until([&] { return follower.log == rig.session.log; });
  CHECK(follower.gaps.size() == 2);
}

TEST_CASE("Events that are told and not kept do not move what a follower has to read") {
  Rig rig;
  TestFollower follower(rig);
  rig.run_until([&] { return follower.started.has_value(); });
  for (int i = 0; i < 3'000; ++i) {
    rig.socket->on_event("\"" + std::string(1'000, 'x') + "\"");  // not in the log
    if (i % 10 == 0) rig.event(std::to_string(i));
  }
  rig.run_until([&] { return !follower.gaps.empty(); });
  CHECK(follower.gaps.front().to == rig.session.log.size());
  std::string kept;  // what the follower has, but for what was told only
  for (const std::string_view line : base::split_lines(follower.log)) {
    if (!line.starts_with('"')) kept += std::string(line) + "\n";
  }
  CHECK(kept == rig.session.log);
}

TEST_CASE("When a session ends, everybody is told all that happened, then its result") {
  Rig rig;
  TestFollower follower(rig), lagging(rig);
  Peer asker(rig);
  asker.ask(kAskStatus);
  rig.run_until([&] { return follower.started && lagging.started && asker.frames.size() == 1; });
  for (int i = 0; i < 3'000; ++i) rig.event("\"" + std::string(500, 'x') + "\"");
  const std::string path = rig.socket_path();
  bool parted = false;
  rig.socket->on_end(R"({"code":0})", [&] {
    parted = true;
    rig.look();
  });
  CHECK_FALSE(fs::exists(path));
  CHECK(connect_to(path).error().code == base::ErrorCode::kNotFound);
  rig.run_until([&] { return parted && asker.closed && follower.end && lagging.end; });
  CHECK(follower.end == R"({"code":0})");
  CHECK(follower.log == rig.session.log);
  CHECK(lagging.log == rig.session.log);
  CHECK_FALSE(follower.lost.has_value());
  CHECK(asker.frames.back() == Frame{FrameType::kEnd, R"({"code":0})"});
  CHECK(rig.socket->connections() == 0);
  rig.loop.run();  // nothing keeps it: returns
}

TEST_CASE("A session that ends does not wait for who does not read, longer than a second") {
  Rig rig;
  Peer stopped(rig);
  stopped.ask(R"({"v":1,"id":1,"verb":"subscribe","events":true})");
  rig.run_until([&] { return stopped.frames.size() == 1; });
  stopped.stop_reading();
  for (int i = 0; i < 10'000; ++i) rig.event("\"" + std::string(100, 'x') + "\"");
  const int64_t start = rig.loop.now_ms();
  bool parted = false;
  rig.socket->on_end("{}", [&] {
    parted = true;
    rig.socket.reset();
    rig.look();
  });
  rig.run_until([&] { return parted; });
  CHECK(rig.loop.now_ms() - start >= kPartingMs);
  CHECK(rig.loop.now_ms() - start < 5 * kPartingMs);
}

TEST_CASE("A session with nobody connected has parted in the next turn") {
  Rig rig;
  bool parted = false;
  rig.socket->on_end("{}", [&] { parted = true; });
  CHECK_FALSE(parted);
  rig.loop.run();
  CHECK(parted);
}

TEST_CASE("Who kills a session is answered, then told its end") {
  Rig rig;
  const bool now = GENERATE(false, true);
  Peer peer(rig);
  rig.session.on_kill = [&] { rig.socket->on_end(R"({"code":137})"); };
  peer.ask(wire::to_json(wire::Request{5, wire::Kill{now}}));
  peer.ask(kAskStatus);  // too late
  rig.run_until([&] { return peer.closed; });
  CHECK(rig.session.kills == std::vector<bool>{now});
  CHECK(peer.frames == std::vector<Frame>{{FrameType::kAnswer, R"({"id":5,"ok":true})"},
                                          {FrameType::kEnd, R"({"code":137})"}});
}

TEST_CASE("A session may destroy its socket while it is being killed") {
  Rig rig;
  Peer peer(rig);
  rig.session.on_kill = [&] { rig.socket.reset(); };
  peer.ask(wire::to_json(wire::Request{5, wire::Kill{}}));
  rig.run_until([&] { return peer.closed; });
  CHECK(rig.session.kills.size() == 1);
}

TEST_CASE("Another user's process is not served, whatever the modes say") {
  if (::geteuid() != 0) return;  // only root can be somebody else
  constexpr uid_t kNobody = 65534;
  Rig rig;
  const std::string path = rig.socket_path();
  REQUIRE(::chmod(rig.folder.path().c_str(), 0777) == 0);
  REQUIRE(::chmod(rig.folder.file("sockets").c_str(), 0777) == 0);
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  REQUIRE(::seteuid(kNobody) == 0);
  const int connected =
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  REQUIRE(::seteuid(0) == 0);
  REQUIRE(connected == 0);
  std::string told;
  bool closed = false;
  loop::Stream stranger(rig.loop, std::move(socket),
                        {.on_data = [&](std::string_view bytes) { told += bytes; },
                         .on_closed =
                             [&] {
                               closed = true;
                               rig.look();
                             },
                         .on_drained = nullptr});
  stranger.write(wire::encode(FrameType::kRequest, kAskStatus));
  rig.run_until([&] { return closed; });
  CHECK(told.empty());
}

}  // namespace
}  // namespace orch::host
