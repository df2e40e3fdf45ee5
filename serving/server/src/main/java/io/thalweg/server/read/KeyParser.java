package io.thalweg.server.read;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.EntityValues;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.store.StoreKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts the keys of a request into keys of the store and collects the problems of all of them. */
public final class KeyParser {

    private final FeatureView view;
    private final List<String> names;
    private final RequestProblems problems = new RequestProblems();

    KeyParser(FeatureView view) {
        this.view = view;
        this.names = view.entities().stream().map(Entity::name).toList();
    }

    /** A key with its canonical form. */
    record Key(StoreKey stored, KeyEntities canonical) {}

    /** Returns all keys, or throws a {@link RefusedRequestException} that names the bad ones. */
    List<Key> parse(List<Map<String, Object>> entities) {
        List<Key> keys = new ArrayList<>(entities.size());
        for (int i = 0; i < entities.size(); i++) {
            Readers.requireWanted();
            Key key = parse(i, entities.get(i));
            if (key != null) {
                keys.add(key);
            }
        }
        problems.throwIfAny();
        return keys;
    }

    private @Nullable Key parse(int index, Map<String, Object> given) {
        int before = problems.count();
        for (String name : given.keySet()) {
            if (!names.contains(name)) {
                problems.add(path(index, name), () -> "is not an entity of the view; " + Suggestion.hint(name, names));
            }
        }
        long cell = 0;
        List<Object> group = new ArrayList<>();
        for (Entity entity : view.entities()) {
            Object value = value(index, entity, given.get(entity.name()));
            if (value == null) {
                continue;
            }
            if (entity instanceof Entity.Cell) {
                cell = (Long) value;
            } else {
                group.add(value);
            }
        }
        if (problems.count() > before) {
            return null;
        }
        StoreKey key = new StoreKey(cell, group);
        return new Key(key, new KeyEntities(view, key));
    }

    private static String path(int index, String name) {
        return "entities[" + index + "]." + name;
    }

    private @Nullable Object value(int index, Entity entity, @Nullable Object given) {
        if (given == null) {
            problems.add(path(index, entity.name()), "is missing");
            return null;
        }
        try {
            return EntityValues.of(entity, given);
        } catch (IllegalArgumentException e) {
            problems.add(path(index, entity.name()), String.valueOf(e.getMessage()));
            return null;
        }
    }
}
