#include "sandbox/program_files.h"

#include <elf.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace orch::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSelf = "/proc/self/exe";

std::string place_of(const std::string& name) { return std::string(kProgramFolder) + "/" + name; }

// The files that the loader has put into this process, and the loader itself.
struct Loaded {
  std::vector<std::string> libraries;  // by the names under which they were looked for
  std::string loader;                  // "": this program needs none
};

void take_loader(const dl_phdr_info& program, Loaded& loaded) {
  for (int i = 0; i < program.dlpi_phnum; ++i) {
    if (program.dlpi_phdr[i].p_type != PT_INTERP) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the loader tells it
    loaded.loader = reinterpret_cast<const char*>(program.dlpi_addr + program.dlpi_phdr[i].p_vaddr);
  }
}

int take(dl_phdr_info* object, size_t, void* taker) {
  auto& loaded = *static_cast<Loaded*>(taker);
  const std::string name = object->dlpi_name;
  if (name.empty()) {
    take_loader(*object, loaded);
  } else if (name.starts_with('/')) {  // the kernel's own has no file
    loaded.libraries.push_back(name);
  }
  return 0;
}

// The target of a link, because an engine mounts the target.
std::string real_path(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure ? path : real.string();
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

}  // namespace

ProgramFiles own_program_files() {
  Loaded loaded;
  ::dl_iterate_phdr(take, &loaded);
  ProgramFiles files;
  files.mounts.push_back({real_path(kSelf), place_of("orch"), true});
  if (loaded.loader.empty()) {
    files.words = {place_of("orch")};
    return files;
  }
  const std::string loader = name_of(loaded.loader);
  files.mounts.push_back({real_path(loaded.loader), place_of(loader), true});
  for (const std::string& library : loaded.libraries) {
    if (name_of(library) == loader) continue;
    files.mounts.push_back({real_path(library), place_of(name_of(library)), true});
  }
  files.words = {place_of(loader), "--library-path", std::string(kProgramFolder), place_of("orch")};
  return files;
}

}  // namespace orch::sandbox
