/* Go's runtime asks bcryptprimitives.dll for random numbers, which Wine before 9 does
 * not have. This one takes them from the older function of advapi32.dll. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return SystemFunction036(data, (ULONG)size);
}
