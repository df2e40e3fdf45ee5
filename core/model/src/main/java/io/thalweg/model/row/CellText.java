package io.thalweg.model.row;

import java.util.HexFormat;

/** H3 cells as hex text. The layout of the 64 bits is H3's: mode 4, reserved 3, resolution 4, base cell 7, 15 digits of 3. */
public final class CellText {
    private static final int CELL_MODE = 1;
    private static final int BASE_CELLS = 122;
    private static final int UNUSED_DIGIT = 7;
    /** Significant digits of a cell; the first 4 of the 64 bits are zero and may be written. */
    private static final int DIGITS = 15;

    private CellText() {}

    /**
     * Parses a cell.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static long parse(String text, int resolution) {
        long cell = parse(text);
        int found = resolution(cell);
        if (found != resolution) {
            throw new IllegalArgumentException("resolution " + found + ", view has " + resolution);
        }
        return cell;
    }

    /** Parses a cell of any resolution. */
    public static long parse(String text) {
        long cell = number(text);
        if (!isCell(cell, resolution(cell))) {
            throw new IllegalArgumentException("'" + text + "' is not an H3 cell, as 892a1008003ffff is one");
        }
        return cell;
    }

    private static int resolution(long cell) {
        return (int) (cell >>> 52) & 0xF;
    }

    public static String format(long cell) {
        return Long.toHexString(cell);
    }

    private static long number(String text) {
        if (text.length() == DIGITS || text.length() == DIGITS + 1) {
            try {
                return HexFormat.fromHexDigitsToLong(text);
            } catch (NumberFormatException e) {
                // Reported below.
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not hex text of an H3 cell, such as 892a1008003ffff");
    }

    private static boolean isCell(long cell, int resolution) {
        int baseCell = (int) (cell >>> 45) & 0x7F;
        if (cell >>> 59 != CELL_MODE || ((cell >>> 56) & 7) != 0 || baseCell >= BASE_CELLS) {
            return false;
        }
        for (int level = 1; level <= 15; level++) {
            int digit = digit(cell, level);
            if ((digit == UNUSED_DIGIT) != (level > resolution)) {
                return false;
            }
        }
        return !isPentagon(baseCell) || !leadsIntoTheGap(cell, resolution);
    }

    /** A pentagon has no child in direction 1, nor has the pentagon at the centre of each level. */
    private static boolean leadsIntoTheGap(long cell, int resolution) {
        for (int level = 1; level <= resolution; level++) {
            int digit = digit(cell, level);
            if (digit != 0) {
                return digit == 1;
            }
        }
        return false;
    }

    private static int digit(long cell, int level) {
        int shift = 3 * (15 - level);
        return (int) (cell >>> shift) & 7;
    }

    private static boolean isPentagon(int baseCell) {
        return switch (baseCell) {
            case 4, 14, 24, 38, 49, 58, 63, 72, 83, 97, 107, 117 -> true;
            default -> false;
        };
    }
}
