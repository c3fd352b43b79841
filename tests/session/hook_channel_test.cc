#include "session/hook_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "adapters/hook.h"
#include "live_run.h"
#include "loop/timer.h"

namespace orch::session {
namespace {

using Lines = std::vector<std::string>;

// A channel; its notices are collected until one says "end".
struct Listening {
  Listening() {
    adapters::HookSpec spec;
    spec.arguments = {"--settings", "{}", "--quiet"};
    spec.env = {{"AGENT_SETTINGS", "{}"}};
    spec.settings = R"({"a": 1})";
    auto opened = HookChannel::open(loop, dir, spec, "/bin/orch", [this](std::string_view notice) {
      if (notice == "end") return loop.stop();
      notices.emplace_back(notice);
    });
    REQUIRE(opened.ok());
    channel = std::move(opened).value();
  }

  void write(std::string_view bytes) {
    const base::Fd pipe(::open(dir.notices_pipe().c_str(), O_WRONLY | O_NONBLOCK));
    REQUIRE(::write(pipe.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  // Writes with the secret, as the agent's hooks do.
  void say(const std::string& line) {
    write(channel->environment().at(adapters::kHookSecret) + " " + line);
  }
  Lines told() {
    say("end\n");
    loop::Timer deadline(loop);
    deadline.start(20'000, [this] { loop.stop(); });
    loop.run();
    return notices;
  }

  StateDir state;
  store::RunDir dir = store::RunDir::create(state.path(), {}, "t1").value();
  loop::Loop loop;
  Lines notices;
  std::unique_ptr<HookChannel> channel;
};

TEST_CASE("A hook channel tells every line that is written to its pipe, once") {
  Listening listening;
  listening.say("hook Stop\n");
  listening.say("hook ");
  listening.write("Again\n\n");
  CHECK(listening.told() == Lines{"hook Stop", "hook Again"});
}

TEST_CASE("A hook channel gives the agent what it needs") {
  Listening listening;
  CHECK(listening.channel->arguments() ==
        Lines{"--settings", listening.dir.hook_settings_file(), "--quiet"});
  CHECK(content_of(listening.dir.hook_settings_file()) == R"({"a": 1})");
  const std::string secret = listening.channel->environment().at(adapters::kHookSecret);
  CHECK(listening.channel->environment() ==
        std::map<std::string, std::string>{{"AGENT_SETTINGS", listening.dir.hook_settings_file()},
                                           {adapters::kHookProgram, "/bin/orch"},
                                           {adapters::kHookPipe, listening.dir.notices_pipe()},
                                           {adapters::kHookSecret, secret}});
}

TEST_CASE("An agent's plugin is a file in a folder of its own, which goes with a discarded run") {
  StateDir state;
  const store::RunDir dir = store::RunDir::create(state.path(), {}, "t1").value();
  loop::Loop loop;
  adapters::HookSpec spec;
  spec.settings = "{}";
  spec.plugin = true;
  REQUIRE(HookChannel::open(loop, dir, spec, "/bin/orch", [](std::string_view) {}).ok());
  CHECK(content_of(dir.plugin_file()) == "{}");
  CHECK_FALSE(std::filesystem::exists(dir.hook_settings_file()));
  dir.discard();
  CHECK_FALSE(std::filesystem::exists(dir.path()));
}

TEST_CASE("What does not come with the secret, which each run has of its own, is dropped") {
  Listening listening, other;
  const std::string foreign = other.channel->environment().at(adapters::kHookSecret);
  CHECK(foreign.size() == adapters::kHookSecretBytes);
  for (const std::string& before : {std::string(), std::string(" "), foreign + " "}) {
    listening.write(before + "hook Stop\n");
  }
  listening.write(listening.channel->environment().at(adapters::kHookSecret) + "hook Stop\n");
  CHECK(listening.told().empty());
}

TEST_CASE("What anybody writes to the pipe is taken as one printable, bounded line") {
  Listening listening;
  listening.say("hook \x1b[2J\xff\n");
  listening.say(std::string(3 * adapters::kMaxNoticeBytes, 'x') + "\n");
  listening.say("hook Stop\n");
  CHECK(listening.told() == Lines{"hook \xef\xbf\xbd[2J\xef\xbf\xbd", "hook Stop"});
}

TEST_CASE("The pipe is its user's alone, and goes with the channel") {
  Listening listening;
  struct stat status {};
  REQUIRE(::stat(listening.dir.notices_pipe().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  listening.channel.reset();
  CHECK(::stat(listening.dir.notices_pipe().c_str(), &status) != 0);
}

}  // namespace
}  // namespace orch::session
