package io.thalweg.bench;

import java.util.Map;

/**
 * One system's figures on one load.
 *
 * @param figures by name, which ends with the unit
 */
public record Result(String system, String variant, Map<String, Number> figures) {}
