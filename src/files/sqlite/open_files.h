#pragma once

#include <sqlite3.h>

#include <string>

#include "base/fd.h"
#include "sqlite/library.h"

namespace orch::sqlite {

// SQLite's way to the open files of one database. It opens no other file, writes, creates and locks
// nothing, and shares no memory with the program that writes the database: SQLite reads two
// descriptors. Registered with the library for its lifetime.
class OpenFiles {
 public:
  // All must outlive this. `log` is the database's write-ahead log; without one (an invalid
  // descriptor) it counts as empty.
  OpenFiles(const Library& library, const base::Fd& database, const base::Fd& log);
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  const char* name() const { return name_.c_str(); }  // for sqlite3_open_v2()

 private:
  static int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
                  int* flags_out) noexcept;

  const Library& library_;
  int database_, log_;  // descriptors; -1: there is none
  std::string name_;
  sqlite3_vfs vfs_{};
};

}  // namespace orch::sqlite
