package io.thalweg.records.thrift;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TMap;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TSet;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.jspecify.annotations.Nullable;

/**
 * A type with all that a test needs: values, their encoding by Thrift's own library, and the expected contents of a row.
 *
 * <p>A value has the form of the row, except that map entries in lists are pairs and structs lack the fields that the message
 * lacks.
 */
sealed interface RandomType {
    /** Returns the type as written in the file {@code main}, or in {@code common}, which main includes. */
    String idl(boolean main);

    byte wire();

    Object value(Random random, int depth);

    void write(TProtocol out, Object value, Random random) throws TException;

    FieldType neutral(Set<String> path);

    /** Returns the row's form of a value. */
    @Nullable
    Object expected(Object value);

    record Scalar(ThriftType.Scalar type) implements RandomType {
        @Override
        public String idl(boolean main) {
            ThriftType.Scalar base = type.base == null ? type : type.base;
            String name = base.name().toLowerCase(Locale.ROOT);
            return type.base == null ? name : name + " (thalweg.type = \"" + type.meaning() + "\")";
        }

        @Override
        public byte wire() {
            return (byte) type.wire().binary;
        }

        @Override
        public Object value(Random random, int depth) {
            return switch (type) {
                case BOOL -> random.nextBoolean();
                case I8 -> (long) (byte) number(random);
                case I16 -> (long) (short) number(random);
                case I32, DATE -> (long) (int) number(random);
                case I64, TIMESTAMP_US -> number(random);
                case TIMESTAMP_S -> number(random) >> 20;
                case TIMESTAMP_MS -> number(random) >> 10;
                case DOUBLE -> random.nextInt(4) == 0 ? Double.NaN : random.nextGaussian() * 1e9;
                case STRING -> text(random);
                case BINARY -> bytes(random, random.nextInt(20));
                case UUID, UUID_IN_BINARY -> bytes(random, 16);
            };
        }

        private static long number(Random random) {
            long[] edges = {0, -1, 63, 64, -64, -65, Long.MIN_VALUE, Long.MAX_VALUE};
            return random.nextInt(4) == 0
                    ? edges[random.nextInt(edges.length)]
                    : random.nextLong() >> random.nextInt(64);
        }

        private static String text(Random random) {
            int[] firsts = {'a', 'Z', 0, 0xE9, 0x20AC, 0xFFFD, 0x1F600, 0x10FFFF};
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(30); i > 0; i--) {
                text.appendCodePoint(firsts[random.nextInt(random.nextBoolean() ? 2 : firsts.length)]);
            }
            return text.toString();
        }

        private static byte[] bytes(Random random, int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }

        @Override
        public void write(TProtocol out, Object value, Random random) throws TException {
            switch (type.wire()) {
                case BOOL -> out.writeBool((Boolean) value);
                case I8 -> out.writeByte(((Long) value).byteValue());
                case I16 -> out.writeI16(((Long) value).shortValue());
                case I32 -> out.writeI32(((Long) value).intValue());
                case I64 -> out.writeI64((Long) value);
                case DOUBLE -> out.writeDouble((Double) value);
                case STRING -> {
                    if (value instanceof String text) {
                        out.writeString(text);
                    } else {
                        out.writeBinary(ByteBuffer.wrap((byte[]) value));
                    }
                }
                // The library's byte order differs from the specification.
                case UUID -> out.getTransport().write((byte[]) value);
                default -> throw new AssertionError(type);
            }
        }

        @Override
        public FieldType neutral(Set<String> path) {
            return type.neutral();
        }

