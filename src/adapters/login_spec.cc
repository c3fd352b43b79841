#include "adapters/login_spec.h"

#include "base/json.h"
#include "base/json_members.h"

namespace orch::adapters {

void read_login(base::JsonMembers& parent, LoginSpec& login) {
  const base::Json* json = parent.find("login");
  if (json == nullptr) return;
  base::JsonMembers in(parent, *json, "login");
  in.optional("variables", login.variables);
  in.optional("files", login.files);
  in.optional("keys", login.keys);
  in.optional("how", login.how);
  if (login.any() && login.how.empty()) in.fail("how", "is missing");
}

}  // namespace orch::adapters
