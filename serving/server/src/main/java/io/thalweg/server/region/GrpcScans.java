package io.thalweg.server.region;

import com.google.protobuf.InvalidProtocolBufferException;
import io.thalweg.api.v1.AggregateBy;
import io.thalweg.api.v1.EntityValues;
import io.thalweg.api.v1.ScanFeaturesRequest;
import io.thalweg.api.v1.ScanFeaturesResponse;
import io.thalweg.api.v1.ScanHead;
import io.thalweg.api.v1.StatusCount;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.GrpcMessages;
import io.thalweg.server.read.ReadRequest;
import io.thalweg.server.read.ReadSize;
import io.thalweg.server.read.Readers;
import io.thalweg.server.versions.ServedViews;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The messages of {@code ScanFeatures}. */
public final class GrpcScans {
    /** Names this form in error messages. */
    public static final String FORM = "gRPC";

    private static final int PREFIX = 5;
    private static final int ROWS_PER_MESSAGE = 1_000;

    private GrpcScans() {}

    /**
     * Estimates how much a call asks for from its body: a prefix of five bytes, then the message.
     *
     * @throws RefusedRequestException if the message cannot be read, or names an unknown view
     */
    public static ReadSize size(byte[] body, ServedViews views) {
        if (body.length < PREFIX || body[0] != 0) {
            return ReadSize.ofScan(ScanRequest.KEYS_EVERYWHERE, 1, 1); // compressed, so its fields are unknown
        }
        try {
            ScanFeaturesRequest request =
                    ScanFeaturesRequest.parseFrom(ByteBuffer.wrap(body, PREFIX, body.length - PREFIX));
            Optional<FeatureView> view = views.find(request.getView());
            if (view.isPresent()) {
                return request(request, view.get()).size();
            }
        } catch (InvalidProtocolBufferException e) {
            // refused below
        }
        throw RefusedRequestException.invalid("the message must be a ScanFeaturesRequest of a view that is served");
    }

    public static ScanRequest request(ScanFeaturesRequest request, FeatureView named) {
        FeatureView view = FeatureReader.requireCells(named);
        int resolution = view.cell().resolution();
        RequestProblems problems = new RequestProblems();
        ScanFeaturesRequest.Top top = request.getTop();
        ScanFeaturesRequest.Aggregate aggregate = request.getAggregate();
        ScanRequest parsed = new ScanRequest(
                view,
                request.hasRegion() ? region(request.getRegion(), resolution, problems) : null,
                ScanRequest.where(view, where(request.getWhereMap(), problems), problems),
                request.getFeaturesList(),
                request.hasTop() ? ScanRequest.Top.of(top.getN(), top.getBy(), view, problems) : null,
                request.hasAggregate()
                        ? ScanRequest.Aggregate.of(
                                aggregate.getResolution(), by(aggregate.getBy(), problems), resolution, problems)
                        : null,
                request.hasAsOf() ? GrpcMessages.instant(request.getAsOf()) : null);
        problems.throwIfAny();
        return parsed;
    }

    private static @Nullable Region region(
            ScanFeaturesRequest.Region region, int resolution, RequestProblems problems) {
        return switch (region.getKindCase()) {
            case BBOX -> {
                ScanFeaturesRequest.Box box = region.getBbox();
                double[] edges = {box.getWest(), box.getSouth(), box.getEast(), box.getNorth()};
                yield Region.bbox("region.bbox", edges, problems);
            }
            case POLYGON -> {
                List<ScanFeaturesRequest.Point> points = region.getPolygon().getPointsList();
                yield Region.polygon(
                        "region.polygon",
                        points.stream()
                                .mapToDouble(ScanFeaturesRequest.Point::getLatitude)
                                .toArray(),
                        points.stream()
                                .mapToDouble(ScanFeaturesRequest.Point::getLongitude)
                                .toArray(),
                        problems);
            }
            case DISK ->
                Region.disk(
                        "region.disk",
                        region.getDisk().getCell(),
                        region.getDisk().getRing(),
                        resolution,
                        problems);
            case PARENT -> Region.parent("region.parent", region.getParent(), resolution, problems);
            case KIND_NOT_SET -> {
                problems.add("region", "must have one of bbox, polygon, disk and parent, had none");
                yield null;
            }
        };
    }

