/*
 * wrapped.h: functions of the C library that access memory on behalf of instrumented code. Programs are
 * linked with --wrap for each, so that the calls go to __wrap_NAME (src/hooks), which tells the runtime what
 * is accessed and calls the real one.
 */
#ifndef HEDDLE_WIRE_WRAPPED_H
#define HEDDLE_WIRE_WRAPPED_H

/* clang-format would indent a list without commas further on every line. */
/* clang-format off */
#define HOOKS_WRAPPED(X) \
	X(memcpy) X(memmove) X(mempcpy) X(memset) X(memcmp) X(memchr) X(memrchr) X(bcopy) \
	X(bzero) X(bcmp) X(strlen) X(strnlen) X(strcpy) X(stpcpy) X(strncpy) X(stpncpy) \
	X(strcat) X(strncat) X(strcmp) X(strncmp) X(strcasecmp) X(strncasecmp) X(strchr) \
	X(strrchr) X(strchrnul) X(strstr) X(strdup) X(strndup) X(sprintf) X(snprintf) X(strspn) \
	X(strcspn) X(strpbrk)

/* The same with the compiler's checks of sizes (_FORTIFY_SOURCE). */
#define HOOKS_WRAPPED_CHECKED(X) \
	X(__memcpy_chk) X(__memmove_chk) X(__mempcpy_chk) X(__memset_chk) X(__strcpy_chk) \
	X(__stpcpy_chk) X(__strncpy_chk) X(__stpncpy_chk) X(__strcat_chk) X(__strncat_chk)

/* Functions that compilers leave as calls. */
#define HOOKS_WRAPPED_CALLS(X) \
	X(printf) X(fprintf) X(dprintf) X(asprintf) X(syslog) X(vprintf) X(vfprintf) X(vdprintf) \
	X(vsprintf) X(vsnprintf) X(vasprintf) X(__printf_chk) X(__fprintf_chk) X(__sprintf_chk) \
	X(__snprintf_chk) X(scanf) X(fscanf) X(sscanf) X(__isoc99_scanf) X(__isoc99_fscanf) \
	X(__isoc99_sscanf) X(__isoc23_scanf) X(__isoc23_fscanf) X(__isoc23_sscanf) X(puts) X(fputs) \
	X(perror) X(fwrite) X(fread) X(fgets) X(getline) X(getdelim) X(__getdelim) X(strtol) X(strtoul) \
	X(strtoll) X(strtoull) X(strtoimax) X(strtoumax) X(__isoc23_strtol) X(__isoc23_strtoul) \
	X(__isoc23_strtoll) X(__isoc23_strtoull) X(strtod) X(strtof) X(strtold) X(atoi) X(atol) \
	X(atoll) X(atof) X(strtok_r) X(__strtok_r) X(strtok) X(strsep) X(strcasestr) X(memmem) \
	X(rawmemchr) X(strcoll) X(strxfrm) X(memccpy) X(qsort) X(qsort_r) X(wcslen) X(wmemcpy) \
	X(wmemmove) X(wmemset) X(wcscpy) X(wcscmp) X(write) X(pwrite) X(pwrite64) X(send) X(read) \
	X(pread) X(pread64) X(recv) X(__read_chk) X(__recv_chk) X(getrandom) X(readlink) X(sendto) \
	X(recvfrom) X(writev) X(readv) X(sendmsg) X(recvmsg) X(bind) X(connect) X(accept) X(accept4) \
	X(getsockname) X(getpeername) X(getsockopt) X(setsockopt) X(pipe) X(pipe2) X(socketpair) \
	X(fstat) X(clock_gettime) X(gettimeofday) X(time) X(stat) X(lstat) X(localtime_r) X(gmtime_r) \
	X(strftime) X(mktime) X(getcwd) X(inet_ntop) X(inet_pton) X(poll) X(unlink) X(rmdir) X(mkdir) \
	X(chdir) X(access) X(chmod) X(creat) X(opendir) X(getenv) X(unsetenv) X(rename) X(link) \
	X(symlink) X(fopen) X(fopen64) X(setenv)
