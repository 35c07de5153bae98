"""Asks the processor which level it can run. Built for the baseline only."""

cdef extern from *:
    """
    static int bgcore_has_v3(void) {
    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
            && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    #else
        return 0;
    #endif
    }

    /* What kernels512.h is compiled for. */
    static int bgcore_has_avx512(void) {
    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi")
            && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg");
    #else
        return 0;
    #endif
    }
    """
    int bgcore_has_v3() noexcept nogil
    int bgcore_has_avx512() noexcept nogil


def has_x86_64_v3():
    """Tell whether this processor runs x86-64-v3 code (AVX2, BMI, FMA).

    Returns
    -------
    bool
    """
    return bool(bgcore_has_v3())


def has_avx512():
    """Tell whether this processor runs the AVX-512 kernels.

    They need F, BW, DQ, VL, VNNI, VBMI, VBMI2 and BITALG: Intel from Ice Lake, AMD from Zen 4.

    Returns
    -------
    bool
    """
    return bool(bgcore_has_avx512())
