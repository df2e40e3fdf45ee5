package io.thalweg.cli.run;

import io.thalweg.records.row.Output;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;

/** A function that does what a function must not do, by the status of the ride. */
public final class Misbehaving implements RowFunction {
    @Override
    public void apply(Row ride, Output out) {
        String status = String.valueOf(ride.text("status"));
        switch (status) {
            case "THROWS" -> throw new IllegalStateException("a defect");
            case "RECURSES" -> apply(ride, out);
            case "LACKS_A_CLASS" -> throw new NoClassDefFoundError("lost/Class");
            case "DOES_NOT_ANSWER" -> {}
            case "REJECTS" -> out.reject("not wanted");
            case "EMITS_AND_THROWS" -> {
                out.emit(ride);
                throw new IllegalStateException("too late");
            }
            default -> out.emit(ride);
        }
    }
}
