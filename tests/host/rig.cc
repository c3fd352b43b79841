#include "rig.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "peer/session_socket.h"

namespace orch::host {

TestFolder::TestFolder()
    : path_((std::filesystem::temp_directory_path() / "orch-host-XXXXXX").string()) {
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Rig::Rig() {
  auto opened = peer::listen_on(folder.file("sockets"), "orch-42@0badcafe");
  REQUIRE(opened.ok());
  socket = std::make_unique<ControlSocket>(loop, std::move(opened).value(), session, room);
}

store::SessionRecord Rig::record() const {
  store::SessionRecord record;
  record.name = "orch-42";
  record.run = session.report.run;
  record.socket = socket_path();
  return record;
}

void Rig::run_until(std::function<bool()> reached) {
  if (reached()) return;
  reached_ = std::move(reached);
  deadline_.start(120'000, [this] { loop.stop(); });
  loop.run();
  deadline_.stop();
  REQUIRE(std::exchange(reached_, nullptr)());
}

void Rig::look() {
  if (reached_ && reached_()) loop.stop();
}

void Rig::turn() {
  loop::Timer due(loop);
  due.start(0, [this] { loop.stop(); });
  loop.run();
}

void Rig::event(std::string_view line) {
  session.log += line;
  session.log += '\n';
  socket->on_event(line);
}

Peer::Peer(Rig& rig) : rig_(rig) {
  auto connection = peer::connect_to(rig.socket_path());
  for (int turn = 0; !connection && turn < 1'000; ++turn) {  // others may wait in front of it
    rig.turn();
    connection = peer::connect_to(rig.socket_path());
  }
  REQUIRE(connection.ok());
  stream_.emplace(rig.loop, std::move(connection).value(),
                  loop::Stream::Callbacks{
                      .on_data = [this](std::string_view bytes) { on_data(bytes); },
                      .on_closed =
                          [this] {
                            closed = true;
                            rig_.look();
                          },
                      .on_drained = [this] { rig_.look(); },
                  });
}

void Peer::on_data(std::string_view bytes) {
  decoder_.feed(bytes);
  while (true) {
    auto frame = decoder_.next();
    REQUIRE(frame.ok());
    if (!*frame) break;
    frames.push_back(**std::move(frame));
  }
  rig_.look();
}

TestFollower::TestFollower(Rig& rig, wire::Subscribe wanted) : rig_(rig) {
  auto connected = client::Client::connect(rig.loop, "", rig.record());
  REQUIRE(connected.ok());
  client = std::move(connected).value();
  client->follow(wanted, *this);
}

void TestFollower::on_started(uint64_t events_offset) {
  started = events_offset;
  log = rig_.session.log.substr(0, events_offset);
  rig_.look();
}

void TestFollower::on_event(std::string_view json) {
  log += json;
  log += '\n';
  rig_.look();
}

void TestFollower::on_raw(std::string_view bytes) {
  raw += bytes;
  rig_.look();
}

void TestFollower::on_lagged(const client::Gap& gap) {
  gaps.push_back(gap);
  log += rig_.session.log.substr(gap.from, gap.to - gap.from);
  rig_.look();
}

void TestFollower::on_end(std::string_view result_json) {
  end = result_json;
  rig_.look();
}

void TestFollower::on_lost(const base::Error& error) {
  lost = error;
  rig_.look();
}

}  // namespace orch::host
