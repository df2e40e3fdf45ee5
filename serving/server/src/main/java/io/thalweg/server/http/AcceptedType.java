package io.thalweg.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import java.util.List;

/** The media type of an answer, by the header {@code accept}. */
public final class AcceptedType {
    private AcceptedType() {}

    /**
     * Returns the type that a caller prefers; the first if it accepts any.
     *
     * @param types that exist, with parameters
     * @param others further types that the route knows, for the message
     * @throws RefusedRequestException if it accepts none
     */
    public static MediaType of(RequestHeaders headers, List<MediaType> types, String... others) {
        List<MediaType> accepted = headers.accept();
        if (accepted.isEmpty()) {
            return types.get(0);
        }
        for (MediaType each : accepted) {
            for (MediaType type : types) {
                if (type.withoutParameters().belongsTo(each.withoutParameters())) {
                    return type;
                }
            }
        }
        StringBuilder names = new StringBuilder();
        for (MediaType type : types) {
            names.append(names.isEmpty() ? "" : ", ").append(type.withoutParameters());
        }
        for (String other : others) {
            names.append(", ").append(other);
        }
        int last = names.lastIndexOf(", ");
        String listed = names.substring(0, last) + " or " + names.substring(last + 2);
        throw RefusedRequestException.invalid(
                "accept: must be " + listed + ", was " + headers.get(HttpHeaderNames.ACCEPT));
    }
}
