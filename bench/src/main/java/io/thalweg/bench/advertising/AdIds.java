package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;

/**
 * The ids of the published benchmark, texts of 36 characters: what is numbered here has the form of a UUID there. They follow from
 * the numbers, so that whatever is written twice is the same.
 */
final class AdIds {
    static final int BYTES = 36;

    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    private static final int CAMPAIGN = 1;
    private static final int AD = 2;
    private static final int WINDOW = 3;
    private static final int WINDOWS = 4;

    private AdIds() {}

    static byte[] campaign(long campaign) {
        return id(Mix.of(campaign, CAMPAIGN), campaign);
    }

    /** The number in a campaign's id. */
    static int campaignOf(byte[] id) {
        int number = 0;
        for (int at = BYTES - 8; at < BYTES; at++) {
            number = number << 4 | Character.digit(id[at], 16);
        }
        return number;
    }

    static byte[] ad(long ad) {
        return id(Mix.of(ad, AD), ad);
    }

    /** Of what is kept of one window of a campaign. */
    static byte[] window(long campaign, long windowStartMs) {
        return id(Mix.of(campaign, WINDOW), windowStartMs);
    }

    /** Of the list of a campaign's windows. */
    static byte[] windows(long campaign) {
        return id(Mix.of(campaign, WINDOWS), campaign);
    }

    private static byte[] id(long high, long low) {
        byte[] id = new byte[BYTES];
        write(high, low, id, 0);
        return id;
    }

    /** Writes 128 bits as a UUID is written. */
    static void write(long high, long low, byte[] into, int at) {
        int place = at;
        for (int shift = 124; shift >= 0; shift -= 4) {
            long half = shift >= 64 ? high : low;
            into[place++] = HEX[(int) (half >>> (shift & 63)) & 15];
            if (shift == 96 || shift == 80 || shift == 64 || shift == 48) {
                into[place++] = '-';
            }
        }
    }
}
