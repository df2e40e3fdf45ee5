package io.thalweg.server.read;

import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.model.row.CellText;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.StoreKey;
import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The entities of a key in the view's order and in canonical form: lower-case cells and UUIDs. They are written when they are asked for,
 * because an answer in columns does not repeat its keys.
 */
final class KeyEntities extends AbstractMap<String, Object> {
    private final FeatureView view;
    private final StoreKey key;

    KeyEntities(FeatureView view, StoreKey key) {
        this.view = view;
        this.key = key;
    }

    long hash() {
        return KeyWord.of(key.cell()) ^ key.group().hashCode();
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
        Map<String, Object> values = new LinkedHashMap<>();
        int field = 0;
        for (Entity entity : view.entities()) {
            values.put(
                    entity.name(),
                    entity instanceof Entity.Cell
                            ? CellText.format(key.cell())
                            : key.group().get(field++));
        }
        return values.entrySet();
    }
}
