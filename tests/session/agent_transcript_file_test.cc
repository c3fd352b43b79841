#include "session/agent_transcript_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "adapters/embedded.h"
#include "sqlite/library.h"

namespace orch::session {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using store::TimePoint;

const TimePoint kTyped = store::parse_rfc3339_utc("2026-05-01T10:00:00.000Z").value();

adapters::RecordSpec record_of(std::string_view agent) {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    auto manifest = adapters::parse_manifest(embedded.text, embedded.file);
    if (manifest->name == agent) return manifest->record;
  }
  return {};
}

// A line of claude's session file with the user's words, `seconds` after kTyped.
std::string user(const std::string& words, int seconds = 1) {
  return R"({"type":"user","message":{"content":")" + words + R"("},"timestamp":")" +
         store::rfc3339_utc(kTyped + std::chrono::seconds(seconds)) + "\"}\n";
}
std::string says(const std::string& words) {
  return R"({"type":"assistant","message":{"content":[{"type":"text","text":")" + words +
         "\"}]}}\n";
}

// A home with the session files of agents, and a project.
class Home {
 public:
  Home() : path_((fs::temp_directory_path() / "orch-record-XXXXXX").string()) {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    path_ = fs::canonical(path_);
    fs::create_directories(project());
  }
  ~Home() { fs::remove_all(path_); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  std::string project() const { return path_ + "/a project_1.0"; }
  std::string claude_folder() const { return folder(".claude"); }
  // The folder of the project's sessions in one of claude's homes.
  std::string folder(const std::string& home) const {
    std::string name = project();
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
    }
    return path_ + "/" + home + "/projects/" + name;
  }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

  // Writes a file, with a time `seconds` after kTyped.
  static void put(const std::string& file, const std::string& bytes, int seconds = 2) {
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    const auto when = (kTyped + std::chrono::seconds(seconds)).time_since_epoch();
    const timespec times[2] = {{0, UTIME_OMIT},
                               {std::chrono::duration_cast<std::chrono::seconds>(when).count(), 0}};
    REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  }

  AgentTranscriptFile claude() const { return of("claude", {"HOME=" + path_}); }
  AgentTranscriptFile of(std::string_view agent,
                         const std::vector<std::string>& environment) const {
    return {record_of(agent), environment, project(), ROW_READER};
  }

 private:
  std::string path_;
};

// The agent's only words; "" if there is no record.
std::string words(std::optional<driver::RecordedTurn> turn) {
  return turn && turn->pieces.size() == 1 ? turn->pieces[0].text : "";
}

TEST_CASE("The newest file whose last message was sent is the run's") {
  const Home home;
  home.put(home.claude_folder() + "/a.jsonl", user("go on") + says("an older one"), 2);
  home.put(home.claude_folder() + "/b.jsonl", user("go on") + says("the one"), 3);
  home.put(home.claude_folder() + "/c.jsonl", user("something else") + says("no"), 4);
  home.put(home.claude_folder() + "/d.txt", user("go on") + says("no session"), 5);
  CHECK(words(home.claude().read(" go\non ", kTyped)) == "the one");
  CHECK(words(home.claude().read("go", kTyped)).empty());
}

TEST_CASE("What was written or said before a message was sent is no answer to it") {
  const Home home;
  home.put(home.claude_folder() + "/a.jsonl", user("go on") + says("before"), -1);
  CHECK_FALSE(home.claude().read("go on", kTyped));
  // The file is newer, but its message is the earlier one.
  home.put(home.claude_folder() + "/a.jsonl", user("go on", -5) + says("before"));
  CHECK_FALSE(home.claude().read("go on", kTyped));
  home.put(home.claude_folder() + "/a.jsonl", user("go on", -5) + user("go on") + says("after"));
  CHECK(words(home.claude().read("go on", kTyped)) == "after");
}

