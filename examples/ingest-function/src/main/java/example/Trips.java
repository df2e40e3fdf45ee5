package example;

import io.thalweg.records.row.Output;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One row for each promotion of a ride, or one if it has none, with the distance and the fare in dollars. Cancelled rides are left
 * out, and those that are longer than {@code max_km} are dead letters.
 */
public final class Trips implements RowFunction {
    private static final double EARTH_KM = 6371.0088;

    private double maxKm;

    @Override
    public void open(Map<String, String> config) {
        maxKm = Double.parseDouble(config.getOrDefault("max_km", "500"));
    }

    /** The event's fields but two, and three more. */
    @Override
    public Struct schema(Struct event) {
        List<Field> columns = new ArrayList<>(event.fields());
        columns.removeIf(field -> List.of("promotions", "fare_cents").contains(field.name()));
        columns.add(Field.optional("promotion", FieldType.TEXT));
        columns.add(Field.optional("fare", new FieldType.Decimal(12, 2)));
        columns.add(Field.optional("distance_km", FieldType.DOUBLE));
        return new Struct(columns);
    }

    @Override
    public void apply(Row event, Output out) {
        if ("CANCELLED".equals(event.text("status"))) { // filter
            out.drop();
            return;
        }
        Long cents = event.get("fare_cents", Long.class);
        if (cents != null) { // map
            event.set("fare", BigDecimal.valueOf(cents, 2));
        }
        Row pickup = event.row("pickup");
        Row dropoff = event.row("dropoff");
        if (pickup != null && dropoff != null) {
            double km = distance(pickup, dropoff);
            if (km > maxKm) {
                out.reject("the drop-off is " + Math.round(km) + " km away");
                return;
            }
            event.set("distance_km", km);
        }
        List<?> promotions = event.get("promotions", List.class);
        if (promotions == null || promotions.isEmpty()) {
            out.emit(event);
            return;
        }
        for (Object promotion : promotions) { // flatMap
            out.emit(event.set("promotion", promotion));
        }
    }

    private static double distance(Row from, Row to) {
        double lat1 = Math.toRadians((Double) from.get("lat"));
        double lat2 = Math.toRadians((Double) to.get("lat"));
        double half = Math.sin((lat2 - lat1) / 2);
        double turn = Math.sin(Math.toRadians((Double) to.get("lng") - (Double) from.get("lng")) / 2);
        double chord = half * half + Math.cos(lat1) * Math.cos(lat2) * turn * turn;
        return 2 * EARTH_KM * Math.asin(Math.sqrt(Math.min(1, chord)));
    }
}
