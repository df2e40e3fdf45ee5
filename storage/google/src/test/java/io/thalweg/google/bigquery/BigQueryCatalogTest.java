package io.thalweg.google.bigquery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway.Init")
class BigQueryCatalogTest {
    private static final Struct ROWS = new Struct(List.of(
            Field.required("id", FieldType.INT64),
            Field.optional(
                    "stops", new FieldType.ListOf(new Struct(List.of(Field.optional("city", FieldType.TEXT))), true))));

    private BigQueryFake service;
    private BigQueryAddress address;
    private BigQueryCatalog catalog;

    @BeforeEach
    void start() throws IOException {
        service = BigQueryFake.start();
        address = new BigQueryAddress(
                "my-project",
                "lake",
                "rides",
                false,
                new BigQueryAddress.Access(null, service.endpoint(), service.restEndpoint()));
        catalog = new BigQueryCatalog(address);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void create_twice_createsOnceWhatTheRowsNeed() {
        assertThat(catalog.createDataset()).isTrue();
        assertThat(catalog.createTable(ROWS)).isTrue();
        assertThat(catalog.createDataset()).isFalse();
        assertThat(catalog.createTable(ROWS)).isFalse();

        address.open(ROWS).close();
    }

    @Test
    void createTable_withoutItsDataset_reportsTheAnswer() {
        assertThatThrownBy(() -> catalog.createTable(ROWS))
                .isInstanceOf(WarehouseException.class)
                .hasMessageContaining("rides of BigQuery could not be created for my-project.lake.rides: status 404")
                .hasMessageContaining("Not found: projects/my-project/datasets/lake");
    }

    @Test
    void createDataset_serviceAway_reportsTheAnswer() {
        service.faults().away(true);

        assertThatThrownBy(catalog::createDataset)
                .isInstanceOf(WarehouseException.class)
                .hasMessageContaining("status 503");
    }
}
