#include "client/client.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "peer/session_socket.h"
#include "rig.h"

namespace orch::client {
namespace {

using host::Rig;
using host::TestFolder;
using host::TestFollower;

using Catch::Contains;
using Catch::StartsWith;

// A host that sends these bytes to each peer that connects, or nothing.
struct FakeHost {
  explicit FakeHost(const std::string& says = {})
      : listening(std::move(peer::listen_on(folder.path(), "orch-42@0badcafe")).value()) {
    listener.emplace(loop, std::move(listening.socket), [this, says](base::Fd socket) {
      stream.emplace(loop, std::move(socket),
                     loop::Stream::Callbacks{.on_data = [](std::string_view) {},
                                             .on_closed = [this] { stream.reset(); },
                                             .on_drained = nullptr});
      stream->write(says);
    });
  }
  store::SessionRecord record() const {
    store::SessionRecord record;
    record.name = "orch-42";
    record.socket = listening.name.path();
    return record;
  }

  TestFolder folder;
  loop::Loop loop;
  peer::ListeningSocket listening;
  std::optional<loop::Listener> listener;
  std::optional<loop::Stream> stream;
};

TEST_CASE("A question is answered") {
  Rig rig;
  rig.session.report.session = "orch-42";
  const auto status = ask(rig.loop, "", rig.record(), wire::AskStatus{});
  REQUIRE(status.ok());
  CHECK(std::get<wire::StatusReport>(status->result) == rig.session.report);
  CHECK(ask(rig.loop, "", rig.record(), wire::Kill{.now = true}).ok());
  CHECK(rig.session.kills == std::vector<bool>{true});
}

TEST_CASE("Keys are typed, or refused by the session") {
  Rig rig;
  const auto ask_keys = [&rig](std::vector<std::string> names) {
    return ask(rig.loop, "", rig.record(), wire::Keys{std::move(names)});
  };
  CHECK(ask_keys({"Escape", "C-c"}).ok());
  CHECK(rig.session.keys == std::vector<std::string>{"Escape", "C-c"});
  const auto refused = ask_keys({});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == base::ErrorCode::kUsage);
  CHECK_THAT(refused.error().text, Contains("no keys"));
}

TEST_CASE("A message is answered when it is decided, others meanwhile") {
  Rig rig;
  auto client = std::move(Client::connect(rig.loop, "", rig.record())).value();
  std::vector<std::string> answers;
  const auto keep = [&](const base::Result<wire::Answer>& answer) {
    REQUIRE(answer.ok());
    const auto* sent = std::get_if<wire::Sent>(&answer->result);
    answers.push_back(sent == nullptr ? "status" : sent->message);
    rig.look();
  };
  client->request(wire::Send{.text = "one"}, keep, kNoDeadline);
  client->request(wire::Send{.text = "two"}, keep, kNoDeadline);
  client->request(wire::AskStatus{}, keep);
  rig.run_until([&] { return answers.size() == 1; });
  CHECK(answers == std::vector<std::string>{"status"});
  REQUIRE(rig.session.messages.size() == 2);
  CHECK(rig.session.messages[0].text == "one");
  wire::Sent decided;
  decided.result = "blocked";
  for (const size_t i : {1, 0}) {
    decided.message = "m" + std::to_string(i + 1);
    rig.session.on_decided[i](decided);
  }
  rig.run_until([&] { return answers.size() == 3; });
  CHECK(answers == std::vector<std::string>{"status", "m2", "m1"});
  client.reset();
  while (rig.socket->connections() > 0) rig.turn();
  CHECK(rig.session.withdrawn.empty());
}

TEST_CASE("A sender that goes away takes its messages back") {
  Rig rig;
  auto client = std::move(Client::connect(rig.loop, "", rig.record())).value();
  client->request(
      wire::Send{.text = "one"}, [](const base::Result<wire::Answer>&) {}, kNoDeadline);
  client->request(wire::AskStatus{}, [&](const base::Result<wire::Answer>&) {
    client.reset();
    rig.look();
  });
  rig.run_until([&] { return !client; });
  while (rig.socket->connections() > 0) rig.turn();
  CHECK(rig.session.withdrawn == std::vector<std::string>{"m1"});
}

TEST_CASE("A message may be refused by the session") {
  Rig rig;
  const auto refused = ask(rig.loop, "", rig.record(), wire::Send{.text = "refuse"}, kNoDeadline);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == base::ErrorCode::kUsage);
}