/* The same: strings and structures. */
#define HOOKS_WRAPPED_STRUCTS(X) \
	X(open) X(open64) X(openat) X(openat64) X(unlinkat) X(mkdirat) X(faccessat) X(renameat) \
	X(fstatat) X(mkfifo) X(chown) X(memfd_create) X(mkstemp) X(mkdtemp) \
	X(realpath) X(freopen) X(fgetpos) X(fsetpos) X(nanosleep) X(clock_nanosleep) \
	X(clock_getres) X(localtime) X(gmtime) X(ctime) X(asctime) X(ctime_r) X(asctime_r) X(timegm) \
	X(timerfd_settime) X(timerfd_gettime) X(setitimer) X(getitimer) X(sigemptyset) X(sigfillset) \
	X(sigaddset) X(sigdelset) X(sigismember) X(sigaction) X(sigprocmask) X(sigpending) \
	X(sigsuspend) X(sigwait) X(sigwaitinfo) X(sigtimedwait) X(pthread_sigmask) X(pthread_join) \
	X(pthread_tryjoin_np) X(pthread_timedjoin_np) X(pthread_setcancelstate) X(pthread_setcanceltype) \
	X(sem_getvalue) X(pthread_getname_np) X(pthread_setname_np) X(pthread_getschedparam) \
	X(pthread_getaffinity_np) X(pthread_setaffinity_np) X(sigaltstack) \
	X(epoll_ctl) X(epoll_wait) X(select) X(eventfd_read) \
	X(getrlimit) X(setrlimit) X(getrusage) X(uname) X(gethostname) X(setlocale) X(putenv) \
	X(strerror_r) X(inet_addr) X(inet_aton) X(getaddrinfo) X(gethostbyname) X(explicit_bzero) \
	X(strverscmp) X(strlcpy) X(modf) X(frexp) X(sincos) X(rand_r)
/* The same: threads, their attributes, and what libc has once for all of them. */
#define HOOKS_WRAPPED_THREADS(X) \
	X(pthread_create) X(thrd_create) X(sem_open) X(sem_unlink) X(thrd_join) X(pthread_key_create) \
	X(tss_create) X(pthread_getcpuclockid) X(pthread_setschedparam) X(sched_getparam) \
	X(sched_setparam) X(sched_setscheduler) X(sched_getaffinity) X(sched_setaffinity) \
	X(_ZNSt6thread4joinEv) X(_ZNSt6thread6detachEv) X(pthread_cond_timedwait) \
	X(pthread_cond_clockwait) X(cnd_timedwait) X(thrd_sleep) X(pthread_attr_setschedparam) \
	X(pthread_attr_setstack) X(pthread_attr_getstack) X(pthread_getattr_np) X(posix_memalign) \
	X(arc4random_buf) X(fcntl) X(fcntl64) X(syscall) X(setvbuf) X(setbuf) X(readdir) X(readdir64) \
	X(sem_timedwait) X(pthread_mutex_timedlock) X(pthread_rwlock_timedrdlock) \
	X(pthread_rwlock_timedwrlock) X(mtx_timedlock) X(sem_clockwait) X(pthread_mutex_clocklock) \
	X(pthread_rwlock_clockrdlock) X(pthread_rwlock_clockwrlock) X(pthread_attr_init) \
	X(pthread_attr_destroy) X(pthread_mutexattr_init) X(pthread_mutexattr_destroy) \
	X(pthread_condattr_init) X(pthread_condattr_destroy) X(pthread_rwlockattr_init) \
	X(pthread_rwlockattr_destroy) X(pthread_barrierattr_init) X(pthread_barrierattr_destroy) \
	X(pthread_attr_setdetachstate) X(pthread_attr_getdetachstate) X(pthread_attr_setstacksize) \
	X(pthread_attr_getstacksize) X(pthread_attr_setguardsize) X(pthread_attr_getguardsize) \
	X(pthread_attr_setschedpolicy) X(pthread_attr_getschedpolicy) X(pthread_attr_setinheritsched) \
	X(pthread_attr_getinheritsched) X(pthread_attr_setscope) X(pthread_attr_getscope) \
	X(pthread_mutexattr_settype) X(pthread_mutexattr_gettype) X(pthread_mutexattr_setrobust) \
	X(pthread_mutexattr_getrobust) X(pthread_mutexattr_setpshared) X(pthread_mutexattr_getpshared) \
	X(pthread_mutexattr_setprotocol) X(pthread_mutexattr_getprotocol) X(pthread_condattr_setclock) \
	X(pthread_condattr_getclock) X(pthread_condattr_setpshared) X(pthread_condattr_getpshared) \
	X(pthread_rwlockattr_setpshared) X(pthread_rwlockattr_getpshared) \
	X(pthread_rwlockattr_setkind_np) X(pthread_rwlockattr_getkind_np) \
	X(pthread_barrierattr_setpshared) X(pthread_barrierattr_getpshared) \
	X(pthread_attr_getschedparam)
