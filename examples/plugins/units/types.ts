/** Types of the extension point. Plugins that use it import only this file. */
export interface Units {
  /** Adds a unit. `factor` is its size in base units of its kind. Throws if the name already exists. */
  add(kind: string, name: string, factor: number): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'units.registry': Units
  }
}
