// The start of an archive; NAME is defined before.
#if defined(__APPLE__)
#define JOINED(name, suffix) _c_resources_##name##suffix
#else
#define JOINED(name, suffix) c_resources_##name##suffix
#endif
#define SYMBOL(name, suffix) JOINED(name, suffix)

.macro resource path
  .long 2f - 1f
1:
  .ascii "\path"
2:
  .long 4f - 3f
3:
  .incbin "\path"
4:
.endm

#if defined(__APPLE__)
  .section __TEXT,__const
#else
  .section .note.GNU-stack, "", %progbits
  .section .rodata.c_resources, "a", %progbits
#endif
  .globl SYMBOL(NAME, _start)
  .globl SYMBOL(NAME, _end)
SYMBOL(NAME, _start):
