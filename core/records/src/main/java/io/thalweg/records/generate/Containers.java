package io.thalweg.records.generate;

import io.thalweg.records.RecordWriter;

/** Sources of structs, lists and maps, and of values that may be missing. */
final class Containers {
    private Containers() {}

    /** A value that is missing in some messages. */
    static final class Nullable extends ValueSource {
        private final ValueSource value;
        private final double nulls;

        Nullable(ValueSource value, double nulls) {
            this.value = value;
            this.nulls = nulls;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            if (draw.random.nextDouble() < nulls) {
                writer.absent(slot);
            } else {
                value.emit(draw, writer, slot);
            }
        }
    }

    /** A value that is always missing, because its type contains itself. */
    static final class Missing extends ValueSource {
        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.absent(slot);
        }
    }

    /** The fields of a struct. */
    static final class Fields {
        private final ValueSource[] sources;
        /** The slots of the fields, relative to the first. */
        private final int[] offsets;

        Fields(ValueSource[] sources, int[] offsets) {
            this.sources = sources;
            this.offsets = offsets;
        }

        void emit(Draw draw, RecordWriter writer, int first) {
            for (int i = 0; i < sources.length; i++) {
                sources[i].emit(draw, writer, first + offsets[i]);
            }
        }
    }

    static final class Structs extends ValueSource {
        private final Fields fields;

        Structs(Fields fields) {
            this.fields = fields;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.beginStruct(slot);
            fields.emit(draw, writer, slot + 1);
            writer.endStruct(slot);
        }
    }

    /** Structs in which exactly one field has a value. */
    static final class Unions extends ValueSource {
        private final ValueSource[] sources;
        private final int[] offsets;
        private final int[] candidates;

        Unions(ValueSource[] sources, int[] offsets, int[] candidates) {
            this.sources = sources;
            this.offsets = offsets;
            this.candidates = candidates;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            int chosen = candidates[draw.random.nextInt(candidates.length)];
            writer.beginStruct(slot);
            for (int i = 0; i < sources.length; i++) {
                int field = slot + 1 + offsets[i];
                if (i == chosen) {
                    sources[i].emit(draw, writer, field);
                } else {
                    writer.absent(field);
                }
            }
            writer.endStruct(slot);
        }
    }

    /** The choice of the oneof member that has a value in the current message. */
    static final class Choice {
        private final double nulls;
        private int members;
        private int chosen;

        Choice(double nulls) {
            this.nulls = nulls;
        }

        /** Adds the next member; fields are added, and later emitted, in the order of their struct. */
        ValueSource member(ValueSource value) {
            return new Member(this, members++, value);
        }

        private void draw(Draw draw) {
            chosen = draw.random.nextDouble() < nulls ? -1 : draw.random.nextInt(members);
        }
    }

    private static final class Member extends ValueSource {
        private final Choice choice;
        private final int ordinal;
        private final ValueSource value;

        Member(Choice choice, int ordinal, ValueSource value) {
            this.choice = choice;
            this.ordinal = ordinal;
            this.value = value;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            if (ordinal == 0) {
                choice.draw(draw);
            }
            if (choice.chosen == ordinal) {
                value.emit(draw, writer, slot);
            } else {
                writer.absent(slot);
            }
        }
    }

    static final class Lists extends ValueSource {
        private final ValueSource element;
        private final Sizes sizes;

        Lists(ValueSource element, Sizes sizes) {
            this.element = element;
            this.sizes = sizes;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.beginList(slot);
            int size = sizes.draw(draw);
            for (int i = 0; i < size; i++) {
                element.emit(draw, writer, slot + 1);
            }
            writer.endList(slot);
        }
    }

    static final class Maps extends ValueSource {
        private final MapKeys keys;
        private final ValueSource value;
        private final Sizes sizes;

        Maps(MapKeys keys, ValueSource value, Sizes sizes) {
            this.keys = keys;
            this.value = value;
            this.sizes = sizes;
        }

        @Override
        void emit(Draw draw, RecordWriter writer, int slot) {
            writer.beginMap(slot);
            int size = sizes.draw(draw);
            long base = draw.random.nextLong();
            for (int i = 0; i < size; i++) {
                keys.emit(writer, slot + 1, base, i);
                value.emit(draw, writer, slot + 2);
            }
            writer.endMap(slot);
        }
    }

    /**
     * The range of the number of elements of a collection.
     *
     * @param most upper bound of the range: a map cannot have more entries than there are keys
     */
    record Sizes(Between range, long most) {
        int draw(Draw draw) {
            int size = range.min() + ((range.draw(draw.random) - range.min()) >> draw.halvings);
            return (int) Math.min(size, most);
        }
    }
}
