/** The extension point, for plugins that use it: they import these types, and nothing else. */
export interface Units {
  /** Adds a unit; `factor` is how many of the kind's base unit it is. Throws when the name is taken. */
  add(kind: string, name: string, factor: number): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'units.registry': Units
  }
}
