package io.thalweg.server.read;

import com.google.protobuf.InvalidProtocolBufferException;
import io.thalweg.api.v1.AnswerForm;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadHistoryRequest;
import io.thalweg.server.http.GrpcErrors;
import io.thalweg.server.http.RefusedRequestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Answers the messages of {@code ReadFeatures} and {@code ReadHistory}. */
public final class GrpcReads {
    private final FeatureReader reader;

    public GrpcReads(FeatureReader reader) {
        this.reader = reader;
    }

    /** Answers a {@code ReadFeaturesRequest}. */
    public byte[] features(byte[] message) {
        GrpcKeys parsed = parse(message, GrpcKeys::of);
        ReadFeaturesRequest request = parsed.rest();
        requireForm(request.getForm(), request.getFormValue());
        return answer(request.getForm(), reader.read(read(request, parsed.keys())));
    }

    /** Answers a {@code ReadHistoryRequest}. */
    public byte[] history(byte[] message) {
        ReadHistoryRequest request = parse(message, ReadHistoryRequest::parseFrom);
        requireForm(request.getForm(), request.getFormValue());
        return answer(request.getForm(), reader.history(history(request)));
    }

    private interface Parser<T> {
        T parse(byte[] message) throws IOException;
    }

    private static <T> T parse(byte[] message, Parser<T> parser) {
        try {
            return parser.parse(message);
        } catch (InvalidProtocolBufferException e) {
            throw RefusedRequestException.invalid(GrpcErrors.message(e));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // bytes in memory
        }
    }

    private static void requireForm(AnswerForm form, int value) {
        if (form == AnswerForm.UNRECOGNIZED) {
            throw RefusedRequestException.invalid("form: must be ROWS or COLUMNS, was " + value);
        }
    }

    private static byte[] answer(AnswerForm form, ReadAnswer answer) {
        return form == AnswerForm.COLUMNS ? GrpcColumns.bytes(answer) : GrpcRows.bytes(answer);
    }

    private static ReadRequest read(ReadFeaturesRequest request, List<Map<String, Object>> keys) {
        if (request.getTargetCase() == ReadFeaturesRequest.TargetCase.SERVICE) {
            throw FeatureReader.noService(request.getService());
        }
        return new ReadRequest(
                request.getView(),
                keys,
                request.getFeaturesList(),
                request.hasAsOf() ? GrpcMessages.instant(request.getAsOf()) : null,
                readFrom(request));
    }

    private static HistoryRequest history(ReadHistoryRequest request) {
        return new HistoryRequest(
                request.getView(),
                List.of(GrpcMessages.values(request.getKey())),
                request.getFeaturesList(),
                request.hasAsOf() ? GrpcMessages.instant(request.getAsOf()) : null,
                last(request.getLast()));
    }

    private static int last(int asked) {
        if (asked < 0 || asked > HistoryRequest.LAST_MAX) {
            throw RefusedRequestException.invalid("last: must be from 1 to %d, or 0 for as many as that, was %d"
                    .formatted(HistoryRequest.LAST_MAX, asked));
        }
        return asked == 0 ? HistoryRequest.LAST_MAX : asked;
    }

    private static ReadRequest.ReadFrom readFrom(ReadFeaturesRequest request) {
        return switch (request.getReadFrom()) {
            case READ_FROM_UNSPECIFIED, STORE -> ReadRequest.ReadFrom.STORE;
            case LIVE -> ReadRequest.ReadFrom.LIVE;
            case BOTH -> ReadRequest.ReadFrom.BOTH;
            case UNRECOGNIZED ->
                throw RefusedRequestException.invalid(
                        "read_from: must be STORE, LIVE or BOTH, was " + request.getReadFromValue());
        };
    }
}
