package io.thalweg.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.server.http.ServerStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BasemapTest {
    @TempDir
    Path folder;

    private Path file(String json) throws IOException {
        return Files.writeString(folder.resolve("city.geojson"), json);
    }

    @Test
    void read_allKindsOfGeometry_areLinesAndAreas() throws Exception {
        Path file = file("""
                {"type":"FeatureCollection","features":[
                 {"type":"Feature","properties":{"name":"<b>"},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4,99]]}},
                 {"type":"Feature","properties":null,"geometry":null},
                 {"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[
                  {"type":"Point","coordinates":[0,0]},
                  {"type":"MultiLineString","coordinates":[[[5,6],[7,8]],[[9,10],[11,12]]]}]}},
                 {"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}},
                 {"type":"Feature","geometry":{"type":"Polygon","coordinates":
                  [[[0,0],[9,0],[9,9],[0,0]],[[2,1],[3,1],[3,2],[2,1]]]}}]}
                """);
        assertThat(Basemap.read(file))
                .hasToString("{\"lines\":[[1.0,2.0,3.0,4.0],[5.0,6.0,7.0,8.0],[9.0,10.0,11.0,12.0]],"
                        + "\"areas\":[[[0.0,0.0,1.0,0.0,1.0,1.0,0.0,0.0]],"
                        + "[[0.0,0.0,9.0,0.0,9.0,9.0,0.0,0.0],[2.0,1.0,3.0,1.0,3.0,2.0,2.0,1.0]]]}");
        assertThat(Basemap.read(null)).hasToString("{\"lines\":[],\"areas\":[]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ | is not JSON",
                "[] | a type must be FeatureCollection, Feature or that of a geometry",
                "{\"type\":\"Topology\"} | was \"Topology\"",
                "{\"type\":\"FeatureCollection\"} | without a list of features",
                "{\"type\":\"LineString\",\"coordinates\":[[1,2]]} | must have at least 2 positions, was [[1,2]]",
                "{\"type\":\"LineString\",\"coordinates\":[[1,2],[91,-90.5]]} | [longitude, latitude] in degrees, was [91,-90.5]",
                "{\"type\":\"LineString\",\"coordinates\":[[1,2],[\"a\",3]]} | was [\"a\",3]",
                "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,1],[0,0]]]} | must have at least 4 positions",
            })
    void read_whatIsNoGeoJson_isRefusedByTheKey(String json, String why) throws Exception {
        Path file = file(json);
        assertThatThrownBy(() -> Basemap.read(file))
                .isInstanceOf(ServerStartException.class)
                .hasMessageStartingWith("server.basemap: " + file)
                .hasMessageContaining(why);
    }

    @Test
    void read_tooMuchOrNothing_isRefused() throws Exception {
        Path missing = folder.resolve("none.geojson");
        assertThatThrownBy(() -> Basemap.read(missing)).hasMessageContaining("cannot be read");
        Path large =
                file("{\"type\":\"LineString\",\"coordinates\":[" + "[0,0],".repeat(Basemap.POINTS_MAX) + "[0,0]]}");
        assertThatThrownBy(() -> Basemap.read(large)).hasMessageContaining("more than 200,000 positions; simplify it");
        Path huge = file(" ".repeat((int) Basemap.BYTES_MAX + 1));
        assertThatThrownBy(() -> Basemap.read(huge)).hasMessageContaining("at most 8,388,608");
    }
}
