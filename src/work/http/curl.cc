#include "http/curl.h"

#include <dlfcn.h>

#include <string>

namespace orch::http {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

#ifdef ORCH_WITHOUT_CURL

Result<Curl> load() {
  return Error{ErrorCode::kSystem,
               "this orch is linked statically and loads no libcurl (docs/install.md)"};
}

#else

constexpr const char* kLibrary = "libcurl.so.4";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Curl> load() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{ErrorCode::kSystem, std::string("HTTP needs ") + kLibrary +
                                         ", which is not there: apt install libcurl4"};
  }
  Curl curl;
  const bool complete = find(library, "curl_global_init", curl.global_init) &&
                        find(library, "curl_easy_init", curl.easy_init) &&
                        find(library, "curl_easy_setopt", curl.easy_setopt) &&
                        find(library, "curl_easy_pause", curl.easy_pause) &&
                        find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
                        find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
                        find(library, "curl_easy_strerror", curl.easy_strerror) &&
                        find(library, "curl_multi_init", curl.multi_init) &&
                        find(library, "curl_multi_setopt", curl.multi_setopt) &&
                        find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
                        find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
                        find(library, "curl_multi_socket_action", curl.multi_socket_action) &&
                        find(library, "curl_multi_info_read", curl.multi_info_read) &&
                        find(library, "curl_multi_cleanup", curl.multi_cleanup) &&
                        find(library, "curl_slist_append", curl.slist_append) &&
                        find(library, "curl_slist_free_all", curl.slist_free_all);
  if (!complete || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Error{ErrorCode::kSystem, std::string("HTTP needs ") + kLibrary +
                                         ", and this one cannot be used: apt install libcurl4"};
  }
  return curl;
}

#endif

}  // namespace

Result<const Curl*> load_curl() {
  static const Result<Curl> kLoaded = load();
  if (!kLoaded) return kLoaded.error();
  return &kLoaded.value();
}

}  // namespace orch::http
