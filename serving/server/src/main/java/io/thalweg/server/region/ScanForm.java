package io.thalweg.server.region;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import io.thalweg.server.http.Refusal;
import java.util.List;
import java.util.function.Function;

/**
 * A form in which a scan is answered.
 *
 * @param name of its media type, as a caller accepts it
 * @param mostRows that it has room for
 */
public record ScanForm(String name, MediaType type, int mostRows, Function<ScanAnswer, byte[]> write) {
    private static final ScanForm JSON = new ScanForm("application/json", MediaType.JSON_UTF_8, 10_000, ScanJson::of);
    private static final ScanForm COLUMNS =
            new ScanForm(ColumnsAnswer.TYPE, MediaType.parse(ColumnsAnswer.TYPE), Integer.MAX_VALUE, ColumnsAnswer::of);

    /**
     * Returns the form that the caller prefers; JSON if it accepts any.
     *
     * @throws Refusal if it accepts none
     */
    public static ScanForm of(RequestHeaders headers) {
        List<MediaType> accepted = headers.accept();
        if (accepted.isEmpty()) {
            return JSON;
        }
        for (MediaType each : accepted) {
            for (ScanForm form : List.of(JSON, COLUMNS)) {
                if (form.type.withoutParameters().belongsTo(each.withoutParameters())) {
                    return form;
                }
            }
        }
        throw Refusal.invalid("accept: must be application/json, %s or %s, was %s"
                .formatted(ColumnsAnswer.TYPE, TilesAnswer.MEDIA_TYPE, headers.get(HttpHeaderNames.ACCEPT)));
    }

    public byte[] bytes(ScanAnswer answer) {
        return write.apply(answer);
    }
}
