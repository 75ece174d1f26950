/** The extension point `drop-in.flavours`: servers of other projects whose place a plugin takes. */

import type { StandIn } from './stand-ins/stand-in.ts'

/** A server that is served whole: on hosts, prefixes and ports of `drop_in`. */
export interface Flavour {
  /** Name in `serve`, such as `go-httpbin`. */
  name: string
  title: string
  /** A path of the plugin; the routes below it are those of the server. */
  mount: string
  /** How `svc as` starts it. */
  as?: StandIn
}

export interface Flavours {
  /** Call it in `register`. Throws if the name is taken. */
  flavour(flavour: Flavour): void
  /** How `svc as` starts the flavours of other plugins. */
  standIns(): ReadonlyMap<string, StandIn>
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'drop-in.flavours': Flavours
  }
}
