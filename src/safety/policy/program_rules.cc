#include "policy/program_rules.h"

#include <unordered_map>

#include "base/text.h"

namespace orch::policy {
namespace {

using Kind = ProgramRule::Kind;

struct Row {
  std::string_view programs;
  Kind kind;
  std::string_view options = "";
};

constexpr Row kRows[] = {
    // Builtins and programs that cannot write files.
    {": true false [ test times wait jobs fg bg disown umask shift getopts return exit break "
     "continue "
     "dirs type caller help logout shopt set unset",
     Kind::kReads},
    {"cat ls dir vdir head tail wc cut tr comm join paste fold fmt nl od strings stat du df whoami "
     "id "
     "groups cal uname arch nproc free uptime ps pgrep w who last sleep seq yes expr basename "
     "dirname realpath readlink md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum "
     "sum base64 base32 cmp diff3 egrep fgrep grep column rev tac look tsort numfmt factor "
     "which "
     "whereis locate printenv hostid tty tput clear size readelf lscpu lsblk lsusb lspci "
     "lsmod pidof pstree vmstat iostat dig nslookup host ping traceroute tracepath netstat jq "
     "exa eza zcat bzcat xzcat zgrep hexdump pathchk getconf locale pr "
     "getent ulimit pwd lsb_release sw_vers ts getopt logname users "
     "expand unexpand c++filt addr2line dpkg-query "
     "bc apropos whatis ",
     Kind::kReads},
    {"echo", Kind::kReads},
    {"compgen", Kind::kReads, "-C! -F! -W!"},
    {"lsof ss nvidia-smi cloc tokei scc ptx nm ldd apt-cache", Kind::kCompiles,
     "--plugin! -G! -D!"},
    {"ag", Kind::kReads, "--pager!"},
    {"xmllint", Kind::kReads, "--output> -o> --xpath= --pattern= --schema= --shell!"},
    {"printf", Kind::kReads, "-v!"},
    {"date", Kind::kReads, "-s! --set! -d= --date= -r= --reference= -f="},
    {"file", Kind::kReads, "-C! --compile! -m= --magic-file="},
    {"hostname", Kind::kReads, "-F! --file!"},
    {"diff colordiff", Kind::kReads, "--output>"},
    {"sdiff", Kind::kReads, "-o> --output>"},
    {"rg", Kind::kReads, "--pre! --hostname-bin! -g= -e= -t= -A= -B= -C= -m= -f="},
    {"ack", Kind::kReads, "--pager! --ackrc!"},
    {"tree", Kind::kReads, "-o> -L= -I= -P="},
    {"sort", Kind::kReads,
     "-o> --output> --compress-program! -T> --temporary-directory> -k= --key= -t= -S= "
     "--files0-from="},
    {"shuf", Kind::kReads, "-o> --output> -n= -i= -e"},
    {"uniq", Kind::kWritesSecond, "-f= -s= -w= --skip-fields= --skip-chars= --check-chars="},
    {"xxd", Kind::kWritesSecond, "-s= -l= -c= -o= -g= -n="},
    {"yq", Kind::kReads, "-i! --inplace! -s! --split-exp! --from-file="},
    {"bat batcat less zless more most", Kind::kReads,
     "--pager! -o> -O> --log-file> --LOG-FILE> +! -k!"},
    {"man info", Kind::kReads, "-P! --pager! -H! --html! -o> --output> --restore="},
    {"iconv", Kind::kReads, "-o> --output> -f= -t="},
    {"base16 ", Kind::kReads},
    {"watchman direnv", Kind::kOpaque},
    {"objdump", Kind::kReads, ""},
    {"history", Kind::kReads, "-w! -a! -r! -n! -s!"},
    {"xclip pbcopy pbpaste xsel", Kind::kReads, ""},
    // Programs that write the files in their operands.
    {"tee", Kind::kEmptiesAll, ""},
    {"mkdir", Kind::kWritesAll, "-m= --mode="},
    {"rmdir", Kind::kWritesAll, ""},
    {"unlink", Kind::kEmptiesAll, ""},
    {"shred", Kind::kEmptiesAll, "-n= -s= --iterations= --size= --random-source="},
    {"mkfifo mknod", Kind::kWritesAll, "-m= --mode="},
    {"touch", Kind::kWritesAll, "-d= --date= -r= --reference= -t= --time="},
    {"truncate", Kind::kEmptiesAll, "-s= --size= -r= --reference="},
    {"fallocate", Kind::kEmptiesAll, "-l= --length= -o= --offset="},
    {"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress", Kind::kWritesAll,
     "-S= --suffix= -T? --threads? -o> -D= --output-dir-flat> --output-dir-mirror>"},
    {"dos2unix unix2dos", Kind::kWritesAll, "-n!"},
    {"split", Kind::kWritesSecond,
     "--filter! -b= -l= -n= -a= -C= --bytes= --lines= --number= --suffix-length= "
     "--additional-suffix= --numeric-suffixes"},
    {"csplit", Kind::kReads, "-f> --prefix> -b= --suffix-format= -n="},
    {"ar ranlib strip", Kind::kWritesAll, "-o> --output> --plugin!"},
    {"objcopy", Kind::kWritesLast, ""},
    {"zip", Kind::kReads, "-TT! -T! --unzip-command! -O> -b> --out> -x= -i="},
    {"7z 7za 7zr", Kind::kOpaque},
    {"iptables mount umount swapon swapoff", Kind::kOpaque},
    // Compilers.
    {"gcc g++ cc c++ clang clang++ ld ld.lld rustc javac gfortran nvcc as kotlinc scalac",
     Kind::kCompiles,
     "-o> --output> -B! -fplugin! --plugin! -wrapper! -specs! --specs! -x= -I= -L= -D= -d> "
     "--out-dir> -C! -MF> -MT= -MQ= --dump-dir> -dumpdir> -dumpbase> -save-temps -aux-info> "
     "--sysroot= -include= -isystem= -Xlinker! -load! -pgmF! --codegen!"},
    {"ghc", Kind::kCompiles, "-o> -outputdir> -odir> -hidir> -e! -F! -pgmF! -fplugin! -load!"},
    {"protoc", Kind::kCompiles,
     "--plugin! --cpp_out> --python_out> --java_out> --go_out> --js_out> -o> -I= --proto_path="},
    {"clang-format", Kind::kReads, "-i@"},
    {"shellcheck hadolint yamllint markdownlint actionlint cppcheck cpplint codespell typos vale "
     "clang-tidy clang-check include-what-you-use",
     Kind::kCompiles, "--output-file> -w! --write-changes! --dump! -load! --load! --plist-file>"},
    // Programs that build, test, format and serve: they run the project's own code.
    {"make gmake bmake", Kind::kTakesGoals,
     "-C@ --directory@ -f= --file= --makefile= -I= --include-dir= -j -k -l= -o= -W= --eval! -E!"},
    {"ninja samu", Kind::kTakesGoals, "-C@ -f= -j= -k= -l= -d= -t= -w="},
    {"cmake", Kind::kTakesGoals,
     "-E! -P! -B@ -S= --build@ --install! --install-prefix@ --prefix@ -D= -G= -C= -A= -T= "
     "--target= --preset= -j= --parallel= --config= --toolchain= --graphviz>"},
    {"ctest", Kind::kBuilds,
     "--test-dir@ -S! --script! --build-and-test! -O> --output-log> -R= -E= -L= -j= --preset= "
     "--output-junit>"},
    {"meson", Kind::kBuilds, "-C@ --prefix@ --destdir@"},
    {"bazel bazelisk buck", Kind::kBuilds, "--run_under! --output_base@ --output_user_root@"},
    {"gradle gradlew mvn mvnw ant sbt lein mill", Kind::kTakesGoals,
     "-p@ --project-dir@ -I! --init-script! -x= --exclude-task="},
    {"go", Kind::kBuilds,
     "-o> -toolexec! -exec! -vettool! -C@ -coverprofile> -cpuprofile> "
     "-memprofile> -trace> -outputdir> -modfile> -overlay= -ldflags= -gcflags= "
     "-run= -bench= -count= -timeout= -tags= -w!"},
    {"gofmt goimports gofumpt", Kind::kBuilds, "-cpuprofile> -r="},
    {"golangci-lint staticcheck shfmt bats checkbashisms shellspec", Kind::kBuilds, ""},
    {"java", Kind::kBuilds, "-jar= -cp= -classpath= -D="},
    // Programs that run commands on other machines, or as services.
    {"mpirun mpiexec", Kind::kBuilds,
     "-H! --host! -hosts! --hosts! -hostfile! --hostfile! -machinefile! --machinefile! -f! --app! "
     "-np= -n= -c= --map-by= --bind-to="},
    {"sbatch srun salloc qsub qrsh qlogin bsub condor_submit supervisorctl launchctl ngrok degit "
     "tiged",
     Kind::kOpaque},
    {"rustfmt", Kind::kBuilds, "--config-path= --emit="},
    {"pytest py.test ruff mypy pyright pylint flake8 black isort autopep8 yapf coverage "
     "bandit pre-commit behave sphinx-build mkdocs alembic django-admin flask uvicorn gunicorn "
     "celery streamlit locust k6 "
     "pydocstyle pyupgrade towncrier",
     Kind::kBuilds,
     "--rootdir@ --basetemp@ --junitxml> --junit-xml> -o= -k= -m= -p= -c= -n= --output-file> "
     "--cache-dir> --cov-report= --result-log> --debug="},
    {"tox nox", Kind::kTakesGoals, "--result-json> --rootdir@ -c= -p= -n= -k="},
    {"tsc eslint prettier jest vitest mocha ava tap cypress playwright webpack vite rollup esbuild "
     "next nuxt ng vue-cli-service astro svelte-kit tsup swc babel stylelint biome "
     "oxlint standard xo c8 nyc parcel storybook commitlint lint-staged "
     "ts-jest wdio karma tsd knip depcheck madge npm-check",
     Kind::kBuilds,
     "--outdir> --outDir> --outfile> --outFile> --out-dir> -o> --output-file> --output-path> "
     "--declarationDir> --rootDir= --cacheDirectory> --coverageDirectory> --write --fix"},
    {"turbo nx lerna gulp grunt", Kind::kTakesGoals, "--output-path> --outputPath> --write --fix"},
    {"bundle rspec rubocop rails jekyll", Kind::kBuilds, "-e! -r= --out> -o>"},
    {"rake", Kind::kTakesGoals, "-e! -r= --out> -o>"},
    {"php-cs-fixer phpunit pint phpstan psalm", Kind::kBuilds, "-d@ --working-dir@"},
    {"composer artisan", Kind::kTakesGoals, "-d@ --working-dir@"},
    {"dotnet msbuild nuget xcodebuild swift swiftc flutter dart zig nim elixirc mix rebar3 stack "
     "cabal dune just task mage invoke fab ant waf scons xmake premake5",
     Kind::kTakesGoals,
     "-o> --output> -C@ --prefix> --set= --shell! --shell-arg! --command! --eval! -e! -c! -f= "
     "--working-directory@ -d@"},
    {"autoreconf autoconf automake aclocal libtoolize configure", Kind::kBuilds, ""},
    {"terraform tofu", Kind::kBuilds, "-chdir@ -out>"},
    // Programs that may do anything.
    {"vi vim nvim view vimdiff ex ed emacs emacsclient nano pico joe micro kak helix hx code subl "
     "gdb lldb rr m4 tclsh wish expect dc octave R Rscript julia gnuplot sqlite3 "
     "psql mysql mysqldump mongo mongosh redis-cli irb pry ghci erl iex scala groovy jshell guile "
     "racket clojure clj sbcl ocaml swipl luajit lua tcc osascript powershell pwsh ipython bpython "
     "jupyter nix nix-shell nix-env nix-build guix",
     Kind::kOpaque},
    {"ssh-keygen gpg openssl socat nc ncat netcat telnet ftp sftp lftp tmux screen at batch "
     "crontab "
     "systemd-run loginctl machinectl busctl dbus-send dbus-run-session gdbus xdg-open open start "
     "run-parts start-stop-daemon setpriv setarch linux32 linux64 i386 x86_64 newgrp sg faketime "
     "fakeroot fakechroot catchsegv logsave debugfs losetup cryptsetup lvm dmsetup modprobe insmod "
     "rmmod sysctl hwclock timedatectl hostnamectl localectl useradd userdel usermod groupadd "
     "passwd "
     "chpasswd chsh visudo update-alternatives dpkg-divert ldconfig service chattr setcap capsh "
     "nsenter bwrap firejail proot rlwrap inotifywait entr fswatch watchexec nodemon parallel rsh "
     "mosh ansible ansible-playbook vagrant virsh qemu-img cpio pax rename mmv patchelf "
     "logrotate tmpreaper tmpwatch savelog bind enable hash alias unalias fc suspend "
     "coproc lp mail sendmail xdotool perf bpftrace dpkg rpm apt apt-get aptitude yum "
     "dnf apk pacman zypper snap flatpak brew port ld.so pkexec gcore crash kexec "
     "rclone s3cmd gsutil az aws gcloud heroku flyctl vercel netlify firebase wrangler cscope "
     "ip ifconfig route nft wg tc ethtool kpartx mdadm zfs zpool btrfs xfs_repair fsck e2fsck "
     "tune2fs "
     "resize2fs hdparm smartctl efibootmgr grub-install debconf ucf ltrace ttyd script "
     "fuser killall5 skill snice xkill renice prlimit chvt openvt deallocvt",
     Kind::kOpaque},
};

std::unordered_map<std::string_view, ProgramRule> rules() {
  std::unordered_map<std::string_view, ProgramRule> rules;
  for (const Row& row : kRows) {
    for (const std::string_view name : base::split(row.programs, ' ')) {
      rules.insert({name, {row.kind, row.options}});
    }
  }
  return rules;
}

}  // namespace

const ProgramRule* rule_of(std::string_view program) {
  static const auto kKnown = rules();
  const auto found = kKnown.find(program);
  return found == kKnown.end() ? nullptr : &found->second;
}

}  // namespace orch::policy
