#include "sqlite/open_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace orch::sqlite {
namespace {

struct OpenFile {
  sqlite3_file base;  // first, as SQLite demands
  int descriptor;
};

int descriptor_of(sqlite3_file* file) { return reinterpret_cast<OpenFile*>(file)->descriptor; }

int read(sqlite3_file* file, void* into, int bytes, sqlite3_int64 at) noexcept {
  auto* to = static_cast<char*>(into);
  int have = 0;
  while (have < bytes) {
    const ssize_t got =
        ::pread(descriptor_of(file), to + have, static_cast<size_t>(bytes - have), at + have);
    if (got <= 0) break;
    have += static_cast<int>(got);
  }
  std::memset(to + have, 0, static_cast<size_t>(bytes - have));  // SQLite relies on it
  return have == bytes ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int size_of(sqlite3_file* file, sqlite3_int64* size) noexcept {
  struct stat info {};
  *size = ::fstat(descriptor_of(file), &info) == 0 ? info.st_size : 0;
  return SQLITE_OK;
}

int refuse_write(sqlite3_file* /*file*/, const void* /*from*/, int /*bytes*/,
                 sqlite3_int64 /*at*/) noexcept {
  return SQLITE_READONLY;
}
int refuse_truncate(sqlite3_file* /*file*/, sqlite3_int64 /*size*/) noexcept {
  return SQLITE_READONLY;
}
int do_nothing(sqlite3_file* /*file*/) noexcept { return SQLITE_OK; }
int ignore(sqlite3_file* /*file*/, int /*what*/) noexcept { return SQLITE_OK; }
int nobody_writes(sqlite3_file* /*file*/, int* reserved) noexcept {
  *reserved = 0;
  return SQLITE_OK;
}
int know_nothing(sqlite3_file* /*file*/, int /*what*/, void* /*argument*/) noexcept {
  return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file* /*file*/) noexcept { return 4096; }
int characteristics(sqlite3_file* /*file*/) noexcept { return 0; }

// Version 1 has no shared memory: SQLite then keeps its index of the log in memory of its own.
constexpr sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = do_nothing,
    .xRead = read,
    .xWrite = refuse_write,
    .xTruncate = refuse_truncate,
    .xSync = ignore,
    .xFileSize = size_of,
    .xLock = ignore,
    .xUnlock = ignore,
    .xCheckReservedLock = nobody_writes,
    .xFileControl = know_nothing,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int refuse_delete(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*sync*/) noexcept {
  return SQLITE_IOERR_DELETE;
}
// Of the other files of a database only the log exists: SQLite must not look for a journal.
int exists(sqlite3_vfs* /*vfs*/, const char* name, int /*flags*/, int* there) noexcept {
  *there = std::string_view(name).ends_with("-wal") ? 1 : 0;
  return SQLITE_OK;
}
int same_name(sqlite3_vfs* /*vfs*/, const char* name, int room, char* full) noexcept {
  const size_t length = std::strlen(name);
  if (length >= static_cast<size_t>(room)) return SQLITE_CANTOPEN;
  std::memcpy(full, name, length + 1);
  return SQLITE_OK;
}
int no_randomness(sqlite3_vfs* /*vfs*/, int bytes, char* into) noexcept {
  std::memset(into, 0, static_cast<size_t>(bytes));
  return bytes;
}
int no_sleep(sqlite3_vfs* /*vfs*/, int /*microseconds*/) noexcept { return 0; }
int no_time(sqlite3_vfs* /*vfs*/, double* days) noexcept {
  *days = 0;
  return SQLITE_OK;
}
int no_error(sqlite3_vfs* /*vfs*/, int /*room*/, char* /*text*/) noexcept { return 0; }

}  // namespace

OpenFiles::OpenFiles(const Library& library, const base::Fd& database, const base::Fd& log)
    : library_(library),
      database_(database.get()),
      log_(log.get()),
      name_("orch-" + std::to_string(reinterpret_cast<uintptr_t>(this))) {
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(OpenFile);
  vfs_.mxPathname = 64;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = open;
  vfs_.xDelete = refuse_delete;
  vfs_.xAccess = exists;
  vfs_.xFullPathname = same_name;
  vfs_.xRandomness = no_randomness;
  vfs_.xSleep = no_sleep;
  vfs_.xCurrentTime = no_time;
  vfs_.xGetLastError = no_error;
  library_.vfs_register(&vfs_, 0);
}

OpenFiles::~OpenFiles() { library_.vfs_unregister(&vfs_); }

int OpenFiles::open(sqlite3_vfs* vfs, sqlite3_filename /*name*/, sqlite3_file* file, int flags,
                    int* flags_out) noexcept {
  const auto& files = *static_cast<const OpenFiles*>(vfs->pAppData);
  auto& opened = *reinterpret_cast<OpenFile*>(file);
  opened.base.pMethods = nullptr;
  if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return SQLITE_CANTOPEN;
  opened.descriptor = (flags & SQLITE_OPEN_WAL) != 0 ? files.log_ : files.database_;
  opened.base.pMethods = &kMethods;
  if (flags_out != nullptr) *flags_out = SQLITE_OPEN_READONLY;
  return SQLITE_OK;
}

}  // namespace orch::sqlite
