#include "sqlite/row_reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "sqlite/library.h"
#include "sqlite/pieces.h"

namespace orch::sqlite {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

// A database that somebody has planted: it is made by these statements.
class Planted {
 public:
  explicit Planted(const std::string& statements)
      : folder_((fs::temp_directory_path() / "orch-planted-XXXXXX").string()) {
    REQUIRE(::mkdtemp(folder_.data()) != nullptr);
    const auto library = load_library();
    REQUIRE(library);
    sqlite3* database = nullptr;
    REQUIRE((*library)->open_v2(path().c_str(), &database,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) == SQLITE_OK);
    const int made = (*library)->exec(database, statements.c_str(), nullptr, nullptr, nullptr);
    INFO((*library)->errmsg(database));
    REQUIRE(made == SQLITE_OK);
    (*library)->close_v2(database);
  }
  ~Planted() { fs::remove_all(folder_); }
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;

  std::string path() const { return folder_ + "/a.db"; }
  base::Fd file() const { return base::Fd(::open(path().c_str(), O_RDONLY | O_CLOEXEC)); }

 private:
  std::string folder_;
};

int open_files() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

// What a planted column has to compute: whether a long pattern is somewhere in a long text. SQLite
// does that in one step, in some minutes.
std::string long_like() { return "a LIKE '%" + std::string(49'000, 'a') + "b'"; }

}  // namespace

TEST_CASE("A process of its own runs the query, and nothing of it is left") {
  const Planted database("CREATE TABLE t(a TEXT); INSERT INTO t VALUES('one'), (''), ('3')");
  RowReader reader(ROW_READER);
  const int before = open_files();
  CHECK(*reader.read(database.file(), {}, "SELECT a FROM t WHERE a <> :no", {{":no", "3"}}, 99) ==
        Rows{"one", ""});
  CHECK(*reader.read(database.file(), {}, "SELECT a FROM t", {}, 3) == Rows{"one", ""});
  CHECK(open_files() == before);
  const auto wrong = reader.read(database.file(), {}, "SELECT b FROM t", {}, 99);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().text.find("no such column") != std::string::npos);
  CHECK(reader.read(database.file(), {}, "SELECT a FROM t", {}, 99));
}

TEST_CASE("A planted column that takes hours holds up its reader once, and for a second") {
  // Added last, for to insert a row computes the columns that are there.
  const Planted database(
      "CREATE TABLE t(a TEXT); INSERT INTO t VALUES(replace(hex(zeroblob(900000)), '0', 'aa')); "
      "ALTER TABLE t ADD COLUMN b TEXT GENERATED ALWAYS AS (" +
      long_like() + ")");
  RowReader reader(ROW_READER);
  Clock::time_point begun = Clock::now();
  const auto rows = reader.read(database.file(), {}, "SELECT b FROM t", {}, 99);
  REQUIRE_FALSE(rows);
  CHECK(Clock::now() - begun < std::chrono::milliseconds(kQueryMs * 3));
  CHECK(rows.error().text == "SQLite: the query took longer than 1000 ms");
  begun = Clock::now();
  CHECK_FALSE(reader.read(database.file(), {}, "SELECT b FROM t", {}, 99));
  CHECK(Clock::now() - begun < std::chrono::milliseconds(100));
}

TEST_CASE("A query's answer has limits: of one value, of all bytes, of rows") {
  const Planted database("CREATE TABLE t(a TEXT)");
  RowReader reader(ROW_READER);
  CHECK_FALSE(reader.read(database.file(), {}, "SELECT hex(zeroblob(900 * 1000 * 1000))", {}, 99));
  const std::string many =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '' FROM n";
  const auto rows = reader.read(database.file(), {}, many, {}, 99);
  REQUIRE(rows);
  CHECK(rows->size() == kMostRows);
}

TEST_CASE("A program that is none, or says what it likes, is an error") {
  const Planted database("CREATE TABLE t(a TEXT)");
  RowReader none("/no/such/program");
  CHECK_FALSE(none.read(database.file(), {}, "SELECT 1", {}, 99));
  RowReader other("/bin/echo");
  CHECK_FALSE(other.read(database.file(), {}, "SELECT 1", {}, 99));
  RowReader endless("/usr/bin/yes");
  CHECK_FALSE(endless.read(database.file(), {}, "SELECT 1", {}, 99));
}

TEST_CASE("Pieces are taken off one after the other") {
  std::string text;
  add_piece(text, "a:b");
  add_piece(text, "");
  std::string_view rest = text;
  CHECK(take_piece(rest) == "a:b");
  CHECK(take_piece(rest) == "");
  CHECK_FALSE(take_piece(rest));
  for (std::string_view broken : {"", "3", "3:ab", "x:a", "-1:a", "99999999999999999999:a"}) {
    CHECK_FALSE(take_piece(broken));
  }
}

}  // namespace orch::sqlite
