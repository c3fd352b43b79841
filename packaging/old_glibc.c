/* Linked into the portable program only. The runtime of g++ 12 in Debian 12 asks for functions that glibc has had only
   since 2.29 to 2.35. They are defined here by older ones, for orch alone (-fvisibility=hidden), so that the program
   starts where glibc is 2.28. Only packaging/old-glibc and cmake/orch_flags.cmake know of this file. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* glibc 2.32: libstdc++ counts references without atomic operations while it is 1. It is never 1 here. */
char __libc_single_threaded = 0;

/* glibc 2.35: where the unwinder finds the tables of the code at `address`. */
struct search {
  uintptr_t address;
  struct dl_find_object *found;
};

static int look_at(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  struct search *search = argument;
  uintptr_t begin = 0, end = 0, table = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t at = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) table = at;
    if (part->p_type == PT_LOAD && search->address - at < part->p_memsz) {
      begin = at;
      end = at + part->p_memsz;
    }
  }
  if (end == 0 || table == 0) return 0;
  *search->found = (struct dl_find_object){
      .dlfo_map_start = (void *)begin, .dlfo_map_end = (void *)end, .dlfo_eh_frame = (void *)table};
  return 1;
}

int _dl_find_object(void *address, struct dl_find_object *found) {
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

/* glibc 2.30: waits until a time of any clock. The older one waits by the clock of the condition, which is the clock of
   the day unless its attributes say otherwise; libstdc++'s do not. A clock that is set meanwhile makes one wait too long
   or too short, which std::condition_variable's users have to expect (they look at the time again). */
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
  struct timespec now, day;
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &day) != 0) return EINVAL;
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) day.tv_sec -= 1, day.tv_nsec += 1000000000;
  if (day.tv_nsec >= 1000000000) day.tv_sec += 1, day.tv_nsec -= 1000000000;
  return pthread_cond_timedwait(condition, mutex, &day);
}

/* glibc 2.29 has new versions of these, which do not set errno. The linker calls __wrap_NAME for NAME (--wrap). */
#ifdef __aarch64__
#define FIRST_VERSION "GLIBC_2.17"
#else
#define FIRST_VERSION "GLIBC_2.2.5"
#endif
__asm__(".symver first_pow, pow@" FIRST_VERSION);
double first_pow(double, double);
double __wrap_pow(double base, double exponent) { return first_pow(base, exponent); }
