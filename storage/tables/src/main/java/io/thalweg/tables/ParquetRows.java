package io.thalweg.tables;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.TimeForm;
import io.thalweg.model.field.FieldPath;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/** Rows of a row group of a Parquet file; only the requested columns are read. */
final class ParquetRows implements TableInput {
    private static final byte[] NO_BYTES = {};
    private static final String MAGIC = "PAR1";
    /** The magic of a file whose footer is encrypted. */
    private static final String ENCRYPTED_MAGIC = "PARE";
    /** Both magics and the length of the footer. */
    private static final int MIN_BYTES = 12;

    private static final String REMEDY = "; write it again, or take it out of the table";
    private static final String ENCRYPTION =
            ", and encryption is not supported in this version; write it without encryption";

    private final Path path;
    private final Projection projection;
    private final ParquetFileReader reader;
    private final int rowGroup;
    private final long rows;
    private final List<Bound> columns;
    private long row;

    /** A column of the file, and its target. */
    private sealed interface Bound {
        int column();

        default TimeForm timeForm() {
            return TimeForm.UNTYPED;
        }

        void read(EventColumns into);

        void skip();
    }

    /** A column with one value per row, which is present if its definition level is {@code level}. */
    private record Single(
            int column,
            ColumnReader reader,
            int level,
            ParquetTypes.Cell cell,
            @Override TimeForm timeForm) implements Bound {
        @Override
        public void read(EventColumns into) {
            if (reader.getCurrentDefinitionLevel() == level) {
                cell.put(reader, into, column);
            } else {
                into.put(column, FieldKind.NULL);
            }
            reader.consume();
        }

        @Override
        public void skip() {
            if (reader.getCurrentDefinitionLevel() == level) {
                reader.skip();
            }
            reader.consume();
        }
    }

    /** The elements of the current list, 8 bytes each. */
    private static final class Elements {
        private ByteBuffer bytes = ByteBuffer.allocate(64 * Double.BYTES);

        void add(double element) {
            if (!bytes.hasRemaining()) {
                bytes = ByteBuffer.allocate(2 * bytes.capacity()).put(bytes.flip());
            }
            bytes.putDouble(element);
        }
    }

    /**
     * A column of lists of numbers. Its definition levels (Parquet's specification, "Nested Encoding") mean: below
     * {@code element − 1} the list is null, at {@code element − 1} it is empty, from {@code element} to below {@code level}
     * an element is null, and at {@code level} it is present. A repetition level of 0 begins the next list.
     */
    private record Numbers(
            int column, ColumnReader reader, int element, int level, ParquetTypes.Element value, Elements elements)
            implements Bound {
        @Override
        public void read(EventColumns into) {
            int defined = reader.getCurrentDefinitionLevel();
            if (defined < element - 1) {
                reader.consume();
                into.put(column, FieldKind.NULL);
                return;
            }
            elements.bytes.clear();
            boolean hasNull = false;
            do {
                if (reader.getCurrentDefinitionLevel() == level) {
                    elements.add(value.get(reader));
                } else {
                    hasNull |= reader.getCurrentDefinitionLevel() >= element;
                }
                reader.consume();
            } while (reader.getCurrentRepetitionLevel() > 0);
            if (hasNull) {
                into.put(column, FieldKind.OTHER);
            } else {
                into.putList(column, elements.bytes.array(), elements.bytes.position());
            }
        }

        @Override
        public void skip() {
            do {
                if (reader.getCurrentDefinitionLevel() == level) {
                    reader.skip();
                }
                reader.consume();
            } while (reader.getCurrentRepetitionLevel() > 0);
        }
    }

    private ParquetRows(
            Path path, Projection projection, ParquetFileReader reader, int rowGroup, long rows, List<Bound> columns) {
        this.path = path;
        this.projection = projection;
        this.reader = reader;
        this.rowGroup = rowGroup;
        this.rows = rows;
        this.columns = columns;
    }

    /**
     * Opens a file.
     *
     * @throws IOException if it is not a Parquet file, is truncated, or its footer cannot be read without a key; the message
     *   names it, the problem and the remedy
     */
    static ParquetFileReader file(Path path) throws IOException {
        requireWhole(path);
        LocalInputFile file = new LocalInputFile(path);
        ParquetReadOptions options = ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .build();
        try {
            ParquetFileReader reader = ParquetFileReader.open(file, options);
            ParquetMetadata footer = reader.getFooter();
            ParquetMetadata corrected = LegacySizes.corrected(footer, file.getLength());
            if (corrected == footer) {
                return reader;
            }
            reader.close();
            return ParquetFileReader.open(file, corrected, options, file.newStream());
        } catch (ParquetCryptoRuntimeException e) {
            throw new IOException(
                    "%s: columns %s are encrypted%s"
                            .formatted(path, String.join(", ", encryptedColumns(path)), ENCRYPTION),
                    e);
        } catch (RuntimeException | IOException e) {
            throw new IOException(path + ": the footer is damaged" + REMEDY, e);
        }
    }

