#include "setup/run_secrets.h"

#include "session/caller_variables.h"
#include "session/environment.h"

namespace orch::setup {

std::vector<mask::Variable> variables_of(const std::vector<std::string>& given) {
  using From = mask::Variable::From;
  std::vector<mask::Variable> variables;
  for (const std::string& word : given) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() < word.size()) {
      variables.push_back({name, word.substr(name.size() + 1), From::kUser});
    } else if (const auto variable = session::given_variable(name)) {
      variables.push_back({name, variable->value, From::kUser});
    }
  }
  std::vector<std::string> entries = session::own_environment();
  const std::vector<std::string>& left = session::left_variables();
  entries.insert(entries.end(), left.begin(), left.end());
  for (const std::string& entry : entries) {
    const size_t sign = entry.find('=');
    if (sign == std::string::npos) continue;
    variables.push_back({entry.substr(0, sign), entry.substr(sign + 1), From::kEnvironment});
  }
  return variables;
}

std::vector<std::string> values_of_user(const std::vector<std::string>& given) {
  std::vector<std::string> values;
  for (const mask::Variable& variable : variables_of(given)) {
    const bool is_users = variable.from == mask::Variable::From::kUser;
    if (is_users && mask::is_secret(variable)) values.push_back(variable.value);
  }
  return values;
}

mask::Secrets secrets_of(const std::vector<std::string>& given) {
  return mask::Secrets::of(variables_of(given));
}

}  // namespace orch::setup
