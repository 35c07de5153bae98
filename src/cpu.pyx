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
    """
    int bgcore_has_v3() noexcept nogil


def has_x86_64_v3():
    """Tell whether this processor runs x86-64-v3 code (AVX2, BMI, FMA).

    Returns
    -------
    bool
    """
    return bool(bgcore_has_v3())
