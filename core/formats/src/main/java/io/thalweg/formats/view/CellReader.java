package io.thalweg.formats.view;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.Decimals;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.Scalars;
import io.thalweg.formats.TextForm;
import io.thalweg.kernel.hex.CellFinder;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.view.Entity;
import org.jspecify.annotations.Nullable;

/** Reads the cell of an event, from its coordinates or from a field that contains it. */
final class CellReader {
    private static final int LONGEST_HEX = 16;

    private final FieldReader fields;
    private final Entity.Cell entity;
    private final CellFinder cells;
    /** The cell's own column; -1 if it is computed from coordinates. */
    private final int itself;

    private final int lat;
    private final int lng;
    /** How the text of the cell's own column is read. */
    private final TextForm cellText;

    private final TextForm latText;
    private final TextForm lngText;
    private long cell;

    CellReader(Entity.Cell entity, Projection projection, FieldReader fields) {
        this.fields = fields;
        this.entity = entity;
        cells = new CellFinder(HexTiling.of(entity.resolution()));
        FieldPath cellField = entity.cell();
        FieldPath latField = entity.lat();
        FieldPath lngField = entity.lng();
        if (cellField != null) {
            itself = projection.column(cellField);
            lat = -1;
            lng = -1;
        } else if (latField != null && lngField != null) {
            itself = -1;
            lat = projection.column(latField);
            lng = projection.column(lngField);
        } else {
            throw new IllegalArgumentException("entity " + entity.name() + " needs h3.lat and h3.lng, or h3.cell");
        }
        cellText = itself >= 0 ? projection.textForm(itself) : TextForm.TEXT;
        latText = lat >= 0 ? projection.textForm(lat) : TextForm.TEXT;
        lngText = lng >= 0 ? projection.textForm(lng) : TextForm.TEXT;
    }

    /** The H3 index of the event's cell, of the view's resolution. */
    long cell() {
        return cell;
    }

    boolean read(EventColumns events, int e) {
        if (itself >= 0) {
            return readItself(events, e);
        }
        double latDegrees = coordinate(events, e, lat, latText, entity.lat(), 90);
        if (fields.reason() != null) {
            return false;
        }
        double lngDegrees = coordinate(events, e, lng, lngText, entity.lng(), 180);
        if (fields.reason() != null) {
            return false;
        }
        cell = cells.cell(latDegrees, lngDegrees);
        return true;
    }

    private double coordinate(EventColumns events, int e, int c, TextForm text, @Nullable FieldPath path, int limit) {
        String field = path == null ? "" : path.text();
        double degrees = fields.number(events, e, c, text, field);
        if (fields.reason() == null && !(degrees >= -limit && degrees <= limit)) {
            fields.bad(
                    BadReason.COORDINATE,
                    "'",
                    field,
                    "lie within [-%d, %d]".formatted(limit, limit),
                    events.shown(e, c));
        }
        return degrees;
    }

    private boolean readItself(EventColumns events, int e) {
        int c = itself;
        FieldPath path = entity.cell();
        String field = path == null ? "" : path.text();
        if (!fields.isPresent(events, e, c, field)) {
            return false;
        }
        FieldKind kind = events.kind(e, c);
        if (kind == FieldKind.BOOL || kind == FieldKind.OTHER) {
            return fields.bad(BadReason.WRONG_TYPE, "'", field, "be hex text or a number", events.shown(e, c));
        }
        cell = kind == FieldKind.INTEGER ? events.integer(e, c) : kind == FieldKind.STRING ? cellOf(events, e, c) : 0;
        if (!HexTiling.isValidCell(cell)) {
            String remedy = cellText.remedy(kind == FieldKind.STRING && isDecimal(events, e, c));
            return fields.bad(BadReason.CELL, "'", field, "be a valid H3 cell" + remedy, events.shown(e, c));
        }
        int resolution = entity.resolution();
        if (HexTiling.resolution(cell) != resolution) {
            String was = events.shown(e, c) + " of resolution " + HexTiling.resolution(cell);
            return fields.bad(BadReason.CELL, "'", field, "be an H3 cell of resolution " + resolution, was);
        }
        return true;
    }

    /** Parses hex, or decimal if text may be a number; returns 0, which is not a cell, if it is neither. */
    private long cellOf(EventColumns events, int e, int c) {
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        int length = events.length(e, c);
        if (Scalars.isHex(bytes, offset, length)) {
            return Scalars.hex(bytes, offset, length);
        }
        boolean decimal = cellText.mayBeNumber() && isDecimal(events, e, c);
        return decimal ? Decimals.parseLong(bytes, offset, length) : 0;
    }

    /** Returns whether text is a decimal index, which has 18 digits and so cannot be mistaken for hex. */
    private static boolean isDecimal(EventColumns events, int e, int c) {
        int length = events.length(e, c);
        return length > LONGEST_HEX && Decimals.isLong(events.bytes(), events.offset(e, c), length);
    }
}
