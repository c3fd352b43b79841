#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mask/secrets.h"

// What a user should look at before it is published. Pure.
namespace orch::issue {

// A larger file is seldom meant to be committed.
inline constexpr int64_t kLargeFile = 5 << 20;

// Whether the name of a file says that it holds a secret: .env, id_ed25519, server.pem.
bool names_secret_file(std::string_view path);

// Why a file of that name, size and content should not be landed unseen, as the end of a sentence
// ("is 7 MB"); "" if there is no reason. `content` need not be known of a large one.
std::string why_to_look(const std::string& path, int64_t bytes, std::string_view content,
                        const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::issue