    private static Map<String, List<Object>> where(Map<String, EntityValues> given, RequestProblems problems) {
        Map<String, List<Object>> where = new LinkedHashMap<>();
        given.forEach((name, values) -> {
            List<Object> some = new ArrayList<>();
            values.getValuesList().forEach(value -> {
                Object known = GrpcMessages.value(value);
                some.add(known == null ? new ReadRequest.Other("unset") : known);
            });
            if (some.isEmpty()) {
                problems.add("where." + name, "must have a value; leave it out for all");
            }
            where.put(name, some);
        });
        return where;
    }

    private static ScanRequest.@Nullable By by(AggregateBy by, RequestProblems problems) {
        return switch (by) {
            case MEAN -> ScanRequest.By.MEAN;
            case MAX -> ScanRequest.By.MAX;
            case SUM -> ScanRequest.By.SUM;
            case AGGREGATE_BY_UNSPECIFIED, UNRECOGNIZED -> {
                problems.add("aggregate.by", "must be MEAN, MAX or SUM, was " + by);
                yield null;
            }
        };
    }

    /** The messages of an answer. */
    public static List<ScanFeaturesResponse> messages(ScanAnswer answer) {
        List<ScanFeaturesResponse> messages = new ArrayList<>();
        messages.add(ScanFeaturesResponse.newBuilder().setHead(head(answer)).build());
        for (int from = 0; from < answer.rows().size(); from += ROWS_PER_MESSAGE) {
            Readers.requireWanted();
            int to = Math.min(answer.rows().size(), from + ROWS_PER_MESSAGE);
            messages.add(ScanFeaturesResponse.newBuilder()
                    .setRows(rows(answer.rows(), from, to))
                    .build());
        }
        return messages;
    }

    private static ScanHead.Builder head(ScanAnswer answer) {
        ScanHead.Builder head = ScanHead.newBuilder()
                .setView(answer.view().qualifiedName())
                .addAllFeatures(answer.features())
                .setCells(answer.cells())
                .setKeys(answer.keys())
                .setRest(GrpcMessages.status(answer.rest().status()))
                .setRowCount(answer.rows().size());
        answer.watermarkMs().ifPresent(ms -> head.setWatermark(GrpcMessages.timestamp(ms)));
        answer.restEndMs().ifPresent(ms -> head.setRestWindowEnd(GrpcMessages.timestamp(ms)));
        answer.groups().forEach(group -> head.addGroups(GrpcMessages.key(answer.group(group))));
        answer.counts()
                .forEach((status, keys) -> head.addCounts(StatusCount.newBuilder()
                        .setStatus(GrpcMessages.status(status))
                        .setKeys(keys)));
        return head;
    }

    private static io.thalweg.api.v1.ScanRows.Builder rows(ScanRows rows, int from, int to) {
        io.thalweg.api.v1.ScanRows.Builder out = io.thalweg.api.v1.ScanRows.newBuilder();
        for (int row = from; row < to; row++) {
            out.addCells(rows.cell(row)).addGroups(rows.group(row));
            if (rows.isAggregated()) {
                out.addCounted(rows.counted(row)).addPresent(rows.present(row));
            } else {
                out.addStatuses(GrpcMessages.status(rows.status(row)))
                        .addFinalities(GrpcMessages.finality(rows.finality(row)))
                        .addWindowEndsMs(rows.endMs(row));
            }
            for (int feature = 0; feature < rows.features(); feature++) {
                out.addValues(rows.value(row, feature));
            }
        }
        return out;
    }
}