TEST_CASE("The agent's environment says where its files are") {
  const Home home;
  home.put(home.folder("moved") + "/a.jsonl", user("go") + says("moved"));
  home.put(home.claude_folder() + "/a.jsonl", user("go") + says("home"));
  const std::string in_home = "HOME=" + home.path("");
  const auto read = [&](const std::vector<std::string>& environment) {
    return words(home.of("claude", environment).read("go", kTyped));
  };
  CHECK(read({in_home}) == "home");
  CHECK(read({"CLAUDE_CONFIG_DIR=" + home.path("moved"), in_home}) == "moved");
  CHECK(read({"CLAUDE_CONFIG_DIR=", in_home}) == "home");
  CHECK(read({"CLAUDE_CONFIG_DIR=relative", in_home}).empty());
  CHECK(read({"CLAUDE_CONFIG_DIR=/nowhere", in_home}).empty());
  CHECK(read({}).empty());
  CHECK(words(home.of("command", {in_home}).read("go", kTyped)).empty());
}

TEST_CASE("Sessions of other folders are not the run's") {
  const Home home;
  home.put(home.path(".claude/projects/-another/a.jsonl"), user("go") + says("no"));
  CHECK_FALSE(home.claude().read("go", kTyped));

  const auto codex = [](const std::string& cwd) {
    return R"({"type":"turn_context","payload":{"cwd":")" + cwd + "\"}}\n" +
           R"({"payload":{"item":{"type":"UserMessage","content":[{"text":"go"}]}}})" + "\n" +
           R"({"payload":{"item":{"type":"AgentMessage","content":[{"text":"done"}]}}})" + "\n";
  };
  AgentTranscriptFile of_codex = home.of("codex", {"HOME=" + home.path("")});
  home.put(home.path(".codex/sessions/2026/05/01/rollout-1.jsonl"), codex("/another"));
  CHECK_FALSE(of_codex.read("go", kTyped));
  home.put(home.path(".codex/sessions/2026/04/30/rollout-1.jsonl"), codex(home.project()));
  CHECK(words(of_codex.read("go", kTyped)) == "done");

  const std::string gemini = R"({"id":"1","type":"user","content":"go"})"
                             "\n"
                             R"({"id":"2","type":"gemini","content":"done"})";
  AgentTranscriptFile of_gemini = home.of("gemini", {"HOME=" + home.path("")});
  home.put(home.path(".gemini/tmp/a/.project_root"), "/another");
  home.put(home.path(".gemini/tmp/a/chats/session-1.jsonl"), gemini);
  home.put(home.path(".gemini/tmp/b/chats/session-1.jsonl"), gemini);
  CHECK_FALSE(of_gemini.read("go", kTyped));
  home.put(home.path(".gemini/tmp/b/.project_root"), home.project() + "\n");
  CHECK(words(of_gemini.read("go", kTyped)) == "done");
}

TEST_CASE("A folder that was reached over a link is named by where it is") {
  const Home home;
  home.put(home.claude_folder() + "/a.jsonl", user("go") + says("done"));
  fs::create_directory_symlink(home.project(), home.path("link"));
  AgentTranscriptFile record(record_of("claude"), {"HOME=" + home.path("")}, home.path("link"),
                             ROW_READER);
  CHECK(words(record.read("go", kTyped)) == "done");
}

TEST_CASE("A folder is named after a path with a dash for each UTF-16 unit that is no letter") {
  const Home home;
  home.put(home.path(".claude/projects/-nowhere-----x/a.jsonl"), user("go") + says("done"));
  AgentTranscriptFile record(record_of("claude"), {"HOME=" + home.path("")}, "/nowhere/é😀_x",
                             ROW_READER);
  CHECK(words(record.read("go", kTyped)) == "done");
}

TEST_CASE("Links are not followed, and what is not a file is not opened") {
  const Home home;
  home.put(home.path("elsewhere/a.jsonl"), user("go") + says("no"));
  fs::create_directories(home.claude_folder());
  fs::create_symlink(home.path("elsewhere/a.jsonl"), home.claude_folder() + "/a.jsonl");
  fs::create_directory(home.claude_folder() + "/b.jsonl");
  REQUIRE(::mkfifo((home.claude_folder() + "/c.jsonl").c_str(), 0600) == 0);
  CHECK_FALSE(home.claude().read("go", kTyped));
  home.put(home.claude_folder() + "/d.jsonl", user("go") + says("done"));
  CHECK(words(home.claude().read("go", kTyped)) == "done");

  fs::remove_all(home.claude_folder());
  fs::create_directory_symlink(home.path("elsewhere"), home.claude_folder());
  CHECK_FALSE(home.claude().read("go", kTyped));
  // Only the home itself may be a link, because the user chose its place.
  fs::remove(home.claude_folder());
  home.put(home.folder("kept") + "/a.jsonl", user("go") + says("done"));
  fs::remove_all(home.path(".claude"));
  fs::create_directory_symlink(home.path("kept"), home.path(".claude"));
  CHECK(words(home.claude().read("go", kTyped)) == "done");
}

