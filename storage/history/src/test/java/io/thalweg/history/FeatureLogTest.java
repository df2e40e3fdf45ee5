package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.TableAddress;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may write to a feature log. */
class FeatureLogTest {
    private static final String ORDERS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: orders
            source: {topic: orders, event_time: {field: ts}}
            entities: [{name: user, field: user}]
            measures: [{name: n, count: all}]
            windows: {sizes: [2m], every: 1m}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private TableAddress table;

    @BeforeEach
    void addresses() {
        table = new TableAddress(new CatalogAddress.Folder(folder.toString()), "features.orders");
    }

    private static FeatureView view(String yaml) {
        return Definitions.parse(yaml, "orders.yaml").views().get(0);
    }

    private void create(FeatureView view, String deployment) throws IOException {
        FeatureLog.create(view, OfflineSpec.Format.PACKED, table, deployment);
    }

    @Test
    void create_again_isTheSameLog() throws IOException {
        create(view(ORDERS), "production");
        create(view(ORDERS), "production");
        FeatureLog.create(view(ORDERS), OfflineSpec.Format.PACKED, table, null);

        try (FeatureLog log = FeatureLog.open(view(ORDERS), table)) {
            assertThat(log.isPacked()).isTrue();
            assertThat(log.ends()).isEmpty();
        }
    }

    @Test
    void create_anotherDeployment_isRefusedWithTheNameOfTheFirst() throws IOException {
        create(view(ORDERS), "production");

        assertThatThrownBy(() -> create(view(ORDERS), "staging"))
                .isInstanceOf(LogMismatchException.class)
                .hasMessage(
                        "deployment production writes to table features.orders, and this is deployment staging: both would log each row; name another table in offline.iceberg. If deployment production no longer exists, remove the property thalweg.deployment of the table with an engine such as Spark (ALTER TABLE … UNSET TBLPROPERTIES)");
    }

    @Test
    void create_anotherMeaning_isRefused() throws IOException {
        create(view(ORDERS), "production");

        assertThatThrownBy(() -> create(view(ORDERS.replace("[2m]", "[3m]")), "production"))
                .isInstanceOf(LogMismatchException.class)
                .hasMessageContaining("another definition; give the view another version");
        assertThatThrownBy(() -> create(view(ORDERS.replace("name: orders", "name: others")), "production"))
                .hasMessageContaining("is the feature log of view orders, not of others");
    }
}
