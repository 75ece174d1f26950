/** The extension point `demos.files`: folders with demos of other plugins. */
export interface DemoFiles {
  /** Adds a folder, by its absolute path; each YAML and JSON file in it has one demo. */
  add(folder: string): void
  /** All that were added, in this order. */
  list(): readonly string[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'demos.files': DemoFiles
  }
}
