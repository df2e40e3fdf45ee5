package io.thalweg.formats;

import io.thalweg.kernel.hex.CellFinder;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Condition;
import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import io.thalweg.model.FieldPath;
import io.thalweg.model.Measure;
import io.thalweg.model.ValueType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Gives each event its one outcome for one view, and reads what the view counts: cell, group and identity.
 *
 * <p><b>Order.</b> {@code where}: first every listed field must be fit to be judged (else bad, whatever the order of the
 * list), then all must match (else skipped); then cell, group and measure (else bad); then lateness. Decoding and event
 * time come before and are not judged here.
 *
 * <p><b>Groups</b> are numbered as they appear: {@link #groupIndex()} into {@link #groups()}; a known group costs no
 * allocation. The list grows until {@link #resetGroups()}.
 *
 * <p><b>Threads.</b> One: the result of the last {@link #judge} is kept here.
 */
public final class ViewReader {
    private static final int LONGEST_HEX = 16;

    private final FeatureView view;
    private final List<CompiledCondition> where = new ArrayList<>();
    private final CellFinder cells;
    private final CellColumns cellColumns;
    private final List<Column> groupColumns = new ArrayList<>();
    private final @Nullable Column identity;
    private final long everyMs;
    private final GroupTable table = new GroupTable();
    private final Murmur3Id128 hash = new Murmur3Id128();

    private long cell;
    private int group;
    private long idHi;
    private long idLo;
    private @Nullable BadReason reason;
    private String detail = "";

    /** A field of a declared type and its column. */
    private record Column(String field, int column, boolean untyped, ValueType type) {}

    /** Where the cell comes from: two coordinates, or ({@code cell >= 0}) the cell itself. */
    private record CellColumns(int lat, int lng, int cell, boolean untyped, Entity.Cell entity) {}

    private ViewReader(FeatureView view, Projection projection) {
        this.view = view;
        for (Condition condition : view.where()) {
            where.add(new CompiledCondition(condition, projection));
        }
        cells = new CellFinder(HexTiling.of(view.cell().resolution()));
        cellColumns = cellColumns(view.cell(), projection);
        for (Entity.Field entity : view.group()) {
            groupColumns.add(column(entity.field(), entity.type(), projection));
        }
        identity = view.measure() instanceof Measure.CountDistinct distinct
                ? column(distinct.field(), distinct.type(), projection)
                : null;
        everyMs = view.windows().every().millis();
    }

    /** A reader of {@code view}, whose fields are in {@code projection}. */
    public static ViewReader of(FeatureView view, Projection projection) {
        return new ViewReader(view, projection);
    }

    /** The view that is read. */
    public FeatureView view() {
        return view;
    }

    /**
     * Judges event {@code e}, which is decoded and has the plausible time {@code eventTimeMs}.
     *
     * @param partitionClockMs {@link PartitionClock#nowMs()} of the event's partition before this event
     * @return {@code ACCEPTED}: {@link #cell()}, {@link #groupIndex()}, {@link #idHi()} and {@link #idLo()} are set; {@code
     *     BAD} or {@code LATE}: {@link #reason()} and {@link #detail()} are
     */
    public Outcome judge(EventColumns events, int e, long eventTimeMs, long partitionClockMs) {
        reason = null;
        if (!isFit(events, e)) {
            return Outcome.BAD;
        }
        for (int i = 0; i < where.size(); i++) {
            if (!where.get(i).matches(events, e)) {
                return Outcome.SKIPPED;
            }
        }
        if (!readCell(events, e) || !readIdentity(events, e) || !readGroup(events, e)) {
            return Outcome.BAD;
        }
        long paneEndMs = (Math.floorDiv(eventTimeMs, everyMs) + 1) * everyMs;
        if (paneEndMs <= partitionClockMs) {
            reason = BadReason.LATE;
            detail = "event time %s: its pane ended at %s, the partition's clock shows %s"
                    .formatted(
                            Instant.ofEpochMilli(eventTimeMs),
                            Instant.ofEpochMilli(paneEndMs),
                            Instant.ofEpochMilli(partitionClockMs));
            return Outcome.LATE;
        }
        return Outcome.ACCEPTED;
    }

    /** The H3 index of the event's cell, of the view's resolution. */
    public long cell() {
        return cell;
    }

    /** The number of the event's group in {@link #groups()}. */
    public int groupIndex() {
        return group;
    }

    /**
     * The groups seen since the last reset. Values in the order of the view's entities: {@code String} (also for uuid:
     * lower-case canonical), {@code Long} or {@code Boolean}. Each list is immutable and may be kept; this one is live.
     */
    public List<List<Object>> groups() {
        return table.groups();
    }

    /** Forgets the groups; numbers begin anew. */
    public void resetGroups() {
        table.clear();
    }

    /** The first 64 bits of the identity that is counted: 0 for {@code int64} and {@code bool}, and for {@code count}. */
    public long idHi() {
        return idHi;
    }

    /** The last 64 bits of the identity that is counted. */
    public long idLo() {
        return idLo;
    }

    /** Why the last event was {@code BAD} or {@code LATE}; null otherwise. */
    public @Nullable BadReason reason() {
        return reason;
    }

    /** Names the field, the rule and the value. Only meaningful with a {@link #reason()}. */
    public String detail() {
        return detail;
    }

    private boolean isFit(EventColumns events, int e) {
        for (int i = 0; i < where.size(); i++) {
            CompiledCondition condition = where.get(i);
            BadReason unfit = condition.unfit(events, e);
            if (unfit != null) {
                String rule = unfit == BadReason.WRONG_TYPE ? "be a number" : "be there";
                return bad(unfit, "where: '", condition.field(), rule, events.shown(e, condition.column()));
            }
        }
        return true;
    }

    private boolean readCell(EventColumns events, int e) {
        CellColumns columns = cellColumns;
        if (columns.cell() >= 0) {
            return readCellItself(events, e, columns);
        }
        double lat = coordinate(events, e, columns.lat(), columns.entity().lat(), 90);
        if (reason != null) {
            return false;
        }
        double lng = coordinate(events, e, columns.lng(), columns.entity().lng(), 180);
        if (reason != null) {
            return false;
        }
        cell = cells.cell(lat, lng);
        return true;
    }

    private double coordinate(EventColumns events, int e, int c, @Nullable FieldPath path, int limit) {
        String field = path == null ? "" : path.text();
        FieldKind kind = events.kind(e, c);
        if (!isPresent(events, e, c, field)) {
            return Double.NaN;
        }
        double degrees;
        if (kind == FieldKind.INTEGER || kind == FieldKind.DOUBLE) {
            degrees = events.number(e, c);
        } else if (kind == FieldKind.STRING && cellColumns.untyped() && isNumeric(events, e, c)) {
            degrees = Decimals.parseDouble(events.bytes(), events.offset(e, c), events.length(e, c));
        } else {
            bad(BadReason.WRONG_TYPE, "'", field, "be a number", events.shown(e, c));
            return Double.NaN;
        }
        if (!(degrees >= -limit && degrees <= limit)) {
            bad(BadReason.COORDINATE, "'", field, "lie within [-%d, %d]".formatted(limit, limit), events.shown(e, c));
        }
        return degrees;
    }

    private static boolean isNumeric(EventColumns events, int e, int c) {
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        return Decimals.isNumber(bytes, offset, length) || Decimals.isNonFinite(bytes, offset, length);
    }

    private boolean readCellItself(EventColumns events, int e, CellColumns columns) {
        int c = columns.cell();
        FieldPath path = columns.entity().cell();
        String field = path == null ? "" : path.text();
        if (!isPresent(events, e, c, field)) {
            return false;
        }
        FieldKind kind = events.kind(e, c);
        if (kind == FieldKind.BOOL || kind == FieldKind.OTHER) {
            return bad(BadReason.WRONG_TYPE, "'", field, "be hex text or a number", events.shown(e, c));
        }
        cell = kind == FieldKind.INTEGER
                ? events.integer(e, c)
                : kind == FieldKind.STRING ? cellText(events, e, c, columns.untyped()) : 0;
        if (!HexTiling.isValidCell(cell)) {
            return bad(BadReason.CELL, "'", field, "be a valid H3 cell", events.shown(e, c));
        }
        int resolution = columns.entity().resolution();
        if (HexTiling.resolution(cell) != resolution) {
            String was = events.shown(e, c) + " of resolution " + HexTiling.resolution(cell);
            return bad(BadReason.CELL, "'", field, "be an H3 cell of resolution " + resolution, was);
        }
        return true;
    }

    /** Hex; in CSV also decimal, which no hex index can be mistaken for: it has 18 digits. 0, which is no cell, if neither. */
    private static long cellText(EventColumns events, int e, int c, boolean untyped) {
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        if (Scalars.isHex(bytes, offset, length)) {
            return Scalars.hex(bytes, offset, length);
        }
        boolean decimal = untyped && length > LONGEST_HEX && Decimals.isLong(bytes, offset, length);
        return decimal ? Decimals.parseLong(bytes, offset, length) : 0;
    }

    private boolean readIdentity(EventColumns events, int e) {
        idHi = 0;
        idLo = 0;
        if (identity == null) {
            return true;
        }
        int c = identity.column();
        if (!isPresent(events, e, c, identity.field()) || !isOfType(events, e, identity)) {
            return false;
        }
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        switch (identity.type()) {
            case UUID -> {
                idHi = Scalars.uuidHi(bytes, offset);
                idLo = Scalars.uuidLo(bytes, offset);
            }
            case STRING -> {
                hash.hash(bytes, offset, events.length(e, c));
                idHi = hash.hi();
                idLo = hash.lo();
            }
            case INT64 -> idLo = integer(events, e, c);
            case BOOL -> idLo = bool(events, e, c) ? 1 : 0;
        }
        return true;
    }

    private boolean readGroup(EventColumns events, int e) {
        table.begin();
        for (int i = 0; i < groupColumns.size(); i++) {
            Column column = groupColumns.get(i);
            int c = column.column();
            if (!isPresent(events, e, c, column.field()) || !isOfType(events, e, column)) {
                return false;
            }
            byte[] bytes = events.bytes();
            int offset = events.offset(e, c);
            switch (column.type()) {
                case UUID -> {
                    table.addLong(Scalars.uuidHi(bytes, offset));
                    table.addLong(Scalars.uuidLo(bytes, offset));
                }
                case STRING -> table.addText(bytes, offset, events.length(e, c));
                case INT64 -> table.addLong(integer(events, e, c));
                case BOOL -> table.addByte(bool(events, e, c) ? 1 : 0);
            }
        }
        int known = table.find();
        group = known >= 0 ? known : table.add(groupValues(events, e));
        return true;
    }

    private List<Object> groupValues(EventColumns events, int e) {
        List<Object> values = new ArrayList<>(groupColumns.size());
        for (Column column : groupColumns) {
            int c = column.column();
            byte[] bytes = events.bytes();
            int offset = events.offset(e, c);
            values.add(
                    switch (column.type()) {
                        case UUID -> new UUID(Scalars.uuidHi(bytes, offset), Scalars.uuidLo(bytes, offset)).toString();
                        case STRING -> new String(bytes, offset, events.length(e, c), StandardCharsets.UTF_8);
                        case INT64 -> integer(events, e, c);
                        case BOOL -> bool(events, e, c);
                    });
        }
        return List.copyOf(values);
    }

    private boolean isPresent(EventColumns events, int e, int c, String field) {
        return !events.kind(e, c).isAbsent()
                || bad(BadReason.MISSING_FIELD, "'", field, "be there", events.shown(e, c));
    }

    private boolean isOfType(EventColumns events, int e, Column column) {
        int c = column.column();
        FieldKind kind = events.kind(e, c);
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        boolean text = kind == FieldKind.STRING;
        boolean untypedText = text && column.untyped();
        boolean fits = switch (column.type()) {
            case STRING -> text;
            case UUID -> text && Scalars.isUuid(bytes, offset, length);
            case INT64 -> kind == FieldKind.INTEGER || (untypedText && Decimals.isLong(bytes, offset, length));
            case BOOL ->
                kind == FieldKind.BOOL
                        || (untypedText
                                && (Scalars.isText(bytes, offset, length, "true")
                                        || Scalars.isText(bytes, offset, length, "false")));
        };
        return fits
                || bad(
                        BadReason.WRONG_TYPE,
                        "'",
                        column.field(),
                        "be of type " + column.type().text(),
                        events.shown(e, c));
    }

    private static long integer(EventColumns events, int e, int c) {
        return events.kind(e, c) == FieldKind.INTEGER
                ? events.integer(e, c)
                : Decimals.parseLong(events.bytes(), events.offset(e, c), events.length(e, c));
    }

    private static boolean bool(EventColumns events, int e, int c) {
        return events.kind(e, c) == FieldKind.BOOL
                ? events.bool(e, c)
                : Scalars.isText(events.bytes(), events.offset(e, c), events.length(e, c), "true");
    }

    /** Keeps why the event is bad; always false. */
    private boolean bad(BadReason why, String before, String field, String rule, String was) {
        reason = why;
        detail = before + field + "' must " + rule + ", was " + was;
        return false;
    }

    private static Column column(FieldPath path, ValueType type, Projection projection) {
        int column = projection.column(path);
        return new Column(path.text(), column, projection.isUntyped(column), type);
    }

    private static CellColumns cellColumns(Entity.Cell entity, Projection projection) {
        FieldPath itself = entity.cell();
        if (itself != null) {
            int column = projection.column(itself);
            return new CellColumns(-1, -1, column, projection.isUntyped(column), entity);
        }
        FieldPath lat = entity.lat();
        FieldPath lng = entity.lng();
        if (lat == null || lng == null) {
            throw new IllegalArgumentException("entity " + entity.name() + " needs h3.lat and h3.lng, or h3.cell");
        }
        int column = projection.column(lat);
        return new CellColumns(column, projection.column(lng), -1, projection.isUntyped(column), entity);
    }
}
