package io.thalweg.qalm;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The criticality of a call, the most critical first. Rules refer to it by level, 0 to 3.
 *
 * <p>Calls of {@link #INFRASTRUCTURE} and {@link #CORE} are not shed while others can be; {@link NeverDrop} defines what happens when
 * they alone exceed the capacity.
 */
public enum Criticality {
    /** Level 0: the calls that everything else depends on. */
    INFRASTRUCTURE(0),
    /** Level 1: the core flow of the business. */
    CORE(1),
    /** Level 2: a user-facing feature that may be missing for a while. */
    FEATURE(2),
    /** Level 3: internal and test traffic; shed first. */
    BACKGROUND(3);

    private static final Criticality[] LEVELS = values();

    private final int level;

    Criticality(int level) {
        this.level = level;
    }

    /** Returns the criticality of a level, 0 to 3. */
    public static Criticality ofLevel(int level) {
        if (level < 0 || level >= LEVELS.length) {
            throw new IllegalArgumentException("criticality must be 0, 1, 2 or 3, was " + level + "; 2 is the default");
        }
        return LEVELS[level];
    }

    /**
     * Parses a header: a level, a name of this enum, or a name of another system for the same level. Case is ignored, and {@code -}
     * equals {@code _}.
     *
     * @return null if the text is unknown, so that the rules decide
     */
    public static @Nullable Criticality parse(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return switch (text.trim().toUpperCase(Locale.ROOT).replace('-', '_')) {
            case "0", "INFRASTRUCTURE", "CRITICAL_PLUS" -> INFRASTRUCTURE;
            case "1", "CORE", "CRITICAL" -> CORE;
            case "2", "FEATURE", "SHEDDABLE_PLUS", "DEGRADED" -> FEATURE;
            case "3", "BACKGROUND", "SHEDDABLE", "BEST_EFFORT", "BULK" -> BACKGROUND;
            default -> null;
        };
    }

    /** The level, 0 to 3. */
    public int level() {
        return level;
    }

    /** Whether overload may shed it: levels 2 and 3. */
    public boolean sheddable() {
        return level >= FEATURE.level;
    }

    /** Returns the less critical of the two. */
    public Criticality or(Criticality other) {
        return level >= other.level ? this : other;
    }
}
