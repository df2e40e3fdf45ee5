package io.thalweg.records.thrift;

import io.thalweg.records.thrift.RandomType.Elements;
import io.thalweg.records.thrift.RandomType.Entries;
import io.thalweg.records.thrift.RandomType.Fields;
import io.thalweg.records.thrift.RandomType.Member;
import io.thalweg.records.thrift.RandomType.Presence;
import io.thalweg.records.thrift.RandomType.Scalar;
import io.thalweg.records.thrift.RandomType.Symbols;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TMemoryBuffer;

/** Two IDL files with random types. Messages have the type {@code Root} in {@code main.thrift}. */
final class RandomIdl {
    private static final int MOST_STRUCTS = 6;

    private final Random random;
    private final StringBuilder common = new StringBuilder();
    private final StringBuilder main = new StringBuilder("include \"common.thrift\"\n");
    private final List<RandomType> types = new ArrayList<>();
    private int names;

    final Fields root;

    RandomIdl(Random random) {
        this.random = random;
        symbols(false);
        for (int i = random.nextInt(MOST_STRUCTS); i > 0; i--) {
            struct("S" + names++, false);
        }
        symbols(true);
        for (int i = random.nextInt(MOST_STRUCTS); i > 0; i--) {
            struct("S" + names++, true);
        }
        this.root = struct("Root", true);
    }

    String text() {
        return "// common.thrift\n" + common + "\n// main.thrift\n" + main;
    }

    /** The files by name. */
    Map<String, String> texts() {
        return Map.of("main.thrift", main.toString(), "common.thrift", "// Shared.\n" + common);
    }

    ThriftSchema schema() {
        return ThriftSchema.parse("main.thrift", texts()::get, "Root");
    }

    Map<String, Object> message() {
        return root.value(random, 0);
    }

