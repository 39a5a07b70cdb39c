/*
 * abi.h: file types and signal flags as the kernel has them. <linux/stat.h> leaves them
 * to glibc, and glibc's own headers clash with the kernel's structures used here.
 */
#ifndef HEDDLE_RUNTIME_VK_ABI_H
#define HEDDLE_RUNTIME_VK_ABI_H

#ifndef S_IFMT
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFLNK 0120000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define S_ISGID 0002000
#define S_ISSOCK(m) (((m)&S_IFMT) == S_IFSOCK)
#define S_ISLNK(m) (((m)&S_IFMT) == S_IFLNK)
#define S_ISREG(m) (((m)&S_IFMT) == S_IFREG)
#define S_ISDIR(m) (((m)&S_IFMT) == S_IFDIR)
#define S_ISCHR(m) (((m)&S_IFMT) == S_IFCHR)
#define S_ISFIFO(m) (((m)&S_IFMT) == S_IFIFO)
#endif

#define VK_SS_ONSTACK 1
#define VK_SS_DISABLE 2 /* sigaltstack */

#endif
