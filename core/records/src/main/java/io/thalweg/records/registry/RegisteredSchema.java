package io.thalweg.records.registry;

/**
 * A schema of a registry.
 *
 * @param id with which messages refer to it
 * @param version in its subject; 0 if it was looked up by id
 * @param contents of a file with this schema and all schemas that it refers to, one character per byte (ISO 8859-1): JSON in
 *     UTF-8, or the bytes of a descriptor set
 */
public record RegisteredSchema(int id, int version, String contents) {}
