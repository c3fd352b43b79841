#include "host/control_socket.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "as_nobody.h"
#include "base/log.h"
#include "base/text.h"
#include "peer/session_socket.h"
#include "rig.h"

namespace orch::host {
namespace {

namespace fs = std::filesystem;
using wire::Frame;
using wire::FrameType;

constexpr std::string_view kAskStatus = R"({"v":1,"id":1,"verb":"status"})";

// Whether the peer has got exactly the answer to kAskStatus.
bool tells_status(const Peer& peer, const Rig& rig) {
  return peer.frames == std::vector<Frame>{{FrameType::kAnswer,
                                            wire::to_json(wire::Answer{1, rig.session.report})}};
}

// Collects the log lines that are written while it exists.
class LogLines {
 public:
  LogLines() {
    base::set_log_sink([this](const base::LogLine& line) {
      all_.push_back(std::string(line.component) + ": " + std::string(line.text));
    });
  }
  ~LogLines() { base::set_log_sink(nullptr); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  bool has(const std::string& line) const {
    return std::find(all_.begin(), all_.end(), line) != all_.end();
  }

 private:
  std::vector<std::string> all_;
};

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
  CHECK_FALSE(idle.closed);  // it has asked something, and may ask again
  CHECK(rig.socket->connections() == 2);
  CHECK_FALSE(follower.lost.has_value());
}

// As many connections as the host allows; each has asked this.
std::vector<std::unique_ptr<Peer>> full_house(Rig& rig, std::string_view question) {
  std::vector<std::unique_ptr<Peer>> peers;
  while (peers.size() < kMaxConnections) {
    peers.push_back(std::make_unique<Peer>(rig));
    peers.back()->ask(question);
    while (rig.socket->connections() < peers.size()) rig.turn();
  }
  return peers;
}

bool any_closed(const std::vector<std::unique_ptr<Peer>>& peers, size_t from) {
  return std::any_of(peers.begin() + static_cast<std::ptrdiff_t>(from), peers.end(),
                     [](const auto& peer) { return peer->closed; });
}

TEST_CASE("When all connections are in use, a new one takes the place of the longest idle one") {
  const LogLines log;
  Rig rig;
  const auto peers = full_house(rig, kAskStatus);
  rig.run_until([&] { return tells_status(*peers.back(), rig); });
  Peer late(rig);
  late.ask(kAskStatus);
  rig.run_until([&] { return tells_status(late, rig) && peers.front()->closed; });
  CHECK_FALSE(any_closed(peers, 1));
  CHECK(rig.socket->connections() == kMaxConnections);
  CHECK(log.has("socket: all 256 connections are in use"));
}

TEST_CASE("Where nobody is idle, who comes too late is told so, and later there is room") {
  Rig rig;
  const auto peers = full_house(rig, R"({"v":1,"id":1,"verb":"send","text":"x"})");
  while (rig.session.messages.size() < kMaxConnections) rig.turn();
  Peer late(rig);
  rig.run_until([&] { return late.closed; });
  REQUIRE(late.frames.size() == 1);
  CHECK(
      late.frames[0].payload ==
      R"({"id":0,"ok":false,"error":"too many connections; at most 256 at a time","code":"busy"})");
  peers.front()->leave();
  while (rig.socket->connections() == kMaxConnections) rig.turn();
  Peer next(rig);
  next.ask(kAskStatus);
  rig.run_until([&] { return tells_status(next, rig); });
}

// A child process, which to the host looks like an agent's, that holds `count` connections; each
// has sent `question`.
class AgentPeer {
 public:
  AgentPeer(Rig& rig, size_t count, std::string_view question) {
    const std::string request = wire::encode(FrameType::kRequest, question);
    const std::string path = rig.socket_path();
    pid_ = ::fork();
    if (pid_ != 0) return;
    std::vector<base::Fd> connections;
    while (connections.size() < count) {
      auto connected = peer::connect_to(path);
      if (!connected) continue;  // the host has not accepted the earlier ones yet
      connections.push_back(std::move(connected).value());
      if (::write(connections.back().get(), request.data(), request.size()) < 0) ::_exit(1);
    }
    for (;;) ::pause();
  }
  ~AgentPeer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  AgentPeer(const AgentPeer&) = delete;
  AgentPeer& operator=(const AgentPeer&) = delete;