        @Override
        public @Nullable Object expected(Object value) {
            return value instanceof byte[] bytes
                    ? NaiveRows.hex(bytes)
                    : value instanceof Long number ? (Object) (number * type.micros()) : value;
        }
    }

    record Symbols(String name, boolean inMain, List<String> names, List<Integer> numbers) implements RandomType {
        @Override
        public String idl(boolean main) {
            return main && !inMain ? "common." + name : name;
        }

        @Override
        public byte wire() {
            return TType.I32;
        }

        @Override
        public Object value(Random random, int depth) {
            return random.nextInt(5) == 0 ? random.nextInt() : numbers.get(random.nextInt(numbers.size()));
        }

        @Override
        public void write(TProtocol out, Object value, Random random) throws TException {
            out.writeI32((Integer) value);
        }

        @Override
        public FieldType neutral(Set<String> path) {
            return new FieldType.Symbols(names);
        }

        @Override
        public Object expected(Object value) {
            int at = numbers.indexOf(value);
            return at < 0 ? value.toString() : names.get(at);
        }
    }

    /** A list or set; a set's values may repeat, which no reader checks. */
    record Elements(boolean set, RandomType element) implements RandomType {
        @Override
        public String idl(boolean main) {
            return (set ? "set<" : "list<") + element.idl(main) + ">";
        }

        @Override
        public byte wire() {
            return set ? TType.SET : TType.LIST;
        }

        @Override
        public Object value(Random random, int depth) {
            List<Object> values = new ArrayList<>();
            int most = depth > 3 ? 2 : random.nextInt(8) == 0 ? 40 : 5;
            for (int i = random.nextInt(most); i > 0; i--) {
                values.add(element.value(random, depth + 1));
            }
            return values;
        }

        @Override
        public void write(TProtocol out, Object value, Random random) throws TException {
            List<?> values = (List<?>) value;
            if (set) {
                out.writeSetBegin(new TSet(element.wire(), values.size()));
            } else {
                out.writeListBegin(new TList(element.wire(), values.size()));
            }
            for (Object each : values) {
                element.write(out, each, random);
            }
        }

        @Override
        public FieldType neutral(Set<String> path) {
            return new FieldType.ListOf(element.neutral(path), true);
        }

        @Override
        public Object expected(Object value) {
            List<@Nullable Object> expected = new ArrayList<>();
            ((List<?>) value).forEach(each -> expected.add(element.expected(each)));
            return expected;
        }
    }

    record Entries(RandomType key, RandomType value) implements RandomType {
        @Override
        public String idl(boolean main) {
            return "map<" + key.idl(main) + ", " + value.idl(main) + ">";
        }

        @Override
        public byte wire() {
            return TType.MAP;
        }

        @Override
        public Object value(Random random, int depth) {
            List<List<Object>> entries = new ArrayList<>();
            for (int i = random.nextInt(depth > 3 ? 2 : 5); i > 0; i--) {
                entries.add(List.of(key.value(random, depth + 1), value.value(random, depth + 1)));
            }
            return entries;
        }

        @Override
        public void write(TProtocol out, Object value, Random random) throws TException {
            List<?> entries = (List<?>) value;
            out.writeMapBegin(new TMap(key.wire(), this.value.wire(), entries.size()));
            for (Object each : entries) {
                List<?> entry = (List<?>) each;
                key.write(out, entry.get(0), random);
                this.value.write(out, entry.get(1), random);
            }
        }

        private boolean isMap() {
            return key instanceof Scalar || key instanceof Symbols;
        }

        @Override
        public FieldType neutral(Set<String> path) {
            FieldType ofValue = value.neutral(path);
            return isMap()
                    ? new FieldType.MapOf((FieldType.Scalar) key.neutral(path), ofValue, true)
                    : new FieldType.ListOf(
                            new Struct(List.of(
                                    Field.required("key", key.neutral(path)), Field.required("value", ofValue))),
                            true);
        }

        @Override
        public Object expected(Object value) {
            List<Object> expected = new ArrayList<>();
            for (Object each : (List<?>) value) {
                List<?> entry = (List<?>) each;
                List<@Nullable Object> pair = new ArrayList<>();
                pair.add(key.expected(entry.get(0)));
                pair.add(this.value.expected(entry.get(1)));
                Map<String, @Nullable Object> struct = new HashMap<>();
                struct.put("key", pair.get(0));
                struct.put("value", pair.get(1));
                expected.add(isMap() ? pair : struct);
            }
            return expected;
        }
    }

    enum Presence {
        REQUIRED,
        OPTIONAL,
        DEFAULT
    }

    /**
     * A field.
     *
     * @param absentIdl its default as written, if it has one
     * @param absent the default as a schema has it
     */
    record Member(
            int id,
            String name,
            Presence presence,
            RandomType type,
            @Nullable String absentIdl,
            @Nullable Object absent) {
        /** Returns the row's value for a message without the field. */
        @Nullable
        Object missing() {
            if (!(absent instanceof byte[] bytes)) {
                return absent;
            }
            boolean text = type instanceof Symbols
                    || (type instanceof Scalar scalar && scalar.type() == ThriftType.Scalar.STRING);
            return text ? new String(bytes, StandardCharsets.UTF_8) : NaiveRows.hex(bytes);
        }
    }

    /** A struct; its members are added after its creation, because it may contain itself. */
    record Fields(String name, boolean inMain, String keyword, List<Member> members) implements RandomType {
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }

        @Override
        public String toString() {
            return name;
        }

        @Override
        public String idl(boolean main) {
            return main && !inMain ? "common." + name : name;
        }

        @Override
        public byte wire() {
            return TType.STRUCT;
        }

        boolean union() {
            return keyword.equals("union");
        }

        @Override
        public Map<String, Object> value(Random random, int depth) {
            Map<String, Object> value = new HashMap<>();
            List<Member> set =
                    union() && !members.isEmpty() ? List.of(members.get(random.nextInt(members.size()))) : members;
            for (Member member : set) {
                boolean there = union() ? depth < 6 : random.nextInt(4) != 0 && depth < 4;
                if (there || member.presence() == Presence.REQUIRED) {
                    value.put(member.name(), member.type().value(random, depth + 1));
                }
            }
            return value;
        }

        @Override
        public void write(TProtocol out, Object value, Random random) throws TException {
            out.writeStructBegin(new TStruct(name));
            List<Member> order = new ArrayList<>(members);
            if (random.nextInt(3) == 0) {
                Collections.shuffle(order, random);
            }
            for (Member member : order) {
                Object of = ((Map<?, ?>) value).get(member.name());
                if (of != null) {
                    writeField(out, member.id(), member.type(), of, random);
                }
                if (random.nextInt(12) == 0 && !union()) {
                    writeUnknown(out, random);
                }
            }
            out.writeFieldStop();
            out.writeStructEnd();
        }

        private static void writeField(TProtocol out, int id, RandomType type, Object value, Random random)
                throws TException {
            out.writeFieldBegin(new TField("", type.wire(), (short) id));
            type.write(out, value, random);
            out.writeFieldEnd();
        }

        /** Writes a field that a later version of the schema may contain. */
        private void writeUnknown(TProtocol out, Random random) throws TException {
            int id;
            do {
                id = (short) (random.nextBoolean() ? random.nextInt(40) : random.nextInt());
            } while (id == 0 || hasId(id));
            RandomType type = RandomIdl.unknownType(random);
            writeField(out, id, type, type.value(random, 3), random);
        }

        private boolean hasId(int id) {
            return members.stream().anyMatch(member -> member.id() == id);
        }

        @Override
        public FieldType neutral(Set<String> path) {
            if (path.contains(name)) {
                return new FieldType.Recursive(name);
            }
            Set<String> below = new HashSet<>(path);
            below.add(name);
            return new Struct(members.stream()
                    .map(member -> new Field(
                            member.name(),
                            member.type().neutral(below),
                            member.presence() == Presence.REQUIRED && !union(),
                            member.absent()))
                    .toList());
        }

        @Override
        public Map<String, @Nullable Object> expected(Object value) {
            Map<String, @Nullable Object> expected = new HashMap<>();
            for (Member member : members) {
                Object of = ((Map<?, ?>) value).get(member.name());
                expected.put(
                        member.name(),
                        of == null ? member.missing() : member.type().expected(of));
            }
            return expected;
        }

        /** Returns the row's value in a column that selects {@code path} of a message. */
        @Nullable
        Object expected(Map<?, ?> value, List<String> path) {
            Member member = members.stream()
                    .filter(each -> each.name().equals(path.get(0)))
                    .findFirst()
                    .orElseThrow();
            Object of = value.get(member.name());
            if (path.size() == 1) {
                return of == null ? member.missing() : member.type().expected(of);
            }
            Fields below = (Fields) member.type();
            return of == null
                    ? null
                    : below.expected((Map<?, ?>) Objects.requireNonNull(of), path.subList(1, path.size()));
        }
    }
}
