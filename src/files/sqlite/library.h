#pragma once

#include <sqlite3.h>

#include "base/result.h"

namespace orch::sqlite {

// The functions of libsqlite3 that are used. The library is not linked but loaded when it is
// needed: most commands do without it.
struct Library {
  decltype(&::sqlite3_vfs_register) vfs_register = nullptr;
  decltype(&::sqlite3_vfs_unregister) vfs_unregister = nullptr;
  decltype(&::sqlite3_open_v2) open_v2 = nullptr;
  decltype(&::sqlite3_close_v2) close_v2 = nullptr;
  decltype(&::sqlite3_db_config) db_config = nullptr;
  decltype(&::sqlite3_limit) limit = nullptr;
  decltype(&::sqlite3_progress_handler) progress_handler = nullptr;
  decltype(&::sqlite3_exec) exec = nullptr;
  decltype(&::sqlite3_errmsg) errmsg = nullptr;
  decltype(&::sqlite3_prepare_v2) prepare_v2 = nullptr;
  decltype(&::sqlite3_bind_parameter_index) bind_parameter_index = nullptr;
  decltype(&::sqlite3_bind_text) bind_text = nullptr;
  decltype(&::sqlite3_step) step = nullptr;
  decltype(&::sqlite3_column_text) column_text = nullptr;
  decltype(&::sqlite3_column_bytes) column_bytes = nullptr;
  decltype(&::sqlite3_finalize) finalize = nullptr;
};

// Loads the library at the first call, for as long as the process lives. An error says what to
// install; all later calls return it, too.
base::Result<const Library*> load_library();

}  // namespace orch::sqlite