    /** Returns the columns that a footer says are encrypted; the library does not return such a footer without a key. */
    private static Set<String> encryptedColumns(Path path) throws IOException {
        Set<String> columns = new LinkedHashSet<>();
        try (SeekableByteChannel file = Files.newByteChannel(path)) {
            ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            file.position(file.size() - MAGIC.length() - Integer.BYTES);
            file.read(length);
            file.position(file.size() - MAGIC.length() - Integer.BYTES - length.getInt(0));
            for (RowGroup group : Util.readFileMetaData(new BufferedInputStream(Channels.newInputStream(file)))
                    .getRow_groups()) {
                for (ColumnChunk chunk : group.getColumns()) {
                    if (chunk.isSetCrypto_metadata()) {
                        columns.add(path(chunk));
                    }
                }
            }
        }
        return columns;
    }

    private static String path(ColumnChunk chunk) {
        return String.join(
                ".",
                chunk.getCrypto_metadata().isSetENCRYPTION_WITH_COLUMN_KEY()
                        ? chunk.getCrypto_metadata()
                                .getENCRYPTION_WITH_COLUMN_KEY()
                                .getPath_in_schema()
                        : chunk.getMeta_data().getPath_in_schema());
    }

    /** Checks that a file begins and ends with {@code PAR1}; the last bytes are written last. */
    private static void requireWhole(Path path) throws IOException {
        try (SeekableByteChannel file = Files.newByteChannel(path)) {
            long size = file.size();
            if (size == 0) {
                throw new IOException(path + ": is empty, with no Parquet in it" + REMEDY);
            }
            if (ENCRYPTED_MAGIC.equals(text(file, 0))) {
                throw new IOException(path + ": its footer and all its columns are encrypted" + ENCRYPTION);
            }
            if (!MAGIC.equals(text(file, 0))) {
                throw new IOException(
                        path
                                + ": is not a Parquet file, for it does not begin with PAR1; take it away, or name CSV as source.csv");
            }
            if (size < MIN_BYTES || !MAGIC.equals(text(file, size - MAGIC.length()))) {
                throw new IOException("%s: is truncated: its %d bytes begin as a Parquet file but do not end as one%s"
                        .formatted(path, size, REMEDY));
            }
        }
    }

