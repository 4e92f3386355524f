// What Python's headers must know about Windows on x86-64, for tools/portable.py: a stand-in for the pyconfig.h of Windows.
#pragma once
#include <io.h>
#include <stdio.h>
#define MS_WIN32 1
#define MS_WIN64 1
#define MS_WINDOWS 1
#define NT_THREADS 1
#define HAVE_DECLSPEC_DLL 1
#define MS_COREDLL 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 16
#define HAVE_PY_SSIZE_T 1
typedef long long Py_ssize_t;
#define PY_SSIZE_T_MAX LLONG_MAX
