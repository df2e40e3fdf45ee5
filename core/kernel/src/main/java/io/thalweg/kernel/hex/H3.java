package io.thalweg.kernel.hex;

import com.uber.h3core.H3Core;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The H3 library, shared by the process because loading unpacks a native library; its calls are stateless. */
final class H3 {
    static final H3Core CORE = load();

    private H3() {}

    private static H3Core load() {
        try {
            return H3Core.newInstance();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot unpack the native H3 library; java.io.tmpdir must be writable and executable", e);
        }
    }
}
