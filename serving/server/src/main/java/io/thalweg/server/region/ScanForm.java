package io.thalweg.server.region;

import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import io.thalweg.server.http.AcceptedType;
import io.thalweg.server.http.Columns;
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
            new ScanForm(Columns.NAME, Columns.TYPE, Integer.MAX_VALUE, ColumnsAnswer::of);

    /**
     * Returns the form that the caller prefers; JSON if it accepts any.
     *
     * @throws io.thalweg.server.http.RefusedRequestException if it accepts none
     */
    public static ScanForm of(RequestHeaders headers) {
        MediaType type = AcceptedType.of(headers, List.of(JSON.type, COLUMNS.type), TilesAnswer.MEDIA_TYPE);
        return type.equals(JSON.type) ? JSON : COLUMNS;
    }

    public byte[] bytes(ScanAnswer answer) {
        return write.apply(answer);
    }
}
