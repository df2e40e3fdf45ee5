/**
 * Files of records and of events: {@link io.thalweg.formats.file.RecordFile} finds records without decoding them;
 * {@link io.thalweg.formats.file.EventFile} decodes events of any format into columns.
 */
@NullMarked
package io.thalweg.formats.file;

import org.jspecify.annotations.NullMarked;
