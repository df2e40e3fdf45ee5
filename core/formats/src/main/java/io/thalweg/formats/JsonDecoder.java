package io.thalweg.formats;

import org.jspecify.annotations.Nullable;

/**
 * Decodes JSON in two steps: {@link ScannedJson} reads the documents that it is sure of, the full parser {@link StreamedJson} the
 * others. The result is the full parser's in both cases.
 */
public final class JsonDecoder implements EventDecoder {
    private final RecordFields recordFields;
    private final StreamedJson parser;
    private final @Nullable ScannedJson scanner;
    private long parsed;

    private JsonDecoder(Projection projection, JsonField wanted, @Nullable ScannedJson scanner) {
        recordFields = new RecordFields(projection);
        parser = new StreamedJson(wanted);
        this.scanner = scanner;
    }

    public static JsonDecoder scanning(Projection projection) {
        JsonField wanted = JsonField.treeOf(projection);
        boolean fits = wanted.size() <= JsonField.MAX_BITS && wanted.largestIndex() <= ScannedJson.MAX_INDEX;
        return new JsonDecoder(projection, wanted, fits ? new ScannedJson(wanted) : null);
    }

    public static JsonDecoder parsing(Projection projection) {
        return new JsonDecoder(projection, JsonField.treeOf(projection), null);
    }

    /** The number of events that the full parser had to read. */
    public long parsed() {
        return parsed;
    }

    @Override
    public void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into) {
        if (length > MAX_RECORD_BYTES) {
            into.appendTooLarge(data, offset, length, origin);
            return;
        }
        into.append(data, offset, length, origin);
        if (scanner == null || !scanner.read(data, offset, length, into)) {
            parsed++;
            into.resetLast();
            String error = parser.read(data, offset, length, into);
            if (error != null) {
                into.fail(BadReason.UNDECODABLE, error);
                return;
            }
        }
        recordFields.fill(into, origin);
    }
}
