/** Imports and exports over HTTP: reads files or the API of a source, and writes through the public API of a running service. */
export { type ExportOptions, exportProject } from './archive/write-archive.js';
export { type FileImportOptions, importEventFiles } from './import-events.js';
export { type EventOrigin, importProject, objectKinds, type ProjectImportOptions } from './import-project.js';
export { ImportReport } from './report.js';
export type { Access, ClientContext } from './target.js';