    /** Returns a message as Thrift's own library writes it. */
    byte[] bytes(Map<String, Object> message, Protocol protocol) {
        try {
            TMemoryBuffer buffer = new TMemoryBuffer(256);
            TProtocol out = protocol == Protocol.BINARY ? new TBinaryProtocol(buffer) : new TCompactProtocol(buffer);
            root.write(out, message, random);
            return Arrays.copyOf(buffer.getArray(), buffer.length());
        } catch (TException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a type that no schema has. */
    static RandomType unknownType(Random random) {
        RandomType scalar = scalar(random);
        return switch (random.nextInt(8)) {
            case 0 -> new Elements(random.nextBoolean(), scalar);
            case 1 -> new Elements(random.nextBoolean(), new Elements(false, scalar));
            case 2 -> new Entries(scalar, scalar(random));
            case 3 -> {
                Member member = new Member(-7, "x", Presence.REQUIRED, scalar, null, null);
                yield new Fields("Unknown", true, "struct", List.of(member));
            }
            default -> scalar;
        };
    }

    private static Scalar scalar(Random random) {
        List<ThriftType.Scalar> scalars = List.of(ThriftType.Scalar.values());
        return new Scalar(scalars.get(random.nextInt(scalars.size())));
    }

    private void symbols(boolean inMain) {
        String name = "E" + names++;
        List<String> symbols = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        StringBuilder out = out(inMain).append("enum ").append(name).append(" {\n");
        int number = random.nextBoolean() ? 0 : random.nextInt(-5, 5);
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            symbols.add(name + "_" + i);
            numbers.add(number);
            out.append("  ")
                    .append(name)
                    .append('_')
                    .append(i)
                    .append(" = ")
                    .append(number)
                    .append(separator());
            number += random.nextInt(4) == 0 ? 1_000 : 1;
        }
        out.append("}\n");
        types.add(new Symbols(name, inMain, symbols, numbers));
    }

    private Fields struct(String name, boolean inMain) {
        boolean union = random.nextInt(5) == 0 && !name.equals("Root");
        String keyword = union ? "union" : random.nextInt(6) == 0 ? "exception" : "struct";
        List<Member> members = new ArrayList<>();
        Fields struct = new Fields(name, inMain, keyword, members);
        if (random.nextInt(4) == 0) {
            types.add(struct); // May contain itself.
        }
        int id = random.nextInt(10) == 0 ? -3 : 0;
        for (int i = random.nextInt(name.equals("Root") ? 12 : 5);
                i > 0 || (name.equals("Root") && members.isEmpty());
                i--) {
            id += 1 + (random.nextInt(4) == 0 ? random.nextInt(random.nextInt(4) == 0 ? 3_000 : 20) : 0);
            id += id == 0 ? 1 : 0;
            members.add(member(id, "f" + members.size(), struct, union));
        }
        print(struct);
        if (!types.contains(struct)) {
            types.add(struct);
        }
        return struct;
    }

    private Member member(int id, String name, Fields struct, boolean union) {
        RandomType type = type(0);
        boolean recursive = mentions(type, struct);
        Presence presence = union || recursive ? Presence.OPTIONAL : presence();
        boolean hasDefault = presence != Presence.REQUIRED && !union && random.nextInt(3) == 0;
        return hasDefault ? withDefault(id, name, presence, type) : new Member(id, name, presence, type, null, null);
    }

    private Presence presence() {
        return List.of(Presence.values()).get(random.nextInt(Presence.values().length));
    }

    private static boolean mentions(RandomType type, Fields struct) {
        if (type instanceof Elements elements) {
            return mentions(elements.element(), struct);
        }
        if (type instanceof Entries entries) {
            return mentions(entries.key(), struct) || mentions(entries.value(), struct);
        }
        return type == struct;
    }

    private static Member withDefault(int id, String name, Presence presence, RandomType type) {
        if (type instanceof Symbols symbols) {
            String symbol = symbols.names().get(0);
            return new Member(id, name, presence, type, "%s." + symbol, symbol.getBytes(StandardCharsets.UTF_8));
        }
        if (type instanceof Elements || type instanceof Entries) {
            return new Member(id, name, presence, type, type instanceof Elements ? "[]" : "{}", List.of());
        }
        if (!(type instanceof Scalar scalar)) {
            return new Member(id, name, presence, type, "{}", null);
        }
        return switch (scalar.type()) {
            case BOOL -> new Member(id, name, presence, type, "true", true);
            case DOUBLE -> new Member(id, name, presence, type, "-2.5e3", -2500.0);
            case STRING ->
                new Member(id, name, presence, type, "'it\\'s \\\\'", "it's \\".getBytes(StandardCharsets.UTF_8));
            case BINARY -> new Member(id, name, presence, type, "\"\"", new byte[0]);
            case UUID ->
                new Member(
                        id,
                        name,
                        presence,
                        type,
                        "\"00112233-4455-6677-8899-AABBCCDDEEFF\"",
                        HexFormat.of().parseHex("00112233445566778899aabbccddeeff"));
            case UUID_IN_BINARY ->
                new Member(
                        id,
                        name,
                        presence,
                        type,
                        "'0123456789abcdef'",
                        "0123456789abcdef".getBytes(StandardCharsets.UTF_8));
            default ->
                new Member(
                        id, name, presence, type, "-0x1F", -31L * scalar.type().micros());
        };
    }

    private RandomType type(int depth) {
        return switch (random.nextInt(depth > 2 ? 8 : 12)) {
            case 0, 1, 2, 3, 4 -> scalar(random);
            case 5, 6, 7 -> types.get(random.nextInt(types.size()));
            case 8, 9 -> new Elements(random.nextBoolean(), type(depth + 1));
            default -> new Entries(type(depth + 2), type(depth + 1));
        };
    }

    private StringBuilder out(boolean inMain) {
        return inMain ? main : common;
    }

    private void print(Fields struct) {
        StringBuilder text = new StringBuilder(struct.keyword() + " " + struct.name() + " {\n");
        for (Member member : struct.members()) {
            text.append("  ").append(member.id()).append(": ");
            text.append(
                    member.presence() == Presence.DEFAULT
                            ? ""
                            : member.presence().name().toLowerCase(Locale.ROOT) + " ");
            text.append(written(member.type(), struct.inMain())).append(' ').append(member.name());
            if (member.absentIdl() != null) {
                text.append(" = ").append(constant(member, struct.inMain()));
            }
            text.append(separator());
        }
        out(struct.inMain()).append(text).append("}\n");
    }

    /** Returns a type under its own name, or as a typedef. */
    private String written(RandomType type, boolean inMain) {
        String idl = type.idl(inMain);
        if (random.nextInt(4) != 0) {
            return idl;
        }
        String alias = "T" + names++;
        out(inMain).append("typedef ").append(idl).append(' ').append(alias).append(separator());
        return alias;
    }

    /** Returns a default as it is, or as a const. */
    private String constant(Member member, boolean inMain) {
        String value =
                String.valueOf(member.absentIdl()).replace("%s", member.type().idl(inMain));
        if (random.nextBoolean() || member.type() instanceof Symbols) {
            return value;
        }
        String name = "C" + names++;
        out(inMain)
                .append("const ")
                .append(member.type().idl(inMain))
                .append(' ')
                .append(name)
                .append(" = ");
        out(inMain).append(value).append(separator());
        return name;
    }

    private String separator() {
        String[] separators = {"\n", ",\n", ";\n", " // a comment\n", ", # a comment }\n", " /* of\n two lines */\n"};
        return separators[random.nextInt(separators.length)];
    }
}