    private static String text(SeekableByteChannel file, long at) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAGIC.length());
        file.position(at);
        while (bytes.hasRemaining() && file.read(bytes) >= 0) {
            // A read may return less than there is room for.
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
    }

    /**
     * Wraps an exception that the library throws for damaged pages. Its message names classes rather than the file, so it is
     * only the cause.
     */
    private static IOException unreadable(String where, Exception e) {
        return e instanceof UncheckedIOException own
                ? new IOException(
                        where + ": " + Objects.requireNonNull(own.getCause()).getMessage(), e)
                : new IOException(where + " cannot be read: the file is damaged" + REMEDY, e);
    }

    static ParquetRows open(Path path, int rowGroup, Projection projection) throws IOException {
        ParquetFileReader file = file(path);
        try {
            return open(path, file, rowGroup, projection);
        } catch (RuntimeException | IOException e) {
            file.close();
            throw unreadable("%s: row group %d".formatted(path, rowGroup), e);
        }
    }

    private static ParquetRows open(Path path, ParquetFileReader file, int rowGroup, Projection projection)
            throws IOException {
        MessageType schema = file.getFileMetaData().getSchema();
        List<ColumnDescriptor> wanted = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int c = 0; c < projection.paths().size(); c++) {
            FieldPath field = projection.paths().get(c);
            ColumnDescriptor column = readable(schema, field);
            if (column != null) {
                wanted.add(column);
                places.add(c);
            }
        }
        file.setRequestedSchema(wanted);
        PageReadStore pages = file.readRowGroup(rowGroup);
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                pages, new Unconverted(schema), schema, file.getFileMetaData().getCreatedBy());
        List<Bound> bound = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            bound.add(bound(places.get(i), wanted.get(i), store.getColumnReader(wanted.get(i)), schema));
        }
        return new ParquetRows(path, projection, file, rowGroup, pages.getRowCount(), bound);
    }

    private static Bound bound(int place, ColumnDescriptor column, ColumnReader reader, MessageType schema) {
        PrimitiveType type = column.getPrimitiveType();
        int level = column.getMaxDefinitionLevel();
        if (column.getMaxRepetitionLevel() == 0) {
            return new Single(place, reader, level, ParquetTypes.cell(type), ParquetTypes.timeForm(type));
        }
        ParquetTypes.Element value =
                Objects.requireNonNull(ParquetTypes.element(type), "only lists of numbers are read");
        return new Numbers(place, reader, elementLevel(schema, column), level, value, new Elements());
    }

    /** Returns the definition level from which on a list has an element, perhaps null. */
    private static int elementLevel(MessageType schema, ColumnDescriptor column) {
        int level = 0;
        GroupType parent = schema;
        for (String step : column.getPath()) {
            Type type = parent.getType(step);
            level += type.isRepetition(Type.Repetition.REQUIRED) ? 0 : 1;
            if (type.isRepetition(Type.Repetition.REPEATED)) {
                return level;
            }
            parent = type.asGroupType();
        }
        throw new IllegalArgumentException(column + " must be repeated");
    }

    /** Returns a column with single values, or that of the elements of a list of numbers; null if there is none. */
    static @Nullable ColumnDescriptor readable(MessageType schema, FieldPath path) {
        ColumnDescriptor single = column(schema, path);
        return single == null ? list(schema, path) : single;
    }

    /** Returns the column of the elements if there is a list of numbers of that name; null otherwise. */
    static @Nullable ColumnDescriptor list(MessageType schema, FieldPath path) {
        Type type = type(schema, path);
        boolean isList = type != null
                && (type.isPrimitive()
                        ? type.isRepetition(Type.Repetition.REPEATED)
                        : type.getLogicalTypeAnnotation() instanceof ListLogicalTypeAnnotation);
        int steps = path.segments().size();
        for (ColumnDescriptor column : schema.getColumns()) {
            List<String> at = List.of(column.getPath());
            // A list's group, a repeated one and an element; older writers use fewer levels.
            if (isList
                    && column.getMaxRepetitionLevel() == 1
                    && at.size() <= steps + 2
                    && at.subList(0, Math.min(steps, at.size())).equals(path.segments())
                    && ParquetTypes.element(column.getPrimitiveType()) != null) {
                return column;
            }
        }
        return null;
    }

    /** Returns the type of a file's column; null if the file lacks it. */
    static @Nullable Type type(MessageType schema, FieldPath path) {
        Type type = schema;
        for (String step : path.segments()) {
            if (type.isPrimitive() || !type.asGroupType().containsField(step)) {
                return null;
            }
            type = type.asGroupType().getType(step);
        }
        return type;
    }

    /** Returns a column with single values; null if the file has no such column, or a list or map of that name. */
    static @Nullable ColumnDescriptor column(MessageType schema, FieldPath path) {
        for (ColumnDescriptor column : schema.getColumns()) {
            if (column.getMaxRepetitionLevel() == 0 && List.of(column.getPath()).equals(path.segments())) {
                return column;
            }
        }
        return null;
    }

    @Override
    public int read(int most, EventColumns into) throws IOException {
        int count = (int) Math.min(most, rows - row);
        for (int i = 0; i < count; i++) {
            into.append(NO_BYTES, 0, 0, rowGroup, row, EventColumns.NO_TIMESTAMP);
            fill(into);
        }
        return count;
    }

    /** Reads the next row into the event that was appended last. */
    void fill(EventColumns into) throws IOException {
        for (Bound column : columns) {
            try {
                column.read(into);
            } catch (RuntimeException e) {
                throw unreadable(place(column), e);
            }
        }
        row++;
    }

    /** Whether all rows were read or skipped. */
    boolean isAtEnd() {
        return row == rows;
    }

    @Override
    public void skip(long count) throws IOException {
        long skipped = Math.min(count, rows - row);
        for (Bound column : columns) {
            try {
                for (long i = 0; i < skipped; i++) {
                    column.skip();
                }
            } catch (RuntimeException e) {
                throw unreadable(place(column), e);
            }
        }
        row += skipped;
    }

    /** Returns the position for messages; while rows are skipped, {@code row} is where skipping began. */
    private String place(Bound column) {
        return "%s: row group %d, column %s from row %d on"
                .formatted(
                        path, rowGroup, projection.paths().get(column.column()).text(), row);
    }

    @Override
    public TimeForm timeForm(int column) {
        return columns.stream()
                .filter(bound -> bound.column() == column)
                .map(Bound::timeForm)
                .findFirst()
                .orElse(TimeForm.UNTYPED);
    }

    @Override
    public double done() {
        return rows == 0 ? 1 : row / (double) rows;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
