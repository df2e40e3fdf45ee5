package io.thalweg.formats.view;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.CompiledCondition;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.formats.Scalars;
import io.thalweg.formats.TextForm;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.field.Condition;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.ValueType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each event its one outcome for one view, and reads what the view counts: cell, group and identity, or a keyed view's
 * key and the inputs of its measures.
 *
 * <p><b>Order.</b> An event without a row in a lookup that drops misses is skipped. {@code where}: first, every listed field must
 * be fit to be judged (otherwise bad, independent of the order of the list), then all must match (otherwise skipped); then cell,
 * group and measure (otherwise bad); then lateness. Decoding and event time are checked earlier, not here.
 *
 * <p><b>Groups</b>, and keys that are bytes, are numbered in order of appearance, {@link #groupIndex()}; a known one does not
 * allocate. They are remembered until {@link #resetGroups()}.
 *
 * <p><b>Threads.</b> One: the instance holds the result of the last {@link #judge}.
 */
public final class ViewReader {
    private static final long[] NO_INPUTS = {};

    private final FeatureView view;
    private final FieldReader fields = new FieldReader();
    /** A column of each lookup that drops misses. */
    private final int[] dropped;

    private final List<FieldReader.Column> lookupKeys = new ArrayList<>();
    private final List<CompiledCondition> where = new ArrayList<>();
    private final @Nullable CellReader cells;
    private final @Nullable KeyedReader keyed;
    private final List<FieldReader.Column> groupColumns = new ArrayList<>();
    private final FieldReader.@Nullable Column identity;
    private final PaneClock clock;
    private final GroupTable table = new GroupTable();
    private final GroupCodec groups;
    private final Murmur3Id128 hash = new Murmur3Id128();

    private int group;
    private long idHi;
    private long idLo;

    private ViewReader(FeatureView view, Projection projection) {
        this.view = view;
        this.dropped = projection.joins().stream()
                .filter(join -> join.lookup().dropsMisses())
                .mapToInt(Projection.Join::first)
                .toArray();
        for (Projection.Join join : projection.joins()) {
            String key = join.lookup().key().text();
            lookupKeys.add(new FieldReader.Column(key, join.key(), TextForm.TEXT, ValueType.STRING));
        }
        for (Condition condition : view.where()) {
            where.add(new CompiledCondition(condition, projection));
        }
        cells = view.isKeyed() ? null : new CellReader(view.cell(), projection, fields);
        keyed = view.isKeyed() ? new KeyedReader(view, projection, fields) : null;
        for (Entity.Field entity : view.group()) {
            groupColumns.add(FieldReader.Column.of(entity.field(), entity.type(), projection));
        }
        groups = new GroupCodec(view.group());
        identity = !view.isKeyed() && view.measure() instanceof Measure.CountDistinct distinct
                ? FieldReader.Column.of(distinct.field(), distinct.type(), projection)
                : null;
        clock = view.clock();
    }

    /** Creates a reader of {@code view}, whose fields are in {@code projection}. */
    public static ViewReader of(FeatureView view, Projection projection) {
        return new ViewReader(view, projection.of(view));
    }

    /** The view that is read. */
    public FeatureView view() {
        return view;
    }

    /**
     * Judges event {@code e}, which is decoded and has the plausible time {@code eventTimeMs}.
     *
     * @param partitionClockMs {@link PartitionClock#nowMs()} of the event's partition before this event
     * @return {@code ACCEPTED}: what the view counts is set; {@code BAD} or {@code LATE}: {@link #reason()} and {@link
     *     #detail()} are
     */
    public EventOutcome judge(EventColumns events, int e, long eventTimeMs, long partitionClockMs) {
        fields.begin();
        for (int i = 0; i < dropped.length; i++) {
            if (events.kind(e, dropped[i]) == FieldKind.MISSING) {
                return EventOutcome.SKIPPED;
            }
        }
        for (int i = 0; i < where.size(); i++) {
            if (!fields.isFit(where.get(i), events, e)) {
                return EventOutcome.BAD;
            }
        }
        for (int i = 0; i < where.size(); i++) {
            if (!where.get(i).matches(events, e)) {
                return EventOutcome.SKIPPED;
            }
        }
        if (!readLookupKeys(events, e) || !readCounted(events, e)) {
            return EventOutcome.BAD;
        }
        long paneEndMs = clock.paneEndMs(eventTimeMs);
        if (paneEndMs <= partitionClockMs) {
            fields.late("event time %s: its pane ended at %s, the partition's clock shows %s"
                    .formatted(
                            Instant.ofEpochMilli(eventTimeMs),
                            Instant.ofEpochMilli(paneEndMs),
                            Instant.ofEpochMilli(partitionClockMs)));
            return EventOutcome.LATE;
        }
        return EventOutcome.ACCEPTED;
    }

    /** Whether the keys of lookups are valid text; other keys are not in the table. */
    private boolean readLookupKeys(EventColumns events, int e) {
        for (int i = 0; i < lookupKeys.size(); i++) {
            FieldReader.Column key = lookupKeys.get(i);
            if (!fields.isUnicode(events, e, key.column(), key.field())) {
                return false;
            }
        }
        return true;
    }

    private boolean readCounted(EventColumns events, int e) {
        KeyedReader key = keyed;
        if (key != null) {
            return (key.keysAreBytes() ? readGroup(events, e) : key.readKey(events, e)) && key.readInputs(events, e);
        }
        return cells != null && cells.read(events, e) && readIdentity(events, e) && readGroup(events, e);
    }

    /** The H3 index of the event's cell, of the view's resolution; 0 for keyed views. */
    public long cell() {
        return cells == null ? 0 : cells.cell();
    }

    /** The number of the event's group, or of its key of bytes. */
    public int groupIndex() {
        return group;
    }

    /** Returns the canonical bytes of a group, or of a key of bytes, as {@link GroupCodec} writes them; a copy. */
    public byte[] groupBytes(int index) {
        return table.bytes(index);
    }

    /** The number of groups seen since the last reset. */
    public int groupCount() {
        return table.size();
    }

    /** Removes all groups; numbering restarts at 0. */
    public void resetGroups() {
        table.clear();
    }

    /**
     * Values of the event's group, or of a keyed view's key, in the order of the view's entities: {@code String} (also for
     * uuid: lower-case canonical), {@code Long} or {@code Boolean}.
     */
    public List<Object> group() {
        KeyedReader key = keyed;
        return key != null && !key.keysAreBytes() ? key.key() : groups.decode(table.bytes(group));
    }

    /** The first 64 bits of the identity that is counted: 0 for {@code int64} and {@code bool}, and for {@code count}. */
    public long idHi() {
        return idHi;
    }

    /** The last 64 bits of the identity that is counted. */
    public long idLo() {
        return idLo;
    }

    /** Upper half of a keyed view's key of 128 bits. */
    public long keyHigh() {
        return keyed == null ? 0 : keyed.keyHigh();
    }

    /** A keyed view's key of 64 bits, or the lower half of one of 128. */
    public long keyLow() {
        return keyed == null ? 0 : keyed.keyLow();
    }

    /** Which of a keyed view's own conditions hold, as in {@link io.thalweg.kernel.keyed.KeyedBlock#matches}. */
    public long matches() {
        return keyed == null ? 0 : keyed.matches();
    }

    /**
     * What a keyed view's measures read, one value for each of the columns of {@link
     * io.thalweg.kernel.keyed.KeyedBlock#inputs}. Not a copy; values that no measure reads of this event are undefined.
     */
    public long[] inputs() {
        return keyed == null ? NO_INPUTS : keyed.values();
    }

    /** Why the last event was {@code BAD} or {@code LATE}; null otherwise. */
    public @Nullable BadReason reason() {
        return fields.reason();
    }

    /** Names the field, the rule and the value. Only meaningful with a {@link #reason()}. */
    public String detail() {
        return fields.detail();
    }

    private boolean readIdentity(EventColumns events, int e) {
        idHi = 0;
        idLo = 0;
        if (identity == null) {
            return true;
        }
        if (!fields.isFit(identity, events, e)) {
            return false;
        }
        int c = identity.column();
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
            case INT64 -> idLo = FieldReader.integer(events, e, c);
            case BOOL -> idLo = FieldReader.bool(events, e, c) ? 1 : 0;
        }
        return true;
    }

    private boolean readGroup(EventColumns events, int e) {
        table.begin();
        for (int i = 0; i < groupColumns.size(); i++) {
            FieldReader.Column column = groupColumns.get(i);
            int c = column.column();
            if (!fields.isFit(column, events, e)) {
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
                case INT64 -> table.addLong(FieldReader.integer(events, e, c));
                case BOOL -> table.addByte(FieldReader.bool(events, e, c) ? 1 : 0);
            }
        }
        group = table.number();
        return true;
    }
}