/* C++'s streams of characters. */
#define HOOKS_WRAPPED_STREAMS(X) \
	X(_ZNSolsEb) X(_ZNSolsEs) X(_ZNSolsEt) X(_ZNSolsEi) X(_ZNSolsEj) X(_ZNSolsEl) X(_ZNSolsEm) \
	X(_ZNSolsEx) X(_ZNSolsEy) X(_ZNSolsEf) X(_ZNSolsEd) X(_ZNSolsEe) X(_ZNSolsEPKv) \
	X(_ZNSo9_M_insertIbEERSoT_) X(_ZNSo9_M_insertIlEERSoT_) \
	X(_ZNSo9_M_insertImEERSoT_) X(_ZNSo9_M_insertIxEERSoT_) X(_ZNSo9_M_insertIyEERSoT_) \
	X(_ZNSo9_M_insertIdEERSoT_) X(_ZNSo9_M_insertIeEERSoT_) X(_ZNSo9_M_insertIPKvEERSoT_) \
	X(_ZNSo3putEc) X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c) \
	X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a) \
	X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h) \
	X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc) \
	X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKa) \
	X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKh) X(_ZNSo5writeEPKcl) \
	X(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l) \
X(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE) \
	X(_ZNSo5seekpElSt12_Ios_Seekdir) X(_ZNSo5seekpESt4fposI11__mbstate_tE) X(_ZNSo5tellpEv) \
	X(_ZNSo8_M_writeEPKcl) X(_ZNSo6sentryC1ERSo) X(_ZNSo6sentryC2ERSo) X(_ZNSi6sentryC1ERSib) \
	X(_ZNSi6sentryC2ERSib) X(_ZNSi5seekgElSt12_Ios_Seekdir) X(_ZNSi5seekgESt4fposI11__mbstate_tE) \
	X(_ZNSi5tellgEv) X(_ZNSi6ignoreEv) X(_ZNSi6ignoreEl) X(_ZNSi6ignoreEli) X(_ZNSi4syncEv) \
	X(_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_) X(_ZNSi3getEPcl) X(_ZNSi3getEPclc) \
	X(_ZNSi7getlineEPcl) X(_ZNSi7getlineEPclc) X(_ZNSi8readsomeEPcl) \
	X(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw) \
	X(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision) \
	X(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E) \
	X(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_Setbase) \
	X(_ZNSo5flushEv) X(_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_) \
	X(_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_) \
	X(_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_) X(_ZNSirsERb) X(_ZNSirsERs) \
	X(_ZNSirsERt) X(_ZNSirsERi) X(_ZNSirsERj) X(_ZNSirsERl) X(_ZNSirsERm) X(_ZNSirsERx) \
	X(_ZNSirsERy) X(_ZNSirsERf) X(_ZNSirsERd) X(_ZNSirsERe) X(_ZNSirsERPv) \
	X(_ZNSi10_M_extractIbEERSiRT_) X(_ZNSi10_M_extractItEERSiRT_) X(_ZNSi10_M_extractIjEERSiRT_) \
	X(_ZNSi10_M_extractIlEERSiRT_) X(_ZNSi10_M_extractImEERSiRT_) X(_ZNSi10_M_extractIxEERSiRT_) \
	X(_ZNSi10_M_extractIyEERSiRT_) X(_ZNSi10_M_extractIfEERSiRT_) X(_ZNSi10_M_extractIdEERSiRT_) \
	X(_ZNSi10_M_extractIeEERSiRT_) X(_ZNSi10_M_extractIPvEERSiRT_) X(_ZNSi3getEv) \
	X(_ZNSi4peekEv) X(_ZNSi5ungetEv) X(_ZNSi7putbackEc) X(_ZNSi3getERc) \
	X(_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_) X(_ZNSi4readEPcl) \
X(_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE) \
X(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE) \
X(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_)
/* Done by the hooks themselves: C++'s trees and lists. */
#define HOOKS_WRAPPED_CONTAINERS(X) \
	X(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base) \
	X(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base) \
	X(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base) \
	X(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base) \
	X(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_) \
	X(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_) \
	X(_ZNSt8__detail15_List_node_base7_M_hookEPS0_) X(_ZNSt8__detail15_List_node_base9_M_unhookEv) \
	X(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_) \
	X(_ZNSt8__detail15_List_node_base10_M_reverseEv) X(_ZNSt8__detail15_List_node_base4swapERS0_S1_)
/* clang-format on */

#endif
