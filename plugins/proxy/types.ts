/** The extension point `proxy.taps`: svc between a client and a gateway for a while, so that both sides of the gateway are seen. */
export interface ProxyTaps {
  /** Below it, requests of a session are forwarded. */
  readonly path: string
  /**
   * Until `close`, requests of the session below `path` are forwarded to the target, and nothing is recorded in files.
   * There is one for each session; a second one replaces it.
   */
  open(session: string, target: TapTarget): { close(): void }
}

export interface TapTarget {
  /** Scheme, authority and path, in front of the path of each request. */
  url: URL
  /** IP address to which to connect; the name in `url` is not resolved. */
  address: string
  /** Sent in place of fields of the client. */
  setHeaders: readonly (readonly [name: string, value: string])[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'proxy.taps': ProxyTaps
  }
}
