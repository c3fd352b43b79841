#include "adapters/login_spec.h"

#include "adapters/members.h"

namespace orch::adapters {

void login_members(Members& in, LoginSpec& login) {
  in.optional("variables", login.variables, "variables that prove a login");
  in.optional("files", login.files, "files that prove one");
  in.optional("keys", login.keys, "further variables with keys of its vendor");
  in.optional("how", login.how, "how to log in, in one line");
  if (login.any() && login.how.empty()) in.fail("how", "is missing");
}

}  // namespace orch::adapters