TEST_CASE("What is meant for a run that has ended does not reach the one that began since") {
  Rig rig;
  rig.session.report.run = "run-a";
  const store::SessionRecord found = rig.record();
  rig.session.report.run = "run-b";
  const std::vector<wire::Verb> verbs{wire::Send{.text = "one"}, wire::Keys{{"Enter"}},
                                      wire::Reset{}, wire::Kill{.now = true}, wire::AskStatus{}};
  for (const wire::Verb& verb : verbs) {
    const auto refused = ask(rig.loop, "", found, verb);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == base::ErrorCode::kNotFound);
    CHECK(refused.error().text ==
          "session orch-42: its run run-a has ended, and run-b has begun since");
  }
  CHECK(rig.session.messages.empty());
  CHECK(rig.session.keys.empty());
  CHECK_FALSE(rig.session.on_reset);
  CHECK(rig.session.kills.empty());
  CHECK(ask(rig.loop, "", rig.record(), wire::Keys{{"Enter"}}).ok());
}

TEST_CASE("A session that runs where its socket is not to be seen is not gone") {
  const TestFolder folder;
  loop::Loop loop;
  store::SessionRecord session;
  session.key = store::session_key("42", "/a");
  session.name = "orch-42";
  session.run = "run-a";
  session.socket = folder.file("sockets/orch-42@0badcafe01.sock");
  session.host = pty::own_identity();
  std::string why = "its host, pid " + std::to_string(session.host.pid) + ", lives";
  SECTION("here") {}
  SECTION("in a container") {
    session.host.pid_namespace += 1;
    why = "it runs in another pid namespace (a container)";
  }
  auto file = std::move(store::SessionFile::claim(folder.path(), session.key)).value();
  REQUIRE(file->write(session).ok());
  const auto answer = ask(loop, folder.path(), session, wire::AskStatus{});
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == base::ErrorCode::kSystem);
  CHECK(answer.error().text == "session orch-42 cannot be reached: " + why + ", but its socket " +
                                   session.socket + " is gone or not to be seen from here");
  session.socket.clear();
  CHECK_THAT(ask(loop, folder.path(), session, wire::AskStatus{}).error().text,
             Contains("it has no socket"));
}

TEST_CASE("A session whose lock cannot be read is not said to live") {
  const TestFolder folder;
  loop::Loop loop;
  store::SessionRecord session;
  session.key = store::session_key("42", "/a");
  session.name = "orch-42";
  session.run = "run-a";
  session.socket = folder.file("sockets/orch-42@0badcafe01.sock");
  session.host = pty::own_identity();
  const auto file = std::move(store::SessionFile::claim(folder.path(), session.key)).value();
  REQUIRE(file->write(session).ok());
  const std::string lock = store::session_paths(folder.path(), session.key).lock;
  REQUIRE(::unlink(lock.c_str()) == 0);
  REQUIRE(::symlink(lock.c_str(), lock.c_str()) == 0);
  const std::string why = ask(loop, folder.path(), session, wire::AskStatus{}).error().text;
  CHECK_THAT(why, Contains("it is not known whether its host lives") && Contains(lock));
}

TEST_CASE("Several questions may be on their way at once") {
  Rig rig;
  auto client = std::move(Client::connect(rig.loop, "", rig.record())).value();
  std::vector<int64_t> answered;
  for (int i = 0; i < 3; ++i) {
    client->request(wire::AskStatus{}, [&](const base::Result<wire::Answer>& answer) {
      REQUIRE(answer.ok());
      answered.push_back(answer->id);
      rig.look();
    });
  }
  rig.run_until([&] { return answered == std::vector<int64_t>{1, 2, 3}; });
}

