package io.thalweg.records.generate;

import io.thalweg.records.schema.SchemaException;
import java.io.Serializable;

/**
 * A range of whole numbers.
 *
 * @param min the smallest, at least 0
 * @param max the largest
 */
public record Between(int min, int max) implements Serializable {
    public Between {
        if (min < 0 || max < min) {
            throw new SchemaException(
                    "a range must go up from 0 or more, was %d..%d; write it as 800..2048".formatted(min, max));
        }
    }

    int draw(SplitMix random) {
        return min + random.nextInt(max - min + 1);
    }
}
