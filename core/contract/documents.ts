/** The extension point of the core for YAML and JSON files that a plugin reads: `core.documents`. */

export interface DocumentFileOptions {
  /**
   * Files and folders, relative to `svc.yaml`. Of folders, and the folders in them, all `*.yaml`, `*.yml` and `*.json` are
   * read.
   */
  paths: readonly string[]
  /** Where `svc.yaml` names them, for reports: `orders.rules`. */
  at: string
  /** The plugin itself writes the files: that they do not exist is not reported, and they are not watched. */
  isOwn?: boolean
}

/** A file as it was parsed. */
export interface DocumentFile {
  /** Absolute. */
  path: string
  /** Relative to the path that was given. */
  name: string
  document: unknown
  /** Line of an item, such as `rules[3].then`; null if it is unknown. */
  lineOf(at: string): number | null
}

/**
 * Files that the settings of plugins name. They are watched: a change reloads. At most 500 files and 16 MiB are read for each plugin;
 * what cannot be read is left out and reported.
 */
export interface DocumentFiles {
  /** Reads the files, in the order of the paths and then by name. Call it while the plugin registers. */
  read(options: DocumentFileOptions): Promise<DocumentFile[]>
}