TEST_CASE("A turn that outgrows what is read is known by the file in which it began") {
  const Home home;
  const std::string file = home.claude_folder() + "/a.jsonl";
  const std::string begin = user("go");
  const std::string result =
      R"({"type":"user","message":{"content":[{"type":"tool_result","content":")" +
      std::string(1 << 20, 'x') + "\"}]}}\n";
  AgentTranscriptFile record = home.claude();
  home.put(file, begin + result + says("done"));
  CHECK_FALSE(record.read("go", kTyped));
  home.put(file, begin);
  CHECK(record.read("go", kTyped));
  home.put(file, begin + result + says("done"));
  CHECK(words(record.read("go", kTyped)) == "done");
  CHECK_FALSE(record.read("go", kTyped + 1s));  // it has another message
  CHECK_FALSE(record.read("else", kTyped));
  home.put(home.claude_folder() + "/b.jsonl", result + says("another's"), 9);
  CHECK(words(record.read("go", kTyped)) == "done");
}

TEST_CASE("Among a thousand old sessions the new one is found") {
  const Home home;
  for (int i = 0; i < 1000; ++i) {
    const std::string file = home.claude_folder() + "/old-" + std::to_string(i) + ".jsonl";
    home.put(file, user("go", -60) + says("old"), -60);
  }
  home.put(home.claude_folder() + "/new.jsonl", user("go") + says("done"));
  CHECK(words(home.claude().read("go", kTyped)) == "done");
}

TEST_CASE("Of many sessions that were written since, the newest are read") {
  const Home home;
  for (int i = 0; i < 20; ++i) {
    home.put(home.claude_folder() + "/" + std::to_string(i) + ".jsonl", user("else"), 60 - i);
  }
  const std::string file = home.claude_folder() + "/mine.jsonl";
  home.put(file, user("go") + says("done"), 54);  // six files are newer
  CHECK(words(home.claude().read("go", kTyped)) == "done");
  home.put(file, user("go") + says("done"), 30);
  CHECK_FALSE(home.claude().read("go", kTyped));
}

TEST_CASE(
    "The file that holds the message says which session is the agent's own, and its version") {
  const std::string id = "2e412929-41e2-493b-b6cc-b6f346dd6dd2";
  const auto line = [](const std::string& session, const std::string& version, int seconds) {
    return R"({"type":"system","sessionId":")" + session + R"(","version":")" + version +
           R"(","timestamp":")" + store::rfc3339_utc(kTyped + std::chrono::seconds(seconds)) +
           "\"}\n";
  };
  const Home home;
  AgentTranscriptFile record = home.claude();
  CHECK_FALSE(record.session());
  home.put(home.claude_folder() + "/a.jsonl",
           line(id, "2.1.0", -100) + user("hi") + line(id, "2.1.330", 1) + says("yes"));
  REQUIRE(record.read("hi", kTyped));
  REQUIRE(record.session());
  CHECK(record.session()->id == id);
  CHECK(record.session()->version == "2.1.330");

  SECTION("of a version that wrote before it is not said that it runs") {
    AgentTranscriptFile other = home.claude();
    home.put(home.claude_folder() + "/a.jsonl", line(id, "2.1.0", -100) + user("ho") + says("yes"));
    REQUIRE(other.read("ho", kTyped));
    CHECK(other.session()->id == id);
    CHECK(other.session()->version.empty());
  }
  SECTION("after a clear the next message stands in another file") {
    const std::string next = "054117fe-8654-42e6-9545-e0f756df26c2";
    home.put(home.claude_folder() + "/b.jsonl", line(next, "2.1.330", 5) + user("again", 6), 7);
    REQUIRE(record.read("again", kTyped + 5s));
    CHECK(record.session()->id == next);
  }
  SECTION("what is no UUID is no session: it could be an option of the agent's") {
    AgentTranscriptFile other = home.claude();
    home.put(home.claude_folder() + "/a.jsonl",
             line("--dangerously-skip-permissions", "2", 1) + user("ho") + says("yes"));
    REQUIRE(other.read("ho", kTyped));
    CHECK_FALSE(other.session());
  }
}

