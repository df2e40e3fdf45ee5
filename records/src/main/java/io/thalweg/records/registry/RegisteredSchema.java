package io.thalweg.records.registry;

/**
 * A schema of a registry.
 *
 * @param id by which messages name it
 * @param version in its subject; 0 where it was found by its id
 * @param contents what a file with this schema would hold, complete with all that it refers to, one character per byte (ISO
 *     8859-1): JSON in UTF-8, or the bytes of a descriptor set
 */
public record RegisteredSchema(int id, int version, String contents) {}
