package io.thalweg.history;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Replaces keys, which may be personal, by hashes that only the holder of a secret can compute.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class KeyHash {
    private static final String ALGORITHM = "HmacSHA256";
    /** Enough that two of a billion keys share a hash with a probability below 10<sup>-20</sup>. */
    private static final int BYTES = 16;

    private final ThreadLocal<Mac> macs;

    public KeyHash(String secret) {
        SecretKeySpec key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
        macs = ThreadLocal.withInitial(() -> {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(key);
                return mac;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java has " + ALGORITHM, e);
            }
        });
    }

    /**
     * Returns the hash of a key, as hexadecimal digits.
     *
     * @param key values of the entities in the view's order, as a row has them
     */
    String of(List<Object> key) {
        Mac mac = macs.get();
        for (Object value : key) {
            byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
            mac.update((byte) (text.length >>> 8));
            mac.update((byte) text.length);
            mac.update(text);
        }
        return HexFormat.of().formatHex(mac.doFinal(), 0, BYTES);
    }
}