 private:
  pid_t pid_ = 0;
};

TEST_CASE("Idle connections of processes of a run give way before those of a person") {
  Rig rig;
  Peer person(rig);
  person.ask(kAskStatus);
  // So it has been idle longer than the others.
  rig.run_until([&] { return tells_status(person, rig); });
  std::vector<std::unique_ptr<Peer>> persons;
  while (persons.size() < kMaxConnections - 1 - kMaxOfRun) {
    persons.push_back(std::make_unique<Peer>(rig));
    persons.back()->ask(kAskStatus);
    rig.run_until([&] { return tells_status(*persons.back(), rig); });
  }
  const AgentPeer agent(rig, kMaxOfRun, kAskStatus);
  while (rig.socket->connections() < kMaxConnections) rig.turn();
  for (int i = 0; i < 20; ++i) {
    Peer late(rig);
    late.ask(kAskStatus);
    rig.run_until([&] { return tells_status(late, rig); });
  }
  CHECK_FALSE(person.closed);
}

TEST_CASE("Processes of a run have a part of the connections, and a person's own come in") {
  const std::string call = R"({"v":1,"id":1,"verb":"check_call","event":"x"})";
  for (const std::string_view asks : {kAskStatus, std::string_view(call)}) {
    Rig rig;
    const AgentPeer agent(rig, 3 * kMaxOfRun, asks);
    Peer person(rig);
    while (rig.socket->connections() < kMaxOfRun) rig.turn();
    for (int turn = 0; turn < 1'000; ++turn) {
      rig.turn();
      REQUIRE(rig.socket->connections() <= kMaxOfRun + 2);
    }
    person.ask(kAskStatus);
    rig.run_until([&] { return tells_status(person, rig); });
  }
}

TEST_CASE("Where the host has no room for more peers, the socket with most of them makes it") {
  Rig rig;
  rig.room.set_most(3);
  auto opened = peer::listen_on(rig.folder.file("sockets"), "orch-43@0badcafe");
  REQUIRE(opened.ok());
  const ControlSocket other(rig.loop, std::move(opened).value(), rig.session, rig.room);
  Peer first(rig), second(rig), third(rig);
  for (Peer* peer : {&first, &second, &third}) {
    peer->ask(kAskStatus);
    rig.run_until([&] { return tells_status(*peer, rig); });
  }
  const auto late = peer::connect_to(other.path());
  REQUIRE(late);
  rig.run_until([&] { return first.closed; });
  CHECK(other.connections() == 1);
  CHECK(rig.socket->connections() == 2);
  CHECK_FALSE(second.closed);
}

TEST_CASE("Followers are limited; one of a run gives way to a person's") {
  constexpr std::string_view kFollow = R"({"v":1,"id":1,"verb":"subscribe","events":true})";
  constexpr std::string_view kTooMany =
      R"({"id":1,"ok":false,"error":"too many followers of this session; try again","code":"busy"})";
  Rig rig;
  auto agent = std::make_unique<AgentPeer>(rig, kMaxFollowers, kFollow);
  while (rig.socket->connections() < kMaxFollowers) rig.turn();
  for (int i = 0; i < 100; ++i) rig.turn();  // until they have subscribed
  std::vector<std::unique_ptr<Peer>> persons;
  for (size_t i = 0; i <= kMaxFollowers; ++i) {
    Peer& person = *persons.emplace_back(std::make_unique<Peer>(rig));
    person.ask(kFollow);
    rig.run_until([&] { return !person.frames.empty(); });
    CHECK((person.frames[0].payload == kTooMany) == (i == kMaxFollowers));
  }
  CHECK_FALSE(any_closed(persons, 0));
  CHECK(rig.socket->connections() == kMaxFollowers + 1);  // all of the agent's were closed
}

TEST_CASE("The messages of one peer that wait are limited by their bytes") {
  Rig rig;
  Peer peer(rig);
  const auto send = [&](int id, size_t bytes) {
    peer.ask(R"({"v":1,"verb":"send","id":)" + std::to_string(id) + R"(,"text":")" +
             std::string(bytes, 'x') + "\"}");
  };
  send(1, 600'000);
  send(2, 600'000);
  rig.run_until([&] { return peer.frames.size() == 1; });
  CHECK(peer.frames[0].payload ==
        R"({"id":2,"ok":false,"error":"too many messages wait; try again","code":"busy"})");
  CHECK(rig.session.messages.size() == 1);
  wire::Sent sent;
  sent.message = "m1";
  rig.session.on_decided[0](sent);
  send(3, 1'000'000);  // now there is room again
  while (rig.session.messages.size() < 2) rig.turn();
  CHECK(peer.frames.size() <= 2);
}

TEST_CASE("An answer is told when its dialog was seen to go, or why it was not") {
  Rig rig;
  Peer peer(rig), other(rig);
  const auto last = [](const Peer& of) { return of.frames.back().payload; };
  const auto ask = [&rig, &last](Peer& of) {
    const size_t before = of.frames.size();
    of.ask(R"({"v":1,"id":7,"verb":"answer","dialog":"d1","choice":"no"})");
    rig.run_until([&of, before] { return of.frames.size() > before; });
    return last(of);
  };
  CHECK(ask(peer) == R"({"id":7,"ok":false,"error":"no dialog is open","code":"no_dialog"})");
  rig.session.report.dialog = wire::DialogReport{};
  const auto begin = [&](int64_t times) {
    peer.ask(R"({"v":1,"id":7,"verb":"answer","dialog":"d1","choice":"no"})");
    while (rig.session.answers.size() < static_cast<size_t>(times)) rig.turn();
    REQUIRE(rig.session.on_answered);
  };
  const auto decide = [&](base::Status outcome) {
    const size_t before = peer.frames.size();
    std::exchange(rig.session.on_answered, nullptr)(std::move(outcome));
    rig.run_until([&] { return peer.frames.size() > before; });
    return last(peer);
  };
  begin(1);
  CHECK(rig.session.answers[0].dialog == "d1");
  CHECK(ask(other).find("is being typed") != std::string::npos);
  CHECK(decide(base::Ok{}) == R"({"id":7,"ok":true})");
  begin(2);
  CHECK(decide(base::Error{base::ErrorCode::kSystem, "it stands"}) ==
        R"({"id":7,"ok":false,"error":"it stands","code":"still_stands"})");
  begin(3);
  CHECK(decide(base::usage_error("it went")) ==
        R"({"id":7,"ok":false,"error":"it went","code":"usage"})");
  begin(4);
  peer.leave();
  while (rig.session.on_answered) rig.turn();  // there is no peer to tell
}

TEST_CASE("Many small messages are limited, too, and all peers' together") {
  Rig rig;
  Peer small(rig);
  for (int id = 1; id <= 2'000; ++id) {
    small.ask(R"({"v":1,"verb":"send","text":"","id":)" + std::to_string(id) + "}");
  }
  while (small.frames.size() + rig.session.messages.size() < 2'000) rig.turn();
  CHECK(rig.session.messages.size() == kMostMessageBytes / kMessageOverheadBytes);
  small.leave();
  while (rig.socket->connections() > 0) rig.turn();

  rig.session.messages.clear();
  std::vector<std::unique_ptr<Peer>> peers;
  const std::string large =
      R"({"v":1,"id":1,"verb":"send","text":")" + std::string(1'000'000, 'x') + "\"}";
  for (int i = 0; i < 9; ++i) {
    peers.push_back(std::make_unique<Peer>(rig));
    peers.back()->ask(large);
  }
  rig.run_until(
      [&] { return !peers.back()->frames.empty() || rig.session.messages.size() == peers.size(); });
  CHECK(rig.session.messages.size() == 8);
}

TEST_CASE("A peer that does not read what became of its messages is cut off") {
  const LogLines log;
  Rig rig;
  Peer peer(rig);
  peer.stop_reading();
  constexpr int kMessages = 40;
  for (int id = 1; id <= kMessages; ++id) {
    peer.ask(R"({"v":1,"verb":"send","text":"x","id":)" + std::to_string(id) + "}");
  }
  while (rig.session.messages.size() < kMessages) rig.turn();
  wire::Sent sent;
  sent.screen = std::string(100'000, 's');
  for (const auto& on_decided : std::exchange(rig.session.on_decided, {})) on_decided(sent);
  while (rig.socket->connections() > 0) rig.turn();
  CHECK(log.has("socket: a peer is done with: it does not read its answers"));
}

TEST_CASE("A peer that floods with requests does not keep the others waiting") {
  constexpr size_t kRequests = 1'000;  // they arrive in one read
  Rig rig;
  rig.session.report.repository = std::string(10'000, 'r');
  Peer flooder(rig), other(rig);
  std::string requests;
  for (size_t i = 0; i < kRequests; ++i) {
    requests += wire::encode(FrameType::kRequest, kAskStatus);
  }
  REQUIRE(requests.size() < (64 << 10));
  while (rig.socket->connections() < 2) rig.turn();
  flooder.send(requests);
  other.ask(kAskStatus);
  rig.run_until([&] { return tells_status(other, rig); });
  CHECK(flooder.frames.size() < kRequests / 2);
  rig.run_until([&] { return flooder.frames.size() == kRequests; });
}

TEST_CASE("Without descriptors an idle connection gives way to one that waits, and it is named") {
  const LogLines log;
  Rig rig;
  Peer idle(rig);
  idle.ask(kAskStatus);
  rig.run_until([&] { return tells_status(idle, rig); });
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  Peer late(rig);
  late.ask(kAskStatus);
  const base::Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit none{static_cast<rlim_t>(next.get()), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  rig.run_until([&] { return tells_status(late, rig); });
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(idle.closed);
  CHECK(log.has("socket: no connection can be accepted: Too many open files (of " +
                std::to_string(next.get()) + ")"));
}

TEST_CASE("A peer that asks and never reads does not make the host remember it all") {
  Rig rig;
  rig.session.report.repository = std::string(10'000, 'r');
  Peer peer(rig);
  peer.stop_reading();
  constexpr int kAsked = 1'000;
  for (int i = 0; i < kAsked; ++i) peer.ask(kAskStatus);
  while (rig.socket->queued_bytes() <= kMaxQueuedBytes) rig.turn();
  for (int i = 0; i < 100; ++i) rig.turn();
  CHECK(rig.socket->queued_bytes() < kMaxQueuedBytes + 11'000);  // at most one answer more
  peer.go_on_reading();
  rig.run_until([&] { return peer.frames.size() == kAsked; });
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
  CHECK(rig.socket->queued_bytes() <= kMaxQueuedBytes);  // those of the stopped one
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
  // Does not fit into a frame.
  rig.event("\"" + std::string(2 * wire::kMaxPayloadBytes, 'y') + "\"");
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
    rig.socket->on_event("\"" + std::string(1'000, 'x') + "\"");  // told, but not in the log
    if (i % 10 == 0) rig.event(std::to_string(i));
  }
  rig.run_until([&] { return !follower.gaps.empty(); });
  CHECK(follower.gaps.front().to == rig.session.log.size());
  std::string kept;  // what the follower has, without what was only told
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
  CHECK(peer::connect_to(path).error().code == base::ErrorCode::kNotFound);
  rig.run_until([&] { return parted && asker.closed && follower.end && lagging.end; });
  CHECK(follower.end == R"({"code":0})");
  CHECK(follower.log == rig.session.log);
  CHECK(lagging.log == rig.session.log);
  CHECK_FALSE(follower.lost.has_value());
  CHECK(asker.frames.back() == Frame{FrameType::kEnd, R"({"code":0})"});
  CHECK(rig.socket->connections() == 0);
  rig.loop.run();  // returns, because nothing keeps the loop alive
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

// The bytes that a peer of the socket of a container is told until it is cut off or has an answer.
struct Enclosed {
  explicit Enclosed(bool is_enclosed) {
    if (is_enclosed) rig.session.enclosed.insert(::getpid());
    auto opened = peer::listen_for_container(rig.folder.file("inside"));
    REQUIRE(opened.ok());
    socket = std::make_unique<ControlSocket>(rig.loop, std::move(opened).value(), rig.session,
                                             rig.room, Peers::kEnclosed);
    auto connection = peer::connect_inside(socket->path());
    REQUIRE(connection.ok());
    stream.emplace(rig.loop, std::move(connection).value(),
                   loop::Stream::Callbacks{.on_data =
                                               [this](std::string_view bytes) {
                                                 told += bytes;
                                                 rig.look();
                                               },
                                           .on_closed =
                                               [this] {
                                                 closed = true;
                                                 rig.look();
                                               },
                                           .on_drained = nullptr});
  }
  void ask(std::string_view json) { stream->write(wire::encode(FrameType::kRequest, json)); }
  bool is_told(std::string_view words) {
    rig.run_until([&] { return closed || told.find(words) != std::string::npos; });
    return !closed;
  }

  Rig rig;
  std::unique_ptr<ControlSocket> socket;
  std::optional<loop::Stream> stream;
  std::string told;
  bool closed = false;
};

TEST_CASE("What is in the session's container may tell calls, and do nothing else") {
  Enclosed peer(true);
  CHECK(fs::status(peer.socket->path()).permissions() == static_cast<fs::perms>(0666));
  peer.ask(R"({"v":1,"id":1,"verb":"check_call","event":"{}"})");
  while (peer.rig.session.calls.empty()) peer.rig.turn();
  peer.rig.session.calls.begin()->second("decided");
  CHECK(peer.is_told("decided"));
  wire::Request request;
  request.id = 1;
  for (const wire::Verb& verb :
       {wire::Verb(wire::AskStatus{}), wire::Verb(wire::Kill{}), wire::Verb(wire::Keys{{"Enter"}}),
        wire::Verb(wire::Subscribe{})}) {
    ++request.id;
    request.verb = verb;
    peer.told.clear();
    peer.ask(wire::to_json(request));
    INFO(wire::to_json(request));
    CHECK(peer.is_told("refused"));
  }
  CHECK(peer.rig.session.kills.empty());
  CHECK(peer.rig.session.keys.empty());
  CHECK(peer.rig.session.answers.empty());
}

TEST_CASE("What is not in the session's container may not tell its calls") {
  Enclosed peer(false);
  peer.ask(R"({"v":1,"id":1,"verb":"check_call","event":"{}"})");
  CHECK_FALSE(peer.is_told("never"));
  CHECK(peer.rig.session.calls.empty());
}

TEST_CASE("Another user's process is not served, whatever the modes say") {
  if (::geteuid() != 0) return;  // only root can act as another user
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
  {
    const AsNobody nobody;
    REQUIRE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
            0);
  }
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
