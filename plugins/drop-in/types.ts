/** The extension point `drop-in.flavours`: servers of other projects that a plugin stands in for. */

/** A server that is served whole: on hosts, prefixes and ports of `drop_in`. */
export interface Flavour {
  /** Name in `serve`, such as `go-httpbin`. */
  name: string
  title: string
  /** A path of the plugin; the routes below it are those of the server. */
  mount: string
}

export interface Flavours {
  /** Call it in `register`. Throws if the name is taken. */
  flavour(flavour: Flavour): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'drop-in.flavours': Flavours
  }
}
