package io.thalweg.records.avro;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * One instruction of a compiled reader: how to read, or skip, the value at the current position. The reader selects the
 * instruction by {@link #op}, which implies the class, so that the common ones need no virtual call. A value may take any number
 * of steps, including none, so steps refer to arrays of steps.
 */
class Step {
    static final int BOOL = 0;
    static final int INT = 1;
    static final int INT_SCALED = 2;
    static final int LONG = 3;
    static final int LONG_SCALED = 4;
    static final int REAL32 = 5;
    static final int REAL64 = 6;
    static final int INT_AS_FLOAT = 7;
    static final int INT_AS_DOUBLE = 8;
    static final int LONG_AS_FLOAT = 9;
    static final int LONG_AS_DOUBLE = 10;
    static final int TEXT = 11;
    static final int BYTES = 12;
    static final int UUID_TEXT = 13;
    static final int FIXED = 14;
    static final int DECIMAL = 15;
    static final int SYMBOL = 16;
    static final int NULL = 17;
    static final int UNION = 18;
    static final int BRANCH = 19;
    static final int RECORD = 20;
    static final int ARRAY = 21;
    static final int MAP = 22;
    static final int AGAIN = 23;
    static final int DEFAULT = 24;
    static final int REFUSED = 25;
    static final int SKIP = 26;
    static final int SKIP_NUMBERS = 27;
    static final int SKIP_BYTES = 28;
    static final int SKIP_RECORD = 29;
    static final int SKIP_BLOCKS = 30;

    /** The path of values that are not used. */
    static final String SKIPPED = "(skipped)";

    final int op;

    /** The slot of the value in the target, or {@link FieldPlan#NONE}. */
    final int slot;

    /** For error messages. */
    final String path;

    Step(int op, int slot, String path) {
        this.op = op;
        this.slot = slot;
        this.path = path;
    }

    /** Creates a step that reads a value without parameters. */
    static Step scalar(int op, FieldPlan plan) {
        return new Step(op, plan.slot, plan.path);
    }

    /** An int or long in a unit other than the column's, or a time of day. */
    static final class Scaled extends Step {
        /** A positive factor multiplies the value; a negative one divides it by the absolute value and rounds down. */
        final int factor;

        final boolean isTimeOfDay;

        Scaled(int op, FieldPlan plan, int factor) {
            super(op, plan.slot, plan.path);
            this.factor = factor;
            this.isTimeOfDay = plan.type instanceof FieldType.Time;
        }
    }

    /** A fixed number of bytes. */
    static final class Fixed extends Step {
        final int size;

        Fixed(FieldPlan plan, int size) {
            super(FIXED, plan.slot, plan.path);
            this.size = size;
        }
    }

    /** A decimal. */
    static final class Decimal extends Step {
        static final int PREFIXED = -1;

        /** The number of bytes; {@link #PREFIXED} if a length precedes them. */
        final int size;

        /** The number of bytes in which every value is in range. */
        final int safe;

        final int precision;

        /** The upper and lower 64 bits of the smallest value with too many digits, and of its opposite. */
        final long aboveHigh;

        final long aboveLow;
        final long belowHigh;
        final long belowLow;

        Decimal(FieldPlan plan, int size, int precision) {
            super(DECIMAL, plan.slot, plan.path);
            BigInteger above = BigInteger.TEN.pow(precision);
            BigInteger below = above.negate();
            this.size = size;
            this.precision = precision;
            this.safe = (above.bitLength() - 1) / 8;
            this.aboveHigh = above.shiftRight(64).longValue();
            this.aboveLow = above.longValue();
            this.belowHigh = below.shiftRight(64).longValue();
            this.belowLow = below.longValue();
        }
    }

    /** An index into names. */
    static final class Symbol extends Step {
        /** The name to report, in UTF-8; null if the table's schema has neither it nor a default. */
        final byte[] @Nullable [] names;

        Symbol(FieldPlan plan, byte[] @Nullable [] names) {
            super(SYMBOL, plan.slot, plan.path);
            this.names = names;
        }
    }

    /** No bytes. */
    static final class Null extends Step {
        final FieldPlan plan;

        Null(FieldPlan plan) {
            super(NULL, plan.slot, plan.path);
            this.plan = plan;
        }
    }

    /** An index, and a value that the steps at that index read. */
    static final class Union extends Step {
        final Step[][] branches;

        Union(String path, Step[][] branches) {
            super(UNION, FieldPlan.NONE, path);
            this.branches = branches;
        }
    }

    /** A value that becomes one field of a struct of branches. */
    static final class Branch extends Step {
        final StructPlan struct;
        final int index;
        final Step[] value;

        Branch(FieldPlan plan, StructPlan struct, int index, Step[] value) {
            super(BRANCH, plan.slot, plan.path);
            this.struct = struct;
            this.index = index;
            this.value = value;
        }
    }

    /** The fields of a record in the order of the writer, then the defaults. */
    static final class Fields extends Step {
        final Step[] fields;

        Fields(int slot, String path, Step[] fields) {
            super(RECORD, slot, path);
            this.fields = fields;
        }
    }

    /** Blocks of elements. */
    static final class Elements extends Step {
        final Step[] element;

        /** The minimum number of bytes of an element. */
        final int smallest;

        Elements(FieldPlan plan, Step[] element, int smallest) {
            super(ARRAY, plan.slot, plan.path);
            this.element = element;
            this.smallest = smallest;
        }
    }

    /** Blocks of keys and values. */
    static final class Entries extends Step {
        final Step key;
        final Step[] value;

        /** The minimum number of bytes of an entry. */
        final int smallest;

        Entries(FieldPlan plan, Step key, Step[] value, int smallest) {
            super(MAP, plan.slot, plan.path);
            this.key = key;
            this.value = value;
            this.smallest = smallest;
        }
    }

    /** A value with several uses, each of which reads it from its first byte. */
    static final class Again extends Step {
        final Step[][] uses;

        Again(String path, Step[][] uses) {
            super(AGAIN, FieldPlan.NONE, path);
            this.uses = uses;
        }
    }

    /** A value that the message lacks. */
    static final class Default extends Step {
        /** The value as the table's schema would write it. */
        final byte[] written;

        final Step[] value;

        Default(String path, byte[] written, Step[] value) {
            super(DEFAULT, FieldPlan.NONE, path);
            this.written = written;
            this.value = value;
        }
    }

    /** A value that is incompatible with the table's type. */
    static final class Refused extends Step {
        final String expected;
        final String found;

        Refused(String path, String expected, String found) {
            super(REFUSED, FieldPlan.NONE, path);
            this.expected = expected;
            this.found = found;
        }
    }

    /** A number of bytes, variable-length numbers, or length-prefixed values that are skipped. */
    static final class Skip extends Step {
        final int count;

        Skip(int op, int count) {
            super(op, FieldPlan.NONE, SKIPPED);
            this.count = count;
        }
    }

    /** A record that is skipped. It may contain itself, so its fields are set after it is created. */
    static final class SkipRecord extends Step {
        Step[] fields = {};

        SkipRecord(String name) {
            super(SKIP_RECORD, FieldPlan.NONE, name);
        }
    }

    /** An array or map that is skipped. */
    static final class SkipBlocks extends Step {
        final Step[] element;

        /** The minimum number of bytes of an element. */
        final int smallest;

        /** Whether each element takes exactly {@link #smallest} bytes. */
        final boolean isFixed;

        SkipBlocks(Step[] element, int smallest, boolean isFixed) {
            super(SKIP_BLOCKS, FieldPlan.NONE, SKIPPED);
            this.element = element;
            this.smallest = smallest;
            this.isFixed = isFixed;
        }
    }
}
