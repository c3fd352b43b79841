#include "sqlite/library.h"

#include <dlfcn.h>

#include <string>

namespace orch::sqlite {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

#ifdef ORCH_WITHOUT_SQLITE

Result<Library> load() {
  return Error{ErrorCode::kSystem, "this orch is linked statically and reads no SQLite databases"};
}

#else

constexpr const char* kLibrary = "libsqlite3.so.0";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Library> load() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{ErrorCode::kSystem, std::string("an SQLite database needs ") + kLibrary +
                                         ", which is not there: apt install libsqlite3-0"};
  }
  Library found;
  const bool complete = find(library, "sqlite3_vfs_register", found.vfs_register) &&
                        find(library, "sqlite3_vfs_unregister", found.vfs_unregister) &&
                        find(library, "sqlite3_open_v2", found.open_v2) &&
                        find(library, "sqlite3_close_v2", found.close_v2) &&
                        find(library, "sqlite3_db_config", found.db_config) &&
                        find(library, "sqlite3_limit", found.limit) &&
                        find(library, "sqlite3_progress_handler", found.progress_handler) &&
                        find(library, "sqlite3_exec", found.exec) &&
                        find(library, "sqlite3_errmsg", found.errmsg) &&
                        find(library, "sqlite3_prepare_v2", found.prepare_v2) &&
                        find(library, "sqlite3_bind_parameter_index", found.bind_parameter_index) &&
                        find(library, "sqlite3_bind_text", found.bind_text) &&
                        find(library, "sqlite3_step", found.step) &&
                        find(library, "sqlite3_column_text", found.column_text) &&
                        find(library, "sqlite3_column_bytes", found.column_bytes) &&
                        find(library, "sqlite3_finalize", found.finalize);
  if (!complete) {
    return Error{ErrorCode::kSystem,
                 std::string("an SQLite database needs ") + kLibrary + ", and this one is too old"};
  }
  return found;
}

#endif

}  // namespace

Result<const Library*> load_library() {
  static const Result<Library> kLoaded = load();
  if (!kLoaded) return kLoaded.error();
  return &kLoaded.value();
}

}  // namespace orch::sqlite
