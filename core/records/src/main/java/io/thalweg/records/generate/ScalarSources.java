package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;

/** Sources of scalar values. */
final class ScalarSources {
    private ScalarSources() {}

    static final class Bools extends ValueSource {
        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.bool(slot, draw.random.nextLong() < 0);
        }
    }

    /** Listed truth values. */
    static final class ListedBools extends ValueSource {
        private final boolean[] values;
        private final Ranks ranks;

        ListedBools(boolean[] values, Ranks ranks) {
            this.values = values;
            this.ranks = ranks;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.bool(slot, values[(int) ranks.draw(draw.random)]);
        }
    }

    /** {@code first + step * rank}. */
    static final class Wholes extends ValueSource {
        private final Ranks ranks;
        private final long first;
        private final long step;

        Wholes(Ranks ranks, long first, long step) {
            this.ranks = ranks;
            this.first = first;
            this.step = step;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.int64(slot, first + step * ranks.draw(draw.random));
        }
    }

    /** Any number of 64 bits. */
    static final class AllWholes extends ValueSource {
        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.int64(slot, draw.random.nextLong());
        }
    }

    static final class ListedWholes extends ValueSource {
        private final long[] values;
        private final Ranks ranks;

        ListedWholes(long[] values, Ranks ranks) {
            this.values = values;
            this.ranks = ranks;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.int64(slot, values[(int) ranks.draw(draw.random)]);
        }
    }

    /** The clock's time in a unit of {@code micros}, modulo {@code cycle} units unless that is 0. */
    static final class Now extends ValueSource {
        private final long micros;
        private final long cycle;

        Now(long micros, long cycle) {
            this.micros = micros;
            this.cycle = cycle;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            long now = Math.floorDiv(draw.nowMicros, micros);
            writer.int64(slot, cycle == 0 ? now : Math.floorMod(now, cycle));
        }
    }

    /** {@code first + rank} divided by a power of ten, so that numbers have few digits, as in real data. */
    static final class Reals extends ValueSource {
        private final Ranks ranks;
        private final double first;
        private final double divisor;
        private final boolean narrow;

        Reals(Ranks ranks, double first, double divisor, boolean narrow) {
            this.ranks = ranks;
            this.first = first;
            this.divisor = divisor;
            this.narrow = narrow;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            double value = (first + ranks.draw(draw.random)) / divisor;
            writer.float64(slot, narrow ? (float) value : value);
        }
    }

    /** {@code first + step * rank}. */
    static final class SpreadReals extends ValueSource {
        private final Ranks ranks;
        private final double first;
        private final double step;
        private final boolean narrow;

        SpreadReals(Ranks ranks, double first, double step, boolean narrow) {
            this.ranks = ranks;
            this.first = first;
            this.step = step;
            this.narrow = narrow;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            double value = first + step * ranks.draw(draw.random);
            writer.float64(slot, narrow ? (float) value : value);
        }
    }

    static final class ListedReals extends ValueSource {
        private final double[] values;
        private final Ranks ranks;

        ListedReals(double[] values, Ranks ranks) {
            this.values = values;
            this.ranks = ranks;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.float64(slot, values[(int) ranks.draw(draw.random)]);
        }
    }

    /** Listed texts, names, bytes, UUIDs or decimals. */
    static final class ListedBytes extends ValueSource {
        private final byte[][] values;
        private final Ranks ranks;

        ListedBytes(byte[][] values, Ranks ranks) {
            this.values = values;
            this.ranks = ranks;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            byte[] value = values[(int) ranks.draw(draw.random)];
            writer.bytes(slot, value, 0, value.length);
        }
    }

    /** {@code first + rank} as a decimal. */
    static final class Decimals extends ValueSource {
        private final Ranks ranks;
        private final long first;
        private final byte[] value = new byte[16];

        Decimals(Ranks ranks, long first) {
            this.ranks = ranks;
            this.first = first;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            long unscaled = first + ranks.draw(draw.random);
            int from = Draw.decimal(value, unscaled >> 63, unscaled);
            writer.bytes(slot, value, from, 16 - from);
        }
    }

    /** Decimals of more than 18 digits. */
    static final class WideDecimals extends ValueSource {
        private final long bound;
        private final byte[] value = new byte[16];

        /** Creates a source of numbers between -bound * 2^64 and bound * 2^64. */
        WideDecimals(long bound) {
            this.bound = bound;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            long high = draw.random.nextLong(bound);
            long sign = draw.random.nextLong() >> 63;
            int from = Draw.decimal(value, high ^ sign, draw.random.nextLong());
            writer.bytes(slot, value, from, 16 - from);
        }
    }
}