TEST_CASE("of agents side by side each has the session that it was told to begin") {
  const Home home;
  const auto chat = [](const std::string& id, const std::string& words) {
    return R"({"sessionId":")" + id + "\"}\n" + R"({"id":"1","type":"user","content":"go"})" +
           "\n" + R"({"id":"2","type":"gemini","content":")" + words + "\"}\n";
  };
  home.put(home.path(".gemini/tmp/b/.project_root"), home.project());
  std::vector<std::string> ids;
  for (size_t i = 0; i < 6; ++i) {
    ids.push_back(std::to_string(i) + "54117fe-8654-42e6-9545-e0f756df26c2");
    // All but the last have files: the newest file has the same message, but belongs to another
    // session.
    if (i < 5) {
      home.put(home.path(".gemini/tmp/b/chats/session-" + std::to_string(i) + ".jsonl"),
               chat(ids.back(), ids.back()), 2 + static_cast<int>(i));
    }
  }
  for (size_t i = 0; i < 6; ++i) {
    AgentTranscriptFile record = home.of("gemini", {"HOME=" + home.path("")});
    record.expect(ids[i]);
    const auto turn = record.read("go", kTyped);
    CHECK(words(turn) == (i < 5 ? ids[i] : ""));
    CHECK((record.session() ? record.session()->id : "") == (i < 5 ? ids[i] : ""));
  }
}

// opencode's database, and opencode, which has it open.
class Conversations {
 public:
  explicit Conversations(const std::string& path) : library_(*sqlite::load_library()) {
    fs::create_directories(fs::path(path).parent_path());
    REQUIRE(library_->open_v2(path.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              nullptr) == SQLITE_OK);
    run("PRAGMA journal_mode=WAL");
    run("CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER)");
    run("CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT)");
    run("CREATE TABLE part(id TEXT, message_id TEXT, data TEXT)");
  }
  ~Conversations() { library_->close_v2(database_); }
  Conversations(const Conversations&) = delete;
  Conversations& operator=(const Conversations&) = delete;

