package io.thalweg.jobs.ingest.deadletters;

import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter.Stage;
import io.thalweg.jobs.stream.Refusals;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.RowStream.Refused;
import java.time.Instant;

/** Writes rows that a warehouse refuses as dead letters, which hold the encoded row. */
public record RefusedRows(String ingest, DeadLetters deadLetters) implements Refusals {
    private static final long serialVersionUID = 1L;

    @Override
    public Refusals.Writer open(int subtask) {
        DeadLetters.Writer letters = deadLetters.open(subtask);
        return new Refusals.Writer() {
            @Override
            public void refused(EncodedRows rows, Refused why) {
                letters.write(letter(rows, why).toJson());
            }

            @Override
            public void flush() {
                letters.flush();
            }

            @Override
            public void close() {
                letters.close();
            }
        };
    }

    private IngestDeadLetter letter(EncodedRows rows, Refused refused) {
        int row = refused.row();
        int length = rows.bytes(row, row + 1);
        return new IngestDeadLetter(
                ingest,
                Stage.SINK,
                new BadRecordException(refused.tooLarge() ? RecordFault.TOO_LARGE : RecordFault.REFUSED, refused.why()),
                rows.origin(row),
                new IngestDeadLetter.Content(
                        DeadLetter.Raw.of(rows.data(), rows.from(row), length, length),
                        null,
                        true,
                        RecordAttributes.NONE),
                1,
                Instant.now());
    }
}
