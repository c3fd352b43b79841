#include "sqlite/read_rows.h"

#include <fcntl.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "sqlite/library.h"

namespace orch::sqlite {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::string>;

constexpr size_t kPlenty = 1 << 20;

// A database in a folder of its own, and the connection that writes it.
class Written {
 public:
  Written() : folder_((fs::temp_directory_path() / "orch-sqlite-XXXXXX").string()) {
    REQUIRE(::mkdtemp(folder_.data()) != nullptr);
    const auto library = load_library();
    REQUIRE(library);
    library_ = *library;
    REQUIRE(library_->open_v2(path().c_str(), &database_,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) == SQLITE_OK);
    run("PRAGMA journal_mode=WAL; CREATE TABLE said(n INTEGER PRIMARY KEY, words TEXT)");
  }
  ~Written() {
    close();
    fs::remove_all(folder_);
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  std::string path() const { return folder_ + "/a.db"; }
  std::string log_path() const { return path() + "-wal"; }
  void run(const std::string& statements) {
    INFO(statements);
    REQUIRE(library_->exec(database_, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  void close() {
    library_->close_v2(database_);
    database_ = nullptr;
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }

  base::Result<Rows> read(const std::string& query,
                          const std::vector<std::pair<std::string, std::string>>& values = {},
                          size_t most_bytes = kPlenty) const {
    const base::Fd database(::open(path().c_str(), O_RDONLY | O_CLOEXEC));
    const base::Fd log(::open(log_path().c_str(), O_RDONLY | O_CLOEXEC));
    return read_rows(database, log, query, values, most_bytes);
  }

 private:
  std::string folder_;
  const Library* library_ = nullptr;
  sqlite3* database_ = nullptr;
};

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("What a program has written is read while it has the database open") {
  Written written;
  written.run("INSERT INTO said(words) VALUES('one'), ('two')");
  CHECK(written.files() == std::set<std::string>{"a.db", "a.db-shm", "a.db-wal"});
  CHECK(*written.read("SELECT words FROM said ORDER BY n DESC") == Rows{"two", "one"});
  written.run("INSERT INTO said(words) VALUES('three')");
  CHECK(*written.read("SELECT words FROM said WHERE n > 1") == Rows{"two", "three"});
  written.run("BEGIN; INSERT INTO said(words) VALUES('not yet')");
  CHECK(*written.read("SELECT count(*) FROM said") == Rows{"3"});
  written.run("COMMIT");
}

TEST_CASE("A database that was closed has no log") {
  Written written;
  written.run("INSERT INTO said(words) VALUES('one')");
  written.close();
  CHECK(written.files() == std::set<std::string>{"a.db"});
  CHECK(*written.read("SELECT words FROM said") == Rows{"one"});
}

TEST_CASE("Reading leaves the files as they are, and locks nothing") {
  Written written;
  written.run("INSERT INTO said(words) VALUES('one')");
  const std::string database = content_of(written.path()), log = content_of(written.log_path());
  CHECK(written.read("SELECT words FROM said"));
  CHECK_FALSE(written.read("INSERT INTO said(words) VALUES('mine')"));
  CHECK_FALSE(written.read("PRAGMA journal_mode=DELETE; DROP TABLE said").ok());
  CHECK(content_of(written.path()) == database);
  CHECK(content_of(written.log_path()) == log);
  CHECK(written.files() == std::set<std::string>{"a.db", "a.db-shm", "a.db-wal"});
  written.run("INSERT INTO said(words) VALUES('two'); PRAGMA wal_checkpoint(TRUNCATE)");
  CHECK(*written.read("SELECT words FROM said") == Rows{"one", "two"});
}

TEST_CASE("A query has parameters, and later rows make way for earlier ones") {
  Written written;
  written.run("INSERT INTO said(words) VALUES('one'), ('it''s two'), (NULL), ('four')");
  CHECK(*written.read("SELECT words FROM said WHERE words = :it",
                      {{":it", "it's two"}, {":other", "x"}}) == Rows{"it's two"});
  CHECK(*written.read("SELECT words FROM said") == Rows{"one", "it's two", "four"});
  CHECK(*written.read("SELECT words FROM said", {}, 12) == Rows{"one", "it's two"});
}

TEST_CASE("What is no database, or not the one that was expected, is an error") {
  Written written;
  CHECK_FALSE(written.read("SELECT words FROM other"));
  CHECK_FALSE(written.read("SELECT words FRO"));
  CHECK_FALSE(written.read(""));
  written.run("INSERT INTO said(words) VALUES('one'); PRAGMA wal_checkpoint(TRUNCATE)");
  written.close();
  std::string bytes = content_of(written.path());
  const auto put = [&](const std::string& content) {
    std::ofstream(written.path(), std::ios::binary) << content;
  };
  for (size_t at = 0; at < bytes.size(); at += 97) {  // whatever is broken, nothing else breaks
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ 0x55);
    put(broken);
    (void)written.read("SELECT words FROM said ORDER BY words");
    put(bytes.substr(0, at));
    (void)written.read("SELECT words FROM said ORDER BY words");
  }
  put("words, and nothing else");
  CHECK_FALSE(written.read("SELECT words FROM said"));
  fs::remove(written.path());
  CHECK_FALSE(written.read("SELECT words FROM said"));
}

TEST_CASE("A query that does not end is ended") {
  const Written written;
  CHECK_FALSE(
      written.read("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                   "SELECT max(i) FROM n"));
}

TEST_CASE("A view in place of a table is not followed") {
  Written written;
  written.run("CREATE VIEW seen AS SELECT words FROM said");
  CHECK_FALSE(written.read("SELECT words FROM seen"));
}

TEST_CASE("An index on the result of a function is no obstacle") {
  Written written;
  written.run(
      "INSERT INTO said(words) VALUES('{\"a\":\"one\"}');"
      "CREATE INDEX of_words ON said(json_extract(words, '$.a'))");
  CHECK(*written.read("SELECT json_extract(words, '$.a') FROM said") == Rows{"one"});
  CHECK_FALSE(written.read("UPDATE sqlite_master SET sql = ''"));
}

TEST_CASE("What is written meanwhile is read whole or not at all") {
  Written written;
  written.run("CREATE TABLE pair(a INTEGER, b INTEGER); INSERT INTO pair VALUES(0, 0)");
  std::string filler(3'000, 'x');
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int n = 1; !stop; ++n) {
      const std::string number = std::to_string(n);
      written.run("BEGIN; UPDATE pair SET a = " + number + "; INSERT INTO said(words) VALUES('" +
                  filler + "'); UPDATE pair SET b = " + number + "; COMMIT");
      if (n % 50 == 0) written.run("DELETE FROM said; PRAGMA wal_checkpoint(TRUNCATE)");
    }
  });
  int read = 0;
  for (int i = 0; i < 300; ++i) {
    const auto rows = written.read("SELECT a - b FROM pair");
    if (!rows) continue;
    ++read;
    if (*rows != Rows{"0"}) FAIL("a row was read half");
  }
  stop = true;
  writer.join();
  CHECK(read > 100);
}

}  // namespace orch::sqlite