TEST_CASE("A host that does not answer is an error in time, with the remedy") {
  FakeHost host;
  const auto answer = ask(host.loop, "", host.record(), wire::AskStatus{}, 50);
  REQUIRE_FALSE(answer.ok());
  CHECK_THAT(answer.error().text,
             StartsWith("session orch-42 does not answer (waited 0.05 s): its host, pid ") &&
                 Contains(", may be stopped; try kill -CONT "));
}

TEST_CASE("A host that is gone is an error that says so") {
  FakeHost host;
  const store::SessionRecord record = host.record();
  const std::string& path = record.socket;
  SECTION("before") {
    host.listener.reset();
    const auto answer = ask(host.loop, "", record, wire::AskStatus{});
    CHECK(answer.error().code == base::ErrorCode::kNotFound);
    CHECK(answer.error().text == "session orch-42: nobody listens on " + path);
  }
  SECTION("meanwhile") {
    Rig rig;
    TestFollower follower(rig);
    rig.run_until([&] { return follower.started.has_value(); });
    rig.socket.reset();
    rig.run_until([&] { return follower.lost.has_value(); });
    CHECK(follower.lost->text == "session orch-42 has ended: its host is gone");
    CHECK(follower.lost->code == base::ErrorCode::kNotFound);
    std::string late;
    follower.client->request(wire::AskStatus{}, [&](const base::Result<wire::Answer>& answer) {
      late = answer.error().text;
      rig.look();
    });
    rig.run_until([&] { return !late.empty(); });
    CHECK(late == follower.lost->text);
  }
}

TEST_CASE("A question to a session that ends is told so") {
  Rig rig;
  rig.session.on_kill = [&] { rig.socket->on_end("{}"); };
  auto client = std::move(Client::connect(rig.loop, "", rig.record())).value();
  std::vector<std::string> told;
  const auto note = [&](const base::Result<wire::Answer>& answer) {
    told.push_back(answer ? "ok" : answer.error().text);
    rig.look();
  };
  client->request(wire::Kill{}, note);
  client->request(wire::AskStatus{}, note);
  rig.run_until([&] { return told.size() == 2; });
  CHECK(told == std::vector<std::string>{"ok", "session orch-42 has ended"});
}

TEST_CASE("What is no answer of a host is an error") {
  const std::string says = GENERATE(
      std::string("HTTP/1.1 400 Bad Request\r\n"), std::string("\0\0\0\0Z", 5),
      wire::encode(wire::FrameType::kRequest, "{}"), wire::encode(wire::FrameType::kAnswer, "[]"),
      wire::encode(wire::FrameType::kLagged, "{}"),
      wire::encode(wire::FrameType::kAnswer, R"({"id":0,"ok":false,"error":"\u001b[2Jbusy"})"));
  FakeHost host(says);
  const auto answer = ask(host.loop, "", host.record(), wire::AskStatus{});
  REQUIRE_FALSE(answer.ok());
  CHECK_THAT(answer.error().text, StartsWith("session orch-42 sends") ||
                                      StartsWith("session orch-42 asks") ||
                                      StartsWith("session orch-42: \xef\xbf\xbd[2Jbusy"));
}

TEST_CASE("An answer to a question that nobody waits for any more is passed over") {
  FakeHost host(wire::encode(wire::FrameType::kAnswer, R"({"id":99,"ok":true})") +
                wire::encode(wire::FrameType::kAnswer, R"({"id":1,"ok":true})"));
  CHECK(ask(host.loop, "", host.record(), wire::Kill{}).ok());
}

TEST_CASE("A client may be destroyed by each of its callbacks") {
  Rig rig;
  auto client = std::move(Client::connect(rig.loop, "", rig.record())).value();
  int told = 0;
  for (int i = 0; i < 2; ++i) {
    client->request(wire::AskStatus{}, [&](const base::Result<wire::Answer>&) {
      ++told;
      client.reset();
      rig.look();
    });
  }
  rig.run_until([&] { return told > 0; });
  while (rig.socket->connections() > 0) rig.turn();
  CHECK(told == 1);
}

}  // namespace
}  // namespace orch::client