  void begin(const std::string& id, const std::string& folder, const std::string& parent = "NULL") {
    run("INSERT INTO session VALUES('" + id + "', " + parent + ", '" + folder + "', " + next() +
        ")");
  }
  // A message, a second after kTyped, with its parts as JSON.
  void add(const std::string& session, const std::string& role,
           const std::vector<std::string>& parts, int seconds = 1) {
    const std::string id = next();
    const auto when = (kTyped + std::chrono::seconds(seconds)).time_since_epoch();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(when).count();
    run("INSERT INTO message VALUES('" + id + "', '" + session + "', " + std::to_string(ms) +
        R"(, '{"role":")" + role + R"("}'))");
    for (const std::string& part : parts) {
      run("INSERT INTO part VALUES('" + next() + "', '" + id + "', '" + part + "')");
    }
  }
  void run(const std::string& statement) {
    INFO(statement);
    REQUIRE(library_->exec(database_, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }

 private:
  std::string next() { return std::to_string(++ids_); }

  const sqlite::Library* library_;
  sqlite3* database_ = nullptr;
  int ids_ = 100;
};

std::string part(const std::string& words) { return R"({"type":"text","text":")" + words + "\"}"; }

TEST_CASE("opencode's conversation is read from its database, while it is written") {
  const Home home;
  const std::string file = home.path("data/opencode/opencode.db");
  Conversations conversations(file);
  conversations.begin("a", home.project());
  conversations.add("a", "user", {part("go"), R"({"type":"text","text":"x","synthetic":true})"});
  conversations.add("a", "assistant",
                    {R"({"type":"reasoning","text":"hm"})", part("I look."),
                     R"({"type":"tool","tool":"bash","state":{"output":"ok"}})"});
  conversations.add("a", "assistant", {R"({"type":"step-start"})", part("It''s done.\\n\\nBye.")});
  conversations.begin("helper", home.project(), "'a'");
  conversations.add("helper", "user", {part("look")});
  conversations.begin("b", "/another");
  conversations.add("b", "user", {part("go")});

  using Kind = driver::RecordedPiece::Kind;
  AgentTranscriptFile record = home.of("opencode", {"XDG_DATA_HOME=" + home.path("data")});
  const auto turn = record.read("go", kTyped);
  REQUIRE(turn);
  CHECK(turn->pieces == std::vector<driver::RecordedPiece>{{Kind::kText, "I look."},
                                                           {Kind::kTool, "bash"},
                                                           {Kind::kText, "It's done.\n\nBye."}});
  CHECK_FALSE(record.read("look", kTyped));
  REQUIRE(record.session());
  CHECK(record.session()->id == "a");
  // What was said before the message was typed is no answer, whatever the file's time.
  CHECK_FALSE(record.read("go", kTyped + 3s));
  conversations.add("a", "user", {part("go")}, 4);
  conversations.add("a", "assistant", {part("Again.")}, 4);
  CHECK(words(record.read("go", kTyped + 3s)) == "Again.");
  // `/new` begins another conversation.
  conversations.begin("c", home.project());
  CHECK(words(record.read("go", kTyped + 3s)) == "Again.");
  conversations.add("c", "user", {part("go on")}, 6);
  conversations.add("c", "assistant", {part("New.")}, 6);
  CHECK(words(record.read("go on", kTyped + 5s)) == "New.");
  CHECK(record.session()->id == "c");
  // Another run in the same folder says the same: its answer is not taken for ours.
  conversations.begin("d", home.project());
  conversations.add("d", "user", {part("go on")}, 7);
  conversations.add("d", "assistant", {part("Not ours.")}, 7);
  CHECK_FALSE(record.read("go on", kTyped + 5s));
  conversations.run("DROP TABLE part");
  CHECK_FALSE(record.read("go", kTyped));
}

TEST_CASE("a planted database is given up, and holds up its reader once", "[layer]") {
  const Home home;
  const std::string file = home.path("data/opencode/opencode.db");
  Conversations conversations(file);
  conversations.begin("a", home.project());
  conversations.run("DROP TABLE message");
  const auto when = (kTyped + 1s).time_since_epoch();
  conversations.run(
      "CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, a TEXT); INSERT INTO "
      "message VALUES('m', 'a', " +
      std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(when).count()) +
      ", replace(hex(zeroblob(900000)), '0', 'aa'))");
  // To read `data` takes minutes, in one step of SQLite's.
  conversations.run(
      "ALTER TABLE message ADD COLUMN data TEXT GENERATED ALWAYS AS (CASE WHEN a LIKE '%" +
      std::string(49'000, 'a') + "b' THEN a ELSE '{\"role\":\"user\"}' END)");
  AgentTranscriptFile record = home.of("opencode", {"XDG_DATA_HOME=" + home.path("data")});
  const auto begun = std::chrono::steady_clock::now();
  for (int turn = 0; turn < 20; ++turn) CHECK_FALSE(record.read("go", kTyped));
  CHECK(std::chrono::steady_clock::now() - begun < 10s);
}

TEST_CASE("a file that got the number of the turn's own is not taken for it") {
  const Home home;
  const std::string mine = "154117fe-8654-42e6-9545-e0f756df26c2";
  const std::string other = "254117fe-8654-42e6-9545-e0f756df26c2";
  const std::string file = home.path(".gemini/tmp/b/chats/session-1.jsonl");
  home.put(home.path(".gemini/tmp/b/.project_root"), home.project());
  home.put(file, R"({"sessionId":")" + mine + "\"}\n" +
                     R"({"id":"1","type":"user","content":"go"})" + "\n");
  AgentTranscriptFile record = home.of("gemini", {"HOME=" + home.path("")});
  record.expect(mine);
  REQUIRE(record.read("go", kTyped));
  // The file is overwritten in place, and keeps its inode; what is read now has none of its
  // messages.
  home.put(file, R"({"sessionId":")" + other + "\"}\n" +
                     R"({"id":"2","type":"gemini","content":"another's"})" + "\n");
  CHECK_FALSE(record.read("go", kTyped));
  CHECK(record.session()->id == mine);
}

}  // namespace
}  // namespace orch::session
